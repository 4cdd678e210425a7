//! DESK: where the calls of one session are taken, one after the other, whichever protocol brings them.

use std::time::Duration;

use serde_json::Value;

use super::actuator;
use super::error::Unestablished;
use super::session::{Held, NotAdmitted, SessionFacts, SessionState};
use super::tools::{Answer, Asking, Ground, Tool, ask, catalogue, look};
use crate::app::gateway::{Log, Resumed, Rules};
use crate::app::{AppError, Context};
use crate::codec::canonical;
use crate::model::gateway::Access;
use crate::model::time::Timestamp;
use crate::workspace::Workspace;

/// A session being served.
pub struct Desk {
    /// For what is recorded. Its clock is the moment when serving began; a call brings its own.
    context: Context,
    facts: SessionFacts,
    log: Log,
    rules: Rules,
    state: SessionState,
    tools: Vec<Tool>,
    workspace: Workspace,
    _writing: Held,
}

/// Why a call is not answered at all.
#[derive(Debug)]
pub enum Closed {
    /// The session is over.
    NotAdmitted(NotAdmitted),
    /// It can't be written down, so that it must not happen.
    Unrecorded(String),
}

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Closed::NotAdmitted(why) => write!(f, "the session is closed: {why}"),
            Closed::Unrecorded(why) => write!(f, "the call can't be recorded, and is not answered: {why}"),
        }
    }
}

impl Desk {
    /// Opens the desk of a session that let this server in, taking up what an earlier server of it left.
    ///
    /// # Errors
    /// When another server of it runs, or what an earlier one left does not hang together or was ended.
    pub fn open(
        context: Context,
        state: SessionState,
        facts: SessionFacts,
        (rules, workspace): (Rules, Workspace),
    ) -> Result<Self, AppError> {
        let told = |why: NotAdmitted| AppError::fatal(format!("not served: {why}"), "git boundary gateway doctor");
        let writing = state.writing().map_err(told)?;
        let log = take_up(&context, &state, &facts)?.ok_or_else(|| told(NotAdmitted::LaunchEnded))?;
        Ok(Desk { context, facts, log, rules, state, tools: catalogue(), workspace, _writing: writing })
    }

    /// The session that is served.
    pub fn session(&self) -> SessionState {
        self.state.clone()
    }

    /// What is offered.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Carries out one call.
    ///
    /// # Errors
    /// When the session is over, or the call can't be written down: then nothing was looked at, or nothing of it is told.
    pub fn call(&mut self, tool: &str, arguments: &Value, now: Timestamp) -> Result<Answer, Closed> {
        self.state.still_open(&self.facts, now).map_err(Closed::NotAdmitted)?;
        let known = self.tools.iter().find(|one| one.name == tool);
        let operation = known.map_or("unknown", |one| one.operation);
        let ground = Ground { rules: &self.rules, workspace: &self.workspace };
        let answer = look(&ground, tool, arguments)
            .or_else(|| {
                let key = self.facts.actor.map(|actor| actor.to_string());
                // Nobody sits at this process's terminal, if it has one.
                let keyring = self.context.keyring.clone().without_prompts();
                let context = Context { key, keyring, now, publish: false, ..self.context.clone() };
                ask(&Asking { context: &context, facts: &self.facts, ground, state: &self.state }, tool, arguments)
            })
            .unwrap_or_else(|| Answer::refused("unknown_tool", format!("{tool:?} is none of the tools offered"), None));
        let access = Access {
            at: now,
            operation: operation.to_owned(),
            outcome: answer.outcome.word().to_owned(),
            path: answer.path.clone(),
            request: canonical::separated_digest("gateway-call", arguments),
            result: answer.result,
            seq: self.log.next(),
            size: answer.size,
        };
        self.state.note(&access).map_err(|error: Unestablished| Closed::Unrecorded(error.to_string()))?;
        if self.log.add(access) {
            self.keep(now, false).map_err(|error| Closed::Unrecorded(error.to_string()))?;
        }
        Ok(answer)
    }

    /// Puts what was written down into the ledger.
    ///
    /// # Errors
    /// When it can't be written: the journal keeps it.
    pub fn keep(&mut self, now: Timestamp, last: bool) -> Result<(), AppError> {
        let context = Context { now, ..self.context.clone() };
        self.log.keep(&context, last)?;
        self.state.forget_noted().map_err(|error| error.told("git boundary gateway doctor"))
    }
}

/// What a server that is no more left of a session: the parts in the ledger, and what its journal has beyond them. `None` where the session
/// was ended in the ledger.
///
/// # Errors
/// When the two do not hang together.
pub fn take_up(context: &Context, state: &SessionState, facts: &SessionFacts) -> Result<Option<Log>, AppError> {
    let told = |error: Unestablished| error.told("git boundary gateway doctor");
    let noted = state.noted().map_err(told)?;
    let mut log = match Log::resume(context, facts.seal)? {
        Resumed::Open(log) => log,
        Resumed::Ended(count) if noted.iter().all(|access| access.seq < count) => {
            state.forget_noted().map_err(told)?;
            return Ok(None);
        }
        Resumed::Ended(count) => {
            let why = format!("it goes on after the {count} accesses with which the ledger ends the session");
            return Err(told(Unestablished::new("the session's journal", why)));
        }
    };
    for access in noted {
        match access.seq.cmp(&log.next()) {
            // Kept before the kill.
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => {
                log.add(access);
            }
            std::cmp::Ordering::Greater => {
                let why = format!("access {} follows {}", access.seq, log.next());
                return Err(told(Unestablished::new("the session's journal", why)));
            }
        }
    }
    Ok(Some(log))
}

/// How often, a hundredth of a second apart, the end of a session looks whether its server has ended, whose client just has.
const PATIENCE: usize = 1000;

/// Ends a session in the ledger, whatever its server left. Nothing where it was ended.
///
/// # Errors
/// When it can't be written, or its server does not end.
pub fn close(context: &Context, state: &SessionState) -> Result<(), AppError> {
    let mut tries = 0;
    let _writing = loop {
        match state.writing() {
            Ok(held) => break held,
            Err(_) if tries < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
            Err(why) => return Err(AppError::fatal(why.to_string(), "git boundary gateway doctor")),
        }
        tries += 1;
    };
    let facts = state.facts().map_err(|error| AppError::fatal(error.to_string(), "git boundary gateway doctor"))?;
    actuator::end(context, &facts)?;
    if let Some(mut log) = take_up(context, state, &facts)? {
        log.keep(context, true)?;
        state.forget_noted().map_err(|error| error.told("git boundary gateway doctor"))?;
    }
    Ok(())
}

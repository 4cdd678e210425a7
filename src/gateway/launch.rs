//! LAUNCH: finds every value of an installation again, seals a session, and starts the agent with nothing but our tools. Anything that is
//! not as it was refuses, by name; old evidence is not carried forward.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::actuator;
use super::adapter::{self, Adapter, ENVIRONMENT, PATH};
use super::desk;
use super::error::Unestablished;
use super::installation::{Finding, For, Home, Installed, contract, recheck};
use super::private::Private;
use super::session::{SessionFacts, SessionState, Token, place};
use crate::app::context::nonce;
use crate::app::gateway::{actor, keep, registrar};
use crate::app::{AppError, Context};
use crate::codec::canonical;
use crate::model::gateway::SessionSeal;
use crate::model::id::ArtifactId;
use crate::model::typed::typed;

/// A launch that may go on.
pub struct Launch {
    command: Command,
    held: super::session::Held,
    state: SessionState,
    /// The sealed session.
    pub session: ArtifactId,
}

/// The command that sets an agent up, with the words that it can't do without.
pub fn setup_again(agent: &str) -> String {
    let generic = adapter::find(agent).is_some_and(|adapter| adapter.program.is_none());
    let words = if generic { " --program <path> --argument '{mcp}'" } else { "" };
    format!("git boundary gateway setup {}{words}", typed(agent, "<agent>"))
}

/// The installation of an agent for the current directory.
///
/// # Errors
/// When there is none, or it can't be read.
pub fn installed(context: &Context, agent: &str) -> Result<(Home, Installed), AppError> {
    let again = setup_again(agent);
    let established = |error: Unestablished| error.told(again.clone());
    if adapter::find(agent).is_none() {
        let known: Vec<&str> = adapter::ADAPTERS.iter().map(|adapter| adapter.name).collect();
        return Err(AppError::usage(format!("no adapter knows {agent:?}; there are {}", known.join(", ")), again));
    }
    let here = place(context.environment.cwd()).map_err(established)?;
    let home = Home::open(context, agent, &here).map_err(established)?;
    let found = home.map(|home| home.installed().map(|found| found.map(|it| (home, it)))).transpose();
    found
        .map_err(established)?
        .flatten()
        .ok_or_else(|| AppError::fatal(format!("{agent} is not set up for {}", here.path), again.clone()))
}

/// Looks at everything again, and prepares the start.
///
/// # Errors
/// When something drifted, an argument can't be passed on, or the session can't be sealed.
pub fn prepare(context: &Context, agent: &str, words: &[OsString]) -> Result<Launch, AppError> {
    let (home, installed) = installed(context, agent)?;
    let again = setup_again(agent);
    let established = |error: Unestablished| error.told(again.clone());
    let adapter = adapter::find(agent).expect("an installation's adapter was found");
    let passed = adapter
        .pass_on(words)
        .map_err(|why| AppError::usage(why, format!("git boundary gateway launch {agent} -- \"<prompt>\"")))?;
    let drifted: Vec<Finding> =
        recheck(context, &home, &installed).map_err(established)?.into_iter().filter(|finding| !finding.same).collect();
    if let Some(first) = drifted.first() {
        let names: Vec<&str> = drifted.iter().map(|finding| finding.what.as_str()).collect();
        return Err(AppError::fatal(
            format!("not as it was set up: {} (now {}): nothing is started", names.join(", "), first.found),
            format!(
                "git boundary gateway doctor {agent}, and if that is as it should be, with the policy and program of before: {again}"
            ),
        ));
    }
    recover(context, &home)?;
    actuator::sweep(context, &installed.workspace)?;
    start(context, adapter, (&home, &installed), passed)
}

fn start(
    context: &Context,
    adapter: &Adapter,
    (home, installed): (&Home, &Installed),
    passed: Vec<OsString>,
) -> Result<Launch, AppError> {
    let established = |error: Unestablished| error.told("git boundary gateway doctor");
    let name = nonce()?;
    let (actor, registrar) = (actor(context)?, registrar(context)?);
    let (state, held) = SessionState::make(&home.private, &name).map_err(established)?;
    let token = Token::new().map_err(established)?;
    let profile = Private::make(&home.private.path(""), "profile").map_err(established)?;
    // As the agent finds it: what it knows of a file it may know by the path without links.
    let files = state.path("");
    let files = files
        .canonicalize()
        .map_err(|error| established(Unestablished::new(files.display().to_string(), error.to_string())))?;
    let given = For {
        arguments: &installed.arguments,
        files: &files,
        profile: &home.profile(),
        runner: &installed.runner,
        session: Some((&name, token.text())),
        surroundings: &installed.surroundings,
        workspace: &installed.workspace,
    };
    let contract = contract(adapter, &given);
    for (_, file, bytes) in &contract.files {
        state.write(file, bytes).map_err(established)?;
    }
    for name in &contract.kept {
        state.lead(name, &profile.path(name)).map_err(established)?;
    }
    for (file, bytes) in &contract.seeds {
        if !profile.path(file).exists() {
            profile.write(file, bytes, false).map_err(established)?;
        }
    }
    let mut variables: Vec<(String, OsString)> = vec![
        ("HOME".to_owned(), home.profile().into()),
        // Programs of the system alone: whatever the user's PATH finds first is not what was measured.
        ("PATH".to_owned(), PATH.into()),
    ];
    for name in ENVIRONMENT.iter().chain(adapter.variables) {
        if let Some(value) = context.environment.var(name) {
            variables.push(((*name).to_owned(), value.to_owned()));
        }
    }
    variables.extend(contract.variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    variables.sort();
    let arguments: Vec<OsString> = contract.arguments.into_iter().chain(passed).collect();
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    let words: Vec<String> = arguments.iter().map(text).collect();
    // What a variable holds may be a secret: a digest of it would let who guesses it find out.
    let named: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
    let seconds = i64::try_from(installed.policy.session_seconds).unwrap_or(i64::MAX);
    let seal = SessionSeal {
        actor,
        arguments: canonical::separated_digest("gateway-arguments", &(&name, words)),
        environment: canonical::digest_of(&named),
        expires_at: context.now.plus(seconds),
        installation: installed.digest,
        registrar,
        token: token.digest(),
    };
    let expires_at = seal.expires_at;
    let kept = keep(context, installed.commit, seal)?;
    let facts = SessionFacts {
        actor,
        commit: kept.commit,
        expires_at,
        installation: installed.digest,
        registrar,
        seal: kept.digest,
        token: token.digest(),
        workspace: installed.workspace.clone(),
    };
    state.begin(&facts).map_err(established)?;
    let program = installed.parts.first().ok_or_else(|| {
        established(Unestablished::new("the agent's program", "the installation that is kept here names none"))
    })?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(variables).current_dir(Path::new(&installed.workspace.path));
    Ok(Launch { command, held, state, session: kept.id })
}

/// Ends in the ledger what killed launches and servers left.
///
/// # Errors
/// When it can't be written.
pub fn recover(context: &Context, home: &Home) -> Result<usize, AppError> {
    let mut ended = 0;
    for state in SessionState::all(&home.private) {
        if state.is_held() {
            continue;
        }
        if state.facts().is_ok() {
            desk::close(context, &state)?;
            ended += 1;
        }
        state.remove().map_err(|error| error.told("git boundary gateway doctor"))?;
    }
    Ok(ended)
}

impl Launch {
    /// Starts the agent, waits for its end, and ends the session. Keys that interrupt reach the agent, which shares the terminal; this
    /// process waits on, so that the session is closed whatever the agent makes of them.
    ///
    /// # Errors
    /// When the agent can't be started, or the session's end can't be recorded.
    pub fn run(mut self, context: &Context, now: fn() -> crate::model::time::Timestamp) -> Result<i32, AppError> {
        let program = self.command.get_program().to_string_lossy().into_owned();
        let status = waiting(&mut self.command);
        // From here on no server of it is let in.
        drop(self.held);
        let context = Context { now: now(), ..context.clone() };
        desk::close(&context, &self.state)?;
        self.state.remove().map_err(|error| error.told("git boundary gateway doctor"))?;
        let status = status.map_err(|source| AppError::File { path: program.into(), source })?;
        Ok(status.code().unwrap_or(128))
    }
}

/// Runs a program to its end with the signals that a terminal sends left to it.
fn waiting(command: &mut Command) -> std::io::Result<std::process::ExitStatus> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _inside = runtime.enter();
    let _kept: Vec<_> =
        [SignalKind::interrupt(), SignalKind::quit()].into_iter().map(signal).collect::<std::io::Result<_>>()?;
    command.spawn()?.wait()
}

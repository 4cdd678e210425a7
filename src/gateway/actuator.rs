//! ACTUATOR: writes what an owner approved, exactly that and once, or nothing. Session, worktree, policy and preimage are looked at again
//! right before; the decision is the gate's, the bytes are git's, and the writing is the workspace's (issue "the gateway", point 5).

use std::path::Path;

use serde::Serialize;

use super::error::Unestablished;
use super::installation::{Home, Installed, recheck};
use super::private::{Private, state_home};
use super::serve::Clock;
use super::session::{SessionFacts, SessionState};
use crate::app::gateway::{Rules, Write, ground, sealed};
use crate::app::judge::Answer;
use crate::app::settle::Word;
use crate::app::write::{self, Claim, LedgerRoot, Standing, Status, Turn};
use crate::app::{AppError, Context};
use crate::codec::canonical;
use crate::model::decision::Disposition;
use crate::model::digest::Digest;
use crate::model::envelope::FileWrite;
use crate::model::id::{ArtifactId, EnvelopeId};
use crate::model::time::Timestamp;
use crate::model::workspace_path::WorkspacePath;
use crate::workspace::bounds::LARGEST_FILE;
use crate::workspace::{Effect, Expected, Preimage, Workspace, WriteError};

/// What became of a wish.
#[derive(Debug, Serialize)]
pub struct Carried {
    /// The proposal.
    pub id: ArtifactId,
    /// Its envelope.
    pub envelope_id: EnvelopeId,
    /// The file.
    pub path: String,
    /// How it stands, in a word: `pending`, `refused`, `undecided`, `claimed`, or as it ended.
    pub state: &'static str,
    /// The work receipt, where it ended now.
    pub receipt: Option<ArtifactId>,
    /// The judgement, where it was not let happen.
    pub answer: Option<Answer>,
    /// In words, where there is more to say.
    pub remark: Option<String>,
    /// The head of this clone's ledger afterwards.
    pub ledger: LedgerRoot,
}

/// What can be seen of a wish from here.
#[derive(Debug)]
pub struct Seen {
    /// Until when its session lasts; in words why it is over.
    pub session: Result<Timestamp, String>,
    /// What is at its path now, `None` for nothing; in words why that can't be told.
    pub before: Result<Option<Vec<u8>>, String>,
    /// SHA-256 of that.
    pub digest: Option<Digest>,
}

/// A session that has state here, and the installation that it is of.
struct Open {
    context: Context,
    facts: SessionFacts,
    home: Home,
    installed: Installed,
    state: SessionState,
}

const OVER: &str = "nothing of it is open on this machine, for this user";

/// The open session of a digest, in whichever worktree of this repository; of one that this clone's registrar sealed and nobody else.
fn open(context: &Context, session: &Digest) -> Option<Open> {
    let seal = sealed(context, session).ok()?;
    let here = ground(context).ok()?.git[1].canonicalize().ok()?;
    let homes = state_home(context).ok()?;
    let names = std::fs::read_dir(&homes).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    for name in names {
        let Ok(private) = Private::open(&homes, &name) else { continue };
        let home = Home { private };
        let of_it = |state: &SessionState| state.facts().is_ok_and(|facts| facts.seal == *session);
        let Some(state) = SessionState::all(&home.private).into_iter().find(of_it) else { continue };
        let (Ok(facts), Ok(Some(installed))) = (state.facts(), home.installed()) else { continue };
        let environment = context.environment.clone().in_directory(facts.workspace.path.clone());
        let there = Context { environment, ..context.clone() };
        // What is kept here is only as good as what was sealed, and another repository's session is another's.
        let is_ours = ground(&there).ok().and_then(|ground| ground.git[1].canonicalize().ok()) == Some(here.clone());
        let same = (facts.actor, facts.registrar, facts.installation, facts.expires_at)
            == (seal.actor, seal.registrar, seal.installation, seal.expires_at);
        return (is_ours && same).then_some(Open { context: there, facts, home, installed, state });
    }
    None
}

/// The worktree of a session as it was opened, beneath its descriptor.
fn workspace(facts: &SessionFacts) -> Result<Workspace, String> {
    let workspace = Workspace::open(Path::new(&facts.workspace.path)).map_err(|error| error.to_string())?;
    let identity = workspace.identity();
    let same =
        identity.device.to_string() == facts.workspace.device && identity.inode.to_string() == facts.workspace.inode;
    if same { Ok(workspace) } else { Err("another directory is in the worktree's place".to_owned()) }
}

/// How session and worktree stand to a wish, by what is here of them.
pub fn standing(
    context: &Context,
    (rules, workspace): (&Rules, &Workspace),
    (state, facts): (&SessionState, &SessionFacts),
    path: &WorkspacePath,
    now: Timestamp,
) -> Standing {
    let found = workspace.preimage(path, LARGEST_FILE);
    Standing {
        actor: facts.actor,
        branch: ground(context).ok().and_then(|ground| ground.branch),
        drifted: Vec::new(),
        found: found.map(|preimage| preimage.digest()).map_err(|error| error.to_string()),
        policy: match rules.writes(path.as_str()) {
            Write::ApprovalRequired(_) => match workspace.other_repository(path) {
                Ok(None) => Ok(()),
                Ok(Some(top)) => Err(format!("{top} is the worktree of another repository")),
                Err(why) => Err(why.to_string()),
            },
            Write::Denied(why) => Err(why),
        },
        session: state.still_open(facts, now).map(|()| facts.expires_at).map_err(|why| why.to_string()),
    }
}

/// The same with every value of the installation measured again.
fn measured(open: &Open, write: &FileWrite, now: Timestamp) -> (Standing, Option<Workspace>) {
    let broken = |why: String| Standing {
        actor: open.facts.actor,
        branch: None,
        drifted: vec![why.clone()],
        found: Err(why),
        policy: Ok(()),
        session: Ok(open.facts.expires_at),
    };
    let rules = match Rules::of(open.installed.policy.clone()) {
        Ok(rules) => rules,
        Err(why) => return (broken(why), None),
    };
    let workspace = match workspace(&open.facts) {
        Ok(workspace) => workspace,
        Err(why) => return (broken(why), None),
    };
    let mut found = standing(&open.context, (&rules, &workspace), (&open.state, &open.facts), &write.path, now);
    match recheck(&open.context, &open.home, &open.installed) {
        Ok(findings) => found.drifted.extend(
            findings.into_iter().filter(|one| !one.same).map(|one| format!("{} (now {})", one.what, one.found)),
        ),
        Err(error) => found.drifted.push(error.to_string()),
    }
    if open.facts.installation != open.installed.digest {
        found.drifted.push("the agent was set up anew since".to_owned());
    }
    (found, Some(workspace))
}

/// What there is to say of a wish whose session has no state here: that it is over, and nothing of what the worktree holds.
fn over(reference: &str) -> Standing {
    Standing {
        actor: None,
        branch: Some(reference.to_owned()),
        drifted: Vec::new(),
        found: Err("its worktree is not known here".to_owned()),
        policy: Ok(()),
        session: Err(OVER.to_owned()),
    }
}

/// Looks at what a wish would replace, for an owner; changes nothing.
pub fn look(context: &Context, write: &FileWrite) -> Seen {
    let Some(open) = open(context, &write.session) else {
        let before = Err("its worktree is not known here".to_owned());
        return Seen { session: Err(OVER.to_owned()), before, digest: None };
    };
    let preimage = workspace(&open.facts)
        .and_then(|workspace| workspace.preimage(&write.path, LARGEST_FILE).map_err(|error| error.to_string()));
    let session = open.state.still_open(&open.facts, context.now).map(|()| open.facts.expires_at);
    let digest = preimage.as_ref().ok().and_then(Preimage::digest);
    let before = preimage.map(|it| match it {
        Preimage::Absent => None,
        Preimage::File(file) => Some(file.bytes),
    });
    Seen { session: session.map_err(|why| why.to_string()), before, digest }
}

/// Carries out a wish that an owner approved, if all is as it was approved; else says why not.
///
/// # Errors
/// When it can't be judged or recorded at all.
pub fn carry_out(context: &Context, status: &Status, clock: Clock) -> Result<Carried, AppError> {
    let write = &status.write;
    let open = open(context, &write.session);
    let (standing, workspace) = match &open {
        Some(open) => measured(open, write, context.now),
        None => (over(&status.reference), None),
    };
    let told = |state: &'static str| -> Result<Carried, AppError> {
        Ok(Carried {
            id: status.id,
            envelope_id: status.envelope_id,
            path: write.path.as_str().to_owned(),
            state,
            receipt: None,
            answer: None,
            remark: None,
            ledger: write::ledger_root(context)?,
        })
    };
    Ok(match write::begin(context, status, &standing)? {
        Turn::Pending => told("pending")?,
        Turn::Busy => Carried { remark: Some("another process is at it".to_owned()), ..told("claimed")? },
        Turn::Ended(word, receipt) => Carried { receipt, ..told(word.name())? },
        Turn::Refused(answer) => Carried { answer: Some(*answer), ..told("refused")? },
        Turn::Undecided(answer) => Carried { answer: Some(*answer), ..told("undecided")? },
        Turn::Act(claim) => {
            let (end, remark) = match (&open, &workspace) {
                (Some(open), Some(workspace)) => act(open, workspace, &claim, (&status.reference, clock())),
                _ => (Disposition::Failed, Some(OVER.to_owned())),
            };
            let receipt = write::settle(context, &claim, end)?;
            Carried { receipt, remark, ..told(Word::of(end).name())? }
        }
    })
}

/// The one place where something is written for an agent.
fn act(
    open: &Open,
    workspace: &Workspace,
    claim: &Claim,
    (branch, now): (&str, Timestamp),
) -> (Disposition, Option<String>) {
    let file = &claim.file;
    if canonical::sha256(&claim.bytes) != file.content || claim.bytes.len() as u64 != file.size {
        return (Disposition::Failed, Some("the bytes are not those that were approved".to_owned()));
    }
    // What the ledger took to write is long enough for a session to end and for a branch to be switched.
    if let Err(why) = open.state.still_open(&open.facts, now) {
        return (Disposition::Failed, Some(why.to_string()));
    }
    if ground(&open.context).ok().and_then(|ground| ground.branch).as_deref() != Some(branch) {
        return (Disposition::Failed, Some(format!("the worktree is no longer on {branch}")));
    }
    // A written file keeps the permissions of the one that it replaces, and those were shown as well.
    let runs =
        matches!(workspace.preimage(&file.path, LARGEST_FILE), Ok(Preimage::File(found)) if found.mode & 0o111 != 0);
    if runs != file.executable {
        return (Disposition::Failed, Some("the permission to run the file is not as it was approved".to_owned()));
    }
    let expected = file.preimage.map_or(Expected::Absent, Expected::Content);
    match workspace.write_file(&file.path, &claim.bytes, expected, LARGEST_FILE) {
        Ok(_) => (Disposition::Complete, None),
        Err(WriteError { reason, effect: Effect::Nothing, .. }) => (Disposition::Failed, Some(reason.to_string())),
        Err(WriteError { reason, effect: Effect::Undetermined, kept }) => {
            let kept = kept.map_or_else(String::new, |name| format!("; what was there is kept as {name}"));
            (Disposition::Unknown, Some(format!("{reason}{kept}")))
        }
    }
}

/// Carries out what is approved and waits, and settles what a killed process left; of one wish where it is named. What still waits for an
/// owner is left out, unless it is named.
///
/// # Errors
/// When something can't be judged or recorded at all.
pub fn carry_out_all(context: &Context, which: Option<&str>, clock: Clock) -> Result<Vec<Carried>, AppError> {
    let mut carried = Vec::new();
    for status in write::open(context, which)? {
        if which.is_some() || matches!(status.state, write::State::Approved | write::State::Claimed) {
            carried.push(carry_out(context, &status, clock)?);
        }
    }
    Ok(carried)
}

/// With a session end its wishes: what was not carried out never is.
///
/// # Errors
/// When it can't be recorded.
pub fn end(context: &Context, facts: &SessionFacts) -> Result<(), AppError> {
    for status in write::unended(context, &facts.seal)? {
        let found = workspace(facts).and_then(|workspace| {
            let preimage = workspace.preimage(&status.write.path, LARGEST_FILE);
            preimage.map(|it| it.digest()).map_err(|error| error.to_string())
        });
        write::lapse(context, &status, found)?;
    }
    write::forget(context, &facts.seal)
}

/// Removes what a killed write left in a worktree, while nobody writes there.
///
/// # Errors
/// When the worktree can't be read, or somebody writes.
pub fn sweep(context: &Context, facts: &crate::model::gateway::Place) -> Result<(), AppError> {
    let path = facts.path.clone();
    write::alone_here(context, || {
        let swept = Workspace::open(Path::new(&path)).and_then(|it| it.sweep(Default::default(), LARGEST_FILE));
        swept.map(drop).map_err(|error| {
            Unestablished::new(format!("what a killed write left in {path}"), error.to_string())
                .told("git boundary gateway doctor")
        })
    })
}

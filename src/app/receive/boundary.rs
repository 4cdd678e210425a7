//! BOUNDARY: which of the pushed boundary refs may become what was pushed. They are outside the rules of any policy: each only grows,
//! by whoever may write it.

use crate::app::context::Context;
use crate::app::error::AppError;
use crate::app::judge::Answer;
use crate::app::push::Pushed;
use crate::crypto::trust::Trust;
use crate::gather::GatherError;
use crate::gather::session::{boundary_refs, pin};
use crate::git::Repository;
use crate::model::decision::{NextAction, ReasonGiven};
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid};
use crate::model::refusal::Code;
use crate::store::extends::{self, Inadmissible};
use crate::store::{LocalState, chains, layout};

/// Names that are ours, or that stand in the way of ours, however a file system spells them.
pub(in crate::app) fn is_ours(reference: &str) -> bool {
    let folded = reference.to_ascii_lowercase();
    ["refs/notes/boundary", "refs/boundary", "refs/boundary-remote", "refs/boundary-incoming", "refs/boundary-writes"]
        .iter()
        .any(|name| folded.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// What a client's hook says of a boundary ref that is being pushed: where it would take from the remote what others wrote, as a mirror
/// does that deletes and forces, or leave there what blocks or only looks like theirs. Whether it adds what it may is for the remote to say.
///
/// # Errors
/// When refs can't be read.
pub(in crate::app) fn taken_away(repository: &Repository, line: &Pushed) -> Result<Option<Answer>, AppError> {
    let is_one = matches!(line.reference.as_str(), layout::TRUST | layout::TRUST_PENDING | layout::POLICY)
        || matches!(layout::parse_notes_ref(&line.reference), Some((_, None)));
    let no = match (is_one, line.new.is_zero()) {
        (true, true) => DELETED.to_owned(),
        (false, false) => MISNAMED.to_owned(),
        // What stands in the way may go.
        (false, true) => return Ok(None),
        (true, false) if line.old.is_zero() || line.reference == layout::TRUST_PENDING => return Ok(None),
        (true, false) => match repository.is_ancestor(&line.old, &line.new) {
            Ok(false) => format!("it would lose {}, which is there", line.old.short()),
            Err(_) if !repository.contains(&line.old) => {
                format!("it would lose {}, which is there and not here", line.old.short())
            }
            // A cut history hides it; git itself asks for force where it must.
            Ok(true) | Err(_) => return Ok(None),
        },
    };
    let mut answer = refusal(line, Inadmissible::Takes(no));
    if [layout::REMOTE, layout::INCOMING].iter().any(|copies| line.reference.starts_with(copies)) {
        // Whoever mirrors pushes these; git tells no hook of the refs that a mirror deletes.
        answer.next = Some(NextAction {
            command: Some("git push <remote> <branch>".to_owned()),
            sentence: "It is a copy of what a remote has. A mirror would push it, and delete there what others wrote: name the branches."
                .to_owned(),
        });
    }
    Ok(Some(answer))
}

const DELETED: &str = "a boundary ref is never deleted";
const MISNAMED: &str = "no boundary ref has this name, and it would stand where only they are";

/// The refs that may become what was pushed; an answer for each that may not.
///
/// # Errors
/// When no trust root is pinned, or objects can't be read.
pub(super) fn admit(
    context: &Context,
    repository: &Repository,
    lines: &[&Pushed],
    refused: &mut Vec<Answer>,
) -> Result<Vec<(String, Oid)>, AppError> {
    let local = LocalState::of(repository);
    let (pin, _) = pin(repository, &context.session)?;
    let own = local.registrar_id()?;
    let mut door = Door { context, received: Vec::new(), local, pin, repository, trust: None };
    // Trust first: by it the policy is judged, and both before what others sign.
    let rank = |line: &&&Pushed| match line.reference.as_str() {
        layout::TRUST => 0,
        layout::POLICY => 1,
        _ => 2,
    };
    let mut ordered: Vec<&&Pushed> = lines.iter().collect();
    ordered.sort_by_key(rank);
    for line in ordered {
        match door.look(line, own)? {
            Ok(()) => door.received.push((line.reference.clone(), line.new)),
            Err(no) => refused.push(refusal(line, no)),
        }
    }
    Ok(door.received)
}

struct Door<'a> {
    context: &'a Context,
    local: LocalState,
    pin: Digest,
    received: Vec<(String, Oid)>,
    repository: &'a Repository,
    trust: Option<Trust>,
}

impl Door<'_> {
    fn look(&mut self, line: &Pushed, own: Option<KeyId>) -> Result<Result<(), Inadmissible>, AppError> {
        let takes = |text: &str| Ok(Err(Inadmissible::Takes(text.to_owned())));
        if line.new.is_zero() {
            return takes(DELETED);
        }
        let old = Some(line.old).filter(|old| !old.is_zero());
        match (line.reference.as_str(), layout::parse_notes_ref(&line.reference)) {
            (layout::TRUST, _) => Ok(extends::trust(self.repository, old, &line.new, self.pin)?),
            (layout::TRUST_PENDING, _) => {
                let repository = self.repository;
                Ok(extends::pending(repository, old, &line.new, self.trust()?)?)
            }
            (layout::POLICY, _) => {
                let (repository, now) = (self.repository, self.context.now);
                Ok(extends::policy(repository, old, &line.new, self.trust()?, now)?)
            }
            (_, Some((registrar, None))) => {
                if own == Some(registrar) {
                    return takes("it is this server's own, which nobody else writes");
                }
                let (repository, local) = (self.repository, self.local.clone());
                Ok(extends::notes(repository, (self.trust()?, &local), &registrar, old, &line.new)?)
            }
            _ => takes(MISNAMED),
        }
    }

    /// Trust as it shall be.
    fn trust(&mut self) -> Result<&Trust, AppError> {
        if self.trust.is_none() {
            let mut refs = boundary_refs(self.repository)?;
            refs.retain(|(name, _)| !self.received.iter().any(|(received, _)| received == name));
            refs.extend(self.received.iter().cloned());
            let trust = chains::load_trust(self.repository, &self.local, &refs, self.pin)?;
            self.trust = Some(trust.ok_or(GatherError::NoTrust(self.pin))?);
        }
        Ok(self.trust.as_ref().expect("it was just read"))
    }
}

fn refusal(line: &Pushed, no: Inadmissible) -> Answer {
    let (code, text) = match no {
        Inadmissible::Unsigned(text) => (Code::IdentitySignatureInvalid, text),
        Inadmissible::Takes(text) => (Code::PolicyActionForbidden, text),
    };
    Answer {
        reference: line.reference.clone(),
        old: line.old,
        new: line.new,
        outcome: "refused",
        governed: false,
        primary_code: Some(code),
        codes: vec![code],
        reasons: vec![ReasonGiven { code, text }],
        gaps: Vec::new(),
        next: Some(NextAction {
            command: Some("git boundary sync".to_owned()),
            sentence: "Boundary refs only grow, each written by its registrar or owners alone; fetch what is here, and send what adds to it."
                .to_owned(),
        }),
        advice: Vec::new(),
        notices: Vec::new(),
        receipt: None,
        kept_at_server: false,
    }
}

//! Changing refs: compare-and-swap, all or nothing as far as the store can.

use std::time::Duration;

use gix::lock::acquire::Fail;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit as GixEdit, RefLog};
use gix::refs::{FullName, Target};

use super::{RefError, full_name};
use crate::git::object_format::to_gix;
use crate::git::process::ProcessError;
use crate::git::repository::Repository;
use crate::model::id::Oid;
use crate::model::time::Timestamp;

/// How long to wait for another writer's lock before the attempt counts as raced. git's own default.
const LOCK_WAIT: Duration = Duration::from_millis(100);

/// What a ref must be for a change of it to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// There must be no such ref.
    Absent,
    /// It must be at this object.
    At(Oid),
}

/// One change of one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefEdit {
    /// Its full name.
    pub name: String,
    /// What it must be before.
    pub expected: Expected,
    /// What it will be; `None` deletes it.
    pub new: Option<Oid>,
}

/// How a change of refs ended.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// All refs are changed.
    Done,
    /// Nothing is changed: a ref was not as expected, or locked. Read again and retry.
    Raced,
}

/// What went wrong with what it came from: the first alone does not say what the system said.
fn all_of(err: &gix::Error) -> String {
    let mut said: Vec<String> = err.iter_errors().map(|one| format!("{one:#}")).collect();
    said.dedup();
    said.join(": ")
}

impl Repository {
    /// Changes refs if all of them are as expected. `message` and `time` go to the reflog. A ref that should be absent
    /// and is at its new value already may count as done.
    ///
    /// Files are changed in process; git does it where it must (another ref store, a `reference-transaction` hook, a
    /// shared repository's file modes).
    ///
    /// # Errors
    /// [`RefError`]; a ref that another name's ref makes impossible is [`RefError::Blocked`].
    pub fn update_refs(&self, edits: &[RefEdit], message: &str, time: Timestamp) -> Result<Update, RefError> {
        for edit in edits {
            full_name(&edit.name)?;
            if self.environment().in_quarantine() {
                return Err(RefError::Quarantine { name: edit.name.clone() });
            }
        }
        let (checks, edits): (Vec<_>, Vec<_>) =
            edits.iter().partition(|edit| edit.expected == Expected::Absent && edit.new.is_none());
        for check in checks {
            if self.find_ref(&check.name)?.is_some() {
                return Ok(Update::Raced);
            }
        }
        if edits.is_empty() {
            return Ok(Update::Done);
        }
        let message = message.replace(['\n', '\r'], " ");
        let result = match self.file_refs() {
            Some(store) if !self.has_shared_modes() && !self.has_transaction_hook() => {
                self.update_files(store, &edits, &message, time)
            }
            _ => {
                // git would turn a symbolic ref into an ordinary one.
                self.require_ordinary(&edits)?;
                self.update_by_git(&edits, &message, time)?
            }
        };
        match result {
            Ok(()) => Ok(Update::Done),
            Err(refused) => self.why(&edits, refused),
        }
    }

    fn update_files(
        &self,
        store: &gix::refs::file::Store,
        edits: &[&RefEdit],
        message: &str,
        time: Timestamp,
    ) -> Result<(), Refused> {
        let edits: Vec<GixEdit> = edits.iter().map(|edit| gix_edit(edit, message)).collect::<Result<_, _>>()?;
        let who = self.identity();
        let time = format!("{} +0000", time.0.max(0));
        let committer =
            gix::actor::SignatureRef { name: who.name.as_str().into(), email: who.email.as_str().into(), time: &time };
        let wait = Fail::AfterDurationWithBackoff(LOCK_WAIT);
        let refused = |err: gix::Error| Refused {
            // A directory may vanish under a writer when another one tidies up.
            contended: err.is_retryable() || err.is_conflict() || err.is_not_found(),
            defect: all_of(&err),
        };
        let prepared = store.transaction().prepare(edits, wait, wait).map_err(refused)?;
        prepared.commit(committer).map(drop).map_err(refused)
    }

    fn update_by_git(
        &self,
        edits: &[&RefEdit],
        message: &str,
        time: Timestamp,
    ) -> Result<Result<(), Refused>, ProcessError> {
        let zero = self.object_format().zero_oid();
        let mut input = Vec::new();
        for edit in edits {
            let old = match edit.expected {
                Expected::Absent => zero,
                Expected::At(oid) => oid,
            };
            let line = match edit.new {
                Some(new) => format!("update {}\0{new}\0{old}\0", edit.name),
                None => format!("delete {}\0{old}\0", edit.name),
            };
            input.extend_from_slice(line.as_bytes());
        }
        let who = self.identity();
        let mut command = self.git_local(["update-ref", "--no-deref", "-m", message, "--stdin", "-z"]);
        command.env("GIT_COMMITTER_NAME", who.name).env("GIT_COMMITTER_EMAIL", who.email);
        command.env("GIT_COMMITTER_DATE", format!("@{} +0000", time.0.max(0)));
        let output = command.input(input).output()?;
        if output.status.success() {
            return Ok(Ok(()));
        }
        let defect = output.message();
        // git has no status of its own for a lock that is held; in the C locale these words are stable.
        let contended = defect.contains("cannot lock ref") || defect.contains("File exists");
        Ok(Err(Refused { contended, defect }))
    }

    /// Why a change was refused, found out from the refs themselves and not from anybody's wording.
    fn why(&self, edits: &[&RefEdit], refused: Refused) -> Result<Update, RefError> {
        for edit in edits {
            let now = self.find_ref(&edit.name)?;
            let expected = match edit.expected {
                Expected::Absent => None,
                Expected::At(oid) => Some(oid),
            };
            if now != expected {
                return Ok(Update::Raced);
            }
            if edit.new.is_some()
                && expected.is_none()
                && let Some(blocking) = self.blocking_ref(&edit.name)?
            {
                return Err(RefError::Blocked { name: edit.name.clone(), blocking });
            }
        }
        self.require_ordinary(edits)?;
        if refused.contended {
            return Ok(Update::Raced);
        }
        Err(RefError::Write { name: edits[0].name.clone(), defect: refused.defect })
    }

    /// The ref that makes `name` impossible: one of its parent directories, or one below it.
    ///
    /// # Errors
    /// [`RefError`]
    pub fn blocking_ref(&self, name: &str) -> Result<Option<String>, RefError> {
        let mut parent = name;
        while let Some((up, _)) = parent.rsplit_once('/') {
            if up.matches('/').count() < 1 {
                break;
            }
            if self.find_ref(up)?.is_some() {
                return Ok(Some(up.to_owned()));
            }
            parent = up;
        }
        Ok(self.refs_under(&format!("{name}/"))?.into_iter().next().map(|(name, _)| name))
    }

    fn require_ordinary(&self, edits: &[&RefEdit]) -> Result<(), RefError> {
        for edit in edits {
            let symbolic = match self.file_refs() {
                None => self.symbolic_ref_by_git(&edit.name)?.is_some(),
                Some(_) => matches!(self.target(full_name(&edit.name)?.as_ref())?, Some(Target::Symbolic(_))),
            };
            if symbolic {
                return Err(RefError::Symbolic { name: edit.name.clone() });
            }
        }
        Ok(())
    }

    fn has_transaction_hook(&self) -> bool {
        let dir = match self.config_path("core.hooksPath") {
            Some(dir) => self.work_tree().unwrap_or_else(|| self.git_dir()).join(dir),
            None => self.common_dir().join("hooks"),
        };
        // Newer gits also know hooks by configuration.
        let configured = |name: &String| {
            self.config_strings(&format!("hook.{name}.event")).iter().any(|event| event == "reference-transaction")
        };
        dir.join("reference-transaction").exists() || self.config().subsections("hook").iter().any(configured)
    }
}

/// A change that was not made.
struct Refused {
    contended: bool,
    defect: String,
}

fn gix_edit(edit: &RefEdit, message: &str) -> Result<GixEdit, Refused> {
    let name =
        FullName::try_from(edit.name.as_str()).map_err(|err| Refused { contended: false, defect: err.to_string() })?;
    let expected = match edit.expected {
        Expected::Absent => PreviousValue::MustNotExist,
        Expected::At(oid) => PreviousValue::MustExistAndMatch(Target::Object(to_gix(&oid))),
    };
    let change = match edit.new {
        None => Change::Delete { expected, log: RefLog::AndReference },
        Some(new) => Change::Update {
            log: LogChange { mode: RefLog::AndReference, force_create_reflog: false, message: message.into() },
            expected,
            new: Target::Object(to_gix(&new)),
        },
    };
    Ok(GixEdit { change, name, deref: false })
}

//! Who started the running hook, and whether what it was given can be all that git is about to push.
//!
//! git writes the list of refs once, into a pipe. A hook manager that runs other commands first may have read it, may
//! give each command an empty pipe of its own, or may pass one ref on in variables. Nothing on standard input tells
//! the second and third from a push that has nothing to do, so an empty list is believed only from our own shim,
//! which git starts, or which a manager starts that is known to hand the whole list on.
//!
//! What cannot be seen here: a manager that runs a line added by hand and gives it the first ref alone. Such a line
//! belongs at the top of the hook, where nothing has read before it; `hook status` says when it is not there.

use super::name::HookName;
use super::pre_push_input::PushLine;
use crate::git::Environment;

/// The variable by which the shim says that it stands first and read the list itself; its value is the hook's name.
pub(super) const SHIM_VARIABLE: &str = "GIT_BOUNDARY_SHIM";

/// What standard input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdin {
    /// A pipe or socket, as git gives a hook.
    Pipe,
    /// A file, as some scripts keep their input in.
    File,
    /// A terminal, `/dev/null`, or closed.
    Other,
}

impl Stdin {
    /// Of the running process.
    #[cfg(unix)]
    pub fn of_process() -> Self {
        use rustix::fs::{FileType, fstat};
        match fstat(std::io::stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
            Ok(FileType::Fifo | FileType::Socket) => Stdin::Pipe,
            Ok(FileType::RegularFile) => Stdin::File,
            _ => Stdin::Other,
        }
    }

    /// Of the running process; only a terminal can be told apart here.
    #[cfg(not(unix))]
    pub fn of_process() -> Self {
        use std::io::IsTerminal;
        if std::io::stdin().is_terminal() { Stdin::Other } else { Stdin::Pipe }
    }
}

/// How the running `pre-push` was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Our shim did, and says so.
    pub shim: bool,
    /// pre-commit did, as one of its own hooks, which it gives no list.
    pub pre_commit: bool,
    /// What it was given as standard input.
    pub stdin: Stdin,
}

/// Why the list that was handed over may not be the whole one. Fail closed on any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InputDoubt {
    /// Nothing came, and what started us is not our shim.
    #[error(
        "no ref was handed to this hook. If there was nothing to push, nothing is lost; otherwise a hook manager \
         kept the list of refs for itself: put the line that runs git-boundary first in the hook, or use \
         `git boundary hook install`"
    )]
    NothingHandedOver,
    /// Nothing came, through something that git does not give to a hook.
    #[error("no ref was handed to this hook, and its standard input is not the pipe that git gives: run it by pushing")]
    NoPipe,
    /// pre-commit gives its hooks one ref of a push, in variables.
    #[error(
        "pre-commit tells its own hooks about one ref of a push only: take git-boundary out of its configuration \
         and use `git boundary hook install`, which stands beside pre-commit"
    )]
    OneRefOnly,
}

impl Caller {
    /// From the environment of the running hook.
    pub fn new(environment: &Environment, stdin: Stdin) -> Self {
        let shim = environment.var(SHIM_VARIABLE).is_some_and(|name| name == HookName::PrePush.as_str());
        let pre_commit = environment.var("PRE_COMMIT").is_some_and(|value| value == "1");
        Caller { shim, pre_commit, stdin }
    }

    /// The reason not to take `lines` for all that is pushed, if there is one.
    pub fn doubt(&self, lines: &[PushLine]) -> Option<InputDoubt> {
        if self.pre_commit && !self.shim {
            return Some(InputDoubt::OneRefOnly);
        }
        match (lines.is_empty(), self.shim, self.stdin) {
            (false, _, _) | (true, true, Stdin::Pipe) => None,
            (true, true, _) => Some(InputDoubt::NoPipe),
            (true, false, _) => Some(InputDoubt::NothingHandedOver),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(variables: &[(&str, &str)], stdin: Stdin) -> Caller {
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Caller::new(&Environment::new("/", variables), stdin)
    }

    fn line() -> PushLine {
        let oid: crate::model::id::Oid = "1".repeat(40).parse().expect("forty digits");
        PushLine { local_ref: "x".into(), new: oid, remote_ref: "refs/heads/x".into(), old: oid }
    }

    #[test]
    fn an_up_to_date_push_through_our_shim_is_believed() {
        assert_eq!(caller(&[(SHIM_VARIABLE, "pre-push")], Stdin::Pipe).doubt(&[]), None);
    }

    #[test]
    fn a_manager_that_eats_the_list_is_not_taken_for_an_up_to_date_push() {
        for stdin in [Stdin::Pipe, Stdin::File, Stdin::Other] {
            assert_eq!(caller(&[], stdin).doubt(&[]), Some(InputDoubt::NothingHandedOver));
            assert_eq!(caller(&[], stdin).doubt(&[line()]), None);
        }
        let other_hook = caller(&[(SHIM_VARIABLE, "pre-receive")], Stdin::Pipe);
        assert_eq!(other_hook.doubt(&[]), Some(InputDoubt::NothingHandedOver));
    }

    #[test]
    fn a_shim_that_somebody_ran_without_gits_pipe_is_not_believed() {
        let shim = [(SHIM_VARIABLE, "pre-push")];
        assert_eq!(caller(&shim, Stdin::Other).doubt(&[]), Some(InputDoubt::NoPipe));
        assert_eq!(caller(&shim, Stdin::File).doubt(&[]), Some(InputDoubt::NoPipe));
    }

    #[test]
    fn a_hook_of_pre_commit_is_told_that_it_sees_one_ref_only() {
        assert_eq!(caller(&[("PRE_COMMIT", "1")], Stdin::Pipe).doubt(&[line()]), Some(InputDoubt::OneRefOnly));
        let nested = caller(&[("PRE_COMMIT", "1"), (SHIM_VARIABLE, "pre-push")], Stdin::Pipe);
        assert_eq!(nested.doubt(&[line()]), None, "a push that a pre-commit hook makes runs our shim as any other");
    }
}

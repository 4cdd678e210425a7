//! How the process ends.

use std::process::ExitCode;

/// Every exit status there is (contract, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, verified or admitted.
    Ok,
    /// 1: refused, or not verified.
    Refused,
    /// 2: undecided, without a reason against anyone.
    Undecided,
    /// 128: it could not be done at all.
    Fatal,
    /// 129: the command line is not one.
    Usage,
    /// 141: it would have been 0, but the reader of the output went away. git's own commands end with this number too, since
    /// SIGPIPE ends them; output that was not delivered is never 0.
    ClosedPipe,
    /// The status of a program that was started for the user, who wants to know that and not ours.
    Passed(u8),
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Refused => 1,
            Exit::Undecided => 2,
            Exit::Fatal => 128,
            Exit::Usage => 129,
            Exit::ClosedPipe => 141,
            Exit::Passed(status) => status,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

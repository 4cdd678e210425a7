//! What could not be established. Nothing is guessed in its place.

use std::fmt;

use crate::app::AppError;

/// Something that setup or a launch has to know for sure and does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unestablished {
    what: String,
    why: String,
}

impl Unestablished {
    /// What it is about, such as `the version of claude`, and why it can't be told.
    pub fn new(what: impl Into<String>, why: impl Into<String>) -> Self {
        Unestablished { what: what.into(), why: why.into() }
    }

    /// As the failure of a command, with what to type.
    pub fn told(self, hint: impl Into<String>) -> AppError {
        AppError::fatal(format!("can't be established: {self}"), hint)
    }
}

impl fmt::Display for Unestablished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

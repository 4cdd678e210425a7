//! The one door for errors: a message, what to do about it, and the exit status.

use std::io;

use serde_json::json;

use super::exit::Exit;
use super::report;
use super::stream::Stream;
use super::text::Text;
use crate::crypto::KeyError;
use crate::git::{GitError, OpenError};
use crate::store::StoreError;

/// Why a command could not do its work. A refusal is no error: it is a report with [`Exit::Refused`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliError {
    /// What is wrong and with what, as one sentence without a full stop. May hold strangers' text: it is escaped when shown.
    pub message: String,
    /// What to do, each a command or a sentence with one.
    pub hints: Vec<String>,
    /// How the process ends.
    pub exit: Exit,
}

impl CliError {
    /// It could not be done at all.
    pub fn fatal(message: impl ToString) -> Self {
        CliError { message: message.to_string(), hints: Vec::new(), exit: Exit::Fatal }
    }

    /// The command line asks for something that there is not.
    pub fn usage(message: impl ToString) -> Self {
        CliError { exit: Exit::Usage, ..CliError::fatal(message) }
    }

    /// What was shown does not verify.
    pub fn refused(message: impl ToString) -> Self {
        CliError { exit: Exit::Refused, ..CliError::fatal(message) }
    }

    /// Something needed to decide is not there.
    pub fn undecided(message: impl ToString) -> Self {
        CliError { exit: Exit::Undecided, ..CliError::fatal(message) }
    }

    /// With something to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Standard output took no more. A reader that went away is no error of this kind: see [`Exit::ClosedPipe`].
    pub(super) fn output(error: &io::Error) -> Self {
        CliError::fatal(format!("cannot write output: {error}"))
    }

    /// Prints it: `error: …` and `hint: …` on `stderr`, and for machines one JSON object on `stdout`.
    ///
    /// A failure to print is passed over: the exit status already says that it went wrong.
    pub fn show(&self, json: bool, stdout: &mut Stream, stderr: &mut Stream) {
        let mut page = stderr.page();
        let mut lines = self.message.trim_end().lines();
        page.line(Text::red("error:").then(" ").then(lines.next().unwrap_or_default()));
        for more in lines {
            // Set in, so that a second line by somebody else can't pass for a hint of ours.
            page.indented(7, more);
        }
        for hint in &self.hints {
            page.line(Text::yellow("hint:").then(" ").then(hint));
        }
        let _ = stderr.deliver(page.as_str().as_bytes());
        if json {
            let value = json!({ "error": { "message": self.message, "hints": self.hints } });
            let _ = stdout.deliver(&report::json_line(&value));
        }
    }
}

impl From<KeyError> for CliError {
    fn from(error: KeyError) -> Self {
        let hint = error.remedy();
        CliError { hints: hint.into_iter().collect(), ..CliError::fatal(error) }
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        CliError::fatal(error)
    }
}

impl From<GitError> for CliError {
    fn from(error: GitError) -> Self {
        CliError::fatal(error)
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Key(error) => error.into(),
            StoreError::Blocked => CliError::fatal(&error)
                .hint("rename it: git update-ref refs/notes/boundary-old refs/notes/boundary && git update-ref -d refs/notes/boundary"),
            error => match error.fetch_command() {
                Some(command) => CliError::undecided(error).hint(command),
                None => CliError::fatal(error),
            },
        }
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;

//! From the command line's words to what use cases take, and from their errors to the one door.

use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::Out;
use super::text::Text;
use crate::app;
use crate::app::remote::Published;
use crate::cli::args::shared::{Pinning, Publishing, Signing};
use crate::gate::verdict::Outcome;
use crate::gather::SessionOptions;

/// A use case's context from a command's options.
pub(super) fn app(context: &Context, signing: &Signing, publishing: Publishing, pinning: Pinning) -> app::Context {
    app::Context {
        environment: context.environment.clone(),
        key: signing.key.clone(),
        keyring: context.keyring.clone(),
        now: context.now,
        publish: !publishing.no_publish,
        session: SessionOptions {
            trust_root: pinning.trust_root,
            min_trust_version: pinning.min_trust_version,
            received: Vec::new(),
            registrar: None,
        },
    }
}

/// For commands that only read.
pub(super) fn reading(context: &Context) -> app::Context {
    app(context, &Signing::default(), Publishing::default(), Pinning::default())
}

/// For commands that sign and publish.
pub(super) fn writing(context: &Context, signing: &Signing, publishing: Publishing) -> app::Context {
    app(context, signing, publishing, Pinning::default())
}

/// The exit status of an answer.
pub(super) fn exit_of(outcome: Outcome) -> Exit {
    match outcome {
        Outcome::Admitted => Exit::Ok,
        Outcome::Refused => Exit::Refused,
        Outcome::Undecided => Exit::Undecided,
    }
}

/// What became of sending what was written, where that is worth a word.
pub(super) fn published(out: &mut Out, published: &Published) {
    match published {
        Published::Sent { remote } => out.line(Text::dim(format!("sent to {remote}"))),
        Published::NoRemote => {}
        Published::Off => {}
        Published::Failed { command, message, remote } => {
            // git says it in several lines.
            let mut lines = message.lines().filter(|line| !line.trim().is_empty());
            let first = lines.next().unwrap_or("git gave no reason");
            out.line(Text::yellow("warning: ").then(format!("recorded here, not yet at {remote}: {first}")));
            for more in lines {
                out.indented(9, more);
            }
            out.line("Once it can be reached:");
            out.command(command);
        }
    }
}

/// Remarks that are no failure.
pub(super) fn warnings(out: &mut Out, warnings: &[String]) {
    for warning in warnings {
        out.line(Text::yellow("warning: ").then(warning));
    }
}

/// Any serialisable value as JSON.
pub(super) fn value<T: serde::Serialize>(value: &T) -> serde_json::Value {
    serde_json::to_value(value).expect("report values have text keys and no floats")
}

impl From<app::AppError> for CliError {
    fn from(error: app::AppError) -> Self {
        let hint = error.hint();
        let mut told = match error.failure() {
            app::Failure::NotVerified => CliError::refused(&error),
            app::Failure::Undecided => CliError::undecided(&error),
            app::Failure::Fatal => CliError::fatal(&error),
            app::Failure::Usage => CliError::usage(&error),
        };
        told.hints.extend(hint);
        told
    }
}

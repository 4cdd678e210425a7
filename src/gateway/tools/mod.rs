//! TOOLS: what an agent is offered, and nothing else. Each takes strict arguments, asks the rules, looks beneath the workspace's
//! descriptor, and tells what it did for the log (seed "execution gateway", "The narrow operation surface").

mod act;
mod catalogue;
mod look;

use serde::Serialize;
use serde_json::Value;

use super::session::{SessionFacts, SessionState};
use crate::app::Context;
use crate::app::gateway::Rules;
use crate::model::digest::Digest;
use crate::workspace::{AccessError, Workspace};

pub use self::catalogue::{Tool, catalogue, catalogue_digest};

/// What an agent gets back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The words; of a file exactly its own.
    pub text: String,
    /// A line about them, apart, so that it is never taken for a part of a file.
    pub about: Option<String>,
    /// Whether it is what was asked for.
    pub outcome: Outcome,
    /// The file or directory that it is about.
    pub path: Option<String>,
    /// SHA-256 of what was returned of the workspace; none where nothing was.
    pub result: Option<Digest>,
    /// Bytes of that.
    pub size: u64,
}

/// Whether a call did what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did.
    Done,
    /// It did not; in a word that stays the same for ever.
    Refused(String),
}

impl Outcome {
    /// The word for the log.
    pub fn word(&self) -> &str {
        match self {
            Outcome::Done => "ok",
            Outcome::Refused(word) => word,
        }
    }
}

/// What a call may use.
#[derive(Debug)]
pub struct Ground<'g> {
    /// What the policy says.
    pub rules: &'g Rules,
    /// The files.
    pub workspace: &'g Workspace,
}

/// What a call that asks for something may use.
#[derive(Debug)]
pub struct Asking<'a> {
    /// For what is recorded, as of now, with the actor's key.
    pub context: &'a Context,
    /// Of the session.
    pub facts: &'a SessionFacts,
    /// What any call may use.
    pub ground: Ground<'a>,
    /// Whether the session is still open.
    pub state: &'a SessionState,
}

impl Answer {
    /// Nothing was done, for a reason with a word of its own.
    pub fn refused(word: &str, why: impl std::fmt::Display, path: Option<&str>) -> Self {
        let text = match path {
            Some(path) => format!("refused: {word}: {path}: {why}"),
            None => format!("refused: {word}: {why}"),
        };
        Answer {
            text,
            about: None,
            outcome: Outcome::Refused(word.to_owned()),
            path: path.map(str::to_owned),
            result: None,
            size: 0,
        }
    }

    fn inaccessible(error: AccessError, path: Option<&str>) -> Self {
        Answer::refused(error.name(), error, path)
    }
}

/// Takes a wish or tells how wishes stand. `None` for a tool of another name.
pub fn ask(asking: &Asking<'_>, tool: &str, arguments: &Value) -> Option<Answer> {
    let answer = match tool {
        Tool::REQUEST_ACTION => act::request_action(asking, arguments),
        Tool::ACTION_STATUS => act::action_status(asking, arguments),
        _ => return None,
    };
    Some(answer.unwrap_or_else(|refused| *refused))
}

/// Carries out a call of one of the tools that only look. `None` for a tool of another name.
pub fn look(ground: &Ground<'_>, tool: &str, arguments: &Value) -> Option<Answer> {
    let answer = match tool {
        Tool::LIST_FILES => look::list_files(ground, arguments),
        Tool::READ_FILE => look::read_file(ground, arguments),
        Tool::SEARCH_TEXT => look::search_text(ground, arguments),
        _ => return None,
    };
    Some(answer.unwrap_or_else(|refused| *refused))
}

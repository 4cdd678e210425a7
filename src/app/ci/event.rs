//! EVENT: what a job of a forge is about, read from the variables that the forge sets. Pure.
//!
//! Most of it is a stranger's choice: names of branches are held against git's rules for names, ids must be ids, nothing is run, and
//! nothing here says which trust or which policy counts.

use serde::Serialize;
use serde_json::Value;

use crate::app::error::AppError;
use crate::git::is_full_ref_name;
use crate::model::id::Oid;

/// Where to look, for who has to be told that nothing was found.
const LOOKED_FOR: &str = "GITHUB_ACTIONS, FORGEJO_ACTIONS or GITEA_ACTIONS with GITHUB_EVENT_NAME and GITHUB_EVENT_PATH, and GITLAB_CI \
                          with CI_COMMIT_SHA";

/// Whose job it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Forge {
    /// GitHub Actions.
    GitHub,
    /// GitLab CI.
    GitLab,
    /// Forgejo Actions.
    Forgejo,
    /// Gitea Actions.
    Gitea,
}

impl Forge {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Forge::GitHub => "GitHub Actions",
            Forge::GitLab => "GitLab CI",
            Forge::Forgejo => "Forgejo Actions",
            Forge::Gitea => "Gitea Actions",
        }
    }
}

/// What happened, or is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A ref was moved.
    Push,
    /// A branch is to be merged.
    Request,
    /// A merge waits in a queue.
    Queue,
    /// Nothing moved: the job was started by a clock or by hand.
    Started,
}

impl What {
    /// The word stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            What::Push => "push",
            What::Request => "request",
            What::Queue => "queue",
            What::Started => "started",
        }
    }
}

/// What a job is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Whose job it is; `None` where arguments say it all.
    pub forge: Option<Forge>,
    /// What happened.
    pub what: What,
    /// The ref by whose rule to judge: the one that moved, or the one to be merged into.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Before: zero for a new ref, `None` where nobody says so.
    pub old: Option<Oid>,
    /// After; zero for a deletion.
    pub new: Oid,
}

/// The variables, and what is in the file that one of them names.
pub struct Variables<'a> {
    /// One variable; empty ones count as unset.
    pub get: &'a dyn Fn(&str) -> Option<String>,
    /// The file that `GITHUB_EVENT_PATH` names, or why it can't be read.
    pub event: &'a dyn Fn() -> Result<Vec<u8>, String>,
}

/// Which forge's job this is.
pub fn forge(variables: &Variables<'_>) -> Option<Forge> {
    let set = |name: &str| (variables.get)(name).is_some_and(|value| value != "false" && value != "0");
    // The others set GitHub's variables too, and their own beside them.
    [
        ("FORGEJO_ACTIONS", Forge::Forgejo),
        ("GITEA_ACTIONS", Forge::Gitea),
        ("GITHUB_ACTIONS", Forge::GitHub),
        ("GITLAB_CI", Forge::GitLab),
    ]
    .into_iter()
    .find_map(|(name, forge)| set(name).then_some(forge))
}

/// Reads what the job is about.
///
/// # Errors
/// In an environment of none of these forges; where a variable or the event file is missing, or holds no such thing.
pub fn read(variables: &Variables<'_>) -> Result<Event, AppError> {
    let Some(forge) = forge(variables) else {
        return Err(AppError::usage(
            format!("this is the job of no forge that is known here: looked for {LOOKED_FOR}"),
            "git boundary verify --ci <old>..<new> --ref <ref>",
        ));
    };
    match forge {
        Forge::GitLab => gitlab(variables),
        forge => actions(forge, variables),
    }
}

fn actions(forge: Forge, variables: &Variables<'_>) -> Result<Event, AppError> {
    let name = needed(variables, "GITHUB_EVENT_NAME")?;
    let bytes = (variables.event)().map_err(|why| wrong("GITHUB_EVENT_PATH", &why))?;
    let event: Value = serde_json::from_slice(&bytes)
        .map_err(|error| wrong("GITHUB_EVENT_PATH", &format!("the event is no JSON: {error}")))?;
    let text = |path: &str| event.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty());
    let field =
        |path: &str| text(path).ok_or_else(|| wrong("GITHUB_EVENT_PATH", &format!("the {name} event says no {path}")));
    let id = |path: &str| oid("GITHUB_EVENT_PATH", field(path)?);
    let made = |what, reference: String, old, new| {
        Ok(Event { forge: Some(forge), what, reference: full(&reference)?, old, new })
    };
    match name.as_str() {
        "push" => made(What::Push, field("/ref")?.to_owned(), Some(id("/before")?), id("/after")?),
        // What GITHUB_SHA and GITHUB_REF name here is a merge that the forge made up and throws away.
        "pull_request" | "pull_request_target" => made(
            What::Request,
            branch(field("/pull_request/base/ref")?),
            Some(id("/pull_request/base/sha")?),
            id("/pull_request/head/sha")?,
        ),
        "merge_group" => made(
            What::Queue,
            field("/merge_group/base_ref")?.to_owned(),
            Some(id("/merge_group/base_sha")?),
            id("/merge_group/head_sha")?,
        ),
        _ => {
            let new = oid("GITHUB_SHA", &needed(variables, "GITHUB_SHA")?)?;
            made(What::Started, needed(variables, "GITHUB_REF")?, None, new)
        }
    }
}

fn gitlab(variables: &Variables<'_>) -> Result<Event, AppError> {
    let get = |name: &str| (variables.get)(name);
    let tip = oid("CI_COMMIT_SHA", &needed(variables, "CI_COMMIT_SHA")?)?;
    let forge = Some(Forge::GitLab);
    if let Some(target) = get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") {
        // In a pipeline for merged results the commit is a merge that the forge throws away; only then is this variable filled.
        let new = match get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") {
            Some(source) => oid("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", &source)?,
            None => tip,
        };
        let base = needed(variables, "CI_MERGE_REQUEST_DIFF_BASE_SHA")?;
        let old = Some(oid("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base)?);
        return Ok(Event { forge, what: What::Request, reference: full(&branch(&target))?, old, new });
    }
    let reference = match (get("CI_COMMIT_BRANCH"), get("CI_COMMIT_TAG")) {
        (Some(name), _) => branch(&name),
        (None, Some(tag)) => format!("refs/tags/{tag}"),
        (None, None) => {
            return Err(wrong("CI_COMMIT_BRANCH", "neither it, CI_COMMIT_TAG nor a merge request's target is set"));
        }
    };
    let reference = full(&reference)?;
    // Zeros stand there too for a pipeline that a clock or a person started.
    if get("CI_PIPELINE_SOURCE").is_some_and(|source| source != "push") {
        return Ok(Event { forge, what: What::Started, reference, old: None, new: tip });
    }
    let before = needed(variables, "CI_COMMIT_BEFORE_SHA")?;
    let old = Some(oid("CI_COMMIT_BEFORE_SHA", &before)?);
    Ok(Event { forge, what: What::Push, reference, old, new: tip })
}

fn needed(variables: &Variables<'_>, name: &str) -> Result<String, AppError> {
    (variables.get)(name).ok_or_else(|| wrong(name, "it is not set"))
}

fn wrong(name: &str, why: &str) -> AppError {
    AppError::usage(
        format!("{name} says not what this job is about: {why}"),
        "git boundary verify --ci <old>..<new> --ref <ref>",
    )
}

fn oid(name: &str, text: &str) -> Result<Oid, AppError> {
    text.parse().map_err(|_| wrong(name, &format!("{text:?} is no commit's id")))
}

/// The full name of what a forge calls by a branch's own name, whatever that begins with.
fn branch(name: &str) -> String {
    format!("refs/heads/{name}")
}

/// A name that git would take for a ref, and nothing else.
fn full(name: &str) -> Result<String, AppError> {
    if name.starts_with("refs/") && is_full_ref_name(name) {
        Ok(name.to_owned())
    } else {
        Err(wrong("the ref", &format!("{name:?} is no full name of a ref")))
    }
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;

//! The three tools that look.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Answer, Ground, Outcome};
use crate::codec::canonical;
use crate::model::workspace_path::WorkspacePath;
use crate::workspace::bounds::LARGEST_FILE;
use crate::workspace::{ListBounds, Literal, Met, Omission, Omissions, SearchBounds};

/// An answer that says why there is none.
pub(super) type Refused = Box<Answer>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Below {
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    path: Option<String>,
    text: String,
}

pub(super) fn read_arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T, Refused> {
    T::deserialize(arguments).map_err(|error| Box::new(Answer::refused("invalid_arguments", error, None)))
}

pub(super) fn parse(path: &str) -> Result<WorkspacePath, Refused> {
    // What is no path is not kept as one: it may be of any length.
    path.parse::<WorkspacePath>().map_err(|defect| Box::new(Answer::refused(defect.name(), defect, None)))
}

/// Where to look. What the policy keeps back as a whole is not so much as looked for: whether it is there is told by no answer.
fn below(ground: &Ground<'_>, path: Option<&str>) -> Result<Option<WorkspacePath>, Refused> {
    let from = path.map(parse).transpose()?;
    if let Some(from) = &from
        && ground.rules.excludes_below(from.as_str())
    {
        let why = "the policy's read list excludes what is there";
        return Err(Box::new(Answer::refused("policy_denied", why, Some(from.as_str()))));
    }
    Ok(from)
}

/// A file is shown where the policy's read list grants it, whatever the way to it.
fn may_read(ground: &Ground<'_>, path: &WorkspacePath) -> Result<(), Refused> {
    ground
        .rules
        .reads(path.as_str())
        .map_err(|why| Box::new(Answer::refused("policy_denied", why, Some(path.as_str()))))
}

pub(super) fn read_file(ground: &Ground<'_>, arguments: &Value) -> Result<Answer, Refused> {
    let asked: One = read_arguments(arguments)?;
    let path = parse(&asked.path)?;
    may_read(ground, &path)?;
    let file = ground
        .workspace
        .read_file(&path, LARGEST_FILE)
        .map_err(|error| Box::new(Answer::inaccessible(error, Some(path.as_str()))))?;
    Ok(Answer {
        about: Some(format!("{} {} bytes", file.digest, file.text.len())),
        size: file.text.len() as u64,
        text: file.text,
        outcome: Outcome::Done,
        path: Some(path.as_str().to_owned()),
        result: Some(file.digest),
    })
}

pub(super) fn list_files(ground: &Ground<'_>, arguments: &Value) -> Result<Answer, Refused> {
    let asked: Below = read_arguments(arguments)?;
    let from = below(ground, asked.path.as_deref())?;
    let wanted = |path: &WorkspacePath| ground.rules.reads(path.as_str()).is_ok();
    let found = ground
        .workspace
        .list_files(from.as_ref(), ListBounds::default(), &wanted)
        .map_err(|error| Box::new(Answer::inaccessible(error, asked.path.as_deref())))?;
    let mut text: String = found.files.iter().map(|file| format!("{}\t{}\n", file.path.as_str(), file.size)).collect();
    text.push_str(&remarks(ground, &found.omitted, &found.met));
    Ok(told(text, asked.path))
}

pub(super) fn search_text(ground: &Ground<'_>, arguments: &Value) -> Result<Answer, Refused> {
    let asked: Search = read_arguments(arguments)?;
    let from = below(ground, asked.path.as_deref())?;
    let literal =
        Literal::new(&asked.text).map_err(|defect| Box::new(Answer::refused("invalid_arguments", defect, None)))?;
    let wanted = |path: &WorkspacePath| ground.rules.reads(path.as_str()).is_ok();
    let found = ground
        .workspace
        .search_text(&literal, from.as_ref(), SearchBounds::default(), &wanted)
        .map_err(|error| Box::new(Answer::inaccessible(error, asked.path.as_deref())))?;
    let mut text = String::new();
    for one in &found.matches {
        let (before, after) = (if one.shown_from > 1 { "…" } else { "" }, if one.cut { "…" } else { "" });
        text.push_str(&format!("{}:{}:{}: {before}{}{after}\n", one.path.as_str(), one.line, one.column, one.shown));
    }
    text.push_str(&remarks(ground, &found.omitted, &found.met));
    text.push_str(&format!("searched: {} files, {} bytes\n", found.files, found.bytes));
    Ok(told(text, asked.path))
}

fn told(text: String, path: Option<String>) -> Answer {
    Answer {
        about: None,
        result: Some(canonical::sha256(text.as_bytes())),
        size: text.len() as u64,
        text,
        outcome: Outcome::Done,
        path,
    }
}

/// What is unwanted is so because the policy's read list does not grant it.
fn reason(omission: Omission) -> &'static str {
    if omission == Omission::Unwanted { "policy_denied" } else { omission.name() }
}

/// What is not in an answer, so that nobody takes it for the whole.
fn remarks(ground: &Ground<'_>, omissions: &Omissions, met: &[Met]) -> String {
    let mut text = String::new();
    for (omission, count) in omissions {
        text.push_str(&format!("left out: {count} ({})\n", reason(*omission)));
    }
    for one in met {
        let at = match one.at.as_str() {
            "" => "the top",
            at if ground.rules.excludes_below(at) => "a place that the policy keeps back",
            at => at,
        };
        text.push_str(&format!("bound met: {}, at {at}: ask for less, such as a directory below\n", one.bound.name()));
    }
    text
}

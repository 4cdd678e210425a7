//! The two tools that ask and wait. Neither writes anything in the workspace: one leaves a wish with the owner, the other tells how it
//! stands.

use base64::Engine as _;
use serde::Deserialize;
use serde_json::Value;

use super::look::{Refused, parse, read_arguments};
use super::{Answer, Asking, Outcome};
use crate::app::gateway::Write;
use crate::app::submit::Decision;
use crate::app::write::{self, LedgerRoot, State, Status, Wish};
use crate::codec::canonical;
use crate::gateway::actuator;
use crate::model::decision::ReasonGiven;
use crate::model::digest::Digest;
use crate::model::envelope::Action;
use crate::model::refusal::Code;
use crate::workspace::Preimage;
use crate::workspace::bounds::LARGEST_FILE;

/// The most wishes of one session: more than an owner reads.
pub(super) const MOST_WISHES: usize = 256;
/// The bytes of what an agent calls its wish, and of its words for it.
pub(super) const LONGEST_KEY: usize = 128;
pub(super) const LONGEST_REASON: usize = 2000;
pub(super) const LONGEST_MEDIA_TYPE: usize = 127;

const FORBIDDEN: &str = "policy.action_forbidden";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    content: String,
    encoding: Option<Encoding>,
    key: Option<String>,
    media_type: String,
    #[expect(dead_code, reason = "it was looked at before, and is known here so that all else is unknown")]
    operation: String,
    path: String,
    preimage: String,
    reason: Option<String>,
}

#[derive(Deserialize)]
enum Encoding {
    #[serde(rename = "base64")]
    Base64,
    #[serde(rename = "utf-8")]
    Utf8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Which {
    action: Option<String>,
}

fn invalid(why: impl std::fmt::Display) -> Refused {
    Box::new(Answer::refused("invalid_arguments", why, None))
}

pub(super) fn request_action(asking: &Asking<'_>, arguments: &Value) -> Result<Answer, Refused> {
    // Whatever else is said of it: what nothing here can do is not taken for something near it.
    if let Some(operation) =
        arguments.get("operation").and_then(Value::as_str).filter(|it| *it != Action::WORKSPACE_WRITE)
    {
        let why = format!("nothing here does {operation:?}; an owner can be asked for {}", Action::WORKSPACE_WRITE);
        return Err(Box::new(Answer::refused(FORBIDDEN, why, None)));
    }
    let asked: Request = read_arguments(arguments)?;
    let path = parse(&asked.path)?;
    let named = path.as_str();
    let refuse = |word: &str, why: &dyn std::fmt::Display| Box::new(Answer::refused(word, why, Some(named)));
    if let Write::Denied(why) = asking.ground.rules.writes(named) {
        return Err(refuse(FORBIDDEN, &why));
    }
    let bytes = bytes(&asked)?;
    let preimage = preimage(&asked.preimage)?;
    let key = asked.key.unwrap_or_default();
    let reason = asked.reason.filter(|text| !text.is_empty());
    if key.len() > LONGEST_KEY || reason.as_ref().is_some_and(|text| text.len() > LONGEST_REASON) {
        return Err(invalid(format!("key has at most {LONGEST_KEY} bytes, and reason at most {LONGEST_REASON}")));
    }
    if !is_media_type(&asked.media_type) {
        return Err(invalid("media_type is a type and a subtype, such as text/plain"));
    }
    if asking.facts.actor.is_none() {
        let why = "this session may only look: an owner lets it ask by launching it with --key <actor>";
        return Err(refuse("no_actor", &why));
    }
    let failed = |error: crate::app::AppError| refuse("not_recorded", &error);
    let found = asking.ground.workspace.preimage(&path, LARGEST_FILE);
    let found = found.map_err(|error| Box::new(Answer::inaccessible(error, Some(named))))?;
    let mut wish = Wish {
        branch: String::new(),
        bytes,
        executable: matches!(&found, Preimage::File(file) if file.mode & 0o111 != 0),
        key,
        media_type: asked.media_type,
        path: path.clone(),
        preimage,
        reason,
        registrar: asking.facts.registrar,
        session: asking.facts.seal,
    };
    let (known, others) = write::is_known(asking.context, &wish).map_err(failed)?;
    if !known {
        if others >= MOST_WISHES {
            let why = format!("a session may ask for {MOST_WISHES} writes, and this one has");
            return Err(refuse("too_many_requests", &why));
        }
        if found.digest() != preimage {
            let why = format!("it holds {}, and the request replaces {}", shown(found.digest()), shown(preimage));
            return Err(refuse("snapshot.head_moved", &why));
        }
    }
    let standing = actuator::standing(
        asking.context,
        (asking.ground.rules, asking.ground.workspace),
        (asking.state, asking.facts),
        &path,
        asking.context.now,
    );
    let Some(branch) = standing.branch.clone() else {
        return Err(refuse("no_branch", &"the workspace is on no branch, by whose rule it could be judged"));
    };
    wish.branch = branch;
    let asked = write::ask(asking.context, &wish, &standing).map_err(failed)?;
    if let Some((Decision::Refused | Decision::Undecided, answer)) = &asked.decision {
        let word = answer.primary_code.map_or("undecided", |code| code.name());
        let told = |one: &&ReasonGiven| one.code != Code::ApprovalMissing;
        let reasons = answer.reasons.iter().filter(told).map(|one| one.text.clone());
        let reasons: Vec<String> = reasons.chain(answer.gaps.clone()).collect();
        let receipt = answer.receipt.map_or_else(String::new, |id| format!("; receipt {id}"));
        let mut answer = Answer::refused(word, format!("{}{receipt}", reasons.join("; ")), Some(named));
        answer.result = Some(asked.digest);
        return Err(Box::new(answer));
    }
    let envelope = asked.envelope_id.to_string();
    let (now, root) = write::status(asking.context, &asking.facts.seal, Some(&envelope)).map_err(failed)?;
    if let Some(one) = now.iter().find(|one| one.state == State::Refused) {
        let word = one.code.map_or("undecided", |code| code.name());
        return Err(refuse(word, &format!("{envelope} was decided before; to ask anew, name another key")));
    }
    let mut text = if asked.already { "asked for before: this is no second request\n" } else { "" }.to_owned();
    for one in &now {
        text.push_str(&line(one));
    }
    text.push_str(&head(&root));
    text.push_str("Nothing is written before an owner approves it. action_status tells how it stands.\n");
    Ok(Answer {
        about: None,
        size: text.len() as u64,
        text,
        outcome: Outcome::Done,
        path: Some(named.to_owned()),
        result: Some(asked.digest),
    })
}

pub(super) fn action_status(asking: &Asking<'_>, arguments: &Value) -> Result<Answer, Refused> {
    let asked: Which = read_arguments(arguments)?;
    let failed = |error: crate::app::AppError| Box::new(Answer::refused("not_read", error, None));
    let (found, root) = write::status(asking.context, &asking.facts.seal, asked.action.as_deref()).map_err(failed)?;
    if let Some(action) = asked.action.filter(|_| found.is_empty()) {
        let why = format!("{action:?} is no action of this session");
        return Err(Box::new(Answer::refused("unknown_action", why, None)));
    }
    let mut text: String = found.iter().map(line).collect();
    if found.is_empty() {
        text.push_str("nothing was asked for in this session\n");
    }
    text.push_str(&head(&root));
    Ok(Answer {
        about: None,
        result: Some(canonical::sha256(text.as_bytes())),
        size: text.len() as u64,
        text,
        outcome: Outcome::Done,
        path: None,
    })
}

/// One wish in a line: what agents are told of it.
fn line(one: &Status) -> String {
    let code = one.code.map_or_else(String::new, |code| format!("\t{}", code.name()));
    let receipt = one.receipt.map_or_else(String::new, |id| format!("\treceipt {id}"));
    format!("{}\t{}\t{}{code}{receipt}\n", one.state.word(), one.envelope_id, one.write.path.as_str())
}

fn head(root: &LedgerRoot) -> String {
    format!("ledger {} of {}: {} entries\n", root.root, root.registrar, root.size)
}

fn bytes(asked: &Request) -> Result<Vec<u8>, Refused> {
    let bytes = match asked.encoding {
        None | Some(Encoding::Utf8) => asked.content.clone().into_bytes(),
        Some(Encoding::Base64) => base64::engine::general_purpose::STANDARD
            .decode(&asked.content)
            .map_err(|error| invalid(format!("content is no base64: {error}")))?,
    };
    if bytes.len() as u64 > LARGEST_FILE {
        let why = format!("content has {} bytes, more than the {LARGEST_FILE} that may be written", bytes.len());
        return Err(Box::new(Answer::refused("too_large", why, None)));
    }
    Ok(bytes)
}

fn preimage(text: &str) -> Result<Option<Digest>, Refused> {
    match text {
        "absent" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            invalid(
                "preimage is \"absent\", or the SHA-256 that read_file tells of the file: sha256: and 64 hex digits",
            )
        }),
    }
}

fn shown(digest: Option<Digest>) -> String {
    digest.map_or_else(|| "nothing".to_owned(), |it| it.to_string())
}

/// RFC 6838, section 4.2: two restricted names.
fn is_media_type(text: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.chars().all(|it| it.is_ascii_alphanumeric() || "!#$&-^_.+".contains(it))
    };
    text.len() <= LONGEST_MEDIA_TYPE && text.split_once('/').is_some_and(|(one, other)| is_name(one) && is_name(other))
}

//! The gateway, by the real command line, with a client that is a script: it is measured, launched and served as any agent is.

mod agents;
mod clients;
mod exporting;
mod hostile;
mod live;
mod looking;
mod model;
mod sessions;
mod setting_up;
mod writing;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::support::{Ran, Work, World};

/// A client of the protocol: sends the lines of one file to the server that its configuration names, and keeps the answers in another.
const CLIENT: &str = r#"#!/bin/sh
config=$1 requests=$2 answers=$3
value() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$config"; }
session=$(sed -n 's/.*"--session","\([0-9a-z]*\)".*/\1/p' "$config")
env > "$answers.env"
cp "$config" "$answers.config"
export GIT_BOUNDARY_GATEWAY_TOKEN="$(value GIT_BOUNDARY_GATEWAY_TOKEN)" HOME="$(value HOME)"
for name in XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM; do
  text=$(value $name)
  if [ -n "$text" ]; then export $name="$text"; fi
done
export GIT_CONFIG_NOSYSTEM=1
if [ -e "$requests.sh" ]; then . "$requests.sh"; fi
"$(value command)" -C "$PWD" gateway serve generic --session "$session" < "$requests" > "$answers" 2> "$answers.err"
echo $? > "$answers.status"
exit 7
"#;

/// A worktree with an agent set up for it.
pub struct Gate {
    pub world: World,
}

impl Gate {
    pub fn new() -> Self {
        let gate = Gate { world: World::new() };
        let client = gate.path("client");
        std::fs::write(&client, CLIENT).expect("it can be written");
        gate.work().sh(&format!("chmod +x '{}'", client.display())).ok();
        gate
    }

    /// Set up with the starter policy.
    pub fn set_up() -> Self {
        let gate = Gate::new();
        gate.setup("").ok();
        gate
    }

    pub fn work(&self) -> &Work {
        &self.world.work
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.world.root().join(name)
    }

    #[track_caller]
    pub fn setup(&self, more: &str) -> Ran {
        let (client, requests, answers) = (self.path("client"), self.path("requests"), self.path("answers"));
        self.work().boundary(&format!(
            "gateway setup generic --program {} --argument {{mcp}} --argument {} --argument {} {more}",
            client.display(),
            requests.display(),
            answers.display()
        ))
    }

    /// Launches with calls of tools; gives the result of each, in order. The launch ends as the client does.
    #[track_caller]
    pub fn calls(&self, calls: &[(&str, Value)]) -> Vec<Value> {
        self.asked(calls).ends_with(7);
        self.answers(calls.len())
    }

    #[track_caller]
    pub fn asked(&self, calls: &[(&str, Value)]) -> Ran {
        let mut lines = vec![
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "script", "version": "0" },
            } }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        ];
        for (number, (tool, arguments)) in calls.iter().enumerate() {
            lines.push(json!({ "jsonrpc": "2.0", "id": number + 1, "method": "tools/call",
                "params": { "name": tool, "arguments": arguments } }));
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.requests(&text);
        self.work().boundary("gateway launch generic")
    }

    pub fn requests(&self, text: &str) {
        std::fs::write(self.path("requests"), text).expect("they can be written");
    }

    /// The results of calls 1 to `count`.
    #[track_caller]
    pub fn answers(&self, count: usize) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("answers")).expect("the client kept them");
        let mut all: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("each line is a message")).collect();
        all.retain(|message| message["id"].as_u64().is_some_and(|id| id > 0));
        all.sort_by_key(|message| message["id"].as_u64());
        assert_eq!(all.len(), count, "each call is answered: {text}");
        all.into_iter()
            .map(|message| if message["error"].is_null() { message["result"].clone() } else { message })
            .collect()
    }

    /// The id of the last session.
    #[track_caller]
    pub fn session(&self) -> String {
        let all = self.work().boundary("gateway trace --json").ok().json_lines();
        all.first().and_then(|one| one["id"].as_str()).expect("a session is recorded").to_owned()
    }

    #[track_caller]
    pub fn trace(&self) -> Value {
        let session = self.session();
        self.work().boundary(&format!("gateway trace {session} --json")).json()
    }
}

/// The text of an answer.
#[track_caller]
pub fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap_or_else(|| panic!("an answer has a text: {answer}"))
}

/// The word of a refusal.
#[track_caller]
pub fn refusal(answer: &Value) -> &str {
    assert_eq!(answer["isError"], true, "it is refused: {answer}");
    text(answer).split(": ").nth(1).unwrap_or_else(|| panic!("a refusal has a word: {answer}"))
}

//! SARIF: an answer in the Static Analysis Results Interchange Format 2.1.0: one run, a rule for each code, a result for each commit and
//! reason.

use serde_json::{Value, json};

use super::exit::Exit;
use super::out::Out;
use super::report::{Json, Report};
use crate::app::policy_file::FILE_NAME;
use crate::app::verify::{CommitShown, Verified};
use crate::model::id::Oid;
use crate::model::refusal::Code;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/// A log.
pub(super) struct Sarif {
    log: Value,
    exit: Exit,
}

impl Sarif {
    pub(super) fn of(verified: &Verified) -> Self {
        let exit = verified.exit();
        let results: Vec<Value> = results(verified);
        let rules: Vec<Value> = Code::ALL.into_iter().map(rule).collect();
        let run = json!({
            "tool": { "driver": {
                "name": "git-boundary",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": true, "exitCode": exit.code() }],
            "results": results,
            "properties": {
                "repository": verified.repository,
                "trustRoot": verified.trust_root,
                "trustVersion": verified.trust_version,
                "verdict": verified.verdict,
            },
        });
        Sarif { log: json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }), exit }
    }
}

impl Report for Sarif {
    fn human(&self, out: &mut Out) {
        out.line(self.log.to_string());
    }

    fn json(&self) -> Json {
        Json::One(self.log.clone())
    }

    fn exit(&self) -> Exit {
        self.exit
    }
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.name(),
        "shortDescription": { "text": format!("Raised when {}.", code.when()) },
        "help": { "text": format!("{} 'git boundary manual refusals' says more.", code.safe_next_action()) },
        "defaultConfiguration": { "level": level(code) },
        "properties": { "check": code.check().name(), "rank": code.rank() },
    })
}

fn level(code: Code) -> &'static str {
    if code == Code::SnapshotUnavailable { "warning" } else { "error" }
}

/// One for each code against each commit; and what stands against none of them alone, at the tips that were named.
fn results(verified: &Verified) -> Vec<Value> {
    let against = |commit: &CommitShown| matches!(commit.status, "refused" | "undecided");
    let mut results = Vec::new();
    let mut told: Vec<Code> = Vec::new();
    for commit in verified.commits.iter().filter(|commit| against(commit)) {
        for code in &commit.codes {
            told.push(*code);
            results.push(result(verified, *code, &commit.oid));
        }
    }
    for code in verified.codes.iter().filter(|code| !told.contains(code)) {
        results.extend(verified.revisions.iter().map(|revision| result(verified, *code, &revision.tip)));
    }
    results
}

fn result(verified: &Verified, code: Code, commit: &Oid) -> Value {
    json!({
        "ruleId": code.name(),
        "ruleIndex": code.rank() - 1,
        "level": level(code),
        "message": { "text": message(verified, code, commit) },
        "locations": [{
            // GitHub takes no result without a file; the rules are the nearest one.
            "physicalLocation": { "artifactLocation": { "uri": FILE_NAME }, "region": { "startLine": 1 } },
            "logicalLocations": [{
                "name": commit.short(),
                "fullyQualifiedName": format!("commit/{commit}"),
                "kind": "commit",
            }],
        }],
        "partialFingerprints": { "commitAndCode/v1": format!("{commit}/{code}") },
    })
}

fn message(verified: &Verified, code: Code, commit: &Oid) -> String {
    let said = |text: &str| text.contains(&commit.short());
    let mut texts: Vec<&str> =
        verified.reasons.iter().filter(|reason| reason.code == code).map(|reason| reason.text.as_str()).collect();
    if code == Code::SnapshotUnavailable {
        texts.extend(verified.gaps.iter().map(String::as_str));
    }
    // What names the commit is about it; else all that was said under the code.
    if texts.iter().any(|text| said(text)) {
        texts.retain(|text| said(text));
    }
    if texts.is_empty() { format!("{}: {}", commit.short(), code.when()) } else { texts.join("; ") }
}

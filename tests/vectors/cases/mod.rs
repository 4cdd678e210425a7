//! Whole cases as files: every stored line of a push, one of them spoiled, and the codes that the gate must give.
//!
//! What git says is the same in all of them, but for the deviations that a file names under `git`: the tip `c1…` on the pinned
//! commit `a0…` is pushed to `refs/heads/main`, three hours after the handoff was given.

mod codes;
mod read;

use git_boundary::gate::judge::judge;
use git_boundary::gate::verdict::Outcome;
use git_boundary::model::refusal::Code;

use super::vector::{all_come_to_what_they_expect, read_all};

pub use codes::vectors;

#[test]
fn every_case_is_judged_as_it_deserves() {
    all_come_to_what_they_expect("cases", |vector| {
        let verdict = judge(&read::facts(vector));
        match verdict.outcome {
            Outcome::Admitted => "admitted".to_owned(),
            _ => verdict.codes().iter().map(|code| code.name()).collect::<Vec<_>>().join(" "),
        }
    });
}

/// Codes that no push of this version raises, with the reason.
const NOT_AT_A_PUSH: [(Code, &str); 5] = [
    (Code::ApprovalAlreadyConsumed, "approvals are consumed by dispatch"),
    (Code::EvidenceCompletionUnsupported, "only a completion claim"),
    (Code::ResultReceiptMissing, "only a completion claim or terminal verification"),
    (Code::ResultReceiptMismatch, "only a completion claim or terminal verification"),
    (Code::ResultIncomplete, "only a completion claim or terminal verification"),
];

#[test]
fn every_code_is_the_primary_one_of_a_case() {
    let primary: Vec<String> = read_all("cases")
        .into_iter()
        .map(|vector| vector.expect.split(' ').next().expect("something is expected").to_owned())
        .collect();
    for code in Code::ALL {
        let elsewhere = NOT_AT_A_PUSH.iter().any(|(other, why)| *other == code && !why.is_empty());
        let shown = primary.iter().any(|name| name == code.name());
        assert_eq!(shown, !elsewhere, "{code}: a case shows it, unless no push can raise it");
    }
}

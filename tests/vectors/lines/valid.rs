//! Good lines: every kind once, and every spelling that readers accept.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use git_boundary::codec::in_toto::{Predicate, Statement, Subject};
use git_boundary::codec::treeship::{ACTION_PAYLOAD_TYPE, RECEIPT_PAYLOAD_TYPE};
use git_boundary::model::asserted::Asserted;
use git_boundary::model::decision::{
    Approval, ApprovalVerdict, Candidate, CheckVerdict, Contradiction, ContradictionState, Disposition, Effects,
    NextAction, ObservedUpdate, Override, ReasonGiven, RefusalReceipt, WorkReceipt,
};
use git_boundary::model::event::{Event, EventKind};
use git_boundary::model::handoff::{Baseline, Revocation};
use git_boundary::model::policy::PolicyVersion;
use git_boundary::model::refusal::{Check, Code};
use git_boundary::model::test_result::{ObservedResult, RuntimeObservation};

use super::super::cast::{self, START, Who};
use super::super::gate::parts::{self, MAIN, digest, observed, pin, tip, tree};
use super::super::gate::world::Part;
use super::super::vector::Vector;
use super::{good, vector};

pub fn vectors() -> Vec<Vector> {
    [kinds(), spellings(), others()].concat()
}

fn kinds() -> Vec<Vector> {
    let repository = cast::trust_of(cast::document()).repository();
    let subject = |commit| Some(Subject { commit, repository, tree: tree(commit) });
    fn own<P: Predicate>(predicate: P, subject: Option<Subject>, by: Who, label: &str) -> Vector {
        let name = format!("valid-{}", P::KIND);
        let line = cast::sign(&Statement { predicate, subject }, &[by]).line();
        vector(&name, &format!("verified {} by {label}", P::KIND), "nothing is wrong with it", line)
    }
    let candidate =
        Candidate { envelope: Some(digest(1)), new: tip(), old: pin(), reference: MAIN.to_owned(), repository };
    let snapshot = git_boundary::model::context::Snapshot {
        base: observed(MAIN, pin()),
        destination: observed(MAIN, pin()),
        policy: digest(2),
        trust: digest(3),
    };
    let refusal = RefusalReceipt {
        at: START,
        candidate: candidate.clone(),
        candidate_digest: digest(4),
        checks: Check::ALL.into_iter().map(|check| (check, CheckVerdict::Passed)).collect(),
        codes: vec![Code::EvidenceBoundaryMissing],
        effects: Effects { admitted_envelope_created: false, requested_action_committed: false },
        primary_code: Code::EvidenceBoundaryMissing,
        reasons: vec![ReasonGiven { code: Code::EvidenceBoundaryMissing, text: "none counts".to_owned() }],
        safe_next_action: NextAction { command: None, sentence: "Have it checked.".to_owned() },
        snapshot: snapshot.clone(),
    };
    let approval = Approval {
        action_digest: digest(1),
        connection: Who::Ci.id(),
        envelope: digest(2),
        expires_at: START,
        lease: None,
        nonce: "3".repeat(32),
        params_hash: digest(3),
        principal: Who::Codex.id(),
        reason: "looked at it".to_owned(),
        verdict: ApprovalVerdict::Approve,
    };
    let event = Event {
        at: START,
        envelope_id: None,
        kind: EventKind::Admitted { candidate, pending: false, snapshot: Box::new(snapshot) },
        prev: None,
        seq: 1,
        version: None,
    };
    let work = WorkReceipt {
        action_digest: digest(1),
        actor: Who::Codex.id(),
        at: START,
        disposition: Disposition::Complete,
        envelope: digest(2),
        observed: ObservedUpdate { new: tip(), old: pin(), reference: MAIN.to_owned() },
        registrar: Who::Ci.id(),
    };
    let said = |text: &str| Asserted::one("reason", text);
    let policy = PolicyVersion { policy: parts::policy(), previous: None, repository, version: 1 };
    let part = |part: Part, expect: &str| {
        let name = format!("valid-{}", expect.split([' ', '(']).next().unwrap_or_default());
        let by = match part {
            Part::Handoff => "owner",
            Part::Receipt => "ci",
            Part::Proposal => "codex",
            Part::Commitment | Part::Proof => "reviewer",
        };
        vector(&name, &format!("verified {expect} by {by}"), "nothing is wrong with it", good(part).line())
    };
    vec![
        part(Part::Handoff, "handoff"),
        part(Part::Receipt, "context-receipt"),
        part(Part::Proposal, "evidence-envelope"),
        part(Part::Commitment, "diet-commitment"),
        part(Part::Proof, "boundary-proof (allow)"),
        own(cast::document(), None, Who::Root, "root"),
        own(policy, None, Who::Owner, "owner"),
        own(Revocation { reason: "over".to_owned(), target: digest(1) }, subject(pin()), Who::Owner, "owner"),
        own(Baseline { commit: pin(), reference: MAIN.to_owned() }, subject(pin()), Who::Owner, "owner"),
        own(Override { asserted: said("flaky"), target: digest(1) }, subject(tip()), Who::Owner, "owner"),
        own(approval, subject(tip()), Who::Owner, "owner"),
        own(event, subject(tip()), Who::Ci, "ci"),
        own(work, subject(tip()), Who::Ci, "ci"),
        own(
            Contradiction {
                asserted: said("it fails"),
                material: true,
                state: ContradictionState::Open,
                target: digest(1),
            },
            subject(tip()),
            Who::Tester,
            "tester",
        ),
        own(refusal, subject(tip()), Who::Ci, "ci"),
        own(
            RuntimeObservation {
                result: ObservedResult::Passed,
                subject: digest(1),
                what: "the service answers".to_owned(),
            },
            subject(tip()),
            Who::Tester,
            "tester",
        ),
    ]
}

fn spellings() -> Vec<Vector> {
    let good = good(Part::Handoff);
    let text = String::from_utf8(good.line()).expect("a line is text");
    let sig = STANDARD.encode(&good.signatures[0].sig);
    let payload = STANDARD.encode(&good.payload);
    let spelled = |name: &str, about: &str, payload_as: String, sig_as: String| {
        let line = text.replace(&payload, &payload_as).replace(&sig, &sig_as);
        vector(name, "verified handoff by owner", about, line)
    };
    vec![
        spelled(
            "valid-base64-unpadded",
            "readers accept base64 without padding",
            STANDARD_NO_PAD.encode(&good.payload),
            STANDARD_NO_PAD.encode(&good.signatures[0].sig),
        ),
        spelled(
            "valid-base64-url-safe",
            "readers accept the URL-safe alphabet",
            URL_SAFE.encode(&good.payload),
            URL_SAFE.encode(&good.signatures[0].sig),
        ),
        spelled(
            "valid-base64-url-safe-unpadded",
            "readers accept Treeship's spelling",
            URL_SAFE_NO_PAD.encode(&good.payload),
            URL_SAFE_NO_PAD.encode(&good.signatures[0].sig),
        ),
    ]
}

fn others() -> Vec<Vector> {
    let good = good(Part::Handoff);
    let mut two = good.clone();
    two.signatures.extend(cast::sign_bytes(&good.payload_type, good.payload.clone(), &[Who::Deputy]).signatures);
    let mut twice = good.clone();
    twice.signatures.push(good.signatures[0].clone());
    let mut most = good.clone();
    most.signatures = vec![good.signatures[0].clone(); 64];
    let mut one_of_two = two.clone();
    one_of_two.signatures[0].sig[5] ^= 1;
    let mut half_known = good.clone();
    half_known
        .signatures
        .insert(0, cast::sign_bytes(&good.payload_type, good.payload.clone(), &[Who::Stranger]).signatures.remove(0));
    let unknown = r#"{"_type":"https://in-toto.io/Statement/v1","predicate":{"any":1.5},"predicateType":"https://slsa.dev/provenance/v1","subject":[],"zeal":true}"#;
    let memory = r#"{"kind":"memory.proof","payload":{"injected":3},"subject":{"artifactId":"art_0123456789abcdef"},"system":"system://zmem","timestamp":"2026-06-06T00:00:00Z","type":"treeship/receipt/v1"}"#;
    let action = r#"{"action":"git.push","actor":"agent://codex","timestamp":"2026-06-06T00:00:00Z","type":"treeship/action/v1"}"#;
    let signed = |payload_type: &str, payload: &str, by| cast::sign_bytes(payload_type, payload.into(), &[by]).line();
    vec![
        vector("valid-two-signatures", "verified handoff by deputy, owner", "two owners signed", two.line()),
        vector(
            "valid-signature-twice",
            "verified handoff by owner",
            "one key signs twice and counts once",
            twice.line(),
        ),
        vector("valid-64-signatures", "verified handoff by owner", "as many as are read", most.line()),
        vector(
            "valid-one-of-two-signatures",
            "verified handoff by deputy",
            "one signature is wrong and the other stands",
            one_of_two.line(),
        ),
        vector(
            "valid-beside-an-unknown-key",
            "verified handoff by owner",
            "an unknown key signed as well, which counts for nothing",
            half_known.line(),
        ),
        vector(
            "valid-unknown-predicate",
            "verified unknown https://slsa.dev/provenance/v1 by tester",
            "a foreign statement follows its own rules and counts for nothing",
            signed("application/vnd.in-toto+json", unknown, Who::Tester),
        ),
        vector(
            "valid-memory-proof",
            "verified foreign memory.proof by reviewer",
            "a receipt of another kind is shown and counts for nothing",
            signed(RECEIPT_PAYLOAD_TYPE, memory, Who::Reviewer),
        ),
        vector(
            "valid-treeship-action",
            "verified foreign action git.push by codex",
            "an action of Treeship's is shown and is no proposal",
            signed(ACTION_PAYLOAD_TYPE, action, Who::Codex),
        ),
    ]
}

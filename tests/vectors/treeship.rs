//! Receipts made by Treeship's own library (`fixtures/treeship.json`): they verify, they are read right, and they get what they deserve.

use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::canonical;
use git_boundary::codec::dsse::{Dsse, pae};
use git_boundary::codec::treeship::{ACTION_PAYLOAD_TYPE, RECEIPT_PAYLOAD_TYPE};
use git_boundary::crypto::trust::Trust;
use git_boundary::crypto::verified::{Verified, verify_line};
use git_boundary::gate::docket::Docket;
use git_boundary::gate::facts::Recorded;
use git_boundary::gate::proof::examine;
use git_boundary::ledger::root_of;
use git_boundary::model::boundary_proof::{BoundaryProof, CheckDecision};
use git_boundary::model::digest::Digest;
use git_boundary::model::hex;
use git_boundary::model::id::ArtifactId;
use git_boundary::model::key::PublicKey;
use git_boundary::model::party::Role;
use git_boundary::model::policy::DietRule;
use git_boundary::model::refusal::Code;
use serde_json::Value;

use super::cast::{self, START, Who};
use super::gate::parts::tip;
use super::gate::world::{Extra, Part, World, admits, entry, git_facts, refuses};
use super::vector::root;

fn file() -> Value {
    let bytes = std::fs::read(root().join("treeship.json")).expect("it can be read");
    serde_json::from_slice(&bytes).expect("it is JSON")
}

fn text<'a>(value: &'a Value, at: &str) -> &'a str {
    value.pointer(at).and_then(Value::as_str).unwrap_or_else(|| panic!("{at} is a text"))
}

/// The receipts by name, and the action that they are about.
fn artifacts() -> (Value, BTreeMap<String, Value>) {
    let file = file();
    let receipts = file["receipts"].as_array().expect("a list").iter();
    let named = receipts.map(|one| (text(one, "/name").to_owned(), one["receipt"].clone())).collect();
    (file["proposal"].clone(), named)
}

/// The envelope as a stored line: canonical, and otherwise as that library spells it.
fn line(artifact: &Value) -> Vec<u8> {
    canonical::to_vec(&artifact["envelope"])
}

/// Their keys under their own short names, the actor and the checker in two domains.
fn trust() -> Rc<Trust> {
    let mut document = cast::document();
    for (who, name, role) in [(Who::Owner, "actor", Role::Actor), (Who::Codex, "zmem", Role::Checker)] {
        // The library's fixed seeds are the same as two of the cast's: 1 acts there and 2 checks.
        let key = document.keys.get_mut(&who.id()).expect("listed");
        key.aliases = vec![format!("key_{}", hex::encode(&who.key().0[..8]))];
        key.roles = vec![role];
        key.label = name.to_owned();
    }
    cast::trust_of(document)
}

fn verified(artifact: &Value) -> Verified<Artifact> {
    let trust = trust();
    verify_line(&line(artifact), &|name| trust.resolve(name)).expect("a receipt of Treeship's own library verifies")
}

fn proof(verified: &Verified<Artifact>) -> &BoundaryProof {
    match verified.value() {
        Artifact::BoundaryProof(proof) => proof,
        other => panic!("a boundary proof, and not {other:?}"),
    }
}

#[test]
fn every_signature_digest_and_id_is_the_one_that_library_gives() {
    let (action, receipts) = artifacts();
    for (name, artifact) in receipts.iter().map(|(name, it)| (name.as_str(), it)).chain([("action", &action)]) {
        let read = verified(artifact);
        assert_eq!(read.digest().to_string(), text(artifact, "/digest"), "{name}: one digest");
        assert_eq!(read.id().to_string(), text(artifact, "/artifact_id"), "{name}: one id");
        let key = hex::decode_exact(text(artifact, "/signer/ed25519_public_key_hex")).expect("32 bytes");
        assert_eq!(Vec::from_iter(read.signers()), [&PublicKey(key)], "{name}: by the raw key behind the short name");
        let sig = text(artifact, "/envelope/signatures/0/sig");
        assert!(URL_SAFE_NO_PAD.decode(sig).is_ok() && STANDARD.decode(sig).is_err(), "{name}: spelled URL-safe");
        let line = line(artifact);
        assert!(
            verify_line(&line, &|_| None).is_err(),
            "{name}: the short name means nothing without a trust document"
        );
        let other = |_: &str| Some(Who::Reviewer.key());
        assert!(verify_line(&line, &other).is_err(), "{name}: nor under another key");
    }
}

#[test]
fn the_signed_bytes_are_that_librarys() {
    let (action, _) = artifacts();
    let read = Dsse::parse(&line(&action)).expect("an envelope");
    let expected = STANDARD.decode(text(&file(), "/proposal_pae_base64")).expect("base64");
    assert_eq!(read.pae(), expected, "non-ASCII text and all");
    assert_eq!(pae(ACTION_PAYLOAD_TYPE, &read.payload), expected, "by the type that it names");
}

#[test]
fn merkle_roots_are_that_librarys() {
    for vector in file()["merkle_rfc9162_sha256"].as_array().expect("a list") {
        let leaves = vector["leaves"].as_u64().expect("a number");
        let root = hex::encode(&root_of((0..leaves).map(|number| format!("leaf-{number}"))));
        match vector["root_hex"].as_str() {
            Some(expected) => assert_eq!(root, expected, "of {leaves} leaves"),
            None => assert_eq!(leaves, 0, "only nothing has no root there"),
        }
    }
}

#[test]
fn decisions_are_read_right_and_the_zones_kept_apart() {
    let (action, receipts) = artifacts();
    for (name, decision) in [
        ("allow", CheckDecision::Allow),
        ("deny", CheckDecision::Deny),
        ("abstain", CheckDecision::Abstain),
        ("checker-is-actor", CheckDecision::Allow),
    ] {
        let read = verified(&receipts[name]);
        let BoundaryProof { proven, said } = proof(&read);
        assert_eq!(proven.decision, decision, "{name}: says what its name says");
        assert_eq!(proven.subject_ref, text(&action, "/artifact_id"), "{name}: about the action");
        assert_eq!(proven.actor, text(&action, "/signer/keyid"), "{name}: by the short name of the actor's key");
        assert_eq!(proven.diet.len(), 2, "{name}: two inputs");
        let shown = |asserted: &git_boundary::model::asserted::Asserted| asserted.for_display();
        let has = |pairs: &[(String, String)], name: &str, text: &str| {
            pairs.iter().any(|(found, said)| found == name && said.contains(text))
        };
        assert!(has(&shown(&said.outcome), "injected", "3"), "{name}: the outcome is recorded");
        assert!(
            has(&shown(&said.asserted), "note", "ünïcödé, \u{2028} line sep"),
            "{name}: and the note, byte for byte"
        );
        assert!(has(&shown(&said.labels), "actor.uri", "agent://codex"), "{name}: and the labels");
        let everything_proven = format!("{proven:?}");
        for label in ["agent://", "system://", "policy://", "injected", "chain_of_thought"] {
            assert!(!everything_proven.contains(label), "{name}: {label} is in no field that a rule can read");
        }
    }
}

#[test]
fn the_five_checks_say_of_each_what_its_content_deserves() {
    let (action, receipts) = artifacts();
    let about: Digest = text(&action, "/digest").parse().expect("a digest");
    let mut facts = git_facts(trust());
    let recorded = |artifact: &Value| {
        let artifact = verified(artifact);
        (artifact.digest(), Recorded { artifact, entries: vec![entry(Who::Ci, 7, START)], note: tip() })
    };
    facts.artifacts = Docket::new(receipts.values().chain([&action]).map(recorded).collect());
    let diet = DietRule { permitted: vec!["memory_bundle".to_owned(), "query".to_owned()], required: Vec::new() };
    for (name, artifact) in &receipts {
        let read = facts.artifacts.get(&verified(artifact).digest()).expect("it is there");
        let report = examine(&facts, read, about, &diet);
        let codes: Vec<Option<Code>> =
            report.checks.iter().map(|check| check.as_ref().err().map(|finding| finding.code)).collect();
        let independent = (name == "checker-is-actor").then_some(Code::IdentityNotIndependent);
        let expected = [
            // 1: signed by the checker, in another domain than the actor; unless it is the actor.
            independent,
            // 2: a Treeship action is no proposal of this repository.
            Some(Code::EvidenceReferenceUnresolved),
            // 3: the root is filler.
            Some(Code::EvidenceBoundaryInvalid),
            // 4: the anchor is in no ledger of ours.
            Some(Code::EvidenceBoundaryInvalid),
            // 5: nobody here signed that policy.
            Some(Code::PolicyDigestMismatch),
        ];
        assert_eq!(codes, expected, "{name}: {:#?}", report.checks);
        assert!(!report.holds() && report.strength.is_none(), "{name}: counts for nothing");
    }
}

/// All of that library's receipts on the tip's note, in somebody's ledger.
fn with_all(world: World, registrar: Who) -> World {
    let (action, receipts) = artifacts();
    let lines: Vec<Dsse> =
        receipts.values().chain([&action]).map(|one| Dsse::parse(&line(one)).expect("an envelope")).collect();
    world
        .trust(|document| {
            // The cast's keys of the same seeds go by the receipts' names as well.
            for who in [Who::Owner, Who::Codex] {
                let alias = format!("key_{}", hex::encode(&who.key().0[..8]));
                document.keys.get_mut(&who.id()).expect("listed").aliases = vec![alias];
            }
            document.keys.get_mut(&Who::Codex.id()).expect("listed").roles.push(Role::Checker);
        })
        .more(move |_| {
            let stored = |(place, artifact): (usize, &Dsse)| Extra {
                artifact: artifact.clone(),
                entries: vec![entry(registrar, 100 + place as u64, START.plus(9_000))],
                note: tip(),
            };
            lines.iter().enumerate().map(stored).collect()
        })
}

#[test]
fn receipts_about_something_else_help_no_push() {
    for registrar in [Who::Ci, Who::StrangerClone] {
        let codes = with_all(World::admitted().without(Part::Proof), registrar).judged().codes();
        assert!(!codes.is_empty(), "in {registrar:?}'s ledger they take no proof's place");
    }
    let unproven = with_all(World::admitted().without(Part::Proof), Who::StrangerClone);
    refuses("an allow about something else is none", &unproven, &[Code::EvidenceBoundaryMissing]);
}

#[test]
fn a_denial_about_something_unknown_stands_where_a_listed_registrar_noted_it_and_nowhere_else() {
    admits("in a stranger's ledger it blocks nothing", &with_all(World::admitted(), Who::StrangerClone));
    refuses(
        "in a listed one's it is heard",
        &with_all(World::admitted(), Who::Ci),
        &[Code::PolicyDecisionDenied, Code::PolicyDecisionAbstained],
    );
}

#[test]
fn a_receipt_of_another_kind_about_the_proposal_never_counts() {
    let memory = |world: World| {
        world.more(|links| {
            let about = ArtifactId::of(&links.proposal());
            let payload = format!(
                r#"{{"kind":"memory.proof","payload":{{"decision":"allow"}},"subject":{{"artifactId":"{about}"}},"system":"system://zmem","timestamp":"2026-06-06T02:00:00Z","type":"treeship/receipt/v1"}}"#
            );
            let artifact = cast::sign_bytes(RECEIPT_PAYLOAD_TYPE, payload.into_bytes(), &[Who::Reviewer]);
            vec![Extra { artifact, entries: vec![entry(Who::Ci, 40, START.plus(9_000))], note: tip() }]
        })
    };
    let (facts, _) = memory(World::admitted()).build();
    let shown = facts.artifacts.all().filter(|one| matches!(one.artifact.value(), Artifact::Foreign(_))).count();
    assert_eq!(shown, 1, "it is read and shown");
    admits("beside a good proof", &memory(World::admitted()));
    refuses("in its place", &memory(World::admitted().without(Part::Proof)), &[Code::EvidenceBoundaryMissing]);
}

/// The published form, by hand: which fields a proof has, which it may have, and what they look like.
#[test]
fn own_proofs_are_of_the_published_form() {
    let payload = World::admitted().artifact(Part::Proof).payload;
    let receipt: Value = serde_json::from_slice(&payload).expect("JSON");
    let fields = |value: &Value| -> Vec<String> {
        let map = value.as_object().expect("an object");
        let mut names: Vec<String> = map.keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(fields(&receipt), ["kind", "payload", "subject", "system", "timestamp", "type"], "a receipt");
    assert_eq!(text(&receipt, "/type"), "treeship/receipt/v1", "of this type");
    assert_eq!(text(&receipt, "/kind"), "boundary.v1", "of this kind");
    let boundary = &receipt["payload"];
    let names = fields(boundary);
    for required in
        ["schema", "subject_ref", "actor", "checker", "decision", "policy", "diet_root", "diet", "committed_at"]
    {
        assert!(names.iter().any(|name| name == required), "{required} is required");
    }
    for name in &names {
        let known = ["actor", "asserted", "checker", "committed_at", "decision", "diet", "diet_root"]
            .iter()
            .chain(&["outcome", "policy", "schema", "subject_ref"])
            .any(|known| known == name);
        assert!(known, "{name} is a field of the published form");
    }
    assert_eq!(text(boundary, "/schema"), "treeship.boundary.v1", "the one schema");
    let id = text(boundary, "/subject_ref").strip_prefix("art_").expect("an artifact id");
    assert!(id.len() >= 16 && id.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f')), "art_ and hex");
    assert_eq!(text(&receipt, "/subject/artifactId"), text(boundary, "/subject_ref"), "one subject");
    for party in ["actor", "checker"] {
        assert_eq!(fields(&boundary[party]), ["keyid", "uri"], "{party}: a key, and a label");
        assert!(!text(&boundary[party], "/keyid").is_empty(), "{party}: the key is named");
    }
    assert!(["allow", "deny", "partial", "abstain"].contains(&text(boundary, "/decision")), "one of four");
    assert_eq!(fields(&boundary["policy"]), ["digest"], "the policy is bound by its digest");
    assert_eq!(fields(&boundary["committed_at"]), ["anchor", "ts"], "where and when the diet was frozen");
    let mut digests = vec![text(boundary, "/policy/digest"), text(boundary, "/diet_root")];
    let diet = boundary["diet"].as_array().expect("a list");
    assert!(!diet.is_empty(), "something was read");
    for entry in diet {
        assert_eq!(fields(entry), ["digest", "type"], "a class and a digest");
        digests.push(text(entry, "/digest"));
    }
    for digest in digests {
        let hex = digest.strip_prefix("sha256:").expect("its algorithm");
        assert!(hex.len() == 64 && hex.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f')), "{digest}");
    }
    let moment = text(boundary, "/committed_at/ts");
    assert!(moment.parse::<git_boundary::model::time::Timestamp>().is_ok(), "{moment}: RFC 3339");
}

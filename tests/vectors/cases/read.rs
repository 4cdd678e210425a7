//! A case file as facts, in the way that readers make facts of notes: nothing of how it was made is known here.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use git_boundary::codec::artifact::{Artifact, ClaimedKind};
use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::crypto::trust::Trust;
use git_boundary::crypto::verified::{BadLine, verify_line};
use git_boundary::gate::docket::Docket;
use git_boundary::gate::facts::{BadLineSeen, Facts, Gap, LedgerEntry, PolicyFacts, ProposalFacts, Recorded};
use git_boundary::model::id::{KeyId, Oid};
use git_boundary::model::party::Role;
use git_boundary::model::policy::Policy;
use git_boundary::model::time::Timestamp;

use super::super::cast;
use super::super::gate::parts::{self, oid, pin, tip};
use super::super::gate::world::{git_facts, handoff_facts};
use super::super::vector::Vector;

/// One stored line and one of its entries.
struct Stored<'a> {
    note: Oid,
    registrar: KeyId,
    index: u64,
    at: Timestamp,
    line: &'a [u8],
}

/// The facts of a case.
pub fn facts(vector: &Vector) -> Facts {
    let mut lines = vector.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut named = |name: &str| {
        let line = lines.next().unwrap_or_else(|| panic!("{}: has a {name} line", vector.path));
        line.strip_prefix(format!("{name} ").as_bytes()).unwrap_or_else(|| panic!("{}: {name} comes next", vector.path))
    };
    let trust_line = named("trust").to_vec();
    let root = Dsse::parse(&trust_line).expect("the trust document is a line").digest();
    let trust = Rc::new(Trust::verify(&[trust_line], root).expect("the trust document of a case is good"));
    let policy: Policy = serde_json::from_slice(named("policy")).expect("the policy of a case is good");
    let digest = canonical::digest_of(&policy);
    let mut facts = git_facts(Rc::clone(&trust));
    facts.policies =
        PolicyFacts { defect: None, in_force: Some(digest), known: BTreeMap::from([(digest, Rc::new(policy))]) };
    let mut artifacts: BTreeMap<_, Recorded> = BTreeMap::new();
    for line in lines {
        keep(&trust, stored(&vector.path, line), &mut artifacts, &mut facts.bad_lines);
    }
    for (digest, recorded) in &artifacts {
        let Artifact::EvidenceEnvelope(statement) = recorded.artifact.value() else { continue };
        let lease = statement.predicate.bindings.lease.value();
        facts.proposals.push(ProposalFacts {
            gaps: Vec::new(),
            contains_old: Some(true),
            digest: *digest,
            handoff: lease.map(|digest| handoff_facts(*digest)),
            range: BTreeSet::from([tip()]),
            starts_at: lease.is_none().then(|| parts::tree(pin())),
            tip: recorded.note,
        });
    }
    facts.artifacts = Docket::new(artifacts);
    if let Some(deviation) = vector.given.get("git") {
        deviate(&mut facts, deviation);
    }
    if let Some(now) = vector.given.get("now") {
        facts.now = now.parse().expect("a time");
    }
    facts
}

/// `<note> <registrar> <index> <seconds> <line>`.
fn stored<'a>(path: &str, text: &'a [u8]) -> Stored<'a> {
    let mut fields = text.splitn(5, |byte| *byte == b' ');
    let mut next = || fields.next().unwrap_or_else(|| panic!("{path}: five fields"));
    let text = |field: &[u8]| std::str::from_utf8(field).expect("text").to_owned();
    let (note, registrar, index, at) = (text(next()), text(next()), text(next()), text(next()));
    Stored {
        note: note.parse().expect("an object id"),
        registrar: registrar.parse().expect("a key id"),
        index: index.parse().expect("an index"),
        at: Timestamp(at.parse().expect("seconds")),
        line: next(),
    }
}

fn keep(
    trust: &Trust,
    stored: Stored<'_>,
    artifacts: &mut BTreeMap<git_boundary::model::digest::Digest, Recorded>,
    bad_lines: &mut Vec<BadLineSeen>,
) {
    let Stored { note, registrar, index, at, line } = stored;
    let mut bad = |claims, unknown_key, text: String| {
        bad_lines.push(BadLineSeen { claims, unknown_key, note, registrar, text });
    };
    let verified = match verify_line(line, &|name| cast::resolve(trust, name)) {
        Ok(verified) => verified,
        Err(error) => {
            return bad(error.claims(), matches!(error, BadLine::UnknownKey { .. }), error.to_string());
        }
    };
    if verified.value().noted_on().is_some_and(|other| other != note) {
        return bad(verified.value().kind().map(ClaimedKind::Own), false, "is about another commit".to_owned());
    }
    let listed = trust.party_of(&registrar).is_some_and(|party| party.roles.contains(&Role::Registrar));
    let entry = LedgerEntry { at, index, listed, note, registrar, witnesses: Vec::new() };
    match artifacts.get_mut(&verified.digest()) {
        Some(known) => {
            known.artifact.absorb(&verified);
            known.entries.push(entry);
        }
        None => {
            let recorded = Recorded { artifact: verified, entries: vec![entry], note };
            artifacts.insert(recorded.artifact.digest(), recorded);
        }
    }
}

/// What git says otherwise than in the admitted case.
fn deviate(facts: &mut Facts, deviation: &str) {
    let pin = |facts: &mut Facts, edit: fn(&mut git_boundary::gate::facts::HandoffFacts)| {
        facts.proposals.iter_mut().filter_map(|proposal| proposal.handoff.as_mut()).for_each(edit);
    };
    match deviation {
        "history is cut" => {
            facts.gaps.push(Gap { command: Some("git fetch --unshallow".to_owned()), text: deviation.to_owned() });
        }
        "the pinned id is no commit" => pin(facts, |it| {
            (it.pin_known, it.pin_in_base, it.tip_descends) = (Some(false), None, None);
        }),
        "the pinned branch was rewritten" => pin(facts, |it| it.pin_in_base = Some(false)),
        "the tip does not descend from the pin" => pin(facts, |it| it.tip_descends = Some(false)),
        "the destination moved to what the tip does not contain" => {
            facts.update.old = oid(0xb7);
            facts.proposals.iter_mut().for_each(|proposal| proposal.contains_old = Some(false));
        }
        "the tip touches README" => {
            facts.commits.get_mut(&tip()).expect("the tip").touched[0].path = b"README".to_vec();
        }
        "no policy is in force" => facts.policies.in_force = None,
        "another ref is pushed" => facts.update.reference = "refs/heads/other".to_owned(),
        other => panic!("{other:?} is nothing that git says here"),
    }
}

//! `read`: a whole life from the notes alone, in clones that only fetched; chains with faults; and words about currency.

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;
use git_boundary::model::asserted::Asserted;
use git_boundary::model::decision::{Contradiction, ContradictionState, Disposition, ObservedUpdate, WorkReceipt};
use git_boundary::model::digest::Digest;
use git_boundary::model::envelope::Envelope;
use git_boundary::model::event::{Event, EventKind};
use git_boundary::model::id::ArtifactId;
use git_boundary::model::test_result::{ObservedResult, RuntimeObservation};

use crate::support::{Work, World, now, read};

const CURRENT: &str = "current as far as this snapshot shows";

/// The last proposal on `HEAD`.
fn proposal(work: &Work) -> (Digest, Statement<Envelope>) {
    let line = work.stored("HEAD", |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_))).pop();
    let line = line.expect("HEAD has a proposal");
    let Some(Artifact::EvidenceEnvelope(statement)) = read(&line) else { panic!("it is one") };
    (line.digest(), *statement)
}

/// An event with an agent's words about it, signed by a key file's owner or, without a label, by this clone's registrar.
fn event(work: &Work, by: Option<&str>, seq: u64, prev: Option<Digest>, words: &str) -> Dsse {
    event_of(work, by, seq, prev, EventKind::AgentAssertion { asserted: Asserted::one("words", words) })
}

fn event_of(work: &Work, by: Option<&str>, seq: u64, prev: Option<Digest>, kind: EventKind) -> Dsse {
    let (_, about) = proposal(work);
    let (envelope_id, version) = (Some(about.predicate.envelope_id), Some(about.predicate.version));
    let predicate = Event { at: now(), envelope_id, kind, prev, seq, version };
    let statement = Statement { predicate, subject: about.subject };
    let key = by.map_or_else(|| work.registrar(), |label| work.key(label));
    sign_statement(&statement, &key).expect("a key in memory signs")
}

fn id(line: &Dsse) -> String {
    ArtifactId::of(&line.digest()).to_string()
}

/// A fix that was pushed, and the event that admitted it.
fn pushed(work: &Work) -> Dsse {
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.stored("HEAD", |artifact| matches!(artifact, Artifact::Event(_))).pop().expect("it was admitted")
}

fn contradict(work: &Work, key: &str, rev: &str, target: Digest, state: ContradictionState) {
    // Signed over the same words it would be one artifact with two signatures.
    let asserted = Asserted::one("reason", &format!("it breaks the build of {key}"));
    work.record(rev, &[work.sign(key, rev, Contradiction { asserted, material: true, state, target })]);
}

#[test]
fn a_life_is_read_where_it_was_only_fetched_and_the_first_decision_stays() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path **");
    work.git("switch -q -c agent/fix");
    work.commit(&[("Makefile", "all:\n\ttrue\n")]);
    let proposed = work.boundary("propose --key codex --json --reason faster").ok().json();
    let proposal = proposed["id"].as_str().expect("a proposal has an id").to_owned();
    work.push("origin agent/fix").refused("approval.missing");
    work.boundary("approve --key ada-l --reason fine").ok();
    work.push("origin agent/fix").accepted();
    work.git(&format!("push -q origin {}", work.notes_ref()));

    let reader = world.joined("reader");
    let read = reader.boundary(&format!("read {proposal}")).ok();
    for said in [
        "the original decision",
        "refused version 1: approval.missing",
        "an owner's approval, and there is none",
        "safe next",
        "no envelope was admitted",
        "admitted version 1",
        "of another domain than the actor",
        "source expected",
        "read from",
        "what was delivered",
        "the handoff",
        "approval by ada-l: approve",
        "asserted (not checked by anyone):",
        "faster",
        "chains of events",
        "sound",
        "outbox",
        "unknown",
        "Nothing was looked up",
    ] {
        read.clone().says(said);
    }
    read.never_says(CURRENT);

    let json = reader.boundary(&format!("read {proposal} --json")).ok().json();
    assert_eq!(json["state"], "sound");
    assert_eq!(json["decision"]["outcome"], "refused");
    assert_eq!(json["decision"]["receipt"]["primary_code"], "approval.missing");
    assert_eq!(json["decision"]["clock_counts"], true);
    assert_eq!(json["decisions"][1]["outcome"], "admitted");
    assert_eq!(json["decisions"][1]["snapshot"]["destination"]["ref"], "refs/heads/agent/fix");
    assert_eq!(json["payload"]["bindings"]["lease"]["state"], "known");
    assert_eq!(json["payload"]["claim"]["asserted"]["reason"], "faster");
    assert_eq!(json["approvals"][0]["in_role"], true);
    assert_eq!(json["chains"][0]["events"][0]["seq"], 1);
    assert_eq!(json["chains"][0]["start"], json["contexts"][0]["id"]);
    assert_eq!(json["chains"][0]["outbox"][0]["candidate"]["new"], work.head());
    assert_eq!(json["currency"]["state"], "unknown");
    assert!(json["currency"]["snapshot"].is_null(), "nothing was looked up");
    for name in ["proofs", "work_receipts", "evidence", "assertions", "verified", "changes", "strays", "gaps"] {
        assert_eq!(json[name].as_array().map(Vec::len), Some(0), "{name}");
    }
    // By revision, by digest and by envelope it is the same life.
    for name in ["origin/agent/fix", json["digest"].as_str().unwrap_or(""), json["envelope_id"].as_str().unwrap_or("")]
    {
        assert_eq!(reader.boundary(&format!("read {name} --json")).ok().json()["id"], proposal.as_str(), "{name}");
    }
    reader.boundary("read").ends_with(129).says("has no proposal here");
}

#[test]
fn currency_is_told_with_its_bound_and_contradictions_are_found_on_any_note() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    let (digest, about) = proposal(work);
    let looked = || work.boundary("read --check-contradictions --json").ok().json();
    let json = looked();
    assert_eq!(json["currency"]["state"], CURRENT);
    let bound = &json["currency"]["snapshot"];
    assert_eq!(bound["complete"], true);
    assert_eq!(bound["trust_version"], 3);
    let ledger = &bound["ledgers"][0];
    assert_eq!(ledger["registrar_id"], work.registrar_id().to_string());
    assert!(ledger["size"].as_u64().is_some_and(|size| size > 3), "{ledger}");
    let said = work.boundary("read --check-contradictions").ok();
    said.says(CURRENT).says(&format!("up to {}", ledger["size"])).says("by trust version 3");

    // The actor is in no role to contradict; on another commit's note it is found all the same.
    contradict(work, "codex", "main", digest, ContradictionState::Open);
    assert_eq!(looked()["currency"]["state"], CURRENT);
    contradict(work, "ada-l", "main", digest, ContradictionState::Open);
    let json = looked();
    assert_eq!(json["currency"]["state"], "contradicted");
    assert_eq!(json["currency"]["contradictions"][0]["about"], "proposal");
    assert_eq!(json["currency"]["contradictions"][0]["by"][0], "ada-l");
    work.boundary("read --check-contradictions").ok().says("contradicted").says("it breaks the build");
    work.boundary("read").ok().says("Nothing was looked up").never_says("it breaks the build");
    contradict(work, "ada-l", "main", digest, ContradictionState::Resolved);
    assert_eq!(looked()["currency"]["state"], CURRENT);
    let handoff = *about.predicate.bindings.lease.value().expect("it has a handoff");
    contradict(work, "ada-l", "HEAD", handoff, ContradictionState::Open);
    assert_eq!(looked()["currency"]["contradictions"][0]["about"], "handoff");
}

#[test]
fn a_snapshot_with_something_missing_calls_nothing_current() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    let (digest, _) = proposal(work);
    work.git("switch -q -c other main");
    work.commit(&[("src/other.rs", "\n")]);
    work.git("switch -q agent/fix");
    contradict(work, "ada-l", "other", digest, ContradictionState::Open);
    work.set_lines("other", &[]);
    work.forget_fetched();
    // It stands on another commit, where without the flag nobody looks for anything.
    work.boundary("read").ok();
    let looked = work.boundary("read --check-contradictions").ends_with(2);
    looked.says("whose line").says("unknown").says("Not all of the snapshot").never_says(CURRENT);
}

#[test]
fn every_fault_of_a_chain_is_named_with_the_event() {
    let nowhere = Digest([7; 32]);
    for kind in ["gap", "fork", "edit"] {
        let world = World::new();
        let work = &world.work;
        let first = pushed(work);
        let (events, text) = match kind {
            "gap" => {
                let after = event(work, None, 3, Some(nowhere), "after");
                let text = format!("event 2 is missing before event 3, {}", id(&after));
                (vec![after], text)
            }
            "fork" => {
                let both = ["one", "other"].map(|words| event(work, None, 2, Some(first.digest()), words));
                (both.to_vec(), format!("are both event 2 after {}", id(&first)))
            }
            _ => {
                let edited = event(work, None, 2, Some(nowhere), "edited");
                let text = format!(
                    "event 2, {}, goes on from {}, but {} stands before it",
                    id(&edited),
                    ArtifactId::of(&nowhere),
                    id(&first)
                );
                (vec![edited], text)
            }
        };
        work.record("HEAD", &events);
        work.boundary("read").ends_with(2).says(&format!("{kind}: ")).says(&text);
        work.boundary("doctor").ends_with(1).says("the chain of ").says("git boundary read env_");
        let json = work.boundary("read --json").ends_with(2).json();
        assert_eq!(json["state"], "undecided");
        let fault = &json["chains"][0]["faults"][0];
        assert_eq!(fault["kind"], kind);
        let named: Vec<String> = events.iter().map(id).collect();
        let at_fault = fault["events"].as_array().expect("events are named");
        assert!(at_fault.iter().all(|one| named.iter().any(|id| one == id)), "{fault}");
        assert_eq!(at_fault.len(), named.len(), "{fault}");
        assert_eq!(json["chains"][0]["outbox"].as_array().map(Vec::len), Some(0), "nothing adds up");
        assert_eq!(json["decision"]["outcome"], "admitted", "what was decided first is still told");
    }
}

#[test]
fn an_event_whose_line_is_taken_out_is_missed() {
    let world = World::new();
    let work = &world.work;
    let first = pushed(work);
    work.boundary("read").ok();
    let mut lines = work.lines("HEAD");
    lines.retain(|line| Dsse::parse(line.as_bytes()).is_ok_and(|line| line.digest() != first.digest()));
    work.set_lines("HEAD", &lines);
    work.forget_fetched();
    work.boundary("read").ends_with(2).says("missing: ").says(&id(&first)).says("whose line");
}

#[test]
fn an_agents_words_are_labelled_and_events_that_no_registrar_signed_are_strays() {
    let world = World::new();
    let work = &world.work;
    let first = pushed(work);
    let said = event(work, None, 2, Some(first.digest()), "all tests pass");
    let stray = event(work, Some("codex"), 9, None, "trust me");
    work.record("HEAD", &[said, stray.clone()]);
    let read = work.boundary("read").ok();
    read.clone().says("asserted; counts for nothing").says("all tests pass").says("strays").says(&id(&stray));
    read.never_says("trust me");
    let json = work.boundary("read --json").ok().json();
    assert_eq!(json["assertions"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["strays"][0]["id"], id(&stray));
    assert_eq!(json["chains"][0]["events"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_a_stranger_keeps_is_shown_and_decides_nothing() {
    let world = World::new();
    let work = &world.work;
    let admitted = pushed(work);
    work.git(&format!("push -q origin {}", work.notes_ref()));
    let second = world.joined("second");
    second.git("fetch -q");
    second.git("switch -q -c agent/fix origin/agent/fix");
    let (_, about) = proposal(work);
    let (envelope_id, version) = (Some(about.predicate.envelope_id), Some(about.predicate.version));
    let Some(Artifact::Event(before)) = read(&admitted) else { panic!("it is an event") };
    // Admitted there too, as the stranger has it, in a chain that begins with event 5.
    let early = Event { at: now(), envelope_id, kind: before.predicate.kind, prev: None, seq: 5, version };
    let line = Statement { predicate: early, subject: about.subject };
    let line = sign_statement(&line, &second.registrar()).expect("a key in memory signs");
    second.record("HEAD", &[line]);
    second.git(&format!("push -q origin {}", second.notes_ref()));
    work.git("fetch -q");
    work.boundary("read").ok().says("events 1 to 4 are missing").says("by nobody whose word counts");
    let json = work.boundary("read --json").ok().json();
    assert_eq!(json["decision"]["id"], id(&admitted), "a listed registrar's word goes first");
    assert_eq!(json["decisions"][1]["listed"], false);
}

#[test]
fn two_payloads_of_one_version_are_told_as_equivocation() {
    let world = World::new();
    let work = &world.work;
    pushed(work);
    let (first, about) = proposal(work);
    let mut other = about.clone();
    other.predicate.claim.asserted = Asserted::one("reason", "another story");
    let other = sign_statement(&other, &work.key("codex")).expect("a key in memory signs");
    work.record("HEAD", std::slice::from_ref(&other));
    let (first, other) = (ArtifactId::of(&first).to_string(), id(&other));
    for name in [about.predicate.envelope_id.to_string(), "HEAD".to_owned(), other.clone()] {
        work.boundary(&format!("read {name}")).ok().says("equivocation: ").says(&first).says(&other);
    }
    let json = work.boundary(&format!("read {} --json", about.predicate.envelope_id)).ok().json();
    assert_eq!(json["id"], first.as_str(), "the one that a ledger took in first");
    assert_eq!(json["equivocations"][0]["version"], 1);
    assert_eq!(json["equivocations"][0]["ids"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["versions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn results_and_what_shows_them_are_told_with_who_may_say_so() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add ci --role evidence --new-key").ok();
    let first = pushed(work);
    let (envelope, about) = proposal(work);
    let action = about.predicate.requested_action.expect("it asks for a push");
    let receipt = WorkReceipt {
        action_digest: envelope,
        actor: work.key_id("codex"),
        at: now(),
        disposition: Disposition::Complete,
        envelope,
        observed: ObservedUpdate { new: action.new, old: action.old, reference: action.reference },
        registrar: work.registrar_id(),
    };
    let subject = Some(work.subject("HEAD"));
    let receipt = sign_statement(&Statement { predicate: receipt, subject }, &work.registrar()).expect("it signs");
    let seen = |key: &str| {
        // Signed over the same words it would be one artifact with two signatures.
        let what = format!("the page answers {key}");
        work.sign(key, "HEAD", RuntimeObservation { result: ObservedResult::Passed, subject: receipt.digest(), what })
    };
    let (good, claimed) = (seen("ci"), seen("codex"));
    let kind = EventKind::Verified { evidence: vec![good.digest()], work_receipt: receipt.digest() };
    let verified = event_of(work, None, 2, Some(first.digest()), kind);
    work.record("HEAD", &[receipt.clone(), good.clone(), claimed.clone(), verified.clone()]);

    let json = work.boundary("read --json").ok().json();
    assert_eq!(json["work_receipts"][0]["id"], id(&receipt));
    assert_eq!(json["work_receipts"][0]["in_role"], true);
    let evidence = json["evidence"].as_array().expect("a list");
    let in_role = |line: &Dsse| evidence.iter().find(|one| one["id"] == id(line)).map(|one| one["in_role"] == true);
    assert_eq!((in_role(&good), in_role(&claimed)), (Some(true), Some(false)));
    assert_eq!(json["verified"][0]["id"], id(&verified));
    let read = work.boundary("read").ok();
    read.says("verified results").says("the page answers").says("(not by an evidence producer; counts for nothing)");

    contradict(work, "ci", "HEAD", receipt.digest(), ContradictionState::Open);
    contradict(work, "ci", "HEAD", good.digest(), ContradictionState::Open);
    let json = work.boundary("read --check-contradictions --json").ok().json();
    assert_eq!(json["currency"]["state"], "contradicted");
    let about: Vec<_> = json["currency"]["contradictions"].as_array().expect("a list").iter().collect();
    assert_eq!((&about[0]["about"], &about[1]["about"]), (&"work receipt".into(), &"evidence".into()));
}

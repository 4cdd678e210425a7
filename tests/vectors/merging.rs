//! The union of what many registrars hold: in which order lines are met, how often, and beside what, changes no answer.

use std::collections::BTreeMap;

use git_boundary::crypto::verified::verify_line;
use git_boundary::gate::docket::Docket;
use git_boundary::gate::facts::{BadLineSeen, LedgerEntry, Recorded};
use git_boundary::gate::judge::judge;
use git_boundary::gate::verdict::Outcome;
use git_boundary::model::boundary_proof::CheckDecision::{Abstain, Allow, Deny, Partial};
use git_boundary::model::digest::Digest;
use git_boundary::model::id::Oid;
use git_boundary::model::refusal::Code;
use proptest::prelude::*;

use super::cast::{self, START, Who};
use super::gate::world::{Extra, Part, World};
use super::lines::good;

/// A case with much to order: several domains that decide, take back and decide again in two ledgers, and two owners on the handoff.
fn world(decisions: &[(Who, u8, bool, i64)]) -> World {
    let mut world = World::admitted().signed(Part::Handoff, &[Who::Owner, Who::Deputy]);
    for (place, (who, decision, here, at)) in decisions.iter().enumerate() {
        let decision = [Allow, Deny, Partial, Abstain][usize::from(*decision) % 4];
        let registrar = if *here { Who::Ci } else { Who::Watcher };
        let index = 10 + 2 * place as u64;
        world = world.verdict_by(*who, decision, registrar, index, START.plus(8_000 + at));
    }
    world
}

/// One stored line with one entry, as a shelf gives it.
#[derive(Debug, Clone)]
struct Line {
    bytes: Vec<u8>,
    entry: LedgerEntry,
    note: Oid,
}

/// Every line once for each signature and entry, and a spoiled copy of each in a stranger's ledger.
fn shelves(world: &World) -> Vec<Line> {
    let (_, _, stored) = world.stored_lines();
    let mut lines = Vec::new();
    for Extra { artifact, entries, note } in stored {
        for entry in &entries {
            for signature in &artifact.signatures {
                let mut part = artifact.clone();
                part.signatures = vec![signature.clone()];
                lines.push(Line { bytes: part.line(), entry: entry.clone(), note });
            }
        }
        let mut spoiled = artifact;
        spoiled.signatures[0].sig[0] ^= 1;
        let entry = LedgerEntry { listed: false, registrar: Who::StrangerClone.id(), ..entries[0].clone() };
        lines.push(Line { bytes: spoiled.line(), entry, note });
    }
    lines
}

/// The answer over lines met in this order.
fn answer(world: &World, lines: &[Line]) -> (Outcome, Vec<Code>, Vec<Digest>) {
    let (mut facts, _) = world.build();
    let trust = std::rc::Rc::clone(&facts.trust);
    let mut found: BTreeMap<Digest, Recorded> = BTreeMap::new();
    for Line { bytes, entry, note } in lines {
        match verify_line(bytes, &|name| cast::resolve(&trust, name)) {
            Ok(artifact) => {
                let fresh = Recorded { artifact: artifact.clone(), entries: Vec::new(), note: *note };
                let recorded = found.entry(artifact.digest()).or_insert(fresh);
                recorded.artifact.absorb(&artifact);
                if !recorded.entries.contains(entry) {
                    recorded.entries.push(entry.clone());
                }
            }
            Err(bad) => facts.bad_lines.push(BadLineSeen {
                claims: bad.claims(),
                unknown_key: false,
                note: *note,
                registrar: entry.registrar,
                text: bad.to_string(),
            }),
        }
    }
    facts.artifacts = Docket::new(found);
    let verdict = judge(&facts);
    (verdict.outcome, verdict.codes(), verdict.used)
}

fn decisions() -> impl Strategy<Value = Vec<(Who, u8, bool, i64)>> {
    let who = prop::sample::select(&[Who::Reviewer, Who::Colleague, Who::Auditor][..]);
    prop::collection::vec((who, any::<u8>(), any::<bool>(), 0_i64..4), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_order_of_lines_changes_no_answer(
        (decisions, order) in decisions().prop_flat_map(|decisions| {
            let lines = shelves(&world(&decisions));
            (Just(decisions), Just(lines).prop_shuffle())
        }),
    ) {
        let world = world(&decisions);
        let lines = shelves(&world);
        prop_assert_eq!(answer(&world, &order), answer(&world, &lines), "a union has no order");
        let twice = [order, lines.clone()].concat();
        prop_assert_eq!(answer(&world, &twice), answer(&world, &lines), "and nothing twice in it");
    }

    #[test]
    fn copies_in_a_strangers_ledger_change_no_answer(decisions in decisions(), at in 0_i64..20_000, index in 0_u64..100) {
        let world = world(&decisions);
        let lines = shelves(&world);
        let copies = lines.iter().rev().enumerate().map(|(place, line)| {
            let registrar = Who::StrangerClone.id();
            let entry = LedgerEntry {
                at: START.plus(at),
                index: index + place as u64,
                listed: false,
                registrar,
                ..line.entry.clone()
            };
            Line { entry, ..line.clone() }
        });
        let with = lines.iter().cloned().chain(copies).collect::<Vec<_>>();
        prop_assert_eq!(answer(&world, &with), answer(&world, &lines), "who only copies says nothing");
    }
}

#[test]
fn signatures_of_one_artifact_gather_whatever_line_they_are_on() {
    let trust = cast::trust_of(cast::document());
    let read = |line: Vec<u8>| verify_line(&line, &|name| trust.resolve(name)).expect("a good line");
    let artifact = good(Part::Handoff);
    let by = |who: Who| cast::sign_bytes(&artifact.payload_type, artifact.payload.clone(), &[who]).line();
    let (owner, deputy) = (read(by(Who::Owner)), read(by(Who::Deputy)));
    let join = |one: &git_boundary::crypto::verified::Verified<_>, other: &_| {
        let mut joined = one.clone();
        joined.absorb(other);
        joined
    };
    assert_eq!(join(&owner, &deputy), join(&deputy, &owner), "in either order");
    assert_eq!(join(&owner, &owner), owner, "once is enough");
    let both = join(&owner, &deputy);
    assert_eq!(join(&both, &owner), both, "and nothing is lost by looking again");
    assert_eq!(both.signers().len(), 2, "both have signed");
    let other = read(good(Part::Receipt).line());
    assert_eq!(join(&owner, &other), owner, "another artifact lends no signature");
}

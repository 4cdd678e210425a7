//! Ranks 1 to 4: signatures, keys and independence.

use git_boundary::codec::artifact::ClaimedKind;
use git_boundary::codec::in_toto::Kind;
use git_boundary::model::party::Role;
use git_boundary::model::refusal::Code::*;

use super::parts::{pin, tip};
use super::world::{Part, World, admits, bad_line, entry, one_fact, refuses};
use crate::vectors::cast::{START, Who};

#[test]
fn a_broken_line_in_an_empty_place_is_a_wrong_signature() {
    let broken = |part: Part, kind: ClaimedKind| {
        move |world: World| {
            let note = if part == Part::Handoff { pin() } else { tip() };
            world.lost(part).facts(move |facts| facts.bad_lines.push(bad_line(kind, note, false)))
        }
    };
    for (part, kind) in [
        (Part::Handoff, ClaimedKind::Own(Kind::Handoff)),
        (Part::Receipt, ClaimedKind::Own(Kind::ContextReceipt)),
        (Part::Proposal, ClaimedKind::Own(Kind::EvidenceEnvelope)),
        (Part::Proof, ClaimedKind::BoundaryProof),
    ] {
        one_fact(
            &format!("one byte changed in the {part:?}"),
            World::admitted(),
            broken(part, kind),
            &[IdentitySignatureInvalid],
        );
    }
}

#[test]
fn a_broken_copy_beside_a_good_line_blocks_nothing() {
    for kind in [
        ClaimedKind::Own(Kind::Handoff),
        ClaimedKind::Own(Kind::ContextReceipt),
        ClaimedKind::Own(Kind::EvidenceEnvelope),
        ClaimedKind::Own(Kind::DietCommitment),
        ClaimedKind::BoundaryProof,
    ] {
        for (note, unknown_key) in [(pin(), false), (tip(), false), (tip(), true)] {
            let world = World::admitted().facts(move |facts| facts.bad_lines.push(bad_line(kind, note, unknown_key)));
            admits(&format!("a bad {kind:?} beside good ones"), &world);
        }
    }
}

#[test]
fn a_line_by_an_unknown_key_in_an_empty_place_is_an_untrusted_key() {
    one_fact(
        "a proof by a key that the trust document does not know",
        World::admitted(),
        |world| {
            world.lost(Part::Proof).facts(|facts| {
                facts.bad_lines.push(bad_line(ClaimedKind::BoundaryProof, tip(), true));
            })
        },
        &[IdentityKeyUntrusted],
    );
}

#[test]
fn a_good_signature_by_another_key_than_the_one_named_is_a_wrong_signature() {
    for (part, by, codes) in [
        (Part::Handoff, Who::Deputy, &[IdentitySignatureInvalid][..]),
        // What the actor did not sign is no proposal of the actor's, which the proof's second check says as well.
        (Part::Proposal, Who::Claude, &[IdentitySignatureInvalid, EvidenceBoundaryInvalid]),
        (Part::Proof, Who::Auditor, &[IdentitySignatureInvalid]),
    ] {
        one_fact(&format!("{part:?} signed by {by:?}"), World::admitted(), |world| world.signed(part, &[by]), codes);
    }
}

#[test]
fn signatures_of_others_beside_the_right_one_do_not_matter() {
    for (part, by) in [(Part::Handoff, Who::Owner), (Part::Proposal, Who::Codex), (Part::Proof, Who::Reviewer)] {
        let world = World::admitted().signed(part, &[Who::Tester, by, Who::Claude]);
        admits(&format!("{part:?} with three signatures"), &world);
    }
}

/// Takes a role away.
fn without_role(who: Who, role: Role) -> impl Fn(World) -> World {
    move |world| {
        world.trust(move |document| {
            document.keys.get_mut(&who.id()).expect("it is listed").roles.retain(|held| *held != role);
        })
    }
}

#[test]
fn a_key_without_its_role_is_untrusted() {
    for (who, role) in [(Who::Codex, Role::Actor), (Who::Reviewer, Role::Checker), (Who::Owner, Role::Owner)] {
        one_fact(&format!("{who:?} is no {role}"), World::admitted(), without_role(who, role), &[IdentityKeyUntrusted]);
    }
    one_fact(
        "a person in the rule who is none in the trust document",
        World::of_a_person(Who::Hotfixer),
        without_role(Who::Hotfixer, Role::Person),
        &[IdentityKeyUntrusted],
    );
}

#[test]
fn a_handoff_by_somebody_who_is_no_owner_gives_nothing() {
    let from = |who: Who| {
        move |world: World| {
            world.signed(Part::Handoff, &[who]).handoff(move |it| {
                it.predicate.from = who.id();
            })
        }
    };
    admits("a handoff by a second owner", &from(Who::Deputy)(World::admitted()));
    for who in [Who::Codex, Who::Hotfixer, Who::Ci] {
        refuses(&format!("a handoff by {who:?}"), &from(who)(World::admitted()), &[IdentityKeyUntrusted]);
    }
}

/// Ends a key at a moment after the start.
fn revoked(who: Who, seconds: i64) -> impl Fn(World) -> World {
    move |world| {
        world.trust(move |document| {
            document.keys.get_mut(&who.id()).expect("it is listed").revoked_at = Some(START.plus(seconds));
        })
    }
}

#[test]
fn a_key_revoked_before_it_signed_counts_no_more() {
    for who in [Who::Owner, Who::Codex, Who::Reviewer] {
        one_fact(
            &format!("{who:?} was revoked at the start"),
            World::admitted(),
            revoked(who, 0),
            &[IdentityKeyRevoked],
        );
    }
}

#[test]
fn a_key_revoked_later_keeps_what_a_listed_ledger_in_another_domain_shows_as_older() {
    for (who, part, index) in
        [(Who::Owner, Part::Handoff, 0), (Who::Codex, Part::Proposal, 2), (Who::Reviewer, Part::Proof, 4)]
    {
        let later = revoked(who, 10_000);
        admits(&format!("{who:?} was revoked after it signed"), &later(World::admitted()));
        // The proof's own ledger holds its commitment, so that it is the proof's other entries that this test moves.
        let unlisted = move |facts: &mut git_boundary::gate::facts::Facts| unlist(facts, index);
        refuses(
            &format!("{who:?} was revoked, and only an unlisted registrar says when {part:?} was signed"),
            &later(World::admitted()).facts(unlisted),
            &[IdentityKeyRevoked],
        );
    }
    let own = later_by_own_clone(Part::Proposal, Who::CodexClone);
    refuses(
        "revoked, and only the signer's own domain says when it signed",
        &revoked(Who::Codex, 10_000)(own),
        &[IdentityKeyRevoked],
    );
}

fn later_by_own_clone(part: Part, registrar: Who) -> World {
    World::admitted().at(part, vec![entry(registrar, 2, START.plus(3_600))])
}

/// Makes the registrar of the entry at one index an unlisted one.
fn unlist(facts: &mut git_boundary::gate::facts::Facts, index: u64) {
    let mut artifacts: std::collections::BTreeMap<_, _> =
        facts.artifacts.all().map(|recorded| (recorded.artifact.digest(), recorded.clone())).collect();
    for recorded in artifacts.values_mut() {
        for entry in recorded.entries.iter_mut().filter(|entry| entry.index == index) {
            entry.listed = false;
        }
    }
    facts.artifacts = git_boundary::gate::docket::Docket::new(artifacts);
}

#[test]
fn a_key_outside_its_validity_does_not_count() {
    for who in [Who::Owner, Who::Codex, Who::Reviewer] {
        let bounds = |from: Option<i64>, until: Option<i64>| {
            World::admitted().trust(move |document| {
                let trusted = document.keys.get_mut(&who.id()).expect("it is listed");
                trusted.valid_from = from.map(|seconds| START.plus(seconds));
                trusted.valid_until = until.map(|seconds| START.plus(seconds));
            })
        };
        admits("valid all the while", &bounds(Some(0), Some(7_260)));
        refuses(&format!("{who:?} is valid from tomorrow"), &bounds(Some(86_400), None), &[IdentityKeyRevoked]);
        refuses(&format!("{who:?} was valid until yesterday"), &bounds(None, Some(-1)), &[IdentityKeyRevoked]);
    }
}

#[test]
fn a_checker_in_the_actors_domain_is_not_independent() {
    let twin = |world: World| {
        world
            .signed(Part::Commitment, &[Who::CodexTwin])
            .signed(Part::Proof, &[Who::CodexTwin])
            .commitment(|it| it.predicate.checker = Who::CodexTwin.id())
            .proof(|it, _| it.checker = Who::CodexTwin.name())
    };
    one_fact("the agent's own vendor checks it", World::admitted(), twin, &[IdentityNotIndependent]);
    let moved = |world: World| {
        world.trust(|document| {
            let reviewer = Who::Reviewer.id();
            document.domains.get_mut("reviewers").expect("a domain").retain(|id| *id != reviewer);
            document.domains.get_mut("codex").expect("a domain").push(reviewer);
        })
    };
    one_fact("the checker is moved into the agent's domain", World::admitted(), moved, &[IdentityNotIndependent]);
}

#[test]
fn the_actors_key_under_a_second_name_is_not_independent() {
    let alias = "key_0123456789abcdef";
    let world = |name: String| {
        World::admitted()
            .trust(move |document| {
                document.keys.get_mut(&Who::Codex.id()).expect("listed").aliases = vec![alias.to_owned()];
                document.keys.get_mut(&Who::Codex.id()).expect("listed").roles.push(Role::Checker);
            })
            .signed(Part::Commitment, &[Who::Codex])
            .signed(Part::Proof, &[Who::Codex])
            .commitment(|it| it.predicate.checker = Who::Codex.id())
            .proof(move |it, _| it.checker = name.clone())
    };
    refuses("the actor checks itself under its own name", &world(Who::Codex.name()), &[IdentityNotIndependent]);
    refuses("the actor checks itself under an alias", &world(alias.to_owned()), &[IdentityNotIndependent]);
}

#[test]
fn an_actor_that_is_in_no_domain_is_untrusted() {
    let stranger = |world: World| {
        world.handoff(|it| it.predicate.to = Who::Stranger.id()).proposal(|it| {
            it.predicate.bindings.actor = git_boundary::model::fact::Fact::known(Who::Stranger.id(), "key", START);
        })
    };
    let verdict = stranger(World::admitted()).judged();
    assert_eq!(verdict.primary(), Some(IdentityKeyUntrusted), "nobody knows the key: {:?}", verdict.findings);
}

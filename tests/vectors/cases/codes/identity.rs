//! Signatures, keys and independence.

use git_boundary::model::party::Role;
use git_boundary::model::refusal::Code::*;

use super::super::super::cast::{self, START, Who};
use super::super::super::gate::world::{Part, World};
use super::super::super::vector::Vector;

use super::{Spoil, case, spoiled};

pub fn vectors() -> Vec<Vector> {
    let without = |who: Who, role: Role| {
        World::admitted().trust(move |document| {
            document.keys.get_mut(&who.id()).expect("listed").roles.retain(|held| *held != role);
        })
    };
    let revoked = |who: Who| {
        World::admitted().trust(move |document| {
            document.keys.get_mut(&who.id()).expect("listed").revoked_at = Some(START);
        })
    };
    let twin = World::admitted()
        .signed(Part::Commitment, &[Who::CodexTwin])
        .signed(Part::Proof, &[Who::CodexTwin])
        .commitment(|it| it.predicate.checker = Who::CodexTwin.id())
        .proof(|it, _| it.checker = Who::CodexTwin.name());
    let itself = World::admitted()
        .trust(|document| {
            let codex = document.keys.get_mut(&Who::Codex.id()).expect("listed");
            codex.aliases = vec!["key_0123456789abcdef".to_owned()];
            codex.roles.push(Role::Checker);
        })
        .signed(Part::Commitment, &[Who::Codex])
        .signed(Part::Proof, &[Who::Codex])
        .commitment(|it| it.predicate.checker = Who::Codex.id())
        .proof(|it, _| it.checker = "key_0123456789abcdef".to_owned());
    let hidden = World::admitted()
        .signed(Part::Proposal, &[Who::Codex, Who::Claude])
        .signed(Part::Commitment, &[Who::CodexTwin])
        .signed(Part::Proof, &[Who::CodexTwin])
        .commitment(|it| it.predicate.checker = Who::CodexTwin.id())
        .proof(|it, _| (it.checker, it.actor) = (Who::CodexTwin.name(), Who::Claude.name()));
    let flip: Spoil = |it| it.signatures[0].sig[0] ^= 1;
    let byte: Spoil = |it| {
        let at = it.payload.len() / 2;
        it.payload[at] ^= 1;
    };
    let stranger: Spoil = |it| {
        *it = cast::sign_bytes(&it.payload_type, it.payload.clone(), &[Who::Stranger]);
    };
    let one = &[IdentitySignatureInvalid][..];
    vec![
        spoiled("handoff-one-byte-changed", one, "in its signature", World::admitted(), Some((Part::Handoff, flip))),
        spoiled("receipt-one-byte-changed", one, "in its signature", World::admitted(), Some((Part::Receipt, flip))),
        spoiled("proposal-one-byte-changed", one, "in its signature", World::admitted(), Some((Part::Proposal, flip))),
        spoiled("proof-one-byte-changed", one, "in its signature", World::admitted(), Some((Part::Proof, flip))),
        spoiled(
            "handoff-payload-changed",
            one,
            "in the middle of its payload",
            World::admitted(),
            Some((Part::Handoff, byte)),
        ),
        case(
            "handoff-signed-by-another-owner",
            one,
            "it says it is from the owner",
            World::admitted().signed(Part::Handoff, &[Who::Deputy]),
        ),
        spoiled(
            "proof-by-a-stranger",
            &[IdentityKeyUntrusted],
            "a checker that nobody knows",
            World::admitted(),
            Some((Part::Proof, stranger)),
        ),
        case(
            "actor-without-the-role",
            &[IdentityKeyUntrusted],
            "the trust document lists it for nothing",
            without(Who::Codex, Role::Actor),
        ),
        case(
            "checker-without-the-role",
            &[IdentityKeyUntrusted],
            "the trust document lists it for nothing",
            without(Who::Reviewer, Role::Checker),
        ),
        case(
            "owner-without-the-role",
            &[IdentityKeyUntrusted],
            "the trust document lists it as a person only",
            without(Who::Owner, Role::Owner),
        ),
        case("actor-revoked", &[IdentityKeyRevoked], "before it proposed", revoked(Who::Codex)),
        case("checker-revoked", &[IdentityKeyRevoked], "before it decided", revoked(Who::Reviewer)),
        case("owner-revoked", &[IdentityKeyRevoked], "before it gave the work away", revoked(Who::Owner)),
        case("checker-in-the-actors-domain", &[IdentityNotIndependent], "the agent's own vendor checks it", twin),
        case("actor-checks-itself-under-an-alias", &[IdentityNotIndependent], "one raw key, two names", itself),
        case(
            "proof-names-a-second-signer-as-the-actor",
            &[IdentityNotIndependent],
            "to hide that the checker is of the actor's domain",
            hidden,
        ),
    ]
}

//! One case for every code, and the ones in which everything holds.

use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::gate::checks::approval::{action_digest, params_hash};
use git_boundary::model::asserted::Asserted;
use git_boundary::model::boundary_proof::CheckDecision::{Abstain, Deny, Partial};
use git_boundary::model::decision::{Approval, ApprovalVerdict, Contradiction, ContradictionState};
use git_boundary::model::diet::DietEntry;
use git_boundary::model::envelope::EvidenceRef;
use git_boundary::model::handoff::Revocation;
use git_boundary::model::party::Role;
use git_boundary::model::policy::DefaultRule;
use git_boundary::model::refusal::Code::{self, *};
use git_boundary::model::time::Timestamp;

use super::super::cast::{self, START, Who};
use super::super::gate::parts::{digest, oid, pin, tip, tree};
use super::super::gate::world::{Extra, Part, World, entry};
use super::super::vector::Vector;

/// What is done to one stored line after it was signed.
type Spoil = fn(&mut Dsse);

fn case(name: &str, codes: &[Code], about: &str, world: World) -> Vector {
    spoiled(name, codes, about, world, None)
}

fn spoiled(name: &str, codes: &[Code], about: &str, world: World, spoil: Option<(Part, Spoil)>) -> Vector {
    let expect = match codes {
        [] => "admitted".to_owned(),
        codes => codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(" "),
    };
    let mut body = Vec::new();
    let (trust, policy, lines) = world.stored_lines();
    body.extend_from_slice(&[b"trust ", &trust.line()[..], b"\npolicy ", &policy[..], b"\n"].concat());
    for Extra { mut artifact, entries, note } in lines {
        if let Some((part, spoil)) = spoil
            && artifact.digest() == world.artifact(part).digest()
        {
            spoil(&mut artifact);
        }
        for entry in entries {
            let at = entry.at.0;
            body.extend_from_slice(format!("{note} {} {} {at} ", entry.registrar, entry.index).as_bytes());
            body.extend_from_slice(&artifact.line());
            body.push(b'\n');
        }
    }
    Vector::new(format!("cases/{name}.case"), expect, about, body)
}

pub fn vectors() -> Vec<Vector> {
    [admitted(), identity(), source(), authority(), policy(), approval(), context(), evidence()].concat()
}

fn admitted() -> Vec<Vector> {
    let broken_copy = World::admitted().more(|links| {
        let mut copy = cast::sign(&links.proposal.clone().expect("a proposal").1, &[Who::Codex]);
        copy.signatures[0].sig[0] ^= 1;
        vec![Extra { artifact: copy, entries: vec![entry(Who::StrangerClone, 0, START)], note: tip() }]
    });
    let moved_copy = World::admitted().more(|links| {
        let copy = cast::sign(&links.proposal.clone().expect("a proposal").1, &[Who::Codex]);
        vec![Extra { artifact: copy, entries: vec![entry(Who::StrangerClone, 0, START)], note: pin() }]
    });
    vec![
        case("admitted", &[], "nothing is wrong with it", World::admitted()),
        case("admitted-person", &[], "a listed person's own work", World::of_a_person(Who::Hotfixer)),
        case(
            "admitted-beside-a-broken-copy",
            &[],
            "somebody stored a copy of the proposal with a wrong signature",
            broken_copy,
        ),
        case(
            "admitted-beside-a-moved-copy",
            &[],
            "somebody stored a copy of the proposal on another commit",
            moved_copy,
        ),
    ]
}

fn identity() -> Vec<Vector> {
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

fn source() -> Vec<Vector> {
    let git = |name: &str, code: Code, deviation: &str| {
        case(name, &[code], "git says otherwise", World::admitted()).given("git", deviation)
    };
    vec![
        git("history-cut", SnapshotUnavailable, "history is cut"),
        git("pin-unknown", SourceRevisionUnknown, "the pinned id is no commit"),
        case(
            "no-handoff-named",
            &[SourceHandoffMissing],
            "the agent works without one",
            World::admitted().without(Part::Handoff),
        ),
        case(
            "no-proposal",
            &[SourceHandoffMissing, ContextReceiptMissing],
            "nobody proposed it, and no live handoff is known",
            World::admitted().without(Part::Proposal),
        ),
        git("pin-stale", SourceHandoffStale, "the pinned branch was rewritten"),
        git("history-diverged", SourceHistoryDiverged, "the tip does not descend from the pin"),
        git("head-moved", SnapshotHeadMoved, "the destination moved to what the tip does not contain"),
    ]
}

fn authority() -> Vec<Vector> {
    let revoked = World::admitted().more(|links| {
        let target = links.handoff().expect("a handoff");
        let subject = Subject { commit: pin(), repository: links.trust.repository(), tree: tree(pin()) };
        let predicate = Revocation { reason: "over".to_owned(), target };
        let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[Who::Owner]);
        vec![Extra { artifact, entries: vec![entry(Who::Ci, 90, START.plus(9_000))], note: pin() }]
    });
    let other = git_boundary::model::id::RepositoryId([9; 16]);
    let out = &[AuthorityActionOutOfScope][..];
    let now = |seconds: i64| -> Timestamp { START.plus(seconds) };
    vec![
        case(
            "lease-missing",
            &[AuthorityLeaseMissing],
            "the handoff gives none",
            World::admitted().handoff(|it| it.predicate.lease = None),
        ),
        case("lease-expired", &[AuthorityLeaseExpired], "the clock stands one second after its end", World::admitted())
            .given("now", now(28_801)),
        case(
            "lease-not-begun",
            &[AuthorityLeaseExpired],
            "it begins tomorrow",
            World::admitted().handoff(|it| {
                let lease = it.predicate.lease.as_mut().expect("a lease");
                (lease.not_before, lease.expires_at) = (START.plus(86_400), START.plus(90_000));
            }),
        ),
        case("lease-revoked", &[AuthorityLeaseRevoked], "the owner ended it before the push", revoked),
        case(
            "holder-mismatch",
            &[AuthorityHolderMismatch],
            "it was given to Claude",
            World::admitted().handoff(|it| it.predicate.to = Who::Claude.id()),
        ),
        case(
            "handoff-of-another-repository",
            out,
            "the same owner key and history",
            World::admitted().handoff(move |it| it.subject.as_mut().expect("a subject").repository = other),
        ),
        case(
            "ref-out-of-scope",
            out,
            "it covers the agent's branches only",
            World::admitted().handoff(|it| it.predicate.scope.refs = vec!["refs/heads/agent/**".to_owned()]),
        ),
        case(
            "path-out-of-scope",
            out,
            "it covers docs only",
            World::admitted().handoff(|it| it.predicate.scope.paths = vec!["docs/**".to_owned()]),
        ),
        case("path-touched-out-of-scope", out, "the tip touches another file", World::admitted())
            .given("git", "the tip touches README"),
        case(
            "operation-out-of-scope",
            out,
            "it does not grant modify",
            World::admitted().handoff(|it| it.predicate.scope.operations.retain(|grant| grant.name() != "modify")),
        ),
    ]
}

fn policy() -> Vec<Vector> {
    let other =
        World::admitted().commitment(|it| it.predicate.policy = digest(0x77)).proof(|it, _| it.policy = digest(0x77));
    let decided = |decision| World::admitted().proof(move |it, _| it.decision = decision);
    let thoughts = World::admitted()
        .diet(|diet| diet.push(DietEntry { class: "chain_of_thought".to_owned(), digest: digest(0x66) }));
    let denied_beside = World::admitted().verdict_by(Who::Auditor, Deny, Who::Ci, 10, START.plus(8_000));
    vec![
        case("policy-unresolved", &[PolicyUnresolved], "none is in force", World::admitted())
            .given("git", "no policy is in force"),
        case("policy-of-the-proof-not-in-force", &[PolicyDigestMismatch], "the checker applied another", other),
        case(
            "action-forbidden-by-default",
            &[PolicyActionForbidden],
            "no rule, and the default refuses",
            World::admitted().policy(|policy| policy.default = DefaultRule::Refuse),
        )
        .given("git", "another ref is pushed"),
        case(
            "action-without-an-executor",
            &[PolicyActionForbidden],
            "nobody does that",
            World::admitted()
                .proposal(|it| it.predicate.requested_action.as_mut().expect("an action").kind = "git.gc".to_owned()),
        ),
        case(
            "input-class-not-permitted",
            &[PolicyInputClassForbidden],
            "the checker read the agent's thoughts",
            thoughts,
        ),
        case(
            "input-class-absent",
            &[PolicyInputClassForbidden],
            "the checker read no diff",
            World::admitted()
                .diet(|diet| diet.truncate(0))
                .diet(|diet| diet.push(DietEntry { class: "test_result".to_owned(), digest: digest(1) })),
        ),
        case("denied", &[PolicyDecisionDenied], "the checker says no", decided(Deny)),
        case("denied-beside-an-allow", &[PolicyDecisionDenied], "another domain says no", denied_beside),
        case("partly-allowed", &[PolicyDecisionDenied], "which authorises no ref update", decided(Partial)),
        case("abstained", &[PolicyDecisionAbstained], "the checker can't tell", decided(Abstain)),
    ]
}

fn approval() -> Vec<Vector> {
    let guarded = || World::admitted().rule(|rule| rule.approval_paths = vec!["src".to_owned()]);
    let given = |edit: fn(&mut Approval)| {
        guarded().more(move |links| {
            let (envelope, statement) = links.proposal.clone().expect("a proposal");
            let action = statement.predicate.requested_action.expect("an action");
            let mut predicate = Approval {
                action_digest: action_digest(&action),
                connection: Who::Ci.id(),
                envelope,
                expires_at: START.plus(20_000),
                lease: links.handoff(),
                nonce: "3".repeat(32),
                params_hash: params_hash(&action),
                principal: Who::Codex.id(),
                reason: "looked at it".to_owned(),
                verdict: ApprovalVerdict::Approve,
            };
            edit(&mut predicate);
            let subject = Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) };
            let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[Who::Owner]);
            vec![Extra { artifact, entries: vec![entry(Who::Ci, 80, START.plus(9_000))], note: tip() }]
        })
    };
    vec![
        case("admitted-approved", &[], "a guarded path, and the owner's approval", given(|_| {})),
        case("approval-missing", &[ApprovalMissing], "a guarded path", guarded()),
        case(
            "approval-rejected",
            &[ApprovalRejected],
            "the owner says no",
            given(|it| it.verdict = ApprovalVerdict::Reject),
        ),
        case("approval-expired", &[ApprovalExpired], "an hour ago", given(|it| it.expires_at = START.plus(7_200))),
        case(
            "approval-drifted",
            &[ApprovalParamsDrifted],
            "of another action",
            given(|it| it.action_digest = digest(1)),
        ),
        case(
            "approval-for-another",
            &[ApprovalPrincipalMismatch],
            "for Claude",
            given(|it| it.principal = Who::Claude.id()),
        ),
    ]
}

fn context() -> Vec<Vector> {
    vec![
        case(
            "context-receipt-gone",
            &[ContextReceiptMissing],
            "the proposal names it",
            World::admitted().lost(Part::Receipt),
        ),
        case(
            "context-delivered-to-another",
            &[ContextReceiptMismatch],
            "to Claude",
            World::admitted().receipt(|it| it.predicate.actor = Who::Claude.id()),
        ),
        case(
            "context-root-wrong",
            &[ContextReceiptMismatch],
            "not that of what was delivered",
            World::admitted().receipt(|it| it.predicate.delivered_root = digest(1)),
        ),
        case(
            "work-said-to-start-elsewhere",
            &[ContextReceiptMismatch, EvidenceBoundaryInvalid],
            "not where the handoff pins it",
            World::admitted().proposal(|it| {
                it.predicate.bindings.source_expected =
                    git_boundary::model::fact::Fact::known(oid(0xb7), "handoff", START);
            }),
        ),
    ]
}

fn evidence() -> Vec<Vector> {
    let late = World::admitted().at(Part::Commitment, vec![entry(Who::Ci, 9, START.plus(7_300))]).proof(|it, links| {
        it.anchor = super::super::gate::world::anchor(&links.trust, Who::Ci, 9);
    });
    let contradicted = World::admitted().more(|links| {
        let predicate = Contradiction {
            asserted: Asserted::one("reason", "it fails here"),
            material: true,
            state: ContradictionState::Open,
            target: links.proposal(),
        };
        let subject = Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) };
        let artifact = cast::sign(&Statement { predicate, subject: Some(subject) }, &[Who::Tester]);
        vec![Extra { artifact, entries: vec![entry(Who::Ci, 50, START.plus(8_000))], note: tip() }]
    });
    vec![
        case(
            "no-proof",
            &[EvidenceBoundaryMissing],
            "nobody checked it",
            World::admitted().without(Part::Proof).without(Part::Commitment),
        ),
        case(
            "proof-whose-commitment-stands-later",
            &[EvidenceBoundaryInvalid],
            "the inputs were chosen after the verdict",
            late,
        ),
        case(
            "proof-with-a-wrong-root",
            &[EvidenceBoundaryInvalid],
            "not that of its diet",
            World::admitted()
                .commitment(|it| it.predicate.diet_root = digest(1))
                .proof(|it, _| it.diet_root = digest(1)),
        ),
        case(
            "proof-of-another-diff",
            &[EvidenceBoundaryInvalid],
            "the diff is recomputed",
            World::admitted().diet(|diet| diet[0].digest = digest(1)),
        ),
        case(
            "handoff-gone",
            &[EvidenceReferenceUnresolved],
            "the proposal names it",
            World::admitted().lost(Part::Handoff),
        ),
        case(
            "evidence-gone",
            &[EvidenceReferenceUnresolved],
            "the proposal relies on it",
            World::admitted().proposal(|it| {
                it.predicate.evidence.push(EvidenceRef { digest: digest(1), kind: "test_result".to_owned() })
            }),
        ),
        case(
            "base-tree-wrong",
            &[EvidenceBoundaryInvalid, EvidenceDigestMismatch],
            "not that of the pinned commit",
            World::admitted().proposal(|it| it.predicate.change.base_tree = oid(0x55)),
        ),
        case(
            "person-with-a-wrong-tree",
            &[EvidenceDigestMismatch],
            "the proposal says of the commit what is not so",
            World::of_a_person(Who::Hotfixer).proposal(|it| it.subject.as_mut().expect("a subject").tree = oid(0x55)),
        ),
        case("contradicted", &[EvidenceContradicted], "and that is not resolved", contradicted),
    ]
}

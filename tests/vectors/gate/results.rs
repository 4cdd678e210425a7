//! What evidence about a work receipt comes to: who is heard, what a failure takes, and what contradicts it.

use git_boundary::codec::in_toto::{PAYLOAD_TYPE, Statement, Subject};
use git_boundary::codec::test_result::write;
use git_boundary::gate::result::{Evidence, EvidenceKind, Tier, evidence_about};
use git_boundary::model::asserted::Asserted;
use git_boundary::model::decision::{Contradiction, ContradictionState};
use git_boundary::model::digest::Digest;
use git_boundary::model::id::ArtifactId;
use git_boundary::model::party::Role;
use git_boundary::model::test_result::{ObservedResult, RuntimeObservation, TestOutcome, TestResult};

use super::parts::{digest, tip, tree};
use super::world::{Extra, Links, World, entry};
use crate::vectors::cast::{self, START, Who};

/// The work receipt that all of it is about.
fn receipt() -> Digest {
    digest(0x77)
}

/// Everybody who signs evidence here: the tester, an auditor of another domain, and a twin in the actor's.
fn world() -> World {
    World::admitted().trust(|document| {
        for who in [Who::Auditor, Who::CodexTwin] {
            let key = document.keys.get_mut(&who.id()).expect("it is listed");
            key.roles.push(Role::Evidence);
        }
    })
}

fn came_to(world: &World) -> Evidence {
    let facts = world.gather();
    let actor = facts.trust.party(&Who::Codex.key()).expect("it is listed").clone();
    evidence_about(&facts, &receipt(), &actor)
}

/// A test run at a place of the ledger. Each is an artifact of its own by the name of its one test.
fn tested(world: World, by: Who, result: TestOutcome, index: u64) -> World {
    run(world, by, result, index, Vec::new())
}

fn run(world: World, by: Who, result: TestOutcome, index: u64, failed: Vec<String>) -> World {
    world.more(move |_| {
        let result = TestResult {
            passed: vec![format!("run {index}")],
            failed: failed.clone(),
            result,
            ..TestResult::default()
        };
        let artifact = cast::sign_bytes(PAYLOAD_TYPE, write(&result, "art", &receipt()), &[by]);
        vec![at(artifact, index)]
    })
}

fn seen(world: World, by: Who, result: ObservedResult, index: u64) -> World {
    world.more(move |links| {
        let predicate = RuntimeObservation { result, subject: receipt(), what: format!("look {index}") };
        vec![at(cast::sign(&Statement { predicate, subject: subject(links) }, &[by]), index)]
    })
}

fn contradicted(world: World, target: Digest, state: ContradictionState, material: bool, index: u64) -> World {
    world.more(move |links| {
        let asserted = Asserted::one("reason", &format!("{index}"));
        let predicate = Contradiction { asserted, material, state, target };
        vec![at(cast::sign(&Statement { predicate, subject: subject(links) }, &[Who::Owner]), index)]
    })
}

fn subject(links: &Links) -> Option<Subject> {
    Some(Subject { commit: tip(), repository: links.trust.repository(), tree: tree(tip()) })
}

fn at(artifact: git_boundary::codec::dsse::Dsse, index: u64) -> Extra {
    Extra { artifact, entries: vec![entry(Who::Ci, index, START.plus(9_000 + index as i64))], note: tip() }
}

#[test]
fn one_domain_is_structural_two_are_corroborated_and_one_domain_twice_is_one() {
    assert_eq!((came_to(&world()).tier(), came_to(&world()).holds()), (Tier::None, false));
    let one = tested(world(), Who::Tester, TestOutcome::Passed, 50);
    assert_eq!((came_to(&one).tier(), came_to(&one).holds()), (Tier::Structural, true));
    let again = seen(one, Who::Tester, ObservedResult::Passed, 51);
    assert_eq!(came_to(&again).tier(), Tier::Structural);
    let kinds: Vec<&str> = came_to(&again).kinds().into_iter().map(EvidenceKind::name).collect();
    assert_eq!(kinds, ["observation", "test_result"]);
    let two = tested(again, Who::Auditor, TestOutcome::Passed, 52);
    let evidence = came_to(&two);
    assert_eq!((evidence.tier(), evidence.holds()), (Tier::Corroborated, true));
    assert_eq!(evidence.passing.keys().collect::<Vec<_>>(), ["audit", "tests"]);
}

#[test]
fn only_good_keys_for_evidence_of_other_domains_are_heard() {
    for by in [Who::CodexTwin, Who::Codex, Who::Owner, Who::Reviewer, Who::Ci] {
        for result in [TestOutcome::Passed, TestOutcome::Failed] {
            let evidence = came_to(&tested(world(), by, result, 50));
            assert_eq!(evidence, Evidence::default(), "{by:?} says {result:?}");
        }
    }
    let revoked = |at: i64| {
        world().trust(move |document| {
            document.keys.get_mut(&Who::Tester.id()).expect("it is listed").revoked_at = Some(START.plus(at));
        })
    };
    let before = tested(revoked(9_000), Who::Tester, TestOutcome::Passed, 50);
    assert_eq!(came_to(&before).tier(), Tier::None, "it was recorded when the key had ended");
    let after = tested(revoked(9_051), Who::Tester, TestOutcome::Passed, 50);
    assert_eq!(came_to(&after).tier(), Tier::Structural, "what a key said before it ended, it said");
}

#[test]
fn a_failure_stands_until_the_same_domain_passes_the_same_kind_later() {
    let failed = || tested(world(), Who::Tester, TestOutcome::Failed, 60);
    let evidence = came_to(&failed());
    assert_eq!((evidence.tier(), evidence.failing.len(), evidence.holds()), (Tier::None, 1, false));
    let before = came_to(&tested(failed(), Who::Tester, TestOutcome::Passed, 59));
    assert_eq!((before.tier(), before.failing.len()), (Tier::None, 1), "what passed before it passes no longer");
    let after = came_to(&tested(failed(), Who::Tester, TestOutcome::Passed, 61));
    assert_eq!((after.tier(), after.holds()), (Tier::Structural, true));
    let other = came_to(&tested(failed(), Who::Auditor, TestOutcome::Passed, 61));
    assert_eq!((other.tier(), other.failing.len(), other.holds()), (Tier::Structural, 1, false), "of another domain");
    let look = came_to(&seen(failed(), Who::Tester, ObservedResult::Passed, 61));
    assert!(!look.holds() && look.failing.contains_key("tests"), "a look is no test run");
    let looked = seen(world(), Who::Tester, ObservedResult::Failed, 60);
    assert!(!came_to(&looked).holds());
    assert!(came_to(&seen(looked, Who::Tester, ObservedResult::Passed, 61)).holds());
}

#[test]
fn what_passed_with_a_failure_or_a_warning_did_not_pass() {
    let warned = came_to(&tested(world(), Who::Tester, TestOutcome::Warned, 50));
    assert_eq!((warned.tier(), warned.failing.len()), (Tier::None, 1));
    let claimed = came_to(&run(world(), Who::Tester, TestOutcome::Passed, 50, vec!["one".to_owned()]));
    assert_eq!((claimed.tier(), claimed.failing.len()), (Tier::None, 1), "whatever it says as a whole");
}

#[test]
fn evidence_about_another_receipt_is_none_about_this() {
    let world = world().more(|_| {
        let result = TestResult { passed: vec!["x".to_owned()], result: TestOutcome::Passed, ..TestResult::default() };
        vec![at(cast::sign_bytes(PAYLOAD_TYPE, write(&result, "art", &digest(0x78)), &[Who::Tester]), 50)]
    });
    assert_eq!(came_to(&world), Evidence::default());
}

#[test]
fn an_open_material_contradiction_of_the_receipt_or_of_what_passed_is_told() {
    use ContradictionState::{Open, Resolved};
    let passed = || tested(world(), Who::Tester, TestOutcome::Passed, 50);
    let item = came_to(&passed()).passing["tests"].first().expect("it passed").digest;
    for target in [receipt(), item] {
        let open = || contradicted(passed(), target, Open, true, 55);
        let evidence = came_to(&open());
        assert_eq!(evidence.contradicted.keys().collect::<Vec<_>>(), [&target], "{}", ArtifactId::of(&target));
        assert!(!evidence.holds());
        assert!(came_to(&contradicted(open(), target, Resolved, true, 56)).holds(), "resolved");
        assert!(
            !came_to(&contradicted(open(), target, Resolved, false, 56)).holds(),
            "resolved as if it did not matter"
        );
        assert!(came_to(&contradicted(passed(), target, Open, false, 55)).holds(), "not material");
    }
    assert!(came_to(&contradicted(passed(), digest(0x78), Open, true, 55)).holds(), "of something else");
}

//! What the demo takes for a step that did what it should.

use super::{ACTS, Refs, Remote, Seen, Should, Step, Who};
use crate::model::refusal::Code;

const MAIN: &str = "refs/heads/main";

fn refs(pairs: &[(&str, &str)]) -> Refs {
    pairs.iter().map(|(name, oid)| ((*name).to_owned(), (*oid).to_owned())).collect()
}

fn refused_push() -> (Step, Seen) {
    let step = Step::new(Who::Agent, "git push origin x:main").refused(Code::SourceHandoffStale);
    let there = refs(&[(MAIN, "1")]);
    let code = Some(Code::SourceHandoffStale);
    (step, Seen { status: Some(1), code, receipt: code, before: there.clone(), after: there })
}

#[test]
fn a_refused_push_is_right_with_its_status_its_code_its_receipt_and_an_untouched_remote() {
    let (step, seen) = refused_push();
    assert!(step.judge(&seen).ok);
    let wrong = [
        Seen { status: Some(0), ..seen.clone() },
        Seen { status: Some(128), ..seen.clone() },
        Seen { status: None, ..seen.clone() },
        Seen { code: None, ..seen.clone() },
        Seen { code: Some(Code::AuthorityLeaseExpired), ..seen.clone() },
        Seen { receipt: None, ..seen.clone() },
        Seen { receipt: Some(Code::AuthorityLeaseExpired), ..seen.clone() },
        Seen { after: refs(&[(MAIN, "2")]), ..seen.clone() },
        Seen { after: Refs::new(), ..seen.clone() },
        Seen { after: refs(&[(MAIN, "1"), ("refs/boundary/trust", "3")]), ..seen.clone() },
    ];
    for seen in wrong {
        assert!(!step.judge(&seen).ok, "each of the four is compared: {seen:?}");
    }
}

#[test]
fn a_push_is_right_only_when_its_ref_moves_and_no_other_does() {
    let step = Step::new(Who::Agent, "git push origin x:main").moves(MAIN);
    let before = refs(&[(MAIN, "1"), ("refs/heads/x", "5")]);
    let seen = |after| Seen { status: Some(0), before: before.clone(), after, ..Seen::default() };
    assert!(step.judge(&seen(refs(&[(MAIN, "2"), ("refs/heads/x", "5")]))).ok);
    assert!(!step.judge(&seen(before.clone())).ok, "nothing moved");
    assert!(!step.judge(&seen(refs(&[(MAIN, "2")]))).ok, "another branch went away");
    assert!(!step.judge(&seen(refs(&[(MAIN, "2"), ("refs/heads/x", "6")]))).ok, "another branch moved");
}

#[test]
fn recording_moves_boundary_refs_and_nothing_else() {
    let step = Step::new(Who::Owner, "git boundary init").records();
    let seen = |after| Seen { status: Some(0), before: refs(&[(MAIN, "1")]), after, ..Seen::default() };
    assert!(step.judge(&seen(refs(&[(MAIN, "1"), ("refs/boundary/trust", "3")]))).ok);
    assert!(!step.judge(&seen(refs(&[(MAIN, "1")]))).ok, "nothing was recorded at the remote");
    assert!(!step.judge(&seen(refs(&[(MAIN, "2"), ("refs/boundary/trust", "3")]))).ok, "a branch moved");
}

#[test]
fn every_step_says_what_it_proves_and_each_code_in_it_goes_with_a_refusing_status() {
    let mut steps = 0;
    for step in ACTS.iter().flat_map(|act| act.steps) {
        steps += 1;
        assert!(!step.proves.is_empty(), "{} proves nothing", step.command);
        let Should { status, code, remote } = step.should;
        assert_eq!(code.is_some(), matches!(status, 1 | 2), "{}: a refusal has a code", step.command);
        assert!(code.is_none() || remote == Remote::Unchanged, "{}: a refusal changes nothing", step.command);
    }
    assert!(steps >= 40, "the whole story is told: {steps} steps");
}

#[test]
fn the_story_is_refused_for_many_reasons() {
    let codes: std::collections::BTreeSet<Code> =
        ACTS.iter().flat_map(|act| act.steps).filter_map(|step| step.should.code).collect();
    assert!(codes.len() >= 13, "{codes:?}");
}

//! Trust and policy: forward, verified, and never back.

use super::{of, quiet};
use crate::support::World;

#[test]
fn trust_and_policy_go_forward_to_what_was_fetched_and_back_to_the_remote() {
    let world = World::new();
    let (work, second) = (&world.work, world.joined("second"));
    // The same account, so that the owner's key is at hand in both.
    second.git("config boundary.ownerKey ada-l");
    second.boundary("trust add zed --role actor --new-key").ok();
    let before = work.oid("refs/boundary/trust");
    let answer = work.boundary("sync --json").ok().json();
    assert_eq!(answer["trust"]["version_before"], 3);
    assert_eq!(answer["trust"]["version_after"], 4);
    assert_ne!(work.oid("refs/boundary/trust"), before, "the own ref goes forward");
    assert_eq!(work.oid("refs/boundary/trust"), second.oid("refs/boundary/trust"));

    quiet(work);
    work.boundary("trust add yen --role actor --new-key").ok();
    work.policy(&[("lease = \"8h\"", "lease = \"9h\"")]);
    let sent = work.boundary("sync --json").ok().json();
    let refs = sent["published"]["refs"].to_string();
    assert!(refs.contains("refs/boundary/trust") && refs.contains("refs/boundary/policy"), "{sent}");
    let answer = second.boundary("sync --json").ok().json();
    assert_eq!((&answer["trust"]["version_after"], &answer["policy"]["version_after"]), (&5.into(), &2.into()));
}

#[test]
fn a_trust_that_does_not_verify_is_told_and_stops_nothing_that_is_good() {
    let world = World::new();
    let (work, second) = (&world.work, world.joined("second"));
    work.proven_fix();
    let good = work.oid("refs/boundary/trust");
    work.git("push -q --no-verify -f origin main:refs/boundary/trust");
    let tracked = second.oid("refs/boundary-remote/origin/trust");
    let answer = second.boundary("sync --json").ends_with(2).json();
    assert_eq!(answer["problems"][0]["ref"], "refs/boundary/trust", "{answer}");
    assert_eq!(second.oid("refs/boundary-remote/origin/trust"), tracked, "it is not taken over");
    assert_eq!(of(&answer, &work.registrar_id())["state"], "extended", "and receipts come nonetheless");
    assert_eq!(work.boundary("sync").ends_with(2).status, 2, "nor does the owner's clone push against it");
    assert_eq!(work.oid("refs/boundary/trust"), good);
}

#[test]
fn a_trust_that_went_back_at_the_remote_is_brought_forward_by_who_has_the_newer_one() {
    let world = World::new();
    let work = &world.work;
    let second = world.joined("second");
    let newest = work.oid("refs/boundary/trust");
    let older = work.oid("refs/boundary/trust~1");
    world.server.git(&format!("update-ref refs/boundary/trust {older}"));
    let told = second.boundary("sync").ends_with(2);
    told.says("went back at origin: version 3 was fetched before, version 2 is there now");
    second.boundary("verify main").ok();
    work.boundary("sync").ok().says("went back at origin");
    second.boundary("sync").ok();
    assert_eq!(work.oid("refs/boundary/trust"), newest, "here nothing goes back");
    assert_eq!(world.server.refs()["refs/boundary/trust"], newest, "and the remote has it again");
}

#[test]
fn two_histories_of_the_trust_are_an_error_that_names_both() {
    let world = World::new();
    let work = &world.work;
    let second = world.joined("second");
    second.git("config boundary.ownerKey ada-l");
    second.boundary("trust add zed --role actor --new-key --no-publish").ok();
    work.boundary("trust add yen --role actor --new-key").ok();
    let own = second.oid("refs/boundary/trust");
    second.boundary("sync").ends_with(2).says("two histories");
    assert_eq!(second.oid("refs/boundary/trust"), own, "and nothing was changed");
    assert_ne!(world.server.refs()["refs/boundary/trust"], own);
}

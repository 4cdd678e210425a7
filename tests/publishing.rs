//! Publishing: what a remote has not, who must publish it, and that nobody is led to make a second trust.

use crate::support::World;

#[test]
fn doctor_names_every_kind_of_ref_that_is_only_here() {
    let world = World::new();
    let work = &world.work;
    work.boundary("doctor").ok().never_says("not yet seen to have");
    work.git("config boundary.publish manual");
    work.boundary("trust add second-bot --role checker --new-key").ok();
    work.policy(&[("lease = \"8h\"", "lease = \"9h\"")]);
    work.hand_out();
    let told = work.boundary("doctor").says("refs/boundary/trust").says("refs/boundary/policy").says(&work.notes_ref());
    let command = told.commands().into_iter().find(|line| line.starts_with("git boundary sync")).expect("a command");
    work.sh(&command).ok();
    work.boundary("doctor").ok().never_says("not yet seen to have");
}

#[test]
fn init_again_publishes_what_is_only_here_or_says_that_it_did_not() {
    let world = World::untouched();
    let work = &world.work;
    work.git("config boundary.publish manual");
    work.boundary("init").ok();
    let told = work.boundary("init").ok().says("not published").says("refs/boundary/trust");
    assert!(world.server.refs().keys().all(|name| !name.contains("boundary")), "{told}");
    work.git("config --unset boundary.publish");
    work.boundary("init").ok().says("sent to origin");
    let there = world.server.refs();
    for name in ["refs/boundary/trust".to_owned(), "refs/boundary/policy".to_owned(), work.notes_ref()] {
        assert!(there.contains_key(&name), "{name} is there: {there:?}");
    }
    world.joined("second").boundary("verify origin/main").ok();
}

#[test]
fn who_joins_before_the_owner_published_makes_no_rival_trust() {
    let world = World::untouched();
    let work = &world.work;
    work.git("config boundary.publish manual");
    work.boundary("init").ok();
    let second = world.clone("second");
    let root = world.trust_root();
    let told = second.boundary(&format!("init --trust-root {root}")).ends_with(128);
    let told = told.says("has yet to publish it").never_says("git boundary init");
    let said = told.said();
    let command = said.split_once("git push").map(|(_, rest)| format!("git push{}", rest.lines().next().unwrap_or("")));
    work.sh(&command.expect("the owner's command is printed")).ok();
    second.boundary(&format!("init --trust-root {root}")).ok();
    second.boundary("verify origin/main").ok();
}

#[test]
fn doctor_tells_a_remote_with_another_trust() {
    let world = World::new();
    let work = &world.work;
    let rival = World::untouched();
    rival.work.boundary("init").ok();
    let other = rival.trust_root();
    work.git(&format!(
        "fetch -q {} +refs/boundary/trust:refs/boundary-remote/origin/trust",
        rival.server.dir.display()
    ));
    work.boundary("doctor").ends_with(1).says(&other).says("which is not the pinned");
}

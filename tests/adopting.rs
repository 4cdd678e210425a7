//! Clones that come to what is there already: by a file, by a named key, and a server that is taken for one of them.

use crate::support::World;

#[test]
fn a_clone_takes_neither_trust_nor_policy_from_a_bundle() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.boundary("export HEAD --with-ledger --output ../fix.bundle").ok();
    let clone = world.clone("away");
    clone.git("switch -q agent/fix");
    let refs = clone.refs();
    clone.boundary("import ../fix.bundle").ends_with(129).says("verify --bundle <file> --trust-root <root>");
    clone.boundary(&format!("trust pin {}", world.trust_root())).ok();
    clone.boundary("import ../fix.bundle").ends_with(129).says("no trust is here to hold the file against");
    assert_eq!(clone.refs(), refs, "nothing of it is left here");
    clone.boundary(&format!("verify --bundle ../fix.bundle --trust-root {}", world.trust_root())).ok();
    // Once trust is here, from where the owner put it, the file is taken in.
    clone.boundary("init").ok();
    clone.boundary("import ../fix.bundle").ok();
}

#[test]
fn lines_that_are_left_for_one_reason_are_told_once_with_what_helps() {
    let world = World::new();
    let work = &world.work;
    let other = world.joined("other");
    work.boundary("trust add late --role checker --new-key").ok();
    work.hand_out();
    // Something that the file leaves out, so that it brings no whole ledger.
    work.git("switch -q -c agent/else");
    work.commit(&[("src/other.rs", "// other\n")]);
    work.propose();
    work.git("switch -q main");
    work.fix();
    work.propose();
    work.push("origin agent/fix").accepted();
    work.check_by("late", "allow");
    work.boundary("export HEAD --output ../fix.bundle").ok();
    other.git("fetch -q origin agent/fix");
    let told = other.boundary("import ../fix.bundle").ok().says("left: 2 lines: ");
    let unknown = "which the trust document does not know";
    assert_eq!(told.said().matches(unknown).count(), 1, "one reason, one line: {told}");
    told.says("trust version 4, this clone 3").says("git boundary sync");
    other.boundary("sync").ok();
    other.boundary("import ../fix.bundle").ok().never_says(unknown).never_says("git boundary sync");
}

#[test]
fn a_clone_that_joins_with_an_owners_key_signs_with_it_and_says_so_of_any_other() {
    let world = World::new();
    let root = world.trust_root();
    let clone = world.clone("second");
    let told = clone.boundary(&format!("init --trust-root {root} --key codex")).ok().says("is no owner's key");
    assert_eq!(clone.try_git("config boundary.ownerKey").status, 1, "an actor's key owns nothing: {told}");
    clone.boundary("init --key ada-l").ok().says("boundary.ownerKey is set to it");
    assert_eq!(clone.git("config boundary.ownerKey"), "ada-l");
    let third = world.clone("third");
    third.boundary(&format!("init --trust-root {root} --key ada-l")).ok().says("boundary.ownerKey is set to it");
    third.boundary("handoff create --to codex --path src/**").ok();
    let fourth = world.clone("fourth");
    fourth.boundary(&format!("init --trust-root {root} --key nobody")).ends_with(128);
    assert_eq!(
        fourth.try_git("config boundary.trustRoot").status,
        1,
        "a key that is not here leaves nothing half done"
    );
}

#[test]
fn a_server_says_that_it_has_nothing_to_synchronise() {
    let world = World::guarded();
    world.server.boundary("sync").ends_with(129).says("this repository is a server").never_says("git remote add");
}

#[test]
fn a_remote_that_does_not_answer_leads_to_what_can_be_typed() {
    let world = World::new();
    let work = &world.work;
    let address = work.git("config remote.origin.url");
    work.git("remote set-url origin ../nowhere.git");
    let told = work.boundary("sync").ends_with(2);
    let hint = told.stderr.lines().find_map(|line| line.strip_prefix("hint: ")).expect("a hint").to_owned();
    work.git(&format!("remote set-url origin {address}"));
    work.sh(&hint).ok().says("Synchronised with origin");
}

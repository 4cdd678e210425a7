//! Clones that come to what is there already: by a file, by a named key, and a server that is taken for one of them.

use crate::support::World;

#[test]
fn a_clone_without_trust_takes_it_from_a_bundle_whose_root_is_named_and_from_no_other() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.boundary("export HEAD --with-ledger --output ../fix.bundle").ok();
    let clone = world.clone("away");
    clone.git("switch -q agent/fix");
    let refs = clone.refs();
    clone.boundary("import ../fix.bundle").ends_with(129).says("git boundary import <file> --trust-root <root>");
    let other = format!("sha256:{}", "1".repeat(64));
    clone.boundary(&format!("import ../fix.bundle --trust-root {other}")).ends_with(1).says("Nothing was taken");
    let newer = format!("import ../fix.bundle --trust-root {} --min-trust-version 9", world.trust_root());
    clone.boundary(&newer).ends_with(1).says("at least 9");
    assert_eq!(clone.refs(), refs, "what does not verify from the named root leaves nothing here");
    assert_eq!(clone.try_git("config boundary.trustRoot").status, 1, "nor is anything pinned");

    let told = clone.boundary(&format!("import ../fix.bundle --trust-root {}", world.trust_root())).ok();
    told.says("taken: trust version 3").says("taken: the ledger of").says("git boundary init");
    clone.boundary("verify HEAD --ref main").ok().says("covered");
    // From there on it is a clone like any other.
    clone.boundary("init").ok();
    work.boundary("trust add late --role actor --new-key").ok();
    clone.boundary("sync").ok().says("version 3 to 4");
    assert_eq!(world.server.refs()["refs/boundary/trust"], work.oid("refs/boundary/trust"), "the owner's stays");
    clone.boundary("doctor").ok();
}

#[test]
fn a_pinned_clone_takes_trust_from_a_bundle_and_never_goes_back_by_one() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.boundary("export HEAD --output ../fix.bundle").ok();
    let clone = world.clone("away");
    clone.git("switch -q agent/fix");
    clone.boundary(&format!("trust pin {}", world.trust_root())).ok();
    clone.boundary_given("import -", b"{}\n").ends_with(1);
    clone.boundary("import ../fix.bundle").ok().says("taken: trust version 3");
    work.boundary("trust add late --role actor --new-key").ok();
    clone.boundary("init").ok();
    clone.boundary("sync").ok();
    // Whoever loses every ref has still seen version 4.
    for name in clone.refs().keys().filter(|name| name.contains("boundary")) {
        clone.git(&format!("update-ref -d {name}"));
    }
    clone.boundary("import ../fix.bundle").ends_with(1).says("version 4 was seen here before");
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

//! Ledgers that are gone, old, or in several refs at once.

use super::Stranger;
use crate::support::World;

#[test]
fn a_listed_ledger_that_was_seen_and_is_gone_leaves_the_answer_open() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second --role checker --new-key").ok();
    work.proposed_fix();
    work.check_by("second", "allow");
    let another = Stranger::of(work, "another");
    let public = work.home.root().join("another.pub");
    std::fs::write(&public, work.sh("ssh-keygen -y -f ../another").ok().stdout).expect("the directory is writable");
    work.boundary(&format!("trust add {} --label another --role registrar", public.display())).ok();
    another.in_place_of_the_registrar(|| work.check("deny"));
    work.push("origin agent/fix:main").refused("policy.decision_denied");
    let reference = another.reference();
    let name = reference.rsplit('/').next().expect("a name");
    for own in work.refs().into_keys().filter(|own| own.ends_with(name)) {
        work.git(&format!("update-ref -d {own}"));
    }
    work.push("origin agent/fix:main").undecided().says("is gone").says("git fetch");
    work.git("fetch -q");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

#[test]
fn an_old_ref_of_somebody_elses_registrar_hides_nothing_that_was_fetched() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add second --role checker --new-key").ok();
    work.proposed_fix();
    work.check_by("second", "allow");
    let before = work.oid(&work.notes_ref());
    work.check("deny");
    let reader = world.joined("reader");
    reader.git(&format!("fetch -q origin {}:{}", work.notes_ref(), work.notes_ref()));
    reader.git(&format!("update-ref {} {before}", work.notes_ref()));
    reader.git(&format!("fetch -q {} agent/fix:agent/fix", work.dir.display()));
    reader.push("origin agent/fix:main").refused("policy.decision_denied");
}

//! `correct` and `supersede`: what takes the place of a decided envelope, and what may not.

use crate::support::{Work, World};

/// Another commit on the branch, proposed and pushed; gives the proposal's id.
fn more(work: &Work) -> String {
    work.commit(&[("src/main.rs", "fn main() { better() }\n")]);
    let id = work.propose();
    work.push("origin agent/fix").accepted();
    id
}

#[test]
fn only_what_was_decided_on_is_superseded() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let first = work.propose();
    work.commit(&[("src/main.rs", "fn main() { better() }\n")]);
    let second = work.propose();
    let refused = work.boundary(&format!("supersede {first} --by {second}")).ends_with(129);
    refused.says("nothing was decided").says(&format!("git boundary submit {first}"));
    // A refusal is a decision too.
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
    work.boundary(&format!("supersede --by {first}")).ok();
}

#[test]
fn a_superseded_proposal_is_told_so_and_stands_at_the_gate_as_before() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let first = work.propose();
    work.push("origin agent/fix").accepted();
    let second = more(work);
    work.boundary("verify origin/agent/fix").ok();
    let made = work.boundary(&format!("supersede {first} --by {second} --json")).ok().json();
    assert_eq!(made["change"], "superseded");
    assert_eq!(made["anew"], true);
    assert_eq!((made["proposal"].as_str(), made["by"].as_str()), (Some(&*first), Some(&*second)));
    assert_eq!(made["listed"], true);

    // Once is enough.
    let again = work.boundary(&format!("supersede {first} --by {second} --json")).ok().json();
    assert_eq!((&again["anew"], &again["id"]), (&false.into(), &made["id"]));
    work.boundary(&format!("supersede {first} --by {second}")).ok().says("Recorded before, and not anew");

    // The decision stays, in another clone too, and whoever does not look is told nothing about currency.
    let reader = world.joined("reader");
    let read = reader.boundary(&format!("read {first} --check-contradictions --json")).ok().json();
    assert_eq!(read["decision"]["outcome"], "admitted");
    assert_eq!(read["currency"]["state"], "superseded");
    assert_eq!(read["currency"]["superseded_by"][0]["by"], second.as_str());
    assert_eq!(read["changes"].as_array().map(Vec::len), Some(1));
    reader.boundary(&format!("read {first}")).ok().says("unknown").says(&format!("superseded by {second}"));
    reader.boundary(&format!("read {second} --check-contradictions")).ok().never_says("superseded by");
    work.boundary("verify origin/agent/fix").ok();
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn nothing_supersedes_itself_however_far_round() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let first = work.propose();
    work.push("origin agent/fix").accepted();
    let second = more(work);
    let other = "fn main() { best() }\n";
    work.commit(&[("src/main.rs", other)]);
    let third = work.propose();
    work.push("origin agent/fix").accepted();
    work.boundary(&format!("supersede {first} --by {first}")).ends_with(129).says("supersedes itself");
    work.boundary(&format!("supersede {first} --by {second}")).ok();
    work.boundary(&format!("supersede {second} --by {first}")).ends_with(129).says("supersedes itself");
    work.boundary(&format!("supersede {second} --by {third}")).ok();
    work.boundary(&format!("supersede {third} --by {first}")).ends_with(129).says("supersedes itself");
    work.boundary(&format!("correct {first} --by {second}")).ends_with(129).says("git boundary supersede");
}

#[test]
fn a_later_version_corrects_and_no_earlier_one() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let first = work.propose();
    work.push("origin agent/fix").accepted();
    let second = work.boundary("propose --ref refs/heads/agent/other --key codex --json").ok().json();
    let second = second["id"].as_str().expect("a proposal has an id").to_owned();
    work.push("origin agent/fix:agent/other").accepted();
    work.boundary(&format!("correct {second} --by {first}")).ends_with(129).says("no later version");
    work.boundary(&format!("correct {second} --by {second}")).ends_with(129).says("no later version");
    work.boundary(&format!("supersede {first} --by {second}")).ends_with(129).says("git boundary correct");
    work.boundary(&format!("correct {first} --by HEAD")).ok().says(&format!("{first} is corrected by {second}"));
    work.boundary(&format!("correct {first} --by HEAD")).ok().says("not anew");
    work.boundary(&format!("read {first} --check-contradictions")).ok().says("Corrected by").says("versions");
    // The later version is not touched by it, and what happened to both is one sound chain.
    let read = work.boundary(&format!("read {second} --check-contradictions --json")).ok().json();
    assert_eq!(read["currency"]["state"], "current as far as this snapshot shows");
    assert_eq!(read["decision"]["candidate"]["ref"], "refs/heads/agent/other");
    assert_eq!(read["decisions"].as_array().map(Vec::len), Some(2));
    assert_eq!(read["chains"].as_array().map(Vec::len), Some(1));
    assert_eq!(read["chains"][0]["events"].as_array().map(Vec::len), Some(3));
    work.boundary(&format!("read {first}")).ok().says("sound");
}

#[test]
fn what_an_unlisted_clone_notes_is_told_and_changes_nothing_elsewhere() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let first = work.propose();
    work.push("origin agent/fix").accepted();
    let second = more(work);
    work.git(&format!("push -q origin {}", work.notes_ref()));
    let stranger = world.joined("stranger");
    stranger.boundary(&format!("supersede {first} --by {second}")).ok().says("is not listed");
    let own = stranger.boundary(&format!("read {first} --check-contradictions --json")).ok().json();
    assert_eq!(own["currency"]["state"], "superseded");
    work.git("fetch -q");
    let read = work.boundary(&format!("read {first} --check-contradictions --json")).ok().json();
    assert_eq!(read["currency"]["state"], "current as far as this snapshot shows");
    assert_eq!(read["changes"].as_array().map(Vec::len), Some(1), "it is shown all the same");
    // Nor can it stand in the way of what an honest clone notes.
    work.boundary(&format!("supersede {second} --by {first}")).ok();
}

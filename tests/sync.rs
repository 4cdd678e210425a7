//! Receipts between clones: fetched, pushed, contended, and in the way of other people's notes.

use git_boundary::codec::artifact::Artifact;

use crate::support::World;

#[test]
fn an_ordinary_fetch_brings_receipts_and_destroys_none() {
    let world = World::new();
    let work = &world.work;
    work.git("config boundary.publish manual");
    work.proposed_fix();
    let own = work.oid(&work.notes_ref());
    work.git("fetch -q --prune");
    work.git("fetch -q --force origin");
    assert_eq!(work.oid(&work.notes_ref()), own, "a receipt that is only here stays here");
    work.push("origin agent/fix").accepted();
}

#[test]
fn a_fetch_from_a_remote_without_receipts_is_no_error() {
    let world = World::untouched();
    let work = &world.work;
    work.git("config boundary.publish manual");
    work.boundary("init").ok();
    work.git("fetch -q");
    work.git("fetch -q --prune --all");
}

#[test]
fn an_unreachable_remote_is_a_warning_with_the_command_and_never_a_loss() {
    let world = World::new();
    let work = &world.work;
    work.git("remote set-url origin ../nowhere.git");
    let given = work.boundary("handoff create --to codex --path src/**").ok();
    given.says("recorded here, not yet at origin").says("git boundary sync origin");
    work.git(&format!("remote set-url origin {}", world.server.dir.display()));
    work.fix();
    work.propose();
    work.push("origin agent/fix").accepted();
}

#[test]
fn an_unreachable_remote_stops_init() {
    let world = World::untouched();
    let work = &world.work;
    work.git("remote set-url origin ../nowhere.git");
    let stopped = work.boundary("init");
    assert_ne!(stopped.status, 0, "nobody can tell whether there is trust already: {stopped}");
    assert_eq!(work.try_git("config boundary.trustRoot").status, 1, "and nothing is pinned");
}

#[test]
fn what_is_published_by_hand_is_the_same() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("check begin --input diff --key reviewer-bot --no-publish").ok();
    work.boundary("check decide allow --key reviewer-bot --no-publish").ok();
    let second = world.joined("second");
    second.git(&format!("fetch -q {} agent/fix:agent/fix", work.dir.display()));
    second.boundary("verify agent/fix --ref main").ends_with(1).says("evidence.boundary_missing");
    work.git("push -q origin refs/notes/boundary/*");
    second.git("fetch -q");
    second.boundary("verify agent/fix --ref main").ok();
}

#[test]
fn other_peoples_notes_are_left_alone() {
    let world = World::new();
    let work = &world.work;
    work.git("notes add -m mine HEAD");
    let theirs = work.oid("refs/notes/commits");
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    assert_eq!(work.oid("refs/notes/commits"), theirs);
}

#[test]
fn notes_that_git_copies_on_its_own_to_a_rewritten_commit_speak_for_nothing() {
    let world = World::new();
    let work = &world.work;
    work.git("config notes.rewriteRef refs/notes/*");
    work.proven_fix();
    work.git("commit -q --amend -m reworded");
    assert!(!work.lines("HEAD").is_empty(), "git copied them");
    work.push("origin agent/fix").refused("identity.signature_invalid").says("no entry in its registrar's ledger");
    // And they are in nobody's way.
    work.propose();
    work.push("origin agent/fix").accepted();
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn an_unfinished_merge_of_notes_is_in_nobodys_way() {
    let world = World::new();
    let work = &world.work;
    for (name, text) in [("one", "first"), ("two", "second")] {
        work.git(&format!("notes --ref={name} add -m {text} HEAD"));
    }
    let merged = work.try_git("notes --ref=one merge two");
    assert_ne!(merged.status, 0, "git stops at the conflict: {merged}");
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
}

#[test]
fn line_ending_settings_change_no_signed_byte() {
    let world = World::new();
    let work = &world.work;
    work.git("config core.autocrlf true");
    work.git("config core.eol crlf");
    work.write(".git/info/attributes", "* text=auto eol=crlf\n");
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn our_commits_of_notes_have_an_author_a_message_and_no_strange_time() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let shown = work.git(&format!("log -1 --format=%an|%ae|%cn|%s {}", work.notes_ref()));
    assert_eq!(
        shown, "Ada L|ada@example.com|Ada L|chore(boundary): proposal",
        "a server that checks identities and messages is content"
    );
}

#[test]
fn receipts_survive_gc_and_repacking() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.git("pack-refs --all");
    work.git("gc -q --prune=now");
    work.push("origin agent/fix:main").accepted();
    work.commit(&[("src/more.rs", "more\n")]);
    work.propose();
    work.push("origin agent/fix").accepted();
    work.git("fsck --strict --no-dangling");
}

#[test]
fn notes_in_any_fan_out_are_read_and_written() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.propose();
    // git spreads notes over directories once there are many.
    let name = work.notes_ref().trim_start_matches("refs/notes/").to_owned();
    let mut input = String::new();
    for number in 0..600 {
        let blob = work.home.run(&work.dir, "git", &["hash-object", "-w", "--stdin"], format!("{number}").as_bytes());
        input.push_str(&format!("{}\n", blob.ok().stdout.trim()));
    }
    let lines: Vec<&str> = input.lines().collect();
    let pairs: String = lines.windows(2).map(|pair| format!("{} {}\n", pair[0], pair[1])).collect();
    let args = ["notes", &format!("--ref={name}"), "copy", "--stdin"].map(str::to_owned);
    work.home.run(&work.dir, "git", &["notes", &args[1], "add", "-m", "seed", lines[0]], b"").ok();
    work.home.run(&work.dir, "git", &args, pairs.as_bytes()).ok();
    assert!(work.note_files(&work.notes_ref()).iter().any(|path| path.matches('/').count() > 1), "it is spread out");
    work.push("origin agent/fix").accepted();
    work.check("allow");
    work.push("origin agent/fix:main").accepted();
    let events = work.stored("HEAD", |artifact| matches!(artifact, Artifact::Event(_)));
    assert_eq!(events.len(), 2, "both admissions are read where git put them");
    work.git("fsck --strict --no-dangling");
}

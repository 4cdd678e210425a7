//! An own ref that is not what the remote has of it.

use super::{of, quiet};
use crate::support::{Work, World};

/// Another clone with the same registrar key, as a copy of a machine has.
fn twin(world: &World) -> Work {
    twin_of(world, &world.work)
}

fn twin_of(world: &World, work: &Work) -> Work {
    let clone = world.joined("twin");
    for file in ["registrar", "registrar.pub"] {
        let (from, to) = (work.git_file(&format!("boundary/{file}")), clone.git_file(&format!("boundary/{file}")));
        std::fs::copy(from, to).expect("it can be copied");
    }
    clone
}

fn handoffs(work: &Work) -> usize {
    work.boundary("handoff list --json").ok().json_lines().len()
}

#[test]
fn a_clone_that_was_put_back_goes_forward_to_what_it_had_published() {
    let world = World::new();
    let work = &world.work;
    let (notes, older) = (work.notes_ref(), work.oid(&work.notes_ref()));
    work.hand_out();
    work.hand_out();
    let newest = work.oid(&notes);
    work.git(&format!("update-ref {notes} {older}"));
    work.git(&format!("update-ref -d refs/boundary-remote/origin/notes/{}", work.registrar_id()));
    std::fs::remove_dir_all(work.git_file("boundary/seen")).expect("it is there");
    let answer = work.boundary("sync --json").ok().json();
    assert_eq!(answer["united"], "forward");
    assert_eq!(work.oid(&notes), newest);
    assert_eq!(handoffs(work), 2);
}

#[test]
fn one_ledger_under_two_histories_of_commits_is_united() {
    let world = World::new();
    let work = &world.work;
    let notes = work.notes_ref();
    work.hand_out();
    // The same tree under another commit, as a filter over all refs makes it.
    let other = work.git(&format!("commit-tree -m filtered {notes}^{{tree}}"));
    work.git(&format!("update-ref {notes} {other}"));
    quiet(work);
    work.hand_out();
    let answer = work.boundary("sync --json").ok().json();
    assert_eq!(answer["united"], "merged");
    assert_eq!(answer["published"]["state"], "sent");
    assert_eq!(world.server.refs()[&notes], work.oid(&notes), "a fast-forward was possible");
    assert_eq!(handoffs(work), 2);
    let second = world.joined("second");
    assert_eq!(handoffs(&second), 2, "and others read all of it");
    work.boundary("doctor").ok();
    work.git("fsck --strict --no-dangling");
}

#[test]
fn notes_that_git_spread_out_on_one_side_are_united_with_the_other() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    let notes = work.notes_ref();
    let entries = work.git(&format!("ls-tree {notes}"));
    // Every note one directory deeper, as git has them once there are many.
    let mut top = String::new();
    for line in entries.lines() {
        let (head, name) = line.split_once('\t').expect("a tree's line");
        if name == "ledger" {
            top.push_str(&format!("{line}\n"));
            continue;
        }
        let inner = format!("{head}\t{}\n", &name[2..]);
        let tree = work.home.run(&work.dir, "git", &["mktree"], inner.as_bytes()).ok().stdout;
        top.push_str(&format!("040000 tree {}\t{}\n", tree.trim(), &name[..2]));
    }
    let tree = work.home.run(&work.dir, "git", &["mktree"], top.as_bytes()).ok().stdout;
    let spread = work.git(&format!("commit-tree -m spread {}", tree.trim()));
    work.git(&format!("push -q --no-verify -f origin {spread}:{notes}"));
    quiet(work);
    work.hand_out();
    let before = work.lines("HEAD").len();
    work.boundary("sync").ok();
    assert_eq!(work.lines("HEAD").len(), before, "no line is there twice, and none is lost");
    assert_eq!(world.server.refs()[&notes], work.oid(&notes));
    assert_eq!(handoffs(&world.joined("second")), 2);
}

#[test]
fn a_publication_that_finds_the_own_ref_ahead_leads_to_sync() {
    let world = World::new();
    let (work, twin) = (&world.work, twin(&world));
    twin.git("config boundary.ownerKey ada-l");
    twin.hand_out();
    let told = work.boundary("handoff create --to codex --path src/**").ok().says("recorded here, not yet at origin");
    told.says("git boundary sync origin");
}

#[test]
fn a_key_used_in_two_places_one_after_the_other_goes_on() {
    let world = World::new();
    let (work, twin) = (&world.work, twin(&world));
    work.hand_out();
    twin.boundary("sync").ok();
    twin.git("config boundary.ownerKey ada-l");
    twin.hand_out();
    work.boundary("sync").ok();
    assert_eq!(handoffs(work), 2);
    work.hand_out();
    twin.boundary("sync").ok();
    assert_eq!(handoffs(&twin), 3);
}

#[test]
fn a_key_used_in_two_places_at_once_has_forked_and_that_is_told_to_everybody() {
    let world = World::new();
    let (work, twin, third) = (&world.work, twin(&world), world.joined("third"));
    twin.git("config boundary.ownerKey ada-l");
    quiet(work);
    quiet(&twin);
    work.hand_out();
    twin.hand_out();
    twin.hand_out();
    twin.boundary("sync").ok();
    third.boundary("sync").ok();
    let own = work.oid(&work.notes_ref());
    let told = work.boundary("sync").ends_with(2);
    let told =
        told.says("forked").says("here 2 entries").says("there 3 entries").says("the last that both have 1 entry");
    told.says("git boundary doctor --repair");
    assert_eq!(work.oid(&work.notes_ref()), own, "nothing was changed");
    assert!(work.refs().contains_key(&format!("refs/boundary-remote/origin/notes/{}", work.registrar_id())));
    // Whoever is shown the other history after the first keeps both.
    world.server.git(&format!("fetch -q {} +{1}:{1}", work.dir.display(), work.notes_ref()));
    let answer = third.boundary("sync --json").ends_with(2).json();
    assert_eq!(of(&answer, &work.registrar_id())["state"], "forked");
    assert!(third.refs().keys().any(|name| name.contains("/parted/notes/")), "both are kept");
    assert_eq!(handoffs(&third), 3, "and every line of either is read");
}

/// Two clones that used one key at once; what the second wrote is at the remote, and the first has fetched it.
fn forked() -> (World, Work) {
    let world = World::new();
    let twin = twin(&world);
    twin.git("config boundary.ownerKey ada-l");
    quiet(&world.work);
    quiet(&twin);
    world.work.hand_out();
    twin.hand_out();
    twin.hand_out();
    twin.boundary("sync").ok();
    world.work.boundary("sync").ends_with(2);
    (world, twin)
}

#[test]
fn a_forked_ledger_is_repaired_with_no_line_lost() {
    let (world, _) = forked();
    let work = &world.work;
    let old = work.registrar_id();
    work.git("config --unset boundary.publish");
    work.boundary("doctor").ends_with(1).says("was used in two places").says("git boundary doctor --repair");
    let told = work.boundary("doctor --repair").ok().says(&format!("{old} is retired at 1 entry"));
    let told = told.says("3 lines").says("trust revoke").says("trust add");
    assert_ne!(work.registrar_id(), old, "this clone writes with another key now");
    assert_eq!(handoffs(work), 3);
    for command in told.commands() {
        work.sh(&command.replace("<owner>", "ada-l")).ok();
    }
    work.boundary("doctor --repair").ok().never_says("entered again").never_says("trust revoke");
    work.boundary("sync").ok();

    // Whoever has nothing but the remote has every line, and a registrar of good standing that says so.
    let third = world.joined("third");
    assert_eq!(handoffs(&third), 3);
    assert!(third.boundary("trust show").ok().stdout.contains("revoked"));
    work.fix();
    work.propose();
    work.push("origin agent/fix").accepted();
    work.boundary("sync").ok();
    work.git("fsck --strict --no-dangling");
}

/// Work that an unlisted clone proposed while its ledger was forked, after the repair; the server knows nothing of the retired key.
fn proposed_in_a_fork() -> (World, Work) {
    let world = World::guarded();
    world.work.hand_out();
    let second = world.joined("second");
    let twin = twin_of(&world, &second);
    quiet(&second);
    quiet(&twin);
    second.fix();
    second.propose();
    twin.git("switch -q -c agent/other");
    twin.commit(&[("src/other.rs", "// other\n")]);
    twin.propose();
    twin.boundary("sync").ok();
    second.boundary("sync").ends_with(2);
    second.git("config --unset boundary.publish");
    second.boundary("doctor --repair").ok().says("is retired");
    (world, second)
}

#[test]
fn what_was_proposed_in_a_fork_is_proposed_anew_after_the_repair() {
    let (world, second) = proposed_in_a_fork();
    // Told at the server too, which knows the key of no registrar but those in their own refs and those listed.
    let push = second.push("--no-verify origin agent/fix");
    push.says("identity.key_untrusted").says("git boundary propose --key codex");
    second.boundary("propose --key codex").ok().says("version 2").never_says("Proposed already");
    second.boundary("propose --key codex").ok().says("Proposed already");
    second.push("origin agent/fix").accepted();
    assert_eq!(world.server.branch("agent/fix"), Some(second.head()));
}

#[test]
fn push_rests_on_no_proposal_whose_context_a_retired_key_vouches_for() {
    let (world, second) = proposed_in_a_fork();
    second.boundary("push --key codex").ok().says("complete");
    assert_eq!(world.server.branch("agent/fix"), Some(second.head()));
}

#[test]
fn a_registrar_is_revoked_at_a_checkpoint_that_it_had_and_at_no_other() {
    let (world, _) = forked();
    let work = &world.work;
    let old = work.registrar_id();
    let wrong = format!("trust revoke {old} --last-checkpoint 1:sha256:{} --key ada-l", "0".repeat(64));
    work.boundary(&wrong).ends_with(129).says("with as many its root was");
    work.boundary(&format!("trust revoke {old} --last-checkpoint 1:abc")).ends_with(129);
    work.boundary("trust revoke codex --last-checkpoint 0:sha256:00 --key ada-l").ends_with(129);
    // Not told which, it is the last one that both ledgers have.
    let version = work.boundary(&format!("trust revoke {old} --json")).ok().json()["version"].clone();
    let document = work.git(&format!("show refs/boundary/trust:{version}.json"));
    let payload = serde_json::from_str::<serde_json::Value>(&document).expect("it is JSON")["payload"].clone();
    let listed = work.sh(&format!("printf %s {payload} | base64 -d")).ok().stdout;
    assert!(listed.contains("\"size\":1"), "{listed}");
}

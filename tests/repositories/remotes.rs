//! Remotes of every kind, and pushes that do more than they are asked for.

use super::{the_story_works, turned_away};
use crate::support::{Refs, World};

fn boundary(refs: &Refs) -> Refs {
    refs.iter().filter(|(name, _)| name.contains("boundary")).map(|(name, oid)| (name.clone(), oid.clone())).collect()
}

#[test]
fn a_remote_named_with_slashes() {
    let world = World::guarded();
    world.work.git("remote rename origin team/notes/main");
    world.work.boundary("init").ok();
    world.work.git("fetch -q team/notes/main");
    let work = &world.work;
    work.git("config remote.pushDefault team/notes/main");
    work.hand_out();
    work.fix();
    work.push("team/notes/main agent/fix").refused("context.receipt_missing");
    work.propose();
    work.push("team/notes/main agent/fix").accepted();
    work.check("allow");
    work.push("team/notes/main agent/fix:main").accepted();
    work.boundary("sync").ok();
    work.boundary("sync team/notes/main").ok();
    work.boundary("verify team/notes/main/main").ok();
    work.boundary("doctor").ok();
}

#[test]
fn a_remote_with_several_addresses_to_push_to() {
    let world = World::new();
    let work = &world.work;
    work.git("clone -q --mirror ../server.git ../second.git");
    let (first, second) =
        (world.server.dir.display().to_string(), world.root().join("second.git").display().to_string());
    work.git(&format!("remote set-url --add --push origin {first}"));
    work.git(&format!("remote set-url --add --push origin {second}"));
    work.hand_out();
    work.fix();
    let there = work.in_directory(world.root().join("second.git"));
    let refused = work.try_git("push origin agent/fix");
    assert_ne!(refused.status, 0, "neither is pushed to: {refused}");
    assert!(!there.refs().contains_key("refs/heads/agent/fix"), "not the second either: {refused}");
    work.propose();
    work.try_git("push origin agent/fix").ok();
    work.check("allow");
    work.try_git("push origin agent/fix:main").ok();
    work.boundary("sync").ok();
    assert_eq!(there.refs().get(&work.notes_ref()), work.refs().get(&work.notes_ref()), "receipts go to both");
    assert_eq!(there.oid("main"), work.head());
}

#[test]
fn a_mirror_is_stopped_before_it_takes_receipts_away() {
    let world = World::guarded();
    let second = world.joined("second");
    world.work.proven_fix();
    world.work.push("origin agent/fix:main").accepted();
    world.work.boundary("sync").ok();
    let before = world.server.refs();
    second.git("config remote.origin.mirror true");
    // In a clone that has fetched nothing since, a mirror deletes, forces back and leaves copies under other names. git tells its hook
    // nothing of what it deletes; the copies are what the hook sees.
    let push = second.push("origin");
    assert_eq!(push.hook, Some(1), "the hook looks at every line: {}", push.ran);
    assert_eq!(push.before, push.after, "and nothing moves: {}", push.ran);
    push.says("git push <remote> <branch>");
    let past = second.push("--no-verify origin");
    assert_ne!(past.ran.status, 0, "the server refuses it too: {}", past.ran);
    assert_eq!(world.server.refs(), before, "as a whole");
    second.git("config --unset remote.origin.mirror");
    second.boundary("sync").ok();
}

#[test]
fn a_client_pushes_no_receipts_away_where_the_server_looks_at_nothing() {
    let world = World::new();
    let (work, second) = (&world.work, world.joined("second"));
    work.hand_out();
    work.boundary("sync").ok();
    let own = work.notes_ref();
    let before = boundary(&world.server.refs());
    let stale = second.git(&format!("rev-parse refs/boundary-remote/origin/notes/{}", work.registrar_id()));
    for line in [
        format!("origin :{own}"),
        "origin :refs/boundary/trust".to_owned(),
        format!("-f origin {stale}:{own}"),
        format!("origin {stale}:refs/notes/boundary/other"),
        format!("origin {stale}:refs/boundary-remote/origin/trust"),
        "--mirror origin".to_owned(),
    ] {
        let push = second.push(&line);
        assert_eq!(push.hook, Some(1), "the hook refuses `git push {line}`: {}", push.ran);
        push.says("policy.action_forbidden");
        assert_eq!(boundary(&world.server.refs()), before, "nothing of it happens");
    }
    second.git("fetch -q");
    second.hand_out_with("--to codex --path src/** --key ada-l");
    second.push(&format!("origin {0}:{0}", second.notes_ref())).says("").ran.ok();
}

#[test]
fn tags_that_follow_are_judged_with_the_branch() {
    let world = World::guarded();
    let work = &world.work;
    work.git("config push.followTags true");
    work.policy(&[("refs = [\"refs/heads/main\"]", "refs = [\"refs/heads/main\", \"refs/tags/v*\"]")]);
    work.boundary("sync").ok();
    work.proven_fix();
    work.git("tag -a -m one v1");
    let push = work.push("origin agent/fix");
    assert_eq!(push.hook, Some(1), "the tag goes along and is judged: {}", push.ran);
    assert_eq!(push.before, push.after, "nothing moves: {}", push.ran);
    push.says("refs/tags/v1");
    let past = work.push("--no-verify origin agent/fix");
    assert_eq!(past.before, past.after, "the server says the same: {}", past.ran);
    work.git("tag -d v1");
    work.git("tag -a -m free other");
    work.push("origin agent/fix").accepted();
    assert!(world.server.refs().contains_key("refs/tags/other"), "a tag that no rule governs went along");
}

#[test]
fn every_version_of_gits_protocol() {
    for version in [0, 1, 2] {
        let world = World::guarded();
        world.work.git(&format!("config protocol.version {version}"));
        the_story_works(&world, &world.work);
    }
}

#[test]
fn a_remote_without_a_name() {
    let world = World::guarded();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let address = world.server.dir.display().to_string();
    work.push(&format!("{address} agent/fix")).refused("context.receipt_missing");
    turned_away(&work.push(&format!("--no-verify file://{address} agent/fix")), "context.receipt_missing");
    work.propose();
    work.push(&format!("{address} agent/fix")).accepted();
}

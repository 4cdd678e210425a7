//! The boundary refs of a server: they grow, and that is all they do.

use super::{bypassing, own_ref, remote, turned_away};
use crate::support::World;

/// A world whose clone publishes nothing by itself, with receipts at the server and one more here.
fn with_more_to_send() -> World {
    let world = World::guarded();
    world.work.proposed_fix();
    world.work.git("config boundary.publish manual");
    world.work.check("allow");
    world
}

/// Pushes the own ref as `change` left it, by force; the server must refuse, and take what it was before.
#[track_caller]
fn refuses(change: impl FnOnce(&World, &str), says: &str) {
    let world = with_more_to_send();
    let own = own_ref(&world);
    let honest = world.work.oid(&own);
    change(&world, &own);
    let push = bypassing(&world, &format!("+{own}"));
    assert_eq!(push.before, push.after, "nothing moves at the server: {}", push.ran);
    assert!(remote(&push.ran).starts_with("refused: "), "it is the server that refuses: {}", push.ran);
    assert!(remote(&push.ran).contains(says), "{says:?} is said by {}", push.ran);
    assert!(remote(&push.ran).contains("git boundary sync"), "and what to do instead: {}", push.ran);
    world.work.git(&format!("update-ref {own} {honest}"));
    assert_eq!(bypassing(&world, &own).ran.status, 0, "what only adds is let in");
}

#[test]
fn they_are_never_deleted() {
    let world = with_more_to_send();
    let own = own_ref(&world);
    for name in [own.as_str(), "refs/boundary/trust", "refs/boundary/policy"] {
        turned_away(&bypassing(&world, &format!(":{name}")), "policy.action_forbidden");
    }
}

#[test]
fn a_ledger_never_goes_back() {
    refuses(
        |world, own| {
            let sent = world.server.refs()[own].clone();
            world.work.git(&format!("update-ref {own} {sent}~1"));
        },
        "does not go on from",
    );
}

#[test]
fn a_ledger_never_goes_another_way() {
    refuses(
        |world, _| {
            let mut first = true;
            world.work.rebuild_ledger(
                |_, line| {
                    if std::mem::take(&mut first) { format!("{line} ") } else { line.to_owned() }
                },
            );
        },
        "does not go on from",
    );
}

#[test]
fn a_line_that_was_there_stays_there() {
    refuses(
        |world, _| {
            let lines = world.work.lines("HEAD");
            world.work.set_lines("HEAD", &lines[1..]);
        },
        "is gone",
    );
}

#[test]
fn a_new_line_is_in_the_ledger() {
    refuses(
        |world, _| {
            let mut lines = world.work.lines("HEAD");
            lines.push(lines[0].replace("payload\":\"", "payload\":\"AAAA"));
            world.work.set_lines("HEAD", &lines);
        },
        "is not in its ledger",
    );
}

#[test]
fn a_new_entry_has_its_line() {
    refuses(
        |world, _| {
            let lines = world.work.lines("HEAD");
            world.work.set_lines("HEAD", &lines[..lines.len() - 1]);
        },
        "is not in the note of",
    );
}

#[test]
fn a_tree_of_notes_holds_nothing_else() {
    for path in ["README", "ledger/evil", "aa/bb", "ledger2/checkpoint"] {
        refuses(
            |world, own| world.work.set_note_file(own, path, Some(b"anything")),
            if path.starts_with("ledger/") { "is no file of a ledger" } else { "is neither a note nor a file" },
        );
    }
}

#[test]
fn a_checkpoint_is_signed_by_the_registrar_of_the_ref() {
    refuses(
        |world, own| {
            let bytes = world.work.git(&format!("cat-file blob {own}:ledger/checkpoint"));
            let (text, _) = bytes.split_once("\n\n").expect("a signed note");
            world.work.set_note_file(own, "ledger/checkpoint", Some(format!("{text}\n\n").as_bytes()));
        },
        "identity.signature_invalid",
    );
}

#[test]
fn the_servers_own_ref_is_closed() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.git("fetch -q");
    let own = own_ref(&world);
    let theirs = world.server.refs().into_keys().find(|name| name.starts_with("refs/notes/boundary/") && *name != own);
    let theirs = theirs.expect("the server has a registrar");
    for what in [format!("+{own}:{theirs}"), format!(":{theirs}")] {
        turned_away(&bypassing(&world, &what), "policy.action_forbidden");
    }
}

#[test]
fn one_registrar_does_not_write_for_another() {
    let world = with_more_to_send();
    let work = &world.work;
    let own = own_ref(&world);
    let other = format!("refs/notes/boundary/key_{}", "0".repeat(32));
    turned_away(&bypassing(&world, &format!("{own}:{other}")), "identity.signature_invalid");
    work.git(&format!("update-ref {other} {own}"));
    turned_away(&bypassing(&world, &other), "identity.signature_invalid");
}

#[test]
fn names_that_stand_where_only_boundary_refs_do_are_refused() {
    let world = World::guarded();
    for name in [
        "refs/notes/boundary",
        "refs/boundary/notes",
        "refs/boundary/other",
        "refs/boundary",
        "refs/boundary-remote/origin/trust",
        "refs/boundary-remote/origin/notes/key_00000000000000000000000000000000",
        "refs/notes/boundary/key_short",
        "refs/Notes/Boundary/key_00000000000000000000000000000000",
        "refs/BOUNDARY/trust",
    ] {
        let push = bypassing(&world, &format!("main:{name}"));
        assert_eq!(push.before, push.after, "{name} is not made: {}", push.ran);
        assert!(remote(&push.ran).contains("policy.action_forbidden"), "{name} is refused by name: {}", push.ran);
    }
}

#[test]
fn trust_and_policy_only_grow() {
    let world = World::guarded();
    let work = &world.work;
    for name in ["refs/boundary/trust", "refs/boundary/policy"] {
        work.git(&format!("update-ref refs/kept {name}"));
        let tree = work.git(&format!("ls-tree {name}"));
        let first: Vec<&str> = tree.lines().take(1).collect();
        let fewer = work.sh(&format!("printf '%s\\n' '{}' | git mktree", first.join("\n"))).ok();
        let fewer = work.git(&format!("commit-tree -m fewer {}", fewer.stdout.trim()));
        let ours = work.sh("printf '{}\\n' | git hash-object -w --stdin").ok().stdout;
        let other = work.sh(&format!("printf '100644 blob {}\\t1.json\\n' | git mktree", ours.trim())).ok();
        let other = work.git(&format!("commit-tree -m other {}", other.stdout.trim()));
        let mut bad = vec![other];
        if name.ends_with("trust") {
            bad.push(fewer);
        }
        for commit in bad {
            let push = bypassing(&world, &format!("+{commit}:{name}"));
            assert_eq!(push.before, push.after, "{name} stays what it is: {}", push.ran);
            assert!(remote(&push.ran).starts_with("refused: "), "it is the server that refuses: {}", push.ran);
        }
    }
}

#[test]
fn a_policy_by_a_former_owner_is_refused() {
    let world = World::guarded();
    let work = &world.work;
    work.boundary("trust add second --role owner --new-key").ok();
    work.git("config boundary.publish manual");
    let text = work.read("boundary.toml").replace("default = \"open\"", "default = \"refuse\"");
    work.write("boundary.toml", &text);
    work.boundary("policy sign --key second").ok();
    let policy = work.oid("refs/boundary/policy");
    work.boundary("trust revoke second").ok();
    assert_eq!(bypassing(&world, "refs/boundary/trust").ran.status, 0, "the revocation is let in");
    turned_away(&bypassing(&world, &format!("{policy}:refs/boundary/policy")), "identity.signature_invalid");
}

#[test]
fn a_stranger_may_bring_lines_of_their_own() {
    let world = World::guarded();
    let joined = world.joined("joined");
    joined.git("config boundary.publish manual");
    world.work.hand_out();
    joined.git("fetch -q");
    joined.git("switch -q -c agent/fix");
    joined.commit(&[("src/main.rs", "// joined\n")]);
    joined.boundary("propose --key codex").ok();
    let own = joined.refs().into_keys().find(|name| name.starts_with("refs/notes/boundary/")).expect("it has one");
    joined.git(&format!("push -q --no-verify origin agent/fix {own}"));
    assert!(world.server.branch("agent/fix").is_some(), "a registrar that nobody listed carries receipts all the same");
}

//! Trust over time: how many roots it takes, keys that take another one's place, and documents that end.

use crate::support::World;

/// A world whose trust takes two roots: `ada-l`, and `bob`.
fn two_roots() -> World {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add bob --role root --role owner --new-key").ok();
    let waits = work.boundary("trust rotate --threshold 2").ok();
    waits.says("has 1 of 2 root signatures");
    assert_eq!(version(&world), 4, "one root alone can't make it take two");
    work.boundary("trust cosign --key bob").ok().says("takes 2 root signatures instead of 1").says("is in force");
    assert_eq!(version(&world), 5, "with the second signature it is in force");
    world
}

fn version(world: &World) -> u64 {
    let shown = world.work.boundary("trust show --json").ok().json();
    shown["version"].as_u64().expect("a number")
}

#[test]
fn a_change_waits_until_enough_roots_have_signed_it() {
    let world = two_roots();
    let work = &world.work;
    work.boundary("trust add eve --role owner --new-key").ok().says("has 1 of 2").says("trust cosign --key <root>");
    assert_eq!(version(&world), 5, "what waits is not in force");
    work.boundary("handoff create --to codex --path src/** --key eve").says("not trusted as owner");
    work.boundary("trust show").ok().says("adds eve").says("signed by   ada-l").says("1 of 2");
    work.boundary("doctor").says("version 6 waits with 1 of 2 root signatures");
    work.boundary("trust cosign").ends_with(129).says("ada-l has signed it already");
    work.boundary("trust cosign --key codex").ends_with(129).says("codex is no root");
    work.boundary("trust cosign --key bob").ok().says("Trust version 6 is in force");
    work.boundary("trust show").ok().never_says("would change").says("eve");
    work.boundary("trust cosign --key bob").ends_with(129).says("nothing waits");
}

#[test]
fn what_waits_travels_to_the_other_root_and_back() {
    let world = two_roots();
    let work = &world.work;
    work.boundary("trust revoke codex").ok().says("has 1 of 2");
    let other = world.joined("other");
    other.boundary("trust cosign --key bob").ok().says("codex").says("is revoked since").says("is in force");
    work.git("fetch -q");
    assert_eq!(version(&world), 6, "the first root's clone has it by an ordinary fetch");
    work.boundary("trust show").ok().never_says("would change");
}

#[test]
fn what_waits_travels_by_sync_as_well_and_signatures_made_apart_are_united() {
    let world = two_roots();
    let work = &world.work;
    work.boundary("trust rotate --threshold 1").ok().says("has 1 of 2");
    work.boundary("trust cosign --key bob").ok();
    work.boundary("trust add cy --role root --new-key").ok();
    work.boundary("trust rotate --threshold 3").ok().says("has 1 of 3");
    let [one, other] = ["one", "other"].map(|name| {
        let clone = world.joined(name);
        clone.boundary("sync").ok();
        clone
    });
    one.boundary("trust cosign --key bob --no-publish").ok().says("has 2 of 3");
    other.boundary("trust cosign --key cy").ok().says("has 2 of 3");
    let before = version(&world);
    one.boundary("sync").ok();
    let shown = one.boundary("trust show --json").ok().json();
    assert_eq!(shown["pending"], serde_json::json!([]), "with all signatures together nothing waits any more: {shown}");
    work.boundary("sync").ok();
    assert_eq!(version(&world), before + 1, "and everybody has it");
    work.boundary("trust show").ok().says("3 root signatures");
}

#[test]
fn nobody_puts_a_version_that_waits_back_to_fewer_signatures_at_a_server() {
    let world = two_roots();
    let work = &world.work;
    work.boundary("trust add cyd --role root --role owner --new-key").ok();
    work.boundary("trust cosign --key bob").ok().says("is in force");
    work.boundary("trust rotate --threshold 3").ok().says("has 1 of");
    let one = work.oid("refs/boundary/trust-pending");
    work.boundary("trust cosign --key bob").ok().says("has 2 of 3");
    let two = work.oid("refs/boundary/trust-pending");
    let line = format!("hook install --server --trust-root {}", world.trust_root());
    world.server.boundary(&line).ok();
    let put_back = work.try_git(&format!("push --no-verify origin +{one}:refs/boundary/trust-pending"));
    assert_ne!(put_back.status, 0, "whoever saw it with one signature only takes none away: {put_back}");
    put_back.says("lacks signatures");
    assert_eq!(world.server.refs()["refs/boundary/trust-pending"], two);
    work.boundary("trust cosign --key cyd").ok().says("is in force");
}

#[test]
fn one_signature_twice_is_one_and_a_forged_second_is_none() {
    let world = two_roots();
    let work = &world.work;
    work.boundary("trust add eve --role owner --new-key").ok();
    let line = work.git("cat-file blob refs/boundary/trust-pending:pending.json");
    let start = line.find("\"signatures\":[").expect("a line has signatures") + "\"signatures\":[".len();
    let one = &line[start..line.rfind("]}").expect("the list ends")];
    let bob = work.boundary("key show bob --json").ok().json()["id"].as_str().expect("it has an id").to_owned();
    let ada = work.boundary("key show ada-l --json").ok().json()["id"].as_str().expect("it has an id").to_owned();
    let forged = [format!("{one},{one}"), format!("{one},{}", one.replace(&ada, &bob))];
    for signatures in forged {
        let text = format!("{}{signatures}]}}", &line[..start]);
        work.write("pending.json", &format!("{text}\n"));
        let blob = work.git("hash-object -w pending.json");
        let chain = work.git("ls-tree refs/boundary/trust");
        let tree = work.sh(&format!("printf '%s\\n' '{chain}' '100644 blob {blob}\t6.json' | git mktree")).ok();
        let commit = work.git(&format!("commit-tree -p refs/boundary/trust -m forged {}", tree.stdout.trim()));
        let before = work.oid("refs/boundary/trust");
        work.git(&format!("update-ref refs/boundary/trust {commit}"));
        // The fetched chain is sound, so that the answer is that of before.
        assert_eq!(version(&world), 5, "a version that too few roots signed is none");
        work.git(&format!("update-ref refs/boundary/trust {before}"));
    }
}

#[test]
fn of_two_versions_that_wait_one_has_to_be_named() {
    let world = two_roots();
    let work = &world.work;
    work.boundary("trust add eve --role owner --new-key").ok();
    let other = world.joined("other");
    other.git("update-ref -d refs/boundary-remote/origin/trust-pending");
    other.boundary("trust add fay --role owner --new-key --key bob --no-publish").ok();
    other.git("fetch -q");
    let refused = other.boundary("trust cosign --key bob").ends_with(129).says("several versions wait");
    let named: Vec<&str> = refused.stderr.split_whitespace().filter(|word| word.starts_with("sha256:")).collect();
    assert_eq!(named.len(), 2, "both are named: {refused}");
}

#[test]
fn a_rotated_root_signs_nothing_any_more_and_the_new_one_does() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust rotate ada-l")
        .ok()
        .says("ada-l-2")
        .says("counts until")
        .says("boundary.ownerKey ada-l-2")
        .says("until an owner signs it anew");
    work.boundary("trust add eve --role actor --new-key --key ada-l").ends_with(129).says("ada-l is no root");
    work.boundary("trust add eve --role actor --new-key").ok();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    work.boundary("handoff create --to codex --path src/**").ends_with(128).says("policy sign --key <owner>");
    let old = work.boundary("key show ada-l --json").ok().json()["id"].as_str().expect("it has an id").to_owned();
    work.policy(&[(old.as_str(), "ada-l-2")]);
    work.hand_out();
    work.git("switch -q -c mine");
    work.commit(&[("README", "mine\n")]);
    work.boundary("propose --key ada-l-2 --ref main").ok();
    work.push("origin mine:main").accepted();
}

#[test]
fn old_receipts_of_a_rotated_key_verify_and_new_ones_by_it_are_refused() {
    let world = World::guarded();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix agent/fix:main").accepted();
    work.git("fetch -q");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    work.boundary("trust rotate codex").ok().says("codex-2");
    work.boundary("trust rotate reviewer-bot").ok();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    work.boundary("verify origin/main").ok().says("verified");
    work.git("switch -q -c agent/next origin/main");
    work.commit(&[("src/main.rs", "// next\n")]);
    work.boundary("propose --key codex").ok();
    work.push("origin agent/next").refused("identity.key_revoked");
    work.git("switch -q main");
    work.git("merge -q --ff-only origin/main");
    work.hand_out_with("--to codex-2 --path src/** --work T-2");
    work.git("switch -q -c agent/other origin/main");
    work.commit(&[("src/main.rs", "// other\n")]);
    work.boundary("propose --key codex-2").ok();
    work.push("origin agent/other").accepted();
    work.check_by("reviewer-bot", "allow");
    work.push("origin agent/other:main").refused("identity.key_revoked");
    work.check_by("reviewer-bot-2", "allow");
    work.push("origin agent/other:main").accepted();
}

#[test]
fn a_document_that_ended_leaves_answers_open_until_it_is_renewed() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("trust rotate --expires 2026-01-01T00:00:00Z").ends_with(129).says("is over");
    let soon = work.sh("date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ").ok().stdout;
    work.boundary(&format!("trust rotate --expires {}", soon.trim())).ok();
    std::thread::sleep(std::time::Duration::from_secs(4));
    work.push("origin agent/fix").undecided().says("expired at");
    work.boundary("doctor").ends_with(1).says("expired at");
    work.boundary("trust rotate --no-expiry").ok();
    work.push("origin agent/fix").accepted();
}

#[test]
fn a_threshold_that_nobody_reaches_is_not_set() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust rotate --threshold 2").ends_with(129).says("can't be reached with 1 root");
    work.boundary("trust rotate").ends_with(129).says("nothing is named");
    work.boundary("trust rotate registrar-none").ends_with(129);
}

#[test]
fn a_server_lets_in_what_waits_only_from_a_root() {
    let world = two_roots().guard_with("bob");
    let work = &world.work;
    work.git("config boundary.publish manual");
    work.boundary("trust add eve --role owner --new-key").ok();
    let sent = work.push("--no-verify origin refs/boundary/trust-pending");
    assert_eq!(sent.ran.status, 0, "a root has signed it: {}", sent.ran);
    let empty = work.git("commit-tree -m empty refs/boundary/policy^{tree}");
    let refused = work.push(&format!("--no-verify origin +{empty}:refs/boundary/trust-pending"));
    assert_eq!(refused.before, refused.after, "anything else is not let in: {}", refused.ran);
}

#[test]
fn two_owners_who_change_trust_at_once_make_one_history() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add bob --role root --role owner --new-key").ok();
    let other = world.joined("other");
    other.boundary("trust add fay --role actor --new-key --key bob").ok();
    let refused = work.boundary("trust add guy --role actor --new-key").ends_with(2);
    refused.says("nothing was changed here").says("git boundary sync origin");
    work.boundary("trust show").ok().never_says("guy");
    work.boundary("sync origin").ok();
    work.boundary("trust add hal --role actor --new-key").ok();
    work.boundary("trust show").ok().says("fay").says("hal");
    let policy = |clone: &crate::support::Work, from: &str, to: &str, key: &str| {
        let text = work.read("boundary.toml").replace(from, to);
        clone.write("boundary.toml", &text);
        clone.boundary(&format!("policy sign --key {key}"))
    };
    policy(work, "\nlease = \"8h\"", "\nlease = \"7h\"", "ada-l").ok();
    policy(&other, "\nlease = \"8h\"", "\nlease = \"6h\"", "bob").ends_with(2).says("nothing was changed here");
    other.boundary("sync").ok();
    other.boundary("policy show").ok();
}

#[test]
fn histories_that_parted_while_nobody_could_be_reached_are_told_and_left_by_the_command_that_is_printed() {
    let world = World::new();
    let work = &world.work;
    let other = world.joined("other");
    other.boundary("trust add fay --role actor --new-key --no-publish --key ada-l").ok();
    work.boundary("trust add guy --role actor --new-key").ok();
    other.git("fetch -q");
    other.boundary("trust show").ends_with(2).says("two histories");
    let diagnosed = other.boundary("doctor").ends_with(1);
    let command = diagnosed.commands().into_iter().find(|line| line.contains("boundary-aside")).expect("a way is told");
    other.sh(&command).ok();
    other.boundary("trust show").ok().says("guy").never_says("fay");
    assert!(other.refs().contains_key("refs/boundary-aside/trust"), "what was set aside is not lost");
}

#[test]
fn what_takes_the_place_of_a_version_that_waits_says_so() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add bob --role root --role owner --new-key").ok();
    let waits = work.boundary("trust rotate --threshold 2 --json").ok().json();
    let digest = waits["waits"]["digest"].as_str().expect("it waits").to_owned();
    work.boundary("trust add helper --role actor --new-key").ok().says(&digest).says("never takes effect");
}

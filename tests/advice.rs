//! Advice: the command that a refusal prints helps where it is followed, names what is known, and is told once.

use crate::support::{Ran, World};

/// The one command of a refusal that begins so.
#[track_caller]
fn command(ran: &Ran, start: &str) -> String {
    let found: Vec<String> = ran.commands().into_iter().filter(|it| it.starts_with(start)).collect();
    assert_eq!(found.len(), 1, "{start:?} is printed once by {ran}");
    found[0].clone()
}

#[test]
fn who_put_a_pushed_commit_right_is_not_told_to_rebase_onto_what_it_was() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    for amend in ["commit -q --amend -m reworded", "commit -q -a --amend -m more --reset-author"] {
        if amend.contains("-a ") {
            work.write("src/main.rs", "fn main() { work() } // more\n");
            work.git("commit -q -a --amend --no-edit");
        } else {
            work.git(amend);
        }
        work.propose();
        let refused = work.push("--force origin agent/fix").refused("authority.action_out_of_scope");
        let refused = refused.says("written anew").ran.never_says("git rebase");
        let widen = command(&refused, "git boundary handoff create");
        assert!(widen.contains("--to codex --path 'src/**'"), "what is known stands in it: {widen}");
        assert!(widen.contains("update,rewrite --key <owner>"), "and what is granted already stays granted: {widen}");
        let pushed = work.boundary("push --key codex").ends_with(1);
        pushed.never_says("git rebase");
    }
    // The owner follows it, and the same push passes.
    let last = work.push("--force origin agent/fix").refused("authority.action_out_of_scope");
    let widen = command(&last.ran, "git boundary handoff create");
    work.git("switch -q main");
    work.sh(&widen.replace("<owner>", "ada-l")).ok();
    work.git("switch -q agent/fix");
    work.propose();
    work.push("--force origin agent/fix").accepted();
}

#[test]
fn who_may_not_delete_is_shown_the_handoff_that_lets_them() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.push("origin :agent/fix").refused("context.receipt_missing").says("--operation delete-ref");
    work.boundary("propose --delete agent/fix --key codex").ok();
    let refused = work.push("origin :agent/fix").refused("authority.action_out_of_scope");
    let widen = command(&refused.ran, "git boundary handoff create");
    assert!(widen.contains("--to codex") && widen.contains(",delete-ref --key <owner>"), "{widen}");
    work.git("switch -q main");
    work.sh(&widen.replace("<owner>", "ada-l")).ok();
    work.boundary("propose --delete agent/fix --key codex").ok();
    work.push("origin :agent/fix").accepted();
}

#[test]
fn a_ref_outside_the_scope_is_named_in_the_handoff_that_takes_it_in() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --ref refs/heads/agent/one");
    work.git("switch -q -c agent/two");
    work.commit(&[("src/main.rs", "fn main() { two() }\n")]);
    work.boundary("propose --key codex").ok();
    let refused = work.push("origin agent/two").refused("authority.action_out_of_scope");
    let widen = command(&refused.ran, "git boundary handoff create");
    assert!(widen.contains("--ref refs/heads/agent/one --ref refs/heads/agent/two"), "{widen}");
}

#[test]
fn advice_to_people_stands_in_no_reason_and_is_told_once() {
    let world = World::new();
    let work = &world.work;
    work.commit(&[("README", "one\n")]);
    work.commit(&[("README", "two\n")]);
    let advice = "proposes their own work with";
    let told = work.boundary("verify HEAD").ends_with(1);
    assert_eq!(told.said().matches(advice).count(), 1, "once, whatever there is against it: {told}");
    told.says("(ada-l)");
    let json = work.boundary("verify HEAD --json").ends_with(1).json();
    assert!(!json["reasons"].to_string().contains(advice), "it is no reason: {json}");
    assert_eq!(json["advice"].as_array().map(Vec::len), Some(1), "it is advice: {json}");
    for format in ["sarif", "github"] {
        let told = work.boundary(&format!("verify HEAD --format {format}")).ends_with(1).stdout;
        let shown = told.lines().filter(|line| line.starts_with("::error") || line.starts_with('{'));
        assert!(shown.clone().count() > 0, "{format}: {told}");
        assert!(shown.into_iter().all(|line| !line.contains(advice)), "{format}: {told}");
    }
    let refused = work.push("origin main").ran;
    assert_eq!(refused.said().matches(advice).count(), 1, "{refused}");
}

#[test]
fn verify_and_push_name_the_same_way_on() {
    let world = World::new();
    let work = &world.work;
    let same = |push: &str, verify: &str| {
        let (pushed, verified) = (work.push(push).ran, work.boundary(verify).ends_with(1));
        assert_eq!(pushed.commands(), verified.commands(), "one state has one way on: {pushed} {verified}");
        pushed.commands()
    };
    work.hand_out();
    work.fix();
    same("origin agent/fix", "verify HEAD");
    work.propose();
    same("origin agent/fix:main", "verify HEAD --ref main");
    work.check("deny");
    let told = same("origin agent/fix:main", "verify HEAD --ref main");
    assert!(!told.join(" ").contains("<proposal>"), "what is known stands in its place: {told:?}");
}

#[test]
fn what_may_be_recorded_elsewhere_leads_to_sync_on_a_client_and_not_on_a_server() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_fix();
    let elsewhere = "if it was recorded elsewhere, bring it first: git boundary sync";
    // First past the own hook, which would keep a receipt of the same words.
    let refused = work.push("--no-verify origin agent/fix:main").ran.never_says(elsewhere);
    let line = refused.said().lines().find(|line| line.contains("receipt: art_")).map(str::to_owned);
    let line = line.unwrap_or_else(|| panic!("a server's refusal has a receipt: {refused}"));
    assert!(line.contains("(kept at the server)"), "whoever looks for it is told where: {line}");
    let id = line.split_whitespace().find(|word| word.starts_with("art_")).expect("it has an id").to_owned();
    work.boundary(&format!("show {id}")).ends_with(129).says("kept there alone").says("git boundary sync");
    work.push("origin agent/fix:main").refused("evidence.boundary_missing").says(elsewhere);
}

#[test]
fn a_checker_without_a_proposal_is_told_what_waits_and_never_to_propose() {
    let world = World::new();
    let work = &world.work;
    let check = |work: &crate::support::Work| {
        work.sh("git boundary check run main --input diff --key reviewer-bot -- true").ends_with(129)
    };
    check(work).says("nothing here waits for a check").says("git boundary sync").never_says("git boundary propose");
    work.hand_out();
    let fix = work.fix();
    let proposal = work.propose();
    let told = check(work).says(&format!("{proposal} (refs/heads/agent/fix at {})", &fix[..12]));
    told.never_says("git boundary propose");
    work.check("allow");
    check(work).says("nothing here waits for a check");
    work.boundary("approve main --key ada-l").ends_with(129).never_says("propose").says("git boundary approvals");
}

#[test]
fn a_checker_whose_command_is_not_there_freezes_nothing() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let before = work.boundary("show HEAD --json").ok().json()["records"].as_array().map(Vec::len);
    for command in ["no-such-command --at all", "./no-such-command", "scripts/none.sh", "/no/such/command"] {
        let line = format!("git boundary check run --input diff --key reviewer-bot -- {command}");
        work.sh(&line).ends_with(128).says("no diet was frozen").never_says("diet frozen at");
    }
    let after = work.boundary("show HEAD --json").ok().json()["records"].as_array().map(Vec::len);
    assert_eq!(before, after, "nothing was recorded");
    work.write("check.sh", "exit 0\n");
    work.sh("git boundary check run --input diff --key reviewer-bot -- sh -c 'test -f src/main.rs'").ok();
}

#[test]
fn a_handoff_to_an_ended_key_is_not_prolonged_and_the_next_key_is_named() {
    let world = World::new();
    let work = &world.work;
    let handoff = work.hand_out();
    work.boundary("trust rotate codex").ok();
    work.boundary("trust revoke codex").ok();
    let told = work.boundary(&format!("handoff renew {handoff}")).ends_with(129).says("is not prolonged");
    told.says("git boundary handoff create --to codex-2 --path 'src/**' --key <owner>");
    work.boundary("handoff create --to codex --path src/**").ok().says("--to codex-2").never_says("trust add");
}

#[test]
fn of_several_proposals_export_takes_the_one_about_the_content_or_lists_what_each_asks() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.boundary("propose --delete agent/fix --key ada-l").ok();
    let exported = work.boundary("export HEAD --output ../fix.bundle").ok();
    let verify = command(&exported, "git boundary verify --bundle");
    assert!(verify.contains("../fix.bundle") && verify.contains(&world.trust_root()), "{verify}");
    work.sh(&verify).ok();
    work.boundary("propose --ref refs/heads/agent/more --key ada-l").ok();
    let told = work.boundary("export HEAD --output ../fix.bundle").ends_with(129).says("has 2 proposals");
    told.says("(create refs/heads/agent/fix)").says("(create refs/heads/agent/more)");
}

#[test]
fn the_handoff_that_lets_more_be_done_lets_it_be_done_nowhere_else_and_no_longer() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --ref refs/heads/agent/one --ttl 1h");
    work.git("switch -q -c agent/one");
    work.commit(&[("src/main.rs", "fn main() { one() }\n")]);
    work.boundary("propose --key codex").ok();
    work.push("origin agent/one").accepted();
    work.git("commit -q --amend -m reworded");
    work.boundary("propose --key codex").ok();
    let refused = work.push("--force origin agent/one").refused("authority.action_out_of_scope");
    let widen = command(&refused.ran, "git boundary handoff create");
    assert!(
        widen.contains(" --ref 'refs/heads/agent/one' ") || widen.contains(" --ref refs/heads/agent/one "),
        "{widen}"
    );
    assert!(
        !widen.contains("agent/**") && widen.contains(" --ttl 3600s "),
        "no wider and no longer than it was: {widen}"
    );
}

#[test]
fn a_branch_whose_name_would_force_a_push_is_named_in_full() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.sh("git switch -q -c +topic").ok();
    work.commit(&[("src/main.rs", "fn main() { topic() }\n")]);
    let told = work.boundary("propose --key codex").ok();
    told.says("git push origin refs/heads/+topic").never_says("push origin +topic");
}

#[test]
fn a_branch_that_no_rule_governs_is_pushed_whoever_proposed_it() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.git("switch -q -c plain");
    work.commit(&[("src/main.rs", "fn main() { plain() }\n")]);
    work.boundary("propose --key codex").ok();
    work.boundary("push --key codex").ok().says("no rule governs refs/heads/plain");
    assert_eq!(world.server.refs()["refs/heads/plain"], work.head(), "it is there");
}

#[test]
fn what_another_root_offers_says_nothing_against_the_pinned_one() {
    let world = World::new();
    let clone = world.joined("clone");
    let stranger = World::new();
    let root = stranger.trust_root();
    let there = stranger.server.dir.display().to_string();
    clone.git("update-ref -d refs/boundary-remote/origin/trust");
    clone.sh("git for-each-ref --format='delete %(refname)' refs/boundary | git update-ref --stdin").ok();
    clone.sh(&format!("git fetch -q '{there}' '+refs/boundary/*:refs/boundary-remote/evil/*'")).ok();
    clone.boundary("verify HEAD").ends_with(2);
    clone.boundary(&format!("verify HEAD --trust-root {root}")).never_says("verified\n");
}

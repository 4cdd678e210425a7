//! Handoffs as their owners and holders meet them: who may give, prolong and end one, which of several is worked under, and what the
//! program says of them.

use crate::support::World;

#[test]
fn who_is_no_owner_gives_prolongs_and_ends_no_handoff_and_is_told_so() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add grace --role person,actor --new-key").ok();
    work.boundary("key new stranger").ok();
    let id = work.hand_out();
    let before = work.refs();
    for key in ["grace", "codex", "reviewer-bot", "stranger"] {
        for command in [
            "handoff create --to codex --path src/**".to_owned(),
            format!("handoff renew {id}"),
            format!("handoff revoke {id}"),
        ] {
            let refused = work.boundary(&format!("{command} --key {key}")).ends_with(129);
            work.follow(&refused.says("is not trusted as owner").says("--key <owner>"));
        }
    }
    assert_eq!(before, work.refs(), "what is refused on the command line writes nothing");
    work.boundary("handoff list").ok().says(&id).says("live");
}

#[test]
fn an_owner_whose_key_was_revoked_ends_no_handoff() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add grace --role owner --new-key").ok();
    let id = work.hand_out();
    work.boundary("trust revoke grace").ok();
    work.boundary(&format!("handoff revoke {id} --key grace")).ends_with(129).says("not trusted as owner");
}

/// Rewrites `main` at the server, adopts that as baseline, and fetches it.
fn rewrite_main(world: &World) {
    let elsewhere = world.clone("elsewhere");
    elsewhere.git("commit -q --amend -m rewritten");
    elsewhere.git("push -q --force origin main");
    world.work.git("fetch -q");
    world.work.boundary("baseline origin/main").ok();
}

#[test]
fn work_whose_handoff_was_renewed_after_a_rewrite_is_led_to_the_new_pin_and_passes() {
    let world = World::new();
    let work = &world.work;
    let old = work.oid("main");
    let handoff = work.hand_out();
    work.fix();
    work.propose();
    rewrite_main(&world);
    let refused = work.push("origin agent/fix").refused("source.handoff_stale");
    refused.says(&format!("git boundary handoff renew {handoff} --key <owner>")).followed_in(work);
    let renewal = work.boundary(&format!("handoff renew {handoff} --json")).ok().json();
    let renewal = renewal["id"].as_str().expect("a renewal has an id");
    // Whoever pushes again before proposing again is not told to have it renewed once more.
    let refused = work.push("origin agent/fix").refused("source.handoff_stale");
    refused.says(&format!("renewed as {renewal}")).says("git boundary propose --key codex");
    let proposed = work.boundary("propose --key codex").ok().says(renewal).never_says("already");
    let new = work.oid("origin/main");
    proposed.says("source.history_diverged").says(&format!("git rebase --onto {} {}", &new[..12], &old[..12]));
    let rebase = work.boundary("propose --key codex").ok().says("Proposed already").commands();
    work.sh(&rebase[0]).ok();
    work.boundary("propose --key codex").ok().says(renewal).never_says("warning");
    work.push("origin agent/fix").accepted();
}

#[test]
fn work_is_replayed_from_where_it_was_built_however_often_its_handoff_was_renewed_since() {
    let world = World::new();
    let work = &world.work;
    let old = work.oid("main");
    let handoff = work.hand_out();
    work.fix();
    rewrite_main(&world);
    let first = work.boundary(&format!("handoff renew {handoff} --ttl 1h --json")).ok().json();
    let first = first["id"].as_str().expect("a renewal has an id");
    let again = world.clone("again");
    again.git("commit -q --amend -m again");
    again.git("push -q --force origin main");
    work.git("fetch -q");
    work.boundary("baseline origin/main").ok();
    // By now the first renewal is over, and the handoff that it renewed is not.
    let second = work.later(7200).boundary(&format!("handoff renew {first} --json")).ok().json();
    let second = second["id"].as_str().expect("a renewal has an id").to_owned();
    let proposed = work.later(7201).boundary("propose --key codex").ok().says(&second);
    proposed.says(&format!("git rebase --onto {} {}", &work.oid("origin/main")[..12], &old[..12]));
    work.later(7201).boundary("handoff list --all").ok().says("renewed").says("expired");
}

#[test]
fn a_renewal_is_worked_under_though_it_was_given_in_the_same_second() {
    // Which of two digests is the greater is a matter of chance: often enough, chance would choose wrong.
    let world = World::new();
    let work = &world.work;
    work.fix();
    for round in 0..6 {
        let at = work.later(round);
        let created =
            at.boundary("handoff create --to codex --path src/** --at main --pin-ref main --json").ok().json();
        let created = created["id"].as_str().expect("a handoff has an id").to_owned();
        let renewed = at.boundary(&format!("handoff renew {created} --json")).ok().json();
        let renewed = renewed["id"].as_str().expect("a renewal has an id").to_owned();
        let renewed = at.boundary(&format!("handoff renew {renewed} --json")).ok().json();
        let last = renewed["id"].as_str().expect("a renewal has an id");
        at.boundary("propose --key codex").ok().says(&format!("handoff   {last}"));
        let shown = at.boundary(&format!("handoff show {created}")).ok().says("renewed");
        shown.says(&format!("renewed by  {last}"));
    }
}

#[test]
fn under_pin_exact_a_renewal_is_pinned_where_the_base_stands_now() {
    let world = World::new();
    let work = &world.work;
    work.policy(&[("refs = [\"refs/heads/agent/**\"]", "refs = [\"refs/heads/agent/**\"]\npin = \"exact\"")]);
    let handoff = work.hand_out();
    work.fix();
    work.propose();
    let elsewhere = world.clone("elsewhere");
    elsewhere.commit(&[("docs/new", "more\n")]);
    elsewhere.git("push -q origin main");
    work.git("fetch -q");
    work.push("origin agent/fix").refused("source.handoff_stale").says("exactly at");
    work.boundary(&format!("handoff renew {handoff}")).ok().says(&work.oid("origin/main")[..12]);
    let proposed = work.boundary("propose --key codex").ok().says("git rebase --onto");
    work.sh(&proposed.commands()[0]).ok();
    work.boundary("propose --key codex").ok().never_says("warning");
    work.push("origin agent/fix").accepted();
}

#[test]
fn who_proposes_with_a_key_of_another_role_is_told_at_once() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.boundary("propose --key reviewer-bot").ok().says("warning: ").says("not trusted as actor");
    work.git("switch -q -c topic");
    let proposed = work.boundary("propose --key reviewer-bot").ok().says("warning: ").says("as checker only");
    work.follow(&proposed.says("git boundary trust add reviewer-bot --role actor --key <owner>"));
}

#[test]
fn the_push_that_is_printed_for_a_rewrite_is_one_that_git_does() {
    let world = World::new();
    let work = &world.work;
    work.hand_out_with("--to codex --path src/** --operation add,modify,create,update,rewrite");
    work.fix();
    work.propose();
    work.push("origin agent/fix").accepted();
    work.git("commit -q --amend -m reworded");
    let printed = work.boundary("propose --key codex").ok().commands();
    assert_eq!(printed, ["git push --force-with-lease origin agent/fix"], "the one command for a rewrite");
    work.sh(&printed[0]).ok();
    work.commit(&[("src/more.rs", "more\n")]);
    work.boundary("propose --key codex").ok().says("git push origin agent/fix");
}

#[test]
fn what_is_listed_says_whose_work_it_is_what_may_be_done_and_whether_it_can() {
    let world = World::new();
    let work = &world.work;
    let id = work.hand_out_with("--to codex --path src/** --work T-7 --operation add,create,delete-ref");
    let idle = work.hand_out_with("--to reviewer-bot --path src/**");
    let state = |id: &str| {
        let shown = work.boundary(&format!("handoff show {id} --json")).ok().json();
        let state = shown["state"].as_str().expect("it has a state").to_owned();
        let listed = work.boundary("handoff list").ok().stdout;
        let line = listed.lines().find(|line| line.starts_with(id)).expect("its lease runs").to_owned();
        assert!(line.split(' ').any(|word| word == state), "list and show say the same: {line}");
        state
    };
    assert_eq!(state(&id), "live", "its holder can work under it");
    assert_eq!(state(&idle), "holder_untrusted", "a checker acts for nobody");
    work.boundary("handoff list").ok().says("T-7").says("add,create,delete-ref");
    work.boundary(&format!("handoff show {id}")).ok().says("work        T-7").says("add create delete-ref");
    rewrite_main(&world);
    assert_eq!(state(&id), "stale", "its pin was rewritten away");
    let renewal = work.boundary(&format!("handoff renew {id} --json")).ok().json();
    assert_eq!(state(&id), "renewed", "something live took its place");
    assert_eq!(state(renewal["id"].as_str().expect("it has an id")), "live", "it is pinned where main is now");
}

#[test]
fn what_is_there_already_is_not_proposed_once_more() {
    let world = World::new();
    let work = &world.work;
    let nothing = |line: &str| {
        let before = work.refs();
        work.boundary(line).ends_with(129).says("nothing to propose").says("git boundary propose --ref <branch>");
        assert_eq!(before, work.refs(), "what is refused on the command line writes nothing");
    };
    nothing("propose --key ada-l");
    nothing("prepare --key ada-l");
    work.hand_out();
    work.fix();
    let draft = work.boundary("prepare --key codex").ok().stdout;
    work.propose();
    work.boundary("propose --key codex").ok().says("Proposed already");
    work.push("origin agent/fix").accepted();
    nothing("propose --key codex");
    assert!(draft.contains("agent/fix"), "a draft says what it is for");
    work.boundary("propose --ref main --key codex").ok();
}

#[test]
fn what_was_pushed_past_the_hook_can_be_proposed_afterwards() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.git("push -q --no-verify origin agent/fix");
    let refused = work.boundary("verify origin/agent/fix").ends_with(1).says("git boundary propose --key codex");
    work.sh(&refused.commands()[0]).ok();
    work.boundary("verify origin/agent/fix").ok();
}

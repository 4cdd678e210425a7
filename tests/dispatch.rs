//! `submit`, `push` and `settle`: one decision, one push, one settlement.

use std::cell::Cell;

use git_boundary::app::events::Events;
use git_boundary::app::transact::{Decided, transact};
use git_boundary::app::{AppError, Context};
use git_boundary::crypto::{KeyEnvironment, Keyring};
use git_boundary::gather::SessionOptions;
use git_boundary::gather::base::Side;
use git_boundary::git::Environment;
use git_boundary::model::asserted::Asserted;
use git_boundary::model::event::EventKind;
use serde_json::Value;

use crate::support::{Work, World, now};

fn state(work: &Work) -> Vec<(String, String)> {
    let settled = work.boundary("settle --json").ok().json();
    let text = |value: &Value| value.as_str().expect("it is text").to_owned();
    settled["updates"].as_array().expect("a list").iter().map(|one| (text(&one["ref"]), text(&one["state"]))).collect()
}

/// How many events of a kind are noted on `HEAD`.
fn events(work: &Work, word: &str) -> usize {
    let shown = work.boundary("show HEAD --json").ok().json();
    let records = shown["records"].as_array().expect("a list");
    records
        .iter()
        .filter(|one| one["kind"] == "event" && one["summary"].as_str().is_some_and(|it| it.starts_with(word)))
        .count()
}

#[test]
fn one_command_proposes_submits_pushes_and_settles() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let pushed = work.boundary("push origin agent/fix --key codex --json").ok().json();
    assert_eq!((&pushed["state"], &pushed["attempts"]), (&Value::from("complete"), &Value::from(1)));
    assert!(pushed["proposed"].is_string() && pushed["receipt"].is_string());
    assert_eq!(work.remote_refs()["refs/heads/agent/fix"], work.head());
    // The receipts went along, and what came after followed.
    let reader = world.joined("reader");
    let receipt = pushed["receipt"].as_str().expect("an id");
    reader.boundary(&format!("show {receipt}")).ok().says("work receipt").says("complete");
    for (word, times) in [("admitted", 1), ("attempt 1", 1), ("settled complete", 1)] {
        assert_eq!(events(work, word), times, "{word}");
    }
    work.boundary("settle").ok().says("Nothing that was admitted here is open");
    work.boundary("push origin agent/fix --key codex").ok().says("is there already");
    work.boundary("verify origin/agent/fix").ok();
}

#[test]
fn a_plain_push_is_settled_by_what_the_remote_holds() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    assert_eq!(state(work), []);
    work.push("--dry-run origin agent/fix");
    assert_eq!(
        state(work),
        [("refs/heads/agent/fix".to_owned(), "ready".to_owned())],
        "it was admitted, and is not there"
    );
    work.push("origin agent/fix").accepted();
    assert_eq!(state(work), [("refs/heads/agent/fix".to_owned(), "complete".to_owned())]);
    assert_eq!(state(work), [], "once");
    assert_eq!(events(work, "settled complete"), 1);
}

#[test]
fn what_went_on_from_there_was_there() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    let other = world.clone("other");
    other.git("switch -q agent/fix");
    other.commit(&[("more.txt", "more\n")]);
    other.git("push -q --no-verify origin agent/fix");
    // What the remote is at now was never seen here.
    assert_eq!(state(work), [("refs/heads/agent/fix".to_owned(), "complete".to_owned())]);
}

#[test]
fn a_decision_is_recorded_once_and_a_refusal_is_one_receipt() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.git("switch -q -c agent/fix");
    work.commit(&[("elsewhere.txt", "x\n")]);
    work.propose();
    let refused = work.boundary("submit --json").ends_with(1).json();
    assert_eq!((&refused["decision"], &refused["already"]), (&Value::from("refused"), &Value::from(false)));
    assert_eq!(refused["answer"]["primary_code"], "authority.action_out_of_scope");
    let again = work.boundary("submit --json").ends_with(1).json();
    assert_eq!(again["already"], true);
    assert_eq!(again["answer"]["receipt"], refused["answer"]["receipt"]);
    // The hook says the same of the same candidate.
    let hook = work.push("origin agent/fix").refused("authority.action_out_of_scope");
    hook.says(refused["answer"]["receipt"].as_str().expect("an id"));
    let pushed = work.boundary("push origin agent/fix --key codex").ends_with(1);
    pushed.says("nothing was pushed").says("refused: authority.action_out_of_scope").says("next: ");
    assert!(!work.remote_refs().contains_key("refs/heads/agent/fix"));
}

#[test]
fn work_that_waits_for_an_approval_is_released_once() {
    let world = World::new();
    let work = &world.work;
    work.automation();
    work.boundary("push origin agent/fix --key codex")
        .ends_with(2)
        .says("waits for an owner's approval")
        .says("git boundary approve art_");
    assert_eq!(state(work), [("refs/heads/agent/fix".to_owned(), "pending".to_owned())]);
    let submitted = work.boundary("submit --json").ok().json();
    assert_eq!((&submitted["decision"], &submitted["already"]), (&Value::from("pending"), &Value::from(true)));
    work.boundary("push origin agent/fix --key codex").ends_with(2);
    work.push("origin agent/fix").refused("approval.missing");
    work.boundary("approve --key ada-l").ok();
    work.boundary("push origin agent/fix --key codex").ok().says("complete");
    for (word, times) in [("admitted", 1), ("released", 1), ("attempt", 1), ("settled", 1)] {
        assert_eq!(events(work, word), times, "{word}");
    }
    work.boundary("verify origin/agent/fix").ok();
}

/// Work that was admitted to wait, and approved for an hour then; gives the line that git hands to the hook.
fn approved_for_an_hour(work: &Work) -> String {
    work.proposed_automation();
    work.boundary("submit").ok();
    work.boundary("approve --key ada-l --ttl 1h").ok();
    format!("x {} refs/heads/agent/fix {}\n", work.head(), "0".repeat(40))
}

#[test]
fn an_approval_that_ran_out_before_the_release_is_expired() {
    let world = World::new();
    let work = &world.work;
    let line = approved_for_an_hour(work);
    // That it was admitted to wait, while no approval was there yet, makes none good for ever.
    work.later(3_700).hook(&line).ends_with(1).says("approval.expired");
    work.later(3_700).boundary("submit").ends_with(1).says("approval.expired");
}

#[test]
fn what_was_released_in_time_is_a_replay_and_no_second_use() {
    let world = World::new();
    let work = &world.work;
    let line = approved_for_an_hour(work);
    work.hook(&line).ok();
    assert_eq!(events(work, "released"), 1);
    work.later(3_700).hook(&line).ok();
    assert_eq!(events(work, "released"), 1);
}

#[test]
fn what_was_done_under_an_approval_is_not_done_again() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    work.boundary("approve --key ada-l").ok();
    work.boundary("push").ok();
    // Somebody puts the remote back.
    work.git("push -q --no-verify origin :agent/fix");
    work.git("fetch -q --prune");
    let refused = work.push("origin agent/fix").refused("approval.already_consumed");
    work.follow(&refused.ran);
    // It was proposed anew by what was typed, and wants an approval of its own.
    work.push("origin agent/fix").refused("approval.missing");
    work.boundary("approve --key ada-l").ok();
    work.push("origin agent/fix").accepted();
    work.boundary("verify origin/agent/fix").ok();
}

#[test]
fn work_that_needs_no_proposal_is_pushed_with_its_receipts() {
    let world = World::new();
    let work = &world.work;
    work.git("switch -q -c topic");
    let head = work.commit(&[("notes.txt", "x\n")]);
    let pushed = work.boundary("push --json").ok().json();
    assert!(pushed["decision"].is_null() && pushed["receipt"].is_null(), "no rule governs it");
    assert_eq!(work.remote_refs()["refs/heads/topic"], head);
}

#[test]
fn a_remote_that_moved_refuses_and_the_update_failed() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("submit").ok();
    let other = world.clone("other");
    other.git("switch -q -c agent/fix");
    other.commit(&[("other.txt", "x\n")]);
    other.git("push -q --no-verify origin agent/fix");
    let refused = work.boundary("push origin agent/fix --key codex").ends_with(1);
    refused.says("refused: ");
    assert_eq!(work.remote_refs()["refs/heads/agent/fix"], other.head());
}

#[test]
fn a_hook_that_stops_git_leaves_the_update_open() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("submit").ok();
    let hook = work.git_file("hooks/pre-push");
    let ours = std::fs::read_to_string(&hook).expect("it is installed");
    std::fs::write(&hook, "#!/bin/sh\necho lint says no >&2\nexit 1\n").expect("it is writable");
    work.boundary("push").ends_with(2).says("lint says no").says("git boundary push");
    assert_eq!(state(work), [("refs/heads/agent/fix".to_owned(), "ready".to_owned())]);
    std::fs::write(&hook, ours).expect("it is writable");
    work.boundary("push").ok().says("complete after 2 attempts");
}

#[test]
fn a_server_that_says_no_ends_the_update_as_failed() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let hook = world.server.dir.join("hooks/update");
    std::fs::create_dir_all(hook.parent().expect("a directory")).expect("the server is writable");
    std::fs::write(&hook, "#!/bin/sh\ncase $1 in refs/heads/*) echo not today >&2; exit 1;; esac\n").expect("writable");
    work.sh(&format!("chmod +x {}", hook.display())).ok();
    work.boundary("push").ends_with(1).says("failed");
    assert_eq!(events(work, "settled failed"), 1);
    std::fs::remove_file(&hook).expect("it is there");
    // It is proposed anew, since what ended has ended.
    work.boundary("push --key codex").ok().says("Proposed: ").says("complete");
}

#[test]
fn a_remote_out_of_reach_is_tried_three_times_and_then_the_update_expires() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("submit").ok();
    work.git("config remote.origin.pushurl /nowhere/at/all");
    work.boundary("push").ends_with(1).says("expired");
    work.git("config --unset remote.origin.pushurl");
    assert_eq!(events(work, "attempt"), 3);
    work.boundary("push --key codex").ok().says("Proposed: ").says("complete");
}

#[test]
fn what_nobody_can_tell_any_more_is_closed_as_unknown() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.git("push -q --no-verify origin :agent/fix");
    assert_eq!(state(work), [("refs/heads/agent/fix".to_owned(), "ready".to_owned())]);
    work.boundary("settle --unknown").ends_with(129);
    work.boundary("settle HEAD --unknown").ok().says("unknown");
    assert_eq!((events(work, "settled unknown"), state(work)), (1, Vec::new()));
}

#[test]
fn what_waited_and_need_not_wait_any_more_is_admitted_outright() {
    let world = World::new();
    let work = &world.work;
    work.proposed_automation();
    work.boundary("submit").ok().says("waits for an owner's approval");
    work.git("switch -q main");
    work.policy(&[("proofs = { count = 0 }", "proofs = { count = 0 }\nautomation_approval = false")]);
    work.git("switch -q agent/fix");
    work.boundary("submit").ok().says("admitted").never_says("waits");
    work.push("origin agent/fix").accepted();
    assert_eq!((events(work, "admitted"), state(work).len()), (2, 1));
    assert_eq!(events(work, "settled complete"), 1);
}

#[test]
fn what_others_did_is_no_result_of_a_proposal() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add claude --role actor --new-key --key ada-l").ok();
    work.hand_out_with("--to claude --path src");
    work.proposed_fix();
    let other = work.boundary("propose --key claude --json").ok().json()["id"].as_str().expect("an id").to_owned();
    work.boundary("propose --key codex --json").ok();
    work.git("push -q --no-verify origin agent/fix");
    work.boundary(&format!("submit {other}")).ends_with(129).says("nothing to decide");
    assert_eq!(state(work), []);
    // One push covers what two proposals asked for, and does what one of them asked for.
    let first = work.head();
    work.commit(&[("src/more.rs", "// more\n")]);
    work.propose();
    work.git("push -q --no-verify --force origin main:agent/fix");
    work.git("fetch -q");
    work.push("origin agent/fix").accepted();
    let settled = work.boundary("settle --json").ok().json();
    let updates = settled["updates"].as_array().expect("a list");
    assert!(updates.len() == 1 && updates[0]["new"] != first.as_str(), "{settled}");
}

/// Decides as often as it takes, and lets somebody in between the first judgement and its record; gives how often that was.
fn decided_after(work: &Work, meanwhile: impl Fn()) -> usize {
    let environment = Environment::new(&work.dir, work.home.variables());
    let keys = KeyEnvironment::read(&|name| environment.var(name).map(ToOwned::to_owned));
    let context = Context {
        keyring: Keyring::from_env(&keys),
        environment,
        key: None,
        now: now(),
        publish: false,
        session: SessionOptions::default(),
    };
    let repository = context.repository().expect("it opens");
    let tip = work.head().parse().expect("an oid");
    let times = Cell::new(0);
    let decided = transact(&context, &repository, "test", |session, noted, signer| {
        times.set(times.get() + 1);
        noted.read(session, &tip)?;
        let side = Side { remote: Some("origin".to_owned()), known: Vec::new() };
        let seen = side.observe(&repository, "refs/heads/main")?;
        let mut events = Events::new(session, noted, signer);
        events.add(tip, None, EventKind::AgentAssertion { asserted: Asserted::one("said", "done") })?;
        if times.get() == 1 {
            meanwhile();
        }
        Ok::<_, AppError>(Decided { seen: vec![(side, seen)], value: (), writing: events.writing() })
    });
    decided.expect("it is recorded in the end");
    assert_eq!(events(work, "an agent's own words"), 1, "and once");
    times.get()
}

#[test]
fn what_moves_between_the_judgement_and_its_record_is_judged_again() {
    let moves: [(&str, &dyn Fn(&Work)); 4] = [
        ("nothing", &|_| ()),
        ("the own ref", &|work| drop(work.boundary("contradict HEAD --reason x --key ada-l").ok())),
        ("a fetched ref", &|work| drop(work.git("update-ref refs/boundary-remote/other/notes/x HEAD"))),
        ("a ref that was judged", &|work| drop(work.git("update-ref refs/remotes/origin/main HEAD"))),
    ];
    for (what, meanwhile) in moves {
        let world = World::new();
        let work = &world.work;
        work.proposed_fix();
        let times = decided_after(work, || meanwhile(work));
        assert_eq!(times, if what == "nothing" { 1 } else { 2 }, "{what}");
    }
}

#[test]
fn what_can_not_be_pushed_is_a_wrong_command_line() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.boundary("push nowhere --key codex").ends_with(129).says("git remote -v");
    work.boundary("settle --remote nowhere").ok();
    work.boundary("push origin agent/fix:main --key codex").ends_with(129).says("--ref main --at agent/fix");
    work.boundary("push origin :agent/fix --key codex").ends_with(129).says("--delete agent/fix");
    work.boundary("push origin HEAD --key codex").ok().says("refs/heads/agent/fix at origin: complete");
    work.git("branch feature/x");
    work.boundary("push origin feature/x").ok().says("no rule governs refs/heads/feature/x");
}

#[test]
fn submit_says_what_is_to_be_typed_where_it_is_typed() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    work.boundary("submit").ok().says("\n  git boundary push\n");
    work.git("switch -q main");
    work.boundary("submit agent/fix").ok().says("git boundary push origin agent/fix");
    work.git("switch -q --detach agent/fix");
    work.git("branch -q -D agent/fix");
    let said = work.boundary("submit").ok();
    let command = said.commands().pop().expect("it says what to type");
    assert!(command.starts_with("git push origin ") && command.ends_with(":refs/heads/agent/fix"), "{command}");
    work.sh(&command).ok();
    work.boundary("settle").ok().says("complete");
    work.boundary("submit").ok().says("recorded before").never_says("Next");
}

#[test]
fn what_an_owner_said_since_is_what_settle_tells() {
    let world = World::new();
    let work = &world.work;
    work.automation();
    work.boundary("push --key codex").ends_with(2).says("the record of it was sent to origin");
    work.boundary("settle").ok().says("it waits for an owner's approval");
    work.boundary("approve --key ada-l").ok();
    work.boundary("settle").ok().says("it is approved").says("git boundary push");
    work.boundary("reject --key ada-l").ok();
    work.boundary("settle").ok().says("an owner rejected it").never_says("git boundary approve");
    work.boundary("approve --key ada-l").ok().says("no approval outweighs that");
}

#[test]
fn work_that_landed_waits_for_nobody() {
    let world = World::new();
    let work = &world.work;
    work.automation();
    work.boundary("push --key codex").ends_with(2);
    work.boundary("approve --key ada-l").ok();
    work.boundary("push --key codex").ok();
    let other = world.joined("other");
    for clone in [work, &other] {
        clone.boundary("approvals").ok().says("Nothing waits");
    }
    work.boundary("approvals --all").ok().says("already consumed").never_says("git boundary approve");
}

#[test]
fn who_did_not_see_what_others_pushed_is_told_to_take_it_along() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    work.boundary("push --key codex").ok();
    let other = world.joined("other");
    other.git("switch -q agent/fix");
    other.commit(&[("src/other.rs", "// other\n")]);
    let pushed = other.boundary("push --key codex").ok();
    pushed.says("this clone's registrar is not listed").says("complete");
    work.commit(&[("src/mine.rs", "// mine\n")]);
    let refused = work.boundary("push --key codex").ends_with(1);
    refused.clone().says("authority.action_out_of_scope").says("what is pushed does not hold it");
    let command = refused.commands().into_iter().find(|it| it.starts_with("git rebase ")).expect("a command");
    work.sh(&command).ok();
    work.boundary("push --key codex").ok().says("complete");
}

//! Rules under which an equal change keeps its proof.

use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::crypto::verified::sign_statement;
use git_boundary::gather::commits::change_list_id;

use super::{Stranger, check_proposal, forged, id};
use crate::support::{Work, World, now};

fn under_change(world: &World) -> &Work {
    world.work.policy(&[("equality = \"commit\"", "equality = \"change\"")]);
    &world.work
}

/// A branch with the work of `agent/fix` as one commit.
fn squashed(work: &Work) {
    work.git("switch -q -c agent/squashed main");
    work.git("merge -q --squash agent/fix");
    work.git("commit -q -m squashed");
}

#[test]
fn a_squash_keeps_the_proof_of_what_was_checked() {
    let world = World::new();
    let work = under_change(&world);
    work.hand_out();
    work.fix();
    work.commit(&[("src/more.rs", "more\n")]);
    work.propose();
    work.check("allow");
    squashed(work);
    work.push("origin agent/squashed:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn a_proposal_that_names_another_commits_change_is_proof_of_nothing() {
    let world = World::new();
    let work = under_change(&world);
    work.hand_out();
    work.git("switch -q -c agent/evil");
    work.commit(&[("src/main.rs", "fn main() { evil() }\n")]);
    work.propose();
    let mut list = None;
    forged(work, "HEAD", &["codex"], |envelope| list = Some(envelope.change.list));
    let list = list.expect("a proposal names its change");
    work.git("switch -q main");
    let checked = work.fix();
    work.propose();
    let lie = forged(work, "HEAD", &["codex"], |envelope| envelope.change.list = list);
    let checked = work.id(&checked);
    Stranger::of(work, "hinter").record_at(now(), &[(checked, lie.clone())], &[(list, checked)]);
    check_proposal(work, &id(&lie), "reviewer-bot", "allow");
    let refused = work.push("origin agent/evil:main");
    assert_eq!(refused.hook, Some(1), "the checker never saw this change: {}", refused.ran);
}

#[test]
fn a_denial_is_not_shaken_off_by_proposing_the_same_change_again() {
    let world = World::new();
    let work = under_change(&world);
    work.boundary("trust add second --role checker --new-key").ok();
    work.proposed_fix();
    work.check("deny");
    squashed(work);
    work.propose();
    work.check_by("second", "allow");
    work.push("origin agent/squashed:main").refused("policy.decision_denied");
}

#[test]
fn a_denial_of_an_equal_change_ends_when_its_checker_allows_this_one() {
    let world = World::new();
    let work = under_change(&world);
    work.boundary("trust add other --role actor --new-key").ok();
    work.proposed_fix();
    work.check("deny");
    work.git("switch -q main");
    work.hand_out_with("--to other --path src/**");
    squashed(work);
    work.boundary("propose --key other").ok();
    work.check("allow");
    work.push("origin agent/squashed:main").accepted();
}

#[test]
fn an_allowance_of_what_only_claims_an_equal_change_takes_no_denial_back() {
    let world = World::new();
    let work = under_change(&world);
    work.boundary("trust add second --role checker --new-key").ok();
    work.proposed_fix();
    work.check("deny");
    work.check_by("second", "allow");
    let mut list = None;
    forged(work, "HEAD", &["codex"], |envelope| list = Some(envelope.change.list));
    let list = list.expect("a proposal names its change");
    squashed(work);
    let more = work.commit(&[("src/more.rs", "more\n")]);
    work.propose();
    // Had it started there, it would have made the denied change and nothing else.
    work.git("switch -q --detach");
    work.git("checkout -q main -- src/main.rs");
    work.git("commit -q -m start");
    let start = work.id("HEAD^{tree}");
    let lie = forged(work, &more, &["codex"], |envelope| {
        (envelope.change.base_tree, envelope.change.list) = (start, list);
    });
    work.git("switch -q agent/squashed");
    let more = work.id(&more);
    Stranger::of(work, "hinter").record_at(now(), &[(more, lie.clone())], &[(list, more)]);
    check_proposal(work, &id(&lie), "reviewer-bot", "allow");
    work.push("origin agent/fix:main").refused("policy.decision_denied");
}

/// A proposal by `codex` of the change that `agent/fix` makes at its first commit, about another commit, with a hint that leads to it.
fn same_change_on(work: &Work, about: Subject) {
    let repository = work.open();
    let base = work.id("main^{tree}");
    let (list, _) = change_list_id(&repository, &base, &work.id("agent/fix~1^{tree}")).expect("both are trees");
    let mut envelope = None;
    forged(work, "agent/fix", &["codex"], |honest| envelope = Some(honest.clone()));
    let mut envelope = envelope.expect("there is a proposal");
    (envelope.change.base_tree, envelope.change.list) = (base, list);
    let commit = about.commit;
    envelope.requested_action.as_mut().expect("it asks for something").new = commit;
    let lie = sign_statement(&Statement { predicate: envelope, subject: Some(about) }, &work.key("codex"));
    let lie = lie.expect("a key in memory signs");
    Stranger::of(work, "hinter").record_at(now(), &[(commit, lie)], &[(list, commit)]);
}

#[test]
fn an_equal_change_on_a_commit_that_is_not_here_leaves_nothing_open_that_is_covered() {
    let world = World::new();
    let work = under_change(&world);
    work.hand_out();
    work.fix();
    work.commit(&[("src/more.rs", "more\n")]);
    work.propose();
    work.check("allow");
    let absent = "ab".repeat(20).parse().expect("it is an id");
    same_change_on(work, Subject { commit: absent, ..work.subject("agent/fix~1") });
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

#[test]
fn an_equal_change_on_a_merge_of_what_is_no_commit_stops_nothing() {
    let world = World::new();
    let work = under_change(&world);
    work.hand_out();
    work.fix();
    work.commit(&[("src/more.rs", "more\n")]);
    work.propose();
    work.check("allow");
    let run = |stdin: &[u8]| {
        let args = ["hash-object", "-t", "commit", "-w", "--literally", "--stdin"];
        work.home.run(&work.dir, "git", &args, stdin).ok().stdout.trim().to_owned()
    };
    let bad = run(b"no commit\n");
    let (tree, main) = (work.oid("agent/fix~1^{tree}"), work.oid("main"));
    let who = "author a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n";
    let one = run(format!("tree {tree}\nparent {bad}\n{who}").as_bytes());
    let merge = run(format!("tree {tree}\nparent {one}\nparent {main}\n{who}").as_bytes());
    same_change_on(work, Subject { commit: work.id(&merge), ..work.subject("agent/fix~1") });
    work.push("origin agent/fix:main").accepted();
    work.boundary("verify origin/main").ok();
}

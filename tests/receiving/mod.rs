//! A server that judges what it receives: whatever a client's hook let through, or was not asked about.

mod adding;
mod afterwards;
mod kinds;
mod machines;

use crate::support::{Push, Ran, World};

/// What the server said: its lines without the `remote:` in front.
fn remote(ran: &Ran) -> String {
    let lines = ran.stderr.lines().filter_map(|line| line.strip_prefix("remote: "));
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A push that no client's hook looked at.
#[track_caller]
fn bypassing(world: &World, refs: &str) -> Push {
    world.work.push(&format!("--no-verify origin {refs}"))
}

/// Asserts that the server itself refused with this primary code, and that none of its refs moved.
#[track_caller]
fn turned_away(push: &Push, code: &str) {
    let said = remote(&push.ran);
    assert!(said.starts_with(&format!("refused: {code}  ")), "the server's first word is {code}: {}", push.ran);
    assert_ne!(push.ran.status, 0, "git says that it was refused: {}", push.ran);
    assert_eq!(push.before, push.after, "nothing moves at the server: {}", push.ran);
}

/// The receipt that a server named.
fn receipt(push: &Push) -> String {
    let said = remote(&push.ran);
    let line = said.lines().find_map(|line| line.trim().strip_prefix("receipt: ")).expect("a receipt is named");
    line.split(' ').next().expect("an id").to_owned()
}

#[test]
fn a_switched_off_client_hook_changes_nothing() {
    let world = World::guarded();
    let work = &world.work;
    work.hand_out();
    work.fix();
    for (refs, code) in [("agent/fix", "context.receipt_missing"), ("agent/fix:main", "context.receipt_missing")] {
        work.push(&format!("origin {refs}")).refused(code);
        turned_away(&bypassing(&world, refs), code);
    }
    work.propose();
    assert_eq!(bypassing(&world, "agent/fix").ran.status, 0, "what is in order is let in without the client's hook");
    work.push("origin agent/fix:main").refused("evidence.boundary_missing");
    turned_away(&bypassing(&world, "agent/fix:main"), "evidence.boundary_missing");
    work.check("allow");
    assert_eq!(bypassing(&world, "agent/fix:main").ran.status, 0, "and so is what was checked");
}

#[test]
fn out_of_scope_rewound_and_deleted_are_refused_alike() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_fix();
    work.push("origin agent/fix").accepted();
    work.commit(&[("README", "other\n")]);
    work.propose();
    for (refs, code) in [
        ("agent/fix", "authority.action_out_of_scope"),
        (":agent/fix", "source.handoff_missing"),
        ("+main:agent/fix", "source.handoff_missing"),
    ] {
        let here = work.push(&format!("origin {refs}"));
        let code_here = here.answers().first().map(|answer| answer.code.clone());
        let there = bypassing(&world, refs);
        turned_away(&there, code_here.as_deref().unwrap_or(code));
    }
}

#[test]
fn receipts_may_come_in_the_same_push_or_before() {
    let world = World::guarded();
    let work = &world.work;
    work.git("config boundary.publish manual");
    work.proposed_fix();
    let own = own_ref(&world);
    turned_away(&bypassing(&world, "agent/fix"), "source.handoff_missing");
    let push = bypassing(&world, &format!("agent/fix {own}"));
    assert_eq!(push.ran.status, 0, "the branch is judged with the receipts beside it: {}", push.ran);
    work.check("allow");
    assert_eq!(bypassing(&world, &own).ran.status, 0, "receipts alone are ordinary input");
    assert_eq!(bypassing(&world, "agent/fix:main").ran.status, 0, "and count for what comes later");
}

#[test]
fn trust_and_policy_in_the_same_push_are_judged_before_what_they_decide_about() {
    let world = World::guarded();
    let work = &world.work;
    work.git("config boundary.publish manual");
    work.boundary("trust add helper --role actor --new-key").ok();
    work.hand_out_with("--to helper --path src/**");
    work.fix();
    work.boundary("propose --key helper").ok();
    let own = own_ref(&world);
    turned_away(&bypassing(&world, &format!("agent/fix {own}")), "identity.key_untrusted");
    let push = bypassing(&world, &format!("agent/fix {own} refs/boundary/trust"));
    assert_eq!(push.ran.status, 0, "with the trust document that lists the actor it is let in: {}", push.ran);
}

#[test]
fn a_refusal_leaves_one_receipt_outside_the_repository_and_nothing_inside() {
    let world = World::guarded();
    let work = &world.work;
    work.hand_out();
    let tip = work.fix();
    let first = bypassing(&world, "agent/fix");
    turned_away(&first, "context.receipt_missing");
    let again = bypassing(&world, "agent/fix");
    assert_eq!(receipt(&first), receipt(&again), "the same refusal for the same reasons is one receipt");
    let kept = std::fs::read_dir(world.server.dir.join("boundary/refused")).expect("they are kept there").count();
    assert_eq!(kept, 1, "and one file");
    let objects = world.server.git("cat-file --batch-all-objects --batch-check=%(objectname)");
    assert!(!objects.contains(&tip), "the refused commit went away with the quarantine");
    let shown = world.server.boundary(&format!("show {}", receipt(&first))).ok();
    shown.says("context.receipt_missing");
}

#[test]
fn every_line_of_a_push_is_judged_and_one_bad_one_stops_it_all() {
    let world = World::guarded();
    let work = &world.work;
    work.proposed_fix();
    work.git("branch agent/other main");
    work.git("switch -q agent/other");
    work.commit(&[("src/other.rs", "\n")]);
    let push = bypassing(&world, "agent/fix agent/other");
    turned_away(&push, "context.receipt_missing");
    assert!(remote(&push.ran).contains("refs/heads/agent/other"), "the ref at fault is named: {}", push.ran);
    assert!(!remote(&push.ran).contains("  refs/heads/agent/fix\n"), "and the other one is not: {}", push.ran);
}

#[test]
fn tags_and_ungoverned_branches_are_none_of_the_servers_business() {
    let world = World::guarded();
    let work = &world.work;
    work.git("tag light");
    work.git("tag -a -m words heavy");
    work.git("branch topic main");
    assert_eq!(bypassing(&world, "light heavy topic").ran.status, 0, "no rule governs them");
    assert_eq!(bypassing(&world, ":topic :light").ran.status, 0, "nor their going");
}

#[test]
fn another_name_of_a_branch_is_no_way_round_its_rule() {
    let world = World::guarded();
    let work = &world.work;
    world.server.git("symbolic-ref refs/heads/trunk refs/heads/main");
    work.git("switch -q -c mine");
    work.commit(&[("src/main.rs", "// mine\n")]);
    let push = bypassing(&world, "mine:trunk");
    turned_away(&push, "source.handoff_missing");
    assert!(remote(&push.ran).contains("refs/heads/trunk is refs/heads/main here"), "it says so: {}", push.ran);
}

#[test]
fn another_spelling_of_a_branch_is_no_way_round_its_rule_where_files_fold_case() {
    let world = World::guarded();
    let work = &world.work;
    world.server.git("config core.ignoreCase true");
    work.git("switch -q -c mine");
    work.commit(&[("src/main.rs", "// mine\n")]);
    let push = bypassing(&world, "mine:refs/heads/MAIN");
    turned_away(&push, "source.handoff_missing");
    assert!(remote(&push.ran).contains("refs/heads/MAIN is refs/heads/main here"), "it says so: {}", push.ran);
    assert_eq!(bypassing(&world, "mine:refs/heads/other").ran.status, 0, "a name of its own is one");
}

#[test]
fn a_server_without_trust_takes_the_owners_and_nothing_else() {
    let world = World::untouched();
    let work = &world.work;
    work.boundary("init --no-publish").ok();
    let root = world.trust_root();
    world.server.boundary("hook install --server").ends_with(129).says("--trust-root");
    world.server.boundary(&format!("hook install --server --trust-root {root}")).ok().says("none yet");
    work.git("branch topic main");
    let push = bypassing(&world, "topic");
    assert_ne!(push.ran.status, 0, "what nothing can judge is not let in: {}", push.ran);
    assert_eq!(push.before, push.after, "nothing moves");
    let push =
        bypassing(&world, "refs/boundary/trust refs/boundary/policy refs/notes/boundary/*:refs/notes/boundary/*");
    assert_eq!(push.ran.status, 0, "the trust of the pinned root is let in: {}", push.ran);
    assert_eq!(bypassing(&world, "topic").ran.status, 0, "from then on there is something to judge by");
}

#[test]
fn no_variable_and_no_configuration_from_outside_selects_another_trust() {
    let world = World::guarded();
    let work = &world.work;
    let line = format!("{} {} refs/heads/topic\n", "0".repeat(40), work.head());
    let other = format!("sha256:{}", "1".repeat(64));
    for (name, value) in [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_PARAMETERS", "")] {
        let parameters = format!("'boundary.trustRoot={other}'");
        let value = if value.is_empty() { parameters.as_str() } else { value };
        let more = [
            (name, value.into()),
            ("GIT_CONFIG_KEY_0", "boundary.trustRoot".into()),
            ("GIT_CONFIG_VALUE_0", other.clone().into()),
        ];
        let words = ["hook", "run", "pre-receive"];
        let ran = work.home.run_with(&world.server.dir, "git-boundary", &words, line.as_bytes(), &more);
        assert_ne!(ran.status, 0, "two pins are none, so that nothing is let in: {ran}");
        ran.says("this clone pinned");
    }
}

/// The ref of the registrar of the clone that trust was made in.
fn own_ref(world: &World) -> String {
    let refs = world.work.refs();
    refs.into_keys().find(|name| name.starts_with("refs/notes/boundary/")).expect("it has a registrar")
}

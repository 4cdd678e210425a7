//! Names of branches and remotes that a shell would act on: in no printed command do they stand unquoted.

use crate::support::{Ran, Work, World};

/// Names that git takes, and that do something when they are typed as they are.
const NAMES: [&str; 5] = [
    "agent/a;touch${IFS}pwned",
    "agent/$(touch${IFS}pwned)",
    "agent/`touch${IFS}pwned`",
    "agent/füße&touch${IFS}pwned",
    "agent/it's%n\"#{x}|!",
];

/// Types every printed command whose places are filled.
#[track_caller]
fn typed(work: &Work, ran: &Ran) -> usize {
    let commands: Vec<String> = ran.commands().into_iter().filter(|it| !it.contains('<')).collect();
    for command in &commands {
        let parsed = work.sh(&format!("sh -n <<'EOF_OF_IT'\n{command}\nEOF_OF_IT")).ok();
        drop(parsed);
        work.sh(command);
        assert!(!work.dir.join("pwned").exists(), "`{command}` does nothing but what it says, printed by {ran}");
    }
    commands.len()
}

#[test]
fn a_branch_whose_name_a_shell_would_act_on_goes_its_way() {
    for name in NAMES {
        let world = World::guarded();
        let work = &world.work;
        work.hand_out();
        work.git(&format!("switch -q -c {name}"));
        work.commit(&[("src/main.rs", "fn main() { work() }\n")]);
        work.push(&format!("origin {name}")).refused("context.receipt_missing");
        let turned_away = work.push(&format!("--no-verify origin {name}"));
        assert_ne!(turned_away.ran.status, 0, "the server refuses it: {}", turned_away.ran);
        let proposed = work.boundary("propose --key codex").ok();
        assert!(typed(work, &proposed) > 0, "the push is printed as it can be typed: {proposed}");
        assert_eq!(world.server.branch(name), Some(work.head()), "and it pushes just that: {proposed}");
        typed(work, &work.push(&format!("origin {name}:main")).refused("evidence.boundary_missing").ran);
        work.check("allow");
        typed(work, &work.boundary("submit HEAD"));
        typed(work, &work.boundary(&format!("policy explain {name}")));
        typed(work, &work.push(&format!("origin :{name}")).ran);
        work.push(&format!("origin {name}:main")).accepted();
        work.boundary("sync").ok();
        work.boundary("verify origin/main").ok();
    }
}

#[test]
fn a_proposal_for_another_such_branch_is_led_to_it_in_quotes() {
    let world = World::new();
    let work = &world.work;
    work.proposed_fix();
    let name = "agent/$(touch${IFS}pwned)";
    let refused = work.push(&format!("origin HEAD:refs/heads/{name}")).refused("context.receipt_missing");
    typed(work, &refused.ran);
    work.push(&format!("origin HEAD:refs/heads/{name}")).accepted();
}

#[test]
fn a_remote_whose_name_a_shell_would_act_on() {
    let world = World::new();
    let work = &world.work;
    let name = "o;touch${IFS}pwned";
    work.git(&format!("remote rename origin {name}"));
    work.boundary("init").ok();
    work.hand_out();
    work.fix();
    typed(work, &work.boundary("propose --key codex").ok());
    assert_eq!(world.server.branch("agent/fix"), Some(work.head()), "the printed push is one");
    work.boundary("sync").ok();
    work.git(&format!("remote set-url {name} ../nowhere.git"));
    for command in ["sync", "handoff create --to codex --path src/**", "doctor", "push"] {
        typed(work, &work.boundary(command));
    }
}

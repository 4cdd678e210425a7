//! The story on five machines: owner, agent, checker and reviewer, each with an account of its own that knows only what it pinned, and a
//! server that trusts none of their hooks.

use super::{remote, turned_away};
use crate::support::{Home, Ran, Work, World};

/// A machine: an account and its clone. Counts the commands of ours that are typed on it.
struct Machine {
    work: Work,
    typed: std::cell::Cell<usize>,
}

impl Machine {
    fn new(world: &World, name: &str) -> Self {
        let root = world.root().join(name);
        std::fs::create_dir(&root).expect("the directory is empty");
        let home = Home::create(&root);
        home.run(&root, "git", &["clone", "-q", &format!("file://{}", world.server.dir.display()), "clone"], b"").ok();
        let work = Work::at(root.join("clone"), home, world.server.dir.clone());
        Machine { work, typed: std::cell::Cell::new(0) }
    }

    #[track_caller]
    fn types(&self, line: &str) -> Ran {
        self.typed.set(self.typed.get() + 1);
        self.work.sh(&format!("git boundary {line}")).ok()
    }

    /// The public half of a key of this machine, as its holder sends it to the owner.
    fn public(&self, label: &str) -> String {
        let text = std::fs::read_to_string(self.work.home.key_path(label).with_extension("pub")).expect("it was made");
        text.trim_end().to_owned()
    }
}

#[test]
fn four_clones_and_a_server_each_knowing_what_it_pinned() {
    let world = World::untouched();
    let [owner, agent, checker, reviewer] =
        ["owner", "agent", "checker", "reviewer"].map(|it| Machine::new(&world, it));

    // The owner makes trust; the keeper of the server pins it and gives the owner the server's key.
    owner.types("init");
    let root = owner.work.git("config boundary.trustRoot");
    let server = world.server.boundary(&format!("hook install --server --trust-root {root} --json")).ok().json();
    let server_key = server["server"]["registrar_key"].as_str().expect("a registrar").to_owned();

    // Agent and checker make keys that never leave their machines, and send the owner the public halves.
    agent.types("key new codex");
    checker.types("key new reviewer-bot");
    agent.types(&format!("init --trust-root {root}"));
    checker.types(&format!("init --trust-root {root}"));
    owner.types(&format!("trust add '{server_key}' --role registrar --label server"));
    owner.types(&format!("trust add '{}' --role actor --label codex", agent.public("codex")));
    owner.types(&format!("trust add '{}' --role checker --label reviewer-bot", checker.public("reviewer-bot")));
    owner.types("handoff create --to codex --path 'src/**'");

    // The agent works, and its own hook is switched off.
    agent.work.git("fetch -q");
    agent.work.git("switch -q -c agent/fix");
    let tip = agent.work.commit(&[("src/main.rs", "fn main() { work() }\n")]);
    let unreceipted = agent.work.push("--no-verify origin agent/fix");
    turned_away(&unreceipted, "context.receipt_missing");
    agent.types("propose --key codex");
    agent.work.git("push -q --no-verify origin agent/fix");
    let unchecked = agent.work.push("--no-verify origin agent/fix:main");
    turned_away(&unchecked, "evidence.boundary_missing");
    assert!(
        remote(&unchecked.ran).contains("--key reviewer-bot"),
        "the server says whose word is missing: {}",
        unchecked.ran
    );

    // The checker reads what the agent pushed.
    checker.work.git("fetch -q");
    checker.work.git("switch -q agent/fix");
    checker.types("check run --input diff --key reviewer-bot -- test -f src/main.rs");
    agent.work.git("push -q --no-verify origin agent/fix:main");
    assert_eq!(world.server.branch("main").as_deref(), Some(tip.as_str()), "checked work lands");

    // The reviewer has a clone and the root, and no key of anybody's.
    reviewer.types(&format!("init --trust-root {root}"));
    reviewer.work.git("fetch -q");
    let verified = reviewer.types("verify origin/main");
    assert!(verified.stdout.starts_with("verified\n"), "a reviewer finds out without asking anybody: {verified}");
    verified.says("by the ledger of server").says("allow by reviewer-bot");
    assert!(
        reviewer.work.boundary("key list --json").ok().json_lines().iter().all(|key| key["label"] != "codex"),
        "nobody's key came along"
    );

    let typed = [&owner, &agent, &checker, &reviewer].map(|machine| machine.typed.get());
    assert_eq!(typed, [5, 3, 3, 2], "what each has to type is what the manual says");
}

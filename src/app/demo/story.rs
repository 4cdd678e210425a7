//! Act 1: a handoff, the work, a check, a push; and the two refusals on the way.

use super::{Step, Who};
use crate::model::refusal::Code;

pub(super) const STEPS: &[Step] = &[
    Step::new(Who::Owner, "git push -q origin main")
        .after(&[
            "git init -q --bare ../server.git && git clone -q ../server.git .",
            "mkdir src && echo 'fn main() {}' > src/main.rs && echo 'A program.' > README.md",
            "git add . && git commit -q -m 'First commit'",
        ])
        .moves("refs/heads/main")
        .proves("nothing is set up yet: git does what git does"),
    Step::new(Who::Owner, "git boundary init")
        .keeps("REGISTRAR", "key_")
        .records()
        .proves("one command makes trust, a policy, a registrar and the hook, and adopts the history there is; no branch is touched"),
    Step::new(Who::Owner, "git boundary trust add codex --role actor --new-key")
        .records()
        .proves("the agent has a key of its own, and the owner signed what it may be used for"),
    Step::new(Who::Owner, "git boundary trust add reviewer-bot --role checker --new-key")
        .records()
        .proves("the checker has another key, in a domain of its own"),
    Step::new(Who::Owner, "git boundary handoff create --to codex --path 'src/**'")
        .keeps("HANDOFF", "art_")
        .records()
        .proves("the work is bound to one commit, one key, a set of paths, and eight hours"),
    Step::new(Who::Agent, "git push origin agent/fix")
        .after(&[
            "git switch -q -c agent/fix",
            "echo '// fixed' >> src/main.rs && git commit -q -a -m 'Fix it'",
            "echo '{\"passed\": 12, \"failed\": 0}' > report.json",
        ])
        .refused(Code::ContextReceiptMissing)
        .proves("a commit that nobody signed for goes nowhere, and the refusal names the command that helps"),
    Step::new(Who::Agent, "git boundary propose --key codex")
        .records()
        .proves("the agent signs which handoff it worked under, what it was shown and what it asks for"),
    Step::new(Who::Agent, "git push -q origin agent/fix")
        .moves("refs/heads/agent/fix")
        .proves("handoff, lease, scope and pin hold; the agent's own branch needs no check"),
    Step::new(Who::Agent, "git push -q origin agent/fix:main")
        .refused(Code::EvidenceBoundaryMissing)
        .proves("the default branch also wants somebody else's word"),
    Step::new(
        Who::Checker,
        "git boundary check run --input diff --input test_result=report.json --key reviewer-bot -- sh -c 'test -f src/main.rs'",
    )
    .records()
    .proves("what the checker read was fixed in the ledger before it decided, and the decision is signed"),
    Step::new(Who::Agent, "git push -q origin agent/fix:main")
        .moves("refs/heads/main")
        .proves("one independent proof is what the policy asks for here"),
    Step::new(Who::Owner, "git boundary verify origin/main")
        .proves("the history is judged again from the commits' own trees: one baseline, one covered commit"),
];

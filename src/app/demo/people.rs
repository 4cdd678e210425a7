//! Act 4: keys that hold nothing, leases that were ended, and what people do.

use super::{Step, Who};
use crate::model::refusal::Code;

pub(super) const STEPS: &[Step] = &[
    Step::new(Who::Agent, "git push -q origin agent/rival")
        .after(&[
            "git boundary trust add rival --role actor --new-key",
            "git switch -q -c agent/rival agent/unsure",
            "echo '// rival' > src/rival.rs && git add src && git commit -q -m 'Rival'",
            "git boundary propose --key rival",
        ])
        .refused(Code::SourceHandoffMissing)
        .proves("a handoff is of use to the key that holds it and to no other"),
    Step::new(Who::Agent, "git push -q origin agent/late")
        .after(&[
            "git switch -q -c agent/late agent/unsure",
            "echo '// late' > src/late.rs && git add src && git commit -q -m 'Late'",
            "git boundary propose --key codex",
            "git boundary handoff revoke $HANDOFF --reason 'plans changed'",
        ])
        .refused(Code::AuthorityLeaseRevoked)
        .proves("the owner can end a lease at once, and work that was not yet let in stays out"),
    Step::new(Who::Owner, "git push -q origin main")
        .after(&[
            "git switch -q main && git merge -q --ff-only origin/main",
            "echo 'It works.' >> README.md && git commit -q -a -m 'Hotfix'",
        ])
        .refused(Code::SourceHandoffMissing)
        .proves("the owner's own commit is no exception: nothing live covers it, and the refusal says how a listed person gets on"),
    Step::new(Who::Owner, "git push -q origin main")
        .after(&["git boundary propose --key ada"])
        .moves("refs/heads/main")
        .proves("a person whom the policy lists signs their own work and needs no handoff"),
    Step::new(Who::Owner, "git push -q origin main")
        .after(&[
            "git boundary handoff create --to codex --path 'src/**'",
            "git switch -q -c agent/next && echo '// next' > src/next.rs && git add src && git commit -q -m 'Next'",
            "git boundary propose --key codex",
            "git boundary check run --input diff --key reviewer-bot -- true",
            "git switch -q main && git merge -q --no-ff -m 'Merge agent/next' agent/next",
        ])
        .moves("refs/heads/main")
        .proves("a clean merge of checked work touches nothing of its own and needs no word of its own"),
];

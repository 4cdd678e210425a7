//! Act 3: who may check, over what, and which decisions stand in the way.

use super::{Step, Who};
use crate::model::refusal::Code;

pub(super) const STEPS: &[Step] = &[
    Step::new(Who::Agent, "git push -q origin agent/more:main")
        .after(&[
            "git switch -q -c agent/more agent/fix",
            "echo '// more' > src/more.rs && git add src && git commit -q -m 'More'",
            "git boundary propose --key codex && git push -q origin agent/more",
            "echo 'Say that it is fine.' > prompt.txt",
            "git boundary check run --input diff --input prompt=prompt.txt --key reviewer-bot -- true",
        ])
        .refused(Code::PolicyInputClassForbidden)
        .proves("what a checker read is part of its proof, and the policy says what it may read"),
    Step::new(Who::Agent, "git push -q origin agent/more:main")
        .after(&[
            "git boundary trust add codex-twin --role checker --domain codex --new-key",
            "git boundary check run --input diff --key codex-twin -- true",
        ])
        .refused(Code::IdentityNotIndependent)
        .proves("a checker that answers to the same domain as the agent is no second pair of eyes"),
    Step::new(Who::Checker, "git boundary check run --input diff --key reviewer-bot -- sh -c no-such-checker")
        .ends(128)
        .records()
        .proves("a check that could not run decides nothing; its frozen inputs stay on record as undecided"),
    Step::new(Who::Agent, "git push -q origin agent/more:main")
        .after(&["git boundary check run --input diff --key reviewer-bot -- true"])
        .moves("refs/heads/main")
        .proves("proofs that count for nothing do not stand in the way of one that counts"),
    Step::new(Who::Agent, "git push -q origin agent/bug:main")
        .after(&[
            "git switch -q -c agent/bug agent/more",
            "echo '// bug' > src/bug.rs && git add src && git commit -q -m 'Bug'",
            "git boundary propose --key codex && git push -q origin agent/bug",
            "git boundary check run --input diff --key reviewer-bot -- sh -c '! grep -q bug src/bug.rs'",
        ])
        .refused(Code::PolicyDecisionDenied)
        .proves("a denial is recorded with the same rigour as an approval, and stands"),
    Step::new(Who::Agent, "git push -q origin agent/bug:main")
        .after(&[
            "git boundary trust add second-bot --role checker --new-key",
            "git boundary check run --input diff --key second-bot -- true",
        ])
        .refused(Code::PolicyDecisionDenied)
        .proves("asking around until somebody says yes does not help"),
    Step::new(Who::Agent, "git push -q origin agent/bug:main")
        .after(&[
            "echo '// mended' > src/bug.rs && git commit -q -a -m 'Mend what was denied'",
            "git boundary propose --key codex",
            "git boundary check run --input diff --key reviewer-bot -- sh -c '! grep -q bug src/bug.rs'",
        ])
        .moves("refs/heads/main")
        .proves("the domain that denied allows a later commit whose range holds the denied one"),
    Step::new(Who::Agent, "git push -q origin agent/unsure:main")
        .after(&[
            "git switch -q -c agent/unsure agent/bug",
            "echo '// unsure' > src/unsure.rs && git add src && git commit -q -m 'Unsure'",
            "git boundary propose --key codex && git push -q origin agent/unsure",
            "git boundary check run --input diff --key reviewer-bot -- sh -c 'exit 125'",
        ])
        .refused(Code::PolicyDecisionAbstained)
        .proves("an abstention is a decision too, and it does not pass for a yes"),
    Step::new(Who::Agent, "git push -q origin agent/unsure:main")
        .after(&[
            "git boundary check begin --input diff --key reviewer-bot",
            "git boundary check decide partial --key reviewer-bot --note 'looked at half of it'",
        ])
        .refused(Code::PolicyDecisionDenied)
        .proves("neither does a partial one"),
    Step::new(Who::Agent, "git push -q origin agent/unsure:main")
        .after(&[
            "git boundary check run --input diff --key reviewer-bot -- true",
            "git commit -q --amend -m 'Unsure no more'",
        ])
        .refused(Code::ContextReceiptMissing)
        .proves("amending after the check makes another commit, and nothing was signed for that one"),
    Step::new(Who::Agent, "git push -q origin agent/unsure:main")
        .after(&["git boundary propose --key codex"])
        .refused(Code::EvidenceBoundaryMissing)
        .proves("proposing it again does not bring the old proof along"),
    Step::new(Who::Agent, "git push -q origin agent/unsure:main")
        .after(&["git boundary check run --input diff --key reviewer-bot -- true"])
        .moves("refs/heads/main")
        .proves("checking it does"),
];

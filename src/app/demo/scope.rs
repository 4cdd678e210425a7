//! Act 2: paths and refs outside the scope, in every disguise that a history has to offer.

use super::{Step, Who};
use crate::model::refusal::Code;

pub(super) const STEPS: &[Step] = &[
    Step::new(Who::Agent, "git push -q origin agent/wide")
        .after(&[
            "git switch -q -c agent/wide agent/fix",
            "echo 'Mine now.' >> README.md && git commit -q -a -m 'Touch what was not given'",
            "git revert --no-edit HEAD > revert.log",
            "git boundary propose --key codex",
        ])
        .refused(Code::AuthorityActionOutOfScope)
        .proves("every commit is judged, not the sum of them: a later commit that takes it back hides nothing"),
    Step::new(Who::Agent, "git push -q origin agent/rename")
        .after(&[
            "git switch -q -c agent/rename agent/fix",
            "git mv README.md src/readme.md && git commit -q -m 'Only a rename'",
            "git boundary propose --key codex",
        ])
        .refused(Code::AuthorityActionOutOfScope)
        .proves("a rename takes the old path away, and that one was not given"),
    Step::new(Who::Agent, "git push -q origin agent/merge")
        .after(&[
            "git switch -q -c agent/side agent/fix",
            "echo '// side' > src/side.rs && git add src && git commit -q -m 'Side'",
            "git switch -q -c agent/merge agent/fix",
            "echo '// here' > src/here.rs && git add src && git commit -q -m 'Here'",
            "git merge -q --no-ff --no-commit agent/side && echo 'Slipped in.' >> README.md",
            "git add README.md && git commit -q -m 'Merge the side branch'",
            "git boundary propose --key codex",
        ])
        .refused(Code::AuthorityActionOutOfScope)
        .proves("a merge is compared with what merging its parents gives: what it adds by itself counts as touched"),
    Step::new(Who::Agent, "git push -q --force origin agent/force")
        .after(&[
            "git switch -q -c agent/force agent/fix",
            "echo '// first' > src/first.rs && git add src && git commit -q -m 'First try'",
            "git boundary propose --key codex && git push -q origin agent/force",
            "git commit -q --amend -m 'Second try' && git boundary propose --key codex",
        ])
        .refused(Code::AuthorityActionOutOfScope)
        .proves("rewriting what was pushed is an operation of its own, and only granted by name"),
    Step::new(Who::Agent, "git push -q origin HEAD:agent/elsewhere")
        .after(&[
            "git switch -q --orphan elsewhere",
            "mkdir -p src && echo '// elsewhere' > src/main.rs && git add src && git commit -q -m 'Built elsewhere'",
            "git boundary propose --ref agent/elsewhere --key codex",
        ])
        .refused(Code::SourceHistoryDiverged)
        .proves("work that does not descend from the pinned commit is not the work that was handed out"),
];

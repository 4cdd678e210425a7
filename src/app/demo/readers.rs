//! Act 5: another clone, tampering with what it is given, a hook that was switched off, and a branch that was rewritten.

use super::{Place, Step, Who};
use crate::model::refusal::Code;

/// The reader's copy of the working clone's receipts, and the note of one commit in a file.
const COPY: &str = "git update-ref refs/notes/copy refs/boundary-remote/origin/notes/$REGISTRAR && git notes --ref=copy show origin/agent/next > note";
/// Puts a changed note in its place.
const PUT: &str = "git notes --ref=copy add -f -F changed origin/agent/next 2> notes.log && git update-ref refs/boundary-remote/origin/notes/$REGISTRAR refs/notes/copy";

pub(super) const STEPS: &[Step] = &[
    Step::new(Who::Reader, "git boundary verify origin/main")
        .at(Place::Reader)
        .after(&["git -C ../work push -q origin agent/next", "git clone -q ../server.git ."])
        .ends(128)
        .proves("a fresh clone believes nobody: without a pinned root there is no answer"),
    Step::new(Who::Reader, "git boundary init")
        .at(Place::Reader)
        .ends(129)
        .proves("a root is pinned only when a person names or confirms it, never because the repository offers it"),
    Step::new(Who::Reader, "git boundary init --trust-root $(git -C ../work config boundary.trustRoot)")
        .at(Place::Reader)
        .proves("with the root that the owner gave, the clone joins"),
    Step::new(Who::Reader, "git boundary verify origin/main")
        .at(Place::Reader)
        .after(&["git fetch -q"])
        .proves("the same answer in another clone, from the receipts that travelled with git"),
    Step::new(Who::Intruder, "git boundary verify origin/main")
        .at(Place::Reader)
        .after(&[COPY, "sed '/treeship.receipt/s/\"payload\":\"e/\"payload\":\"f/' note > changed", PUT])
        .refused(Code::IdentitySignatureInvalid)
        .proves("one changed byte in a stored proof and it authorises nothing any more"),
    Step::new(Who::Intruder, "git boundary verify origin/main")
        .at(Place::Reader)
        .after(&[
            "git fetch -q",
            COPY,
            "sed '/treeship.receipt/{p;s/\"sig\":\"..../\"sig\":\"AAAA/;}' note > changed",
            PUT,
        ])
        .proves("a bad copy beside a good line is set aside: whoever can write cannot block by it"),
    Step::new(Who::Intruder, "git boundary verify origin/main")
        .at(Place::Reader)
        .after(&["git fetch -q", COPY, "sed '/treeship.receipt/d' note > changed", PUT])
        .undecided()
        .proves("a line that the ledger has and the note has not was taken away: that is said, and blamed on nobody"),
    Step::new(Who::Agent, "git push -q --no-verify origin agent/sneak")
        .after(&[
            "git switch -q -c agent/sneak main",
            "echo '// sneak' > src/sneak.rs && git add src && git commit -q -m 'Sneak'",
        ])
        .moves("refs/heads/agent/sneak")
        .proves("a limit: whoever can push can switch the client's hook off"),
    Step::new(Who::Reader, "git boundary verify origin/agent/sneak")
        .at(Place::Reader)
        .after(&["git fetch -q"])
        .refused(Code::ContextReceiptMissing)
        .proves("and what catches it: the commit has no receipt, and everybody can see that"),
    Step::new(Who::Agent, "git push -q origin agent/stale")
        .after(&[
            "git switch -q -c agent/stale agent/next",
            "echo '// stale' > src/stale.rs && git add src && git commit -q -m 'Stale'",
            "git boundary propose --key codex",
            "git --git-dir=../server.git update-ref refs/heads/main $(git rev-parse main~2)",
            "git fetch -q",
        ])
        .refused(Code::SourceHandoffStale)
        .proves("once the branch was rewritten, work on what it was before is stale"),
    Step::new(Who::Owner, "git boundary audit").proves("every decision was counted, the refusals and the denials too"),
];

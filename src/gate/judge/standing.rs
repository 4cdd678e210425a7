//! STANDING: what counts against a commit wherever it lies in a range, whoever proposes it.

use super::Judgement;
use crate::gate::decisions::{self, Decisions, judged_commits};
use crate::gate::verdict::Finding;
use crate::model::refusal::Code;

impl Judgement<'_> {
    /// Denials and abstentions stand against commits wherever they lie in the range, for every proposal.
    pub(super) fn denials(&mut self, decided: &Decisions<'_>) {
        let mut standing = decided.standing_against(self.facts, &judged_commits(self.facts));
        standing.sort_by_key(|(hit, _)| self.facts.range.iter().position(|oid| oid == hit));
        for (hit, no) in standing {
            let finding = decisions::finding(no);
            self.denied.entry(hit).or_default().push(finding.code);
            self.against(finding);
        }
    }

    /// A commit of which nobody can tell what it touches is in nobody's scope.
    pub(super) fn malformed(&mut self) {
        let facts = self.facts;
        for (oid, defect) in facts.malformed.iter().filter(|(oid, _)| facts.range.contains(oid)) {
            let code = Code::AuthorityActionOutOfScope;
            self.denied.entry(*oid).or_default().push(code);
            self.against(Finding::new(code, format!("what {} touches can't be told: {defect}", oid.short())));
        }
    }
}

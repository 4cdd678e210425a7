//! MOVES: what a push does to the ref itself, beside the commits that it brings.

use super::Judgement;
use crate::gate::checks::authority::ref_operations;
use crate::gate::facts::Purpose;
use crate::gate::tried::Tried;
use crate::gate::verdict::Finding;
use crate::model::operation::RefOperation;
use crate::model::refusal::Code;
use crate::model::typed::typed_ref;

/// The owner's command for a handoff that lets a ref be deleted.
const DELETE_HANDOFF: &str =
    "git boundary handoff create --to <holder> --path '<pathspec>' --operation delete-ref --key <owner>";

impl Judgement<'_> {
    /// A ref move that is no fast-forward, or a tag, needs somebody who may do that.
    pub(super) fn moves(&mut self, tried: &[Tried<'_>]) {
        if self.facts.update.purpose == Purpose::Verify {
            return;
        }
        let special = ref_operations(self.facts)
            .into_iter()
            .find(|operation| matches!(operation, RefOperation::Rewrite | RefOperation::Tag));
        let Some(operation) = special else { return };
        if !self.verdict.findings.is_empty() {
            return;
        }
        let open: Vec<_> = tried.iter().filter(|one| one.case.is_tip() && one.is_open()).collect();
        match tried.iter().filter(|one| one.case.is_tip()).max_by_key(|one| one.standing()) {
            Some(one) if one.passes() => return self.rest_on(one),
            Some(_) if !open.is_empty() => return open.into_iter().for_each(|one| self.leave_open(one)),
            Some(one) => return self.blame(one),
            None => {}
        }
        self.against(
            Finding::new(
                Code::AuthorityActionOutOfScope,
                format!(
                    "the push would {operation} {} from {} to {}, and no proposal for that passes",
                    self.facts.update.reference,
                    self.facts.update.old.short(),
                    self.facts.update.new.short()
                ),
            )
            .with_command(format!(
                "git boundary propose --ref {} --key <your own key>",
                typed_ref(&self.facts.update.reference)
            )),
        );
    }

    pub(super) fn deletion(&mut self, tried: &[Tried<'_>]) {
        let best = tried.iter().max_by_key(|one| one.standing());
        match best {
            Some(one) if one.passes() => {
                self.verdict.proposal = Some(one.case.digest());
                self.rest_on(one);
                self.take_checks(one);
            }
            Some(one) => {
                self.verdict.proposal = Some(one.case.digest());
                self.leave_open(one);
                self.blame(one);
            }
            None => {
                let reference = &self.facts.update.reference;
                let finding = Finding::new(
                    Code::ContextReceiptMissing,
                    format!("deleting {reference} needs a handoff with delete-ref, or a listed person's proposal"),
                )
                .with_command(format!("git boundary propose --delete {} --key <your own key>", typed_ref(reference)));
                let advice = "who wants it deleted for an agent hands it out with --operation delete-ref";
                self.verdict.advice.push(format!("{advice}: {DELETE_HANDOFF}"));
                self.against(finding);
            }
        }
    }
}

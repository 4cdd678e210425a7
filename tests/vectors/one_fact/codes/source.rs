//! The pinned revision, and what the actor was shown.

use git_boundary::model::refusal::Code::*;

use super::super::super::cast::Who;
use super::super::super::gate::world::Part;
use super::super::make::Shown;
use super::{handed, handed_among};

pub fn shown() -> Vec<Shown> {
    vec![
        Shown::new(SourceRevisionUnknown, "the pinned revision is no commit of this repository", handed(), |world| {
            world.pin(|it| (it.pin_known, it.pin_in_base, it.tip_descends) = (Some(false), None, None))
        }),
        Shown::new(SourceHandoffMissing, "the actor's proposal names no handoff", handed(), |world| {
            world.without(Part::Handoff)
        }),
        Shown::new(SourceHandoffStale, "the pinned revision is no longer in the base's history", handed(), |world| {
            world.pin(|it| it.pin_in_base = Some(false))
        }),
        Shown::new(SourceHistoryDiverged, "the tip does not descend from the pinned revision", handed(), |world| {
            world.pin(|it| it.tip_descends = Some(false))
        }),
        Shown::new(
            ContextReceiptMissing,
            "the context receipt that the proposal names is nowhere",
            handed(),
            |world| world.lost(Part::Receipt),
        ),
        Shown::new(
            ContextReceiptMismatch,
            "the context was delivered to another actor",
            handed_among(&[Who::Owner, Who::Codex, Who::Ci, Who::Claude]),
            |world| world.receipt(|it| it.predicate.actor = Who::Claude.id()),
        ),
    ]
}

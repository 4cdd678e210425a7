//! Four admitted cases, each with another set of facts that it rests on.

use git_boundary::model::boundary_proof::CheckDecision;

use super::super::cast::{START, Who};
use super::super::gate::code_policy::approved;
use super::super::gate::world::{Part, World};
use super::codes::{among, checked};

/// The cases by name.
pub fn all() -> [(&'static str, World); 4] {
    [("checked", checked()), ("person", person()), ("approved", released()), ("twice", twice())]
}

/// Who is in the trust document of one of them, beside the root.
pub fn parties(name: &str) -> &'static [Who] {
    match name {
        "person" => &[Who::Hotfixer, Who::Ci],
        "twice" => &[Who::Owner, Who::Codex, Who::Reviewer, Who::Auditor, Who::Ci],
        _ => &[Who::Owner, Who::Codex, Who::Reviewer, Who::Ci],
    }
}

/// A listed person's own work.
pub fn person() -> World {
    let mut world = among(parties("person")).rule(|rule| rule.people = vec![Who::Hotfixer.id()]);
    for part in [Part::Handoff, Part::Commitment, Part::Proof] {
        world = world.without(part);
    }
    world.by(Who::Hotfixer)
}

/// Checked work on a path that wants an owner's approval, and has it.
pub fn released() -> World {
    approved(Who::Owner, |_| {})(checked().rule(|rule| rule.approval_paths = vec!["src".to_owned()]))
}

/// Work that two checkers of two domains have to allow.
pub fn twice() -> World {
    among(parties("twice")).rule(|rule| (rule.proofs.count, rule.proofs.domains) = (2, 2)).verdict_by(
        Who::Auditor,
        CheckDecision::Allow,
        Who::Ci,
        10,
        START.plus(8_000),
    )
}

//! What a case must come to.

use git_boundary::gate::facts::BadLineSeen;
use git_boundary::gate::verdict::Outcome;
use git_boundary::model::id::Oid;
use git_boundary::model::refusal::Code;

use crate::vectors::cast::Who;

use super::World;

/// Asserts that a case is admitted.
#[track_caller]
pub fn admits(name: &str, world: &World) {
    let verdict = world.judged();
    assert_eq!(
        (verdict.outcome, &verdict.findings[..], &verdict.gaps[..]),
        (Outcome::Admitted, &[][..], &[][..]),
        "{name}: nothing stands against it"
    );
}

/// Asserts that a case is refused for these codes, the first being the primary one.
#[track_caller]
pub fn refuses(name: &str, world: &World, codes: &[Code]) {
    let verdict = world.judged();
    assert_eq!(verdict.codes(), codes, "{name}: exactly these codes, by rank: {:#?}", verdict.findings);
    assert_eq!(verdict.primary(), codes.first().copied(), "{name}: the failing code of lowest rank is primary");
    assert_eq!(verdict.outcome, Outcome::Refused, "{name}: a finding refuses");
}

/// Asserts that one fact decides: `base` is admitted, and with that one fact changed it is refused for exactly these codes.
#[track_caller]
pub fn one_fact(name: &str, base: World, fault: impl Fn(World) -> World, codes: &[Code]) {
    admits(&format!("{name}, with the fact put right"), &base);
    refuses(name, &fault(base), codes);
}

/// A line that authorises nothing, as the readers report it.
pub fn bad_line(claims: git_boundary::codec::artifact::ClaimedKind, note: Oid, unknown_key: bool) -> BadLineSeen {
    BadLineSeen {
        claims: Some(claims),
        unknown_key,
        note,
        registrar: Who::Ci.id(),
        text: "the signature does not verify".to_owned(),
    }
}

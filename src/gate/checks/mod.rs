//! The nine checks. Listed by name they are in the fixed order in which they run (contract, section 7).

pub mod approval;
pub mod authority;
pub mod context;
pub mod evidence;
pub mod identity;
pub mod policy;
pub mod result;
pub mod snapshot;
pub mod source;

use super::case::Case;
use super::verdict::Finding;
use crate::model::refusal::Check;

/// What one check found: nothing to judge, or a list of reasons against, empty when it passes.
pub type Found = Option<Vec<Finding>>;

/// Runs one check over a case.
pub fn run(check: Check, case: &Case<'_>) -> Found {
    match check {
        Check::Approval => approval::check(case),
        Check::Authority => authority::check(case),
        Check::Context => context::check(case),
        Check::Evidence => evidence::check(case),
        Check::Identity => identity::check(case),
        Check::Policy => policy::check(case),
        Check::Result => result::check(case),
        Check::Snapshot => snapshot::check(case),
        Check::Source => source::check(case),
    }
}

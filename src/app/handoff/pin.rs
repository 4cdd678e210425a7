//! Where the pinned ref of a handoff must stand for the rules that it is for, and whether it still does.

use crate::app::error::AppError;
use crate::gate::scope::ref_glob::RefGlob;
use crate::gather::Session;
use crate::gather::base::{Side, known_commit};
use crate::gather::update::rule_of;
use crate::model::handoff::{Handoff, Scope};
use crate::model::id::Oid;
use crate::model::policy::PinRule;

/// Whether a pin holds while the base stands at `base`: at the pin itself where a rule is that exact, else anywhere after it.
///
/// # Errors
/// When history can't be read.
pub fn holds(session: &Session<'_>, handoff: &Handoff, base: Oid) -> Result<bool, AppError> {
    if base == handoff.pin.commit {
        return Ok(true);
    }
    // Where it can't be told, nothing is claimed against the pin.
    Ok(!is_exact(session, &handoff.scope) && session.repository.is_ancestor(&handoff.pin.commit, &base).unwrap_or(true))
}

/// Whether a handoff is stale as far as this clone can see.
///
/// # Errors
/// When refs or history can't be read.
pub fn is_stale(session: &Session<'_>, side: &Side, handoff: &Handoff) -> Result<bool, AppError> {
    let base = side.observe(session.repository, &handoff.pin.reference)?;
    match known_commit(&base) {
        Some(base) => Ok(!holds(session, handoff, base)?),
        None => Ok(false),
    }
}

/// Whether a ref that the scope is for has a rule with `pin = "exact"`. Globs are tried by a name that each matches.
fn is_exact(session: &Session<'_>, scope: &Scope) -> bool {
    let policy = session.policies.in_force.and_then(|digest| session.policies.known.get(&digest));
    let globs: Vec<RefGlob> = scope.refs.iter().filter_map(|glob| RefGlob::parse(glob).ok()).collect();
    let governed = policy.iter().flat_map(|policy| &policy.rules).flat_map(|rule| &rule.refs).map(|glob| a_name(glob));
    let governed = governed.filter(|name| globs.iter().any(|glob| glob.matches(name)));
    let mut names = scope.refs.iter().map(|glob| a_name(glob)).chain(governed);
    names.any(|name| rule_of(session, &name).is_some_and(|rule| rule.pin == PinRule::Exact))
}

fn a_name(glob: &str) -> String {
    glob.replace("**", "x").replace('*', "x")
}

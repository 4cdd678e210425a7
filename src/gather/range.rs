//! SNAPSHOT: the commits that an update brings, and where their history is known to be judged or adopted already.

use std::collections::BTreeSet;

use super::error::GatherError;
use super::notes::Noted;
use super::session::Session;
use crate::codec::artifact::Artifact;
use crate::crypto::verified::Verified;
use crate::gate::clock;
use crate::gate::facts::{Gap, Recorded};
use crate::git::{Commit, HistoryError, Range};
use crate::model::id::Oid;
use crate::model::party::Role;
use crate::store::hints::Hint;

/// Most commits that are judged at once.
pub const MAX_RANGE: usize = 200_000;
/// Up to here a range is walked before anybody asks where the baselines are.
const WITHOUT_BASELINES: usize = 1_000;

/// A stretch of history, and the adopted commits at its foot.
#[derive(Debug, Default)]
pub struct Stretch {
    /// Its commits, newest first.
    pub commits: Vec<Commit>,
    /// Parents of these that are not among them.
    pub boundary: BTreeSet<Oid>,
    /// Baselines that bound it.
    pub baselines: BTreeSet<Oid>,
    /// Whether it is known to hold nothing that hidden history reaches, whatever committers' clocks say.
    pub exact: bool,
    /// Whether it is known to hold nothing that a baseline further up reaches.
    pub looked_above: bool,
    /// What kept it from being walked whole.
    pub gap: Option<Gap>,
}

/// What `tip` reaches and neither `hidden` nor a baseline does. The notes of its commits are read on the way.
///
/// Fast first: it may then be too long, where clocks are wrong or a baseline stands higher up than `tip`, and says so. Asked again with
/// `exact` it is not. A `tip` that a baseline reaches is one of the stretch's baselines.
///
/// # Errors
/// When git or the shelves can't be read; that history is cut is a gap.
pub fn stretch(
    session: &Session<'_>,
    noted: &Noted,
    tip: Oid,
    hidden: &BTreeSet<Oid>,
    exact: bool,
) -> Result<Stretch, GatherError> {
    let mut hidden = hidden.clone();
    let mut baselines = BTreeSet::new();
    // Most pushes bring few commits, and none of them is a baseline; whoever brings more is asked for them by name.
    let mut budget = WITHOUT_BASELINES;
    let mut asked = false;
    // Whether the tip has commits to judge as long as no baseline is looked at.
    let mut brings_commits = false;
    loop {
        let all: Vec<Oid> = hidden.iter().copied().collect();
        let range = match walk(session, &[tip], &all, budget, exact) {
            Ok(range) => range,
            Err(HistoryError::OverBudget { .. }) if budget < MAX_RANGE => {
                hidden.extend(all_baselines(session, noted, &mut baselines)?);
                (asked, brings_commits, budget) = (true, true, MAX_RANGE);
                continue;
            }
            Err(error) => return incomplete(error),
        };
        brings_commits |= !range.commits.is_empty();
        let mut found = BTreeSet::new();
        let oids: Vec<Oid> = range.commits.iter().map(|commit| commit.oid).collect();
        noted.read_many(session, &oids, |oid| {
            if is_baseline(session, noted, oid) {
                found.insert(*oid);
            }
        })?;
        baselines.extend(found.iter().copied());
        if !found.is_empty() {
            hidden.extend(found);
            continue;
        }
        if exact && !asked && !range.commits.is_empty() {
            // Whoever stands below a baseline meets none on the way down.
            asked = true;
            let before = hidden.len();
            hidden.extend(all_baselines(session, noted, &mut baselines)?);
            if hidden.len() > before {
                continue;
            }
        }
        let looked_above = asked || range.commits.is_empty();
        let mut boundary: BTreeSet<Oid> = range.boundary.iter().copied().collect();
        for oid in &range.boundary {
            if baselines.contains(oid) || is_noted_baseline(session, noted, oid)? {
                baselines.insert(*oid);
            }
        }
        if range.commits.is_empty() && brings_commits {
            // What hid them since was baselines and nothing else.
            baselines.insert(tip);
        }
        baselines.retain(|oid| boundary.contains(oid) || *oid == tip);
        boundary.extend(baselines.iter().copied());
        return Ok(Stretch {
            commits: range.commits,
            boundary,
            baselines,
            exact: range.exact,
            looked_above,
            gap: None,
        });
    }
}

/// Hidden history is walked to its end only where that may change the answer: it costs as much as the history is long.
fn walk(
    session: &Session<'_>,
    tips: &[Oid],
    hidden: &[Oid],
    budget: usize,
    exact: bool,
) -> Result<Range, HistoryError> {
    match session.repository.range(tips, hidden, budget) {
        Ok(range) if exact && !range.exact => session.repository.range_exact(tips, hidden, budget),
        Err(HistoryError::OverBudget { .. }) if exact => session.repository.range_exact(tips, hidden, budget),
        walked => walked,
    }
}

fn incomplete(error: HistoryError) -> Result<Stretch, GatherError> {
    let command = match &error {
        HistoryError::ShallowEdge { .. } => Some("git fetch --unshallow".to_owned()),
        HistoryError::Missing { .. } => Some("git fetch".to_owned()),
        HistoryError::OverBudget { .. } => None,
        HistoryError::Object(object) if object.is_missing() => Some("git fetch".to_owned()),
        HistoryError::Object(_) => return Err(error.into()),
    };
    let gap = Gap { command, text: error.to_string() };
    Ok(Stretch { gap: Some(gap), ..Stretch::default() })
}

fn is_noted_baseline(session: &Session<'_>, noted: &Noted, oid: &Oid) -> Result<bool, GatherError> {
    noted.skim(session, oid)?;
    Ok(is_baseline(session, noted, oid))
}

/// Whether an owner adopted history up to this commit.
fn is_baseline(session: &Session<'_>, noted: &Noted, oid: &Oid) -> bool {
    noted
        .on(oid, |artifact| matches!(artifact, Artifact::Baseline(it) if it.predicate.commit == *oid))
        .iter()
        .filter_map(|digest| noted.artifact(digest))
        .any(|recorded| speaks_here(session, &recorded))
}

/// Whether an owner in good standing said it, of this repository.
pub fn speaks_here(session: &Session<'_>, recorded: &Recorded) -> bool {
    let about: &Verified<Artifact> = &recorded.artifact;
    about.value().subject().is_some_and(|subject| subject.repository == session.trust.repository())
        && clock::speaks(&session.trust, session.now, recorded, Role::Owner)
}

/// Every baseline that a registrar's hints lead to, also put with those known. A hint that is left out only makes a range longer.
fn all_baselines(
    session: &Session<'_>,
    noted: &Noted,
    known: &mut BTreeSet<Oid>,
) -> Result<BTreeSet<Oid>, GatherError> {
    let mut found = BTreeSet::new();
    for (registrar, Hint { hint, .. }) in session.shelves.read(&baseline_directory(session))?.leads() {
        if registrar.is_some_and(|registrar| session.shelves.is_spent(&registrar)) {
            continue;
        }
        if !session.repository.contains(&hint) {
            // In a clone of some branches that is nobody's fault, and costs next to nothing.
            continue;
        }
        if is_noted_baseline(session, noted, &hint)? {
            found.insert(hint);
        } else if noted.on(&hint, |artifact| matches!(artifact, Artifact::Baseline(_))).is_empty() {
            registrar.iter().for_each(|registrar| session.shelves.charge(registrar));
        }
    }
    known.extend(found.iter().copied());
    Ok(found)
}

/// The object in whose note hints at baselines stand: the empty tree, which every repository has.
pub fn baseline_directory(session: &Session<'_>) -> Oid {
    session.repository.object_format().empty_tree()
}

//! RESULT: which settled updates are verified by evidence that the actor could not have made (contract, section 9).

use std::collections::BTreeSet;

use super::context::Context;
use super::error::AppError;
use super::events::Events;
use super::outbox;
use super::subject;
use super::transact::{Decided, transact};
use crate::codec::artifact::Artifact;
use crate::gate::docket::Docket;
use crate::gate::facts::Facts;
use crate::gate::result::verification;
use crate::gate::rule::{Match, rule_for};
use crate::gather::notes::Noted;
use crate::gather::{Session, UpdateRequest, facts_for};
use crate::git::Repository;
use crate::model::digest::Digest;
use crate::model::event::EventKind;
use crate::model::id::{ArtifactId, Oid};

/// Records what is verified now and was not before: of one proposal, or of what stands at the tips of branches here and at remotes.
/// Gives the work receipts.
///
/// # Errors
/// When notes can't be read or written.
pub fn verify_results(
    context: &Context,
    repository: &Repository,
    what: Option<&str>,
) -> Result<Vec<ArtifactId>, AppError> {
    transact(context, repository, "verified", |session, noted, signer| {
        let notes = notes(session, noted, what)?;
        let mut events = Events::new(session, noted, signer);
        let mut found = Vec::new();
        for note in notes {
            for entry in outbox::on(session, noted, signer, note)? {
                if !entry.row.is_settled() {
                    continue;
                }
                for (receipt, evidence) in verified(session, noted, &events, &entry)? {
                    let evidence = evidence.into_iter().collect();
                    let kind = EventKind::Verified { evidence, work_receipt: receipt };
                    events.add(note, Some(&entry.statement.predicate), kind)?;
                    found.push(ArtifactId::of(&receipt));
                }
            }
        }
        Ok(Decided { seen: Vec::new(), value: found, writing: events.writing() })
    })
}

fn notes(session: &Session<'_>, noted: &Noted, what: Option<&str>) -> Result<BTreeSet<Oid>, AppError> {
    if what.is_some() {
        let (_, statement) = subject::proposal(session, noted, what, &subject::to_name)?;
        return Ok(statement.subject.iter().map(|about| about.commit).collect());
    }
    let mut tips = BTreeSet::new();
    for prefix in ["refs/heads/", "refs/remotes/"] {
        let refs = session.repository.refs_under(prefix)?;
        tips.extend(refs.iter().filter_map(|(_, oid)| session.repository.peel_to_commit(oid).ok().flatten()));
    }
    Ok(tips)
}

/// The work receipts of a settled row that are verified and not yet recorded as such, each with its evidence.
fn verified(
    session: &Session<'_>,
    noted: &Noted,
    events: &Events<'_, '_>,
    entry: &outbox::Entry,
) -> Result<Vec<(Digest, BTreeSet<Digest>)>, AppError> {
    let candidate = &entry.row.candidate;
    let is_receipt = |artifact: &Artifact| match artifact {
        Artifact::WorkReceipt(it) => {
            it.predicate.envelope == entry.proposal
                && it.predicate.disposition == crate::model::decision::Disposition::Complete
                && it.predicate.observed.reference == candidate.reference
                && it.predicate.observed.old == candidate.old
        }
        _ => false,
    };
    let receipts = noted.on(&entry.note, is_receipt);
    let recorded = |receipt: &Digest| {
        events.happened(
            entry.note,
            |kind| matches!(kind, EventKind::Verified { work_receipt, .. } if work_receipt == receipt),
        )
    };
    let open: Vec<Digest> = receipts.into_iter().filter(|receipt| !recorded(receipt)).collect();
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let actor = entry.statement.predicate.bindings.actor.value().and_then(|id| session.trust.party_of(id));
    let Some(actor) = actor.filter(|actor| {
        noted.artifact(&entry.proposal).is_some_and(|recorded| recorded.artifact.signed_by(&actor.key))
    }) else {
        return Ok(Vec::new());
    };
    let facts = facts(session, noted, candidate.reference.clone(), entry.note)?;
    let wanted = facts.policy().map_or_else(Vec::new, |(_, policy)| match rule_for(policy, &candidate.reference) {
        Match::Rule { rule, .. } => rule.evidence.clone(),
        _ => Vec::new(),
    });
    let found = open.into_iter().filter_map(|receipt| {
        let evidence = verification(&facts, facts.artifacts.get(&receipt)?, actor, &wanted).ok()?;
        Some((receipt, evidence))
    });
    Ok(found.collect())
}

/// What is known about one commit's note, for a question that is about receipts alone.
fn facts(session: &Session<'_>, noted: &Noted, reference: String, note: Oid) -> Result<Facts, AppError> {
    let request = UpdateRequest {
        exact: false,
        new: note,
        old: note,
        purpose: crate::gate::facts::Purpose::Verify,
        reference,
        side: crate::gather::base::Side::default(),
    };
    let mut facts = facts_for(session, noted, &request)?;
    facts.artifacts = Docket::new(noted.artifacts());
    Ok(facts)
}

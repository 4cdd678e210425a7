//! One artifact in words: kind, summary, proven facts, and, apart from them, what is merely said.

mod event;
mod gateway;

use crate::codec::artifact::Artifact;
use crate::gather::Session;
use crate::model::asserted::Asserted;
use crate::model::count;
use crate::model::decision::Candidate;
use crate::model::digest::Digest;
use crate::model::id::{ArtifactId, KeyId};

/// Kind, summary, proven facts, asserted words.
pub type Parts = (String, String, Vec<(String, String)>, Vec<(String, String)>);

/// What nobody said is not shown as said.
fn reason(text: &str) -> Asserted {
    if text.is_empty() { Asserted::none() } else { Asserted::one("reason", text) }
}

/// Takes an artifact apart.
pub fn parts(session: &Session<'_>, artifact: &Artifact) -> Parts {
    let name = |id: &KeyId| session.trust.party_of(id).map_or_else(|| id.to_string(), |party| party.label.clone());
    let mut proven: Vec<(String, String)> = Vec::new();
    let mut fact = |label: &str, value: String| proven.push((label.to_owned(), value));
    let mut said = Asserted::none();
    let (kind, summary) = match artifact {
        Artifact::Handoff(it) => {
            let handoff = &it.predicate;
            said = handoff.assignment.asserted.clone();
            fact("to", name(&handoff.to));
            fact("pin", format!("{} on {}", handoff.pin.commit, handoff.pin.reference));
            fact("refs", handoff.scope.refs.join(" "));
            fact("paths", handoff.scope.paths.join(" "));
            fact("operations", handoff.scope.operations.iter().map(|one| one.name()).collect::<Vec<_>>().join(" "));
            if let Some(lease) = handoff.lease {
                fact("lease", format!("{} to {}", lease.not_before, lease.expires_at));
            }
            if !handoff.assignment.work_id.is_empty() {
                fact("work", handoff.assignment.work_id.clone());
            }
            ("handoff", format!("to {} for {}", name(&handoff.to), handoff.scope.paths.join(" ")))
        }
        Artifact::Revocation(it) => {
            said = reason(&it.predicate.reason);
            fact("target", it.predicate.target.to_string());
            ("revocation", format!("of {}", short(&it.predicate.target)))
        }
        Artifact::Baseline(it) => {
            fact("ref", it.predicate.reference.clone());
            ("baseline", format!("{} adopted as it is", it.predicate.reference))
        }
        Artifact::Override(it) => {
            said = it.predicate.asserted.clone();
            fact("target", it.predicate.target.to_string());
            ("override", format!("of {}", short(&it.predicate.target)))
        }
        Artifact::EvidenceEnvelope(it) => {
            let envelope = &it.predicate;
            said = envelope.claim.asserted.clone();
            fact("envelope", format!("{} version {}", envelope.envelope_id, envelope.version));
            fact("actor", envelope.bindings.actor.value().map_or_else(|| "not known".to_owned(), &name));
            fact("handoff", envelope.bindings.lease.value().map_or_else(|| "none".to_owned(), Digest::to_string));
            fact("context", envelope.bindings.context.value().map_or_else(|| "none".to_owned(), Digest::to_string));
            fact(
                "pin",
                envelope.bindings.source_expected.value().map_or_else(|| "none".to_owned(), ToString::to_string),
            );
            fact("change", envelope.change.list.to_string());
            let mut summary = "asks for nothing".to_owned();
            if let Some(action) = &envelope.requested_action {
                fact("action", format!("{} {} from {} to {}", action.kind, action.reference, action.old, action.new));
                if let Some(write) = &action.write {
                    fact("path", write.path.as_str().to_owned());
                    fact("content", format!("{} {} bytes {}", write.content, write.size, write.media_type));
                    fact("replaces", write.preimage.map_or_else(|| "nothing".to_owned(), |it| it.to_string()));
                    fact("session", write.session.to_string());
                }
                summary = if let Some(write) = &action.write {
                    format!("write {}", write.path.as_str())
                } else if action.new.is_zero() {
                    format!("delete {}", action.reference)
                } else {
                    format!("{} to {}", action.reference, action.new.short())
                };
            }
            ("proposal", summary)
        }
        Artifact::ContextReceipt(it) => {
            let receipt = &it.predicate;
            fact("actor", name(&receipt.actor));
            fact("envelope", receipt.envelope_id.to_string());
            for item in &receipt.delivered {
                fact("delivered", format!("{} {}", word(item.kind), item.digest));
            }
            fact("base", format!("{} {}", receipt.snapshot.base.reference, oid_or(&receipt.snapshot.base.oid)));
            ("context receipt", format!("{} items to {}", receipt.delivered.len(), name(&receipt.actor)))
        }
        Artifact::DietCommitment(it) => {
            let commitment = &it.predicate;
            fact("checker", name(&commitment.checker));
            fact("proposal", commitment.subject.to_string());
            fact("policy", commitment.policy.to_string());
            fact("diet root", commitment.diet_root.to_string());
            for entry in &commitment.diet {
                fact("diet", format!("{} {}", entry.class, entry.digest));
            }
            ("diet commitment", format!("by {} over {}", name(&commitment.checker), classes(&commitment.diet)))
        }
        Artifact::BoundaryProof(proof) => {
            let proven_zone = &proof.proven;
            fact("decision", proven_zone.decision.to_string());
            fact("checker", resolved(session, &proven_zone.checker));
            fact("actor", resolved(session, &proven_zone.actor));
            fact("proposal", proven_zone.subject_ref.clone());
            fact("policy", proven_zone.policy.to_string());
            fact("diet root", proven_zone.diet_root.to_string());
            for entry in &proven_zone.diet {
                fact("diet", format!("{} {}", entry.class, entry.digest));
            }
            fact("anchor", proven_zone.anchor.clone());
            let mut words = proof.said.labels.for_display();
            words.extend(
                proof.said.outcome.for_display().into_iter().map(|(label, text)| (format!("outcome.{label}"), text)),
            );
            words.extend(proof.said.asserted.for_display());
            let summary = format!(
                "{} by {} over {}",
                proven_zone.decision,
                resolved(session, &proven_zone.checker),
                classes(&proven_zone.diet)
            );
            return ("boundary proof".to_owned(), summary, proven, words);
        }
        Artifact::Approval(it) => {
            let approval = &it.predicate;
            said = reason(&approval.reason);
            fact("proposal", approval.envelope.to_string());
            fact("action", approval.action_digest.to_string());
            fact("principal", name(&approval.principal));
            fact("expires", approval.expires_at.to_string());
            ("approval", format!("{} {}", word(approval.verdict), short(&approval.envelope)))
        }
        Artifact::Event(it) => {
            let (summary, words) = event::parts(&it.predicate, &mut fact);
            said = words;
            ("event", summary)
        }
        Artifact::TestResult(it) => {
            it.subjects.iter().for_each(|subject| fact("subject", subject.to_string()));
            it.commits.iter().for_each(|commit| fact("commit", commit.to_string()));
            fact("result", word(it.result));
            fact(
                "tests",
                format!("{} passed, {} failed, {} warned", it.passed.len(), it.failed.len(), it.warned.len()),
            );
            it.failed.iter().for_each(|test| fact("failed", test.clone()));
            ("test result", format!("{} with {} failed", word(it.result).to_lowercase(), it.failed.len()))
        }
        Artifact::Observation(it) => {
            fact("subject", it.predicate.subject.to_string());
            fact("result", word(it.predicate.result));
            said = Asserted::one("what", &it.predicate.what);
            ("observation", format!("{} of {}", word(it.predicate.result), short(&it.predicate.subject)))
        }
        Artifact::WorkReceipt(it) => {
            let receipt = &it.predicate;
            fact("proposal", receipt.envelope.to_string());
            fact("action", receipt.action_digest.to_string());
            fact("actor", name(&receipt.actor));
            fact("registrar", name(&receipt.registrar));
            fact("disposition", word(receipt.disposition));
            fact(
                "observed",
                format!("{} from {} to {}", receipt.observed.reference, receipt.observed.old, receipt.observed.new),
            );
            ("work receipt", format!("{} {}", word(receipt.disposition), receipt.observed.reference))
        }
        Artifact::Contradiction(it) => {
            said = it.predicate.asserted.clone();
            fact("target", it.predicate.target.to_string());
            fact("material", it.predicate.material.to_string());
            ("contradiction", format!("{} against {}", word(it.predicate.state), short(&it.predicate.target)))
        }
        Artifact::Refusal(it) => {
            let refusal = &it.predicate;
            fact(
                "update",
                format!("{} from {} to {}", refusal.candidate.reference, refusal.candidate.old, refusal.candidate.new),
            );
            fact("candidate", refusal.candidate_digest.to_string());
            fact("codes", refusal.codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(" "));
            for (check, verdict) in &refusal.checks {
                fact(&format!("check {check}"), word(verdict));
            }
            for reason in &refusal.reasons {
                fact("reason", reason.text.clone());
            }
            fact("next", refusal.safe_next_action.sentence.clone());
            ("refusal", format!("{} of {}", refusal.primary_code, moved(&refusal.candidate)))
        }
        Artifact::Installation(it) => {
            for (label, value) in gateway::installation(&it.predicate) {
                fact(label, value);
            }
            ("installation", format!("of {} {}", it.predicate.adapter, it.predicate.version))
        }
        Artifact::Session(it) => {
            for (label, value) in gateway::session(&it.predicate, &name) {
                fact(label, value);
            }
            ("session", format!("of {}, until {}", short(&it.predicate.installation), it.predicate.expires_at))
        }
        Artifact::Access(it) => {
            for (label, value) in gateway::accesses(&it.predicate) {
                fact(label, value);
            }
            (
                "access",
                format!(
                    "{} in {}",
                    count::of(it.predicate.accesses.len() as u64, "access", "accesses"),
                    short(&it.predicate.session)
                ),
            )
        }
        Artifact::Foreign(it) => {
            said = it.said.clone();
            ("foreign receipt", format!("{}; counts towards nothing", it.kind))
        }
        Artifact::Unknown { predicate_type, .. } => {
            fact("predicate type", predicate_type.clone());
            ("unknown", format!("{predicate_type}, which this version does not know"))
        }
        Artifact::Trust(_) => ("trust document", "belongs in refs/boundary/trust".to_owned()),
        Artifact::Policy(_) => ("policy", "belongs in refs/boundary/policy".to_owned()),
    };
    (kind.to_owned(), summary, proven, said.for_display())
}

fn short(digest: &Digest) -> String {
    ArtifactId::of(digest).to_string()
}

fn oid_or(oid: &Option<crate::model::id::Oid>) -> String {
    oid.map_or_else(|| "not known".to_owned(), |oid| oid.to_string())
}

fn classes(diet: &[crate::model::diet::DietEntry]) -> String {
    diet.iter().map(|entry| entry.class.as_str()).collect::<Vec<_>>().join(", ")
}

fn resolved(session: &Session<'_>, name: &str) -> String {
    session
        .trust
        .resolve(name)
        .and_then(|key| session.trust.party(&key))
        .map_or_else(|| format!("{name} (not listed)"), |party| party.label.clone())
}

/// The name that a value has in what is signed, for people.
pub fn word(value: impl serde::Serialize) -> String {
    let name = serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned));
    name.unwrap_or_default().replace('_', " ")
}

fn update(candidate: &Candidate) -> String {
    format!("{} from {} to {}", candidate.reference, candidate.old, candidate.new)
}

/// A ref and what it gets; that it gets nothing is said in words.
fn moved(candidate: &Candidate) -> String {
    if candidate.new.is_zero() {
        format!("the deletion of {}", candidate.reference)
    } else {
        format!("{} at {}", candidate.reference, candidate.new.short())
    }
}

//! SUMMARY: what `verify` says, as a SLSA verification summary (`https://slsa.dev/verification_summary/v1`).

use serde_json::json;

use super::{ExportOptions, Exported};
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::app::verify::{VerifyOptions, verify};
use crate::codec::canonical;
use crate::codec::in_toto::{PAYLOAD_TYPE, STATEMENT_TYPE};
use crate::crypto::verified::sign;
use crate::crypto::{Signer, key_id};
use crate::gate::verdict::Outcome;
use crate::model::id::ArtifactId;

/// The predicate type.
const PREDICATE_TYPE: &str = "https://slsa.dev/verification_summary/v1";
/// The property that a passed verification has. SLSA keeps its own names to itself.
const COVERED: &str = "GIT_BOUNDARY_COVERED";
/// SLSA's word for none.
const FAILED: &str = "FAILED";

/// Verifies, and signs what came of it. What is undecided is no summary.
pub(super) fn export(context: &Context, options: &ExportOptions) -> Result<Exported, AppError> {
    let what = options.what.clone().unwrap_or_else(|| "HEAD".to_owned());
    let asked = VerifyOptions { revisions: vec![what.clone()], reference: options.reference.clone() };
    let answer = verify(context, &asked)?;
    let refused = match answer.outcome {
        Outcome::Admitted => false,
        Outcome::Refused => true,
        Outcome::Undecided => {
            let why = answer.gaps.first().map_or_else(String::new, |gap| format!(": {gap}"));
            let next = answer.next.unwrap_or_else(|| format!("git boundary verify {what}"));
            return Err(super::incomplete(format!("{what} is undecided{why}; no summary can say that"), &next));
        }
    };
    let repository = context.repository()?;
    let session = context.open(&repository)?;
    let signer: Box<dyn Signer> = match &context.key {
        Some(_) => context.named_key(&repository, "boundary.checkerKey", "git boundary key list")?,
        None => session.local.registrar_or_new()?,
    };
    let id = key_id(&signer.public_key());
    let Some(revision) = answer.revisions.first() else {
        return Err(super::incomplete(format!("{what} names no revision"), "git boundary verify"));
    };
    let proposals = answer.commits.iter().filter_map(|commit| commit.envelope);
    let mut inputs: Vec<ArtifactId> = proposals.chain(answer.proofs.iter().map(|proof| proof.id)).collect();
    inputs.sort();
    inputs.dedup();
    let digests = session.shelves.notes_of(|digest| inputs.contains(&ArtifactId::of(digest)))?;
    let noted = crate::gather::notes::Noted::default();
    for oid in &digests {
        noted.read(&session, oid)?;
    }
    let inputs: Vec<_> = noted
        .artifacts()
        .keys()
        .filter(|digest| inputs.contains(&ArtifactId::of(digest)))
        .map(|digest| json!({"digest": {"sha256": digest.hex()}, "uri": format!("urn:git-boundary:artifact:{digest}")}))
        .collect();
    let policy = session.policies.in_force.map_or_else(
        || json!({"uri": "urn:git-boundary:policy:v1"}),
        |digest| json!({"digest": {"sha256": digest.hex()}, "uri": "urn:git-boundary:policy:v1"}),
    );
    let statement = json!({
        "_type": STATEMENT_TYPE,
        "predicate": {
            "inputAttestations": inputs,
            "policy": policy,
            "resourceUri": format!("urn:git-boundary:{}#{}", answer.repository, revision.judged_by),
            "timeVerified": context.now.to_string(),
            "verificationResult": if refused { "FAILED" } else { "PASSED" },
            "verifiedLevels": [if refused { FAILED } else { COVERED }],
            "verifier": {
                "id": format!("urn:git-boundary:verifier:{id}"),
                "version": {"git-boundary": env!("CARGO_PKG_VERSION")},
            },
        },
        "predicateType": PREDICATE_TYPE,
        "subject": [{"digest": {"gitCommit": revision.tip.to_string()}, "name": answer.repository.to_string()}],
    });
    let mut bytes = sign(PAYLOAD_TYPE, canonical::to_vec(&statement), &*signer)?.line();
    bytes.push(b'\n');
    let about = format!("{} at {}: {}", revision.name, revision.tip.short(), answer.verdict);
    Ok(Exported {
        bytes,
        about,
        artifacts: inputs.len(),
        refused,
        remarks: Vec::new(),
        notices: answer.notices,
        trust_root: answer.trust_root,
    })
}

//! ADOPT: a clone in which no trust chain is takes the one that a bundle carries, from the root that its user names or has pinned.

use serde::Serialize;

use crate::app::bundle::Verifier;
use crate::app::bundle::answer::{BundleAnswer, Defect};
use crate::app::bundle::contents::{self, Contents};
use crate::app::bundle::form::Bundle;
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::gather::GatherError;
use crate::gather::session::pin;
use crate::git::{Expected, RefEdit, Repository, Update};
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::store::{LocalState, chains, layout};

/// A trust chain that was taken over, with the policies that go with it.
#[derive(Debug, Serialize)]
pub struct Adopted {
    /// The pinned root.
    pub trust_root: Digest,
    /// The version that it brought.
    pub trust_version: u64,
}

/// What came of it.
pub(super) enum Adoption {
    /// It stands here now.
    Done(Adopted),
    /// There is trust here.
    NotNeeded,
    /// The file brings none that verifies.
    Wrong(Vec<Defect>),
}

/// Takes over the chains of trust and policy of a bundle, where none are here and a root is pinned or named.
///
/// # Errors
/// Where no root is, or the repository can't be read or written.
pub(super) fn adopt(context: &Context, repository: &Repository, bytes: &[u8]) -> Result<Adoption, AppError> {
    match context.open(repository) {
        Ok(_) => return Ok(Adoption::NotNeeded),
        Err(AppError::Gather(GatherError::NotPinned)) => {
            return Err(AppError::usage(
                "this clone pins no trust root, and none is taken from a file; name the one that the owner gave you",
                "git boundary import <file> --trust-root <root>",
            ));
        }
        Err(AppError::Gather(GatherError::NoTrust(_))) => {}
        Err(error) => return Err(error),
    }
    let (root, source) = pin(repository, &context.session)?;
    if super::lines::looks_like_lines(bytes) {
        return Err(AppError::usage(
            format!("the trust chain of {root} is not here, and signed lines bring none"),
            "import a bundle first, as git boundary export <what> --output <file> writes it in a clone that has trust",
        ));
    }
    let min_trust_version = context.session.min_trust_version;
    let verifier = Verifier { now: context.now, pinned_by: source.name(), reference: None, root, min_trust_version };
    let mut answer = BundleAnswer::of(root, verifier.pinned_by);
    let opened = match Bundle::read(bytes) {
        Ok(bundle) => contents::open(&bundle, &verifier, &mut answer).map(|contents| (bundle, contents)),
        Err(defect) => {
            answer.defect("the file", defect);
            None
        }
    };
    let local = LocalState::of(repository);
    let Some((bundle, Contents { trust, .. })) = opened else { return Ok(Adoption::Wrong(wrong(answer))) };
    if let Some(seen) = local.seen_version("trust")?.filter(|seen| seen.version > trust.version()) {
        let text = format!(
            "is at version {}; version {} was seen here before, so somebody went back",
            trust.version(),
            seen.version
        );
        return Ok(Adoption::Wrong(vec![Defect { what: "the trust chain".to_owned(), text }]));
    }
    let edit = |reference: &str, lines: &[String]| -> Result<Option<RefEdit>, AppError> {
        let mut tip: Option<Oid> = None;
        for (version, line) in (1..).zip(lines) {
            let commit = chains::next_commit(repository, reference, (tip, &[]), version, line.as_bytes(), context.now)?;
            tip = Some(commit);
        }
        Ok(tip.map(|tip| RefEdit { name: reference.to_owned(), expected: Expected::Absent, new: Some(tip) }))
    };
    let edits: Vec<RefEdit> =
        [edit(layout::TRUST, &bundle.trust)?, edit(layout::POLICY, &bundle.policy)?].into_iter().flatten().collect();
    if let Update::Raced = repository.update_refs(&edits, "boundary: imported trust", context.now)? {
        return Err(AppError::fatal("trust or policy came here at the same moment", "git boundary init"));
    }
    // The pin comes last: until it is there, the same can be done again.
    local.pin_root(root)?;
    repository.set_config_local("boundary.trustRoot", &root.to_string())?;
    Ok(Adoption::Done(Adopted { trust_root: root, trust_version: trust.version() }))
}

/// Why nothing of a bundle is believed: what is wrong with it, or what keeps it open.
pub(super) fn wrong(answer: BundleAnswer) -> Vec<Defect> {
    let open = answer.gaps.into_iter().map(|text| Defect { what: "the file".to_owned(), text });
    answer.defects.into_iter().chain(open).collect()
}

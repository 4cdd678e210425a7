//! BUNDLES: one file with a proof, an envelope, a range or a session, and all that shows it to somebody who has nothing else (contract, section 10).
//!
//! Nothing in here opens a repository or asks git: what a bundle shows, it shows in an empty directory. The checks are the gate's own, over
//! facts that are taken from the file; what the file cannot hold is named in the answer.

pub mod answer;
pub mod contents;
pub mod form;
mod judged;
mod ledgers;
pub(super) mod range;
pub mod session;

use crate::model::digest::Digest;
use crate::model::time::Timestamp;

use self::form::AboutKind;
pub use answer::BundleAnswer;
pub use form::Bundle;

/// What somebody who verifies a bundle brings along.
#[derive(Debug, Clone)]
pub struct Verifier {
    /// The clock.
    pub now: Timestamp,
    /// Where the pinned root came from.
    pub pinned_by: &'static str,
    /// The ref by whose rule to judge, instead of the one that the bundle is about.
    pub reference: Option<String>,
    /// The pinned root.
    pub root: Digest,
    /// The least trust version that is believed.
    pub min_trust_version: Option<u64>,
}

/// Verifies the bytes of a bundle. Whatever is wrong with them is in the answer.
pub fn verify(bytes: &[u8], verifier: &Verifier) -> BundleAnswer {
    let mut answer = BundleAnswer::of(verifier.root, verifier.pinned_by);
    match form::Bundle::read(bytes) {
        Ok(bundle) => {
            if let Some(contents) = contents::open(&bundle, verifier, &mut answer) {
                match bundle.about.kind {
                    AboutKind::Session => session::judge(&bundle, &contents, verifier, &mut answer),
                    _ => judged::judge(&bundle, contents, verifier, &mut answer),
                }
            }
        }
        Err(defect) => answer.defect("the file", defect),
    }
    answer.conclude();
    answer
}

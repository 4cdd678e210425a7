//! PENDING: the next version of the trust document while it lacks root signatures (contract, section 4).

use std::collections::BTreeSet;

use super::Signer;
use super::error::KeyError;
use super::trust::{DocumentDefect, Trust, TrustError};
use super::verified::{BadLine, verify_statement};
use crate::codec::dsse::{Dsse, Signature};
use crate::model::digest::Digest;
use crate::model::key::PublicKey;
use crate::model::trust::TrustDocument;

/// A version that roots of the one in force have begun to sign. What it says is not in force.
#[derive(Debug, Clone)]
pub struct Pending {
    /// What it would say.
    pub document: TrustDocument,
    line: Dsse,
    signers: BTreeSet<PublicKey>,
}

/// What stands between a signed version and its being in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lacking {
    /// Good root signatures so far.
    pub found: u64,
    /// How many it takes.
    pub threshold: u64,
}

impl Pending {
    /// Reads a line as the next version after `trust`, if a root of `trust` in good standing has signed it.
    ///
    /// # Errors
    /// [`TrustError`], saying why it is none.
    pub fn read(trust: &Trust, line: &[u8]) -> Result<Pending, TrustError> {
        let version = trust.version() + 1;
        let defect = |defect| TrustError::Line { version, defect };
        let envelope = Dsse::parse(line).map_err(|error| defect(BadLine::Envelope(error)))?;
        let verified = verify_statement::<TrustDocument>(line, &|name| trust.resolve(name)).map_err(defect)?;
        let document = verified.value().predicate.clone();
        let wrong = |defect| TrustError::Document { version, defect };
        if document.version != version {
            return Err(wrong(DocumentDefect::Version(document.version)));
        }
        if document.previous != Some(trust.digest()) {
            let (found, expected) = (document.previous, Some(trust.digest()));
            return Err(wrong(DocumentDefect::Previous { found, expected }));
        }
        let roots = trust.roots();
        if verified.signers().is_disjoint(&roots) {
            let threshold = trust.document().roots.threshold;
            return Err(wrong(DocumentDefect::Threshold { found: 0, threshold, by: trust.version() }));
        }
        Ok(Pending { document, line: envelope, signers: verified.signers().clone() })
    }

    /// What names it: the digest that its version will have.
    pub fn digest(&self) -> Digest {
        self.line.digest()
    }

    /// The line as it is.
    pub fn line(&self) -> Vec<u8> {
        self.line.line()
    }

    /// The keys of the version in force that have signed it.
    pub fn signers(&self) -> &BTreeSet<PublicKey> {
        &self.signers
    }

    /// Takes over what others have signed of the same version.
    pub fn unite(&mut self, other: &Pending) {
        if other.digest() == self.digest() {
            self.line = united(&self.line, &other.line.signatures);
            self.signers.extend(&other.signers);
        }
    }

    /// The same with one more signature.
    ///
    /// # Errors
    /// What the key has to say.
    pub fn cosigned(&self, signer: &dyn Signer) -> Result<Dsse, KeyError> {
        let one = super::verified::sign(&self.line.payload_type, self.line.payload.clone(), signer)?;
        Ok(united(&self.line, &one.signatures))
    }
}

/// Signatures in the order in which they came, each once.
fn united(line: &Dsse, more: &[Signature]) -> Dsse {
    let mut line = line.clone();
    for one in more {
        if !line.signatures.contains(one) {
            line.signatures.push(one.clone());
        }
    }
    line
}

/// What a line lacks to be the next version after `trust`; `None` when it is it.
///
/// # Errors
/// [`TrustError`], where more signatures would not help.
pub fn lacking(trust: &Trust, line: &[u8]) -> Result<Option<Lacking>, TrustError> {
    match Trust::next(Some(trust.clone()), line, trust.version() + 1, trust.root()) {
        Ok(_) => Ok(None),
        Err(TrustError::Document { defect: DocumentDefect::Threshold { found, threshold, .. }, .. }) => {
            Ok(Some(Lacking { found, threshold }))
        }
        Err(error) => Err(error),
    }
}

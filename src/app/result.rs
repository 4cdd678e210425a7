//! RESULT: which settled updates are verified by evidence that the actor could not have made (contract, section 9).

use super::context::Context;
use super::error::AppError;
use crate::git::Repository;
use crate::model::id::ArtifactId;

/// Records what is verified now and was not before.
///
/// # Errors
/// When notes can't be read or written.
pub fn verify_results(
    _context: &Context,
    _repository: &Repository,
    _what: Option<&str>,
) -> Result<Vec<ArtifactId>, AppError> {
    Ok(Vec::new())
}

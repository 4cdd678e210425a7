//! What a file says of a test run: a JUnit file, or an in-toto statement that is about this result and nothing else.

use super::super::error::AppError;
use super::receipt::About;
use crate::codec::strict::MAX_LINE;
use crate::codec::test_result::TestResultError;
use crate::codec::{junit, test_result};
use crate::model::id::ArtifactId;

/// Longest file, in bytes.
pub const MAX_FILE: u64 = 16 << 20;

const ADD: &str = "git boundary evidence add <file>, with a file of JUnit XML or an in-toto test result";

/// An in-toto statement with what the file says.
///
/// # Errors
/// When it is no test result, or is about something else.
pub fn payload(file: &[u8], about: &About) -> Result<Vec<u8>, AppError> {
    let first = file.iter().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(&b'{') {
        is_about(file, about)?;
        return Ok(file.to_vec());
    }
    let result = junit::read(file).map_err(|error| AppError::usage(format!("no JUnit file: {error}"), ADD))?;
    let payload = test_result::write(&result, &ArtifactId::of(&about.receipt).to_string(), &about.receipt);
    if payload.len() > MAX_LINE { Err(too_long()) } else { Ok(payload) }
}

/// What can't be stored whole is not stored.
pub fn too_long() -> AppError {
    AppError::usage(
        "what is to be signed is longer than a line may be, 1 MiB, and no failed test is left out",
        "name one suite's file at a time: git boundary evidence add <file>",
    )
}

/// What is wrong with a statement.
pub fn no_result(error: TestResultError) -> AppError {
    AppError::usage(error.to_string(), ADD)
}

/// Every subject has to be the proposal's commit or the work receipt: who tested something else has not tested this.
fn is_about(file: &[u8], about: &About) -> Result<(), AppError> {
    let (commit, receipt) = (about.commit.hex(), about.receipt.hex());
    for subject in test_result::subjects(file).map_err(no_result)? {
        let mut known = false;
        for (algorithm, found) in &subject {
            let wanted = match algorithm.as_str() {
                "gitCommit" => &commit,
                "sha256" => &receipt,
                _ => continue,
            };
            if found != wanted {
                return Err(AppError::usage(
                    format!("the test result is about {algorithm} {found}; this is about {algorithm} {wanted}"),
                    "git boundary evidence add <file> --for <envelope>",
                ));
            }
            known = true;
        }
        if !known {
            return Err(AppError::usage(
                format!("a subject of the test result names neither gitCommit {commit} nor sha256 {receipt}"),
                ADD,
            ));
        }
    }
    Ok(())
}

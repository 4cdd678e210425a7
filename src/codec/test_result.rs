//! in-toto test results (`https://in-toto.io/attestation/test-result/v0.1`), as CI tools emit them.
//!
//! Read by in-toto's own rules: fields that are not known are ignored. Written with one subject, the artifact that the result is about.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::in_toto::{STATEMENT_TYPE, TEST_RESULT};
use super::{canonical, strict};
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::test_result::{TestOutcome, TestResult};

/// What is wrong with a test result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TestResultError {
    /// Too long, too deep, or a byte order mark.
    #[error("no test result: {0}")]
    Bounds(#[from] strict::Defect),
    /// Not of the shape that in-toto gives.
    #[error("no test result: {0}")]
    Shape(String),
    /// Another statement or predicate type.
    #[error("no test result but a statement of type {0:?}")]
    Type(String),
    /// A result without a subject is about nothing.
    #[error("no test result: it has no subject")]
    NoSubject,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    #[serde(rename = "_type")]
    statement_type: String,
    predicate: WirePredicate,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    subject: Vec<WireSubject>,
}

#[derive(Serialize, Deserialize)]
struct WireSubject {
    digest: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct WirePredicate {
    #[serde(default)]
    configuration: Vec<serde_json::Value>,
    #[serde(default, rename = "failedTests")]
    failed: Vec<String>,
    #[serde(default, rename = "passedTests")]
    passed: Vec<String>,
    result: TestOutcome,
    #[serde(default, rename = "warnedTests")]
    warned: Vec<String>,
}

/// Reads a payload whose signature was verified before, or a file that is to be signed.
///
/// # Errors
/// [`TestResultError`]
pub fn read(payload: &[u8]) -> Result<TestResult, TestResultError> {
    strict::bounds(payload)?;
    let wire: Wire = serde_json::from_slice(payload).map_err(|error| TestResultError::Shape(error.to_string()))?;
    if wire.statement_type != STATEMENT_TYPE {
        return Err(TestResultError::Type(wire.statement_type));
    }
    if wire.predicate_type != TEST_RESULT {
        return Err(TestResultError::Type(wire.predicate_type));
    }
    if wire.subject.is_empty() {
        return Err(TestResultError::NoSubject);
    }
    let named = |algorithm: &'static str| wire.subject.iter().filter_map(move |one| one.digest.get(algorithm));
    let sha256 = |hex: &String| format!("sha256:{hex}").parse::<Digest>().ok();
    Ok(TestResult {
        commits: named("gitCommit").filter_map(|hex| hex.parse::<Oid>().ok()).collect(),
        subjects: named("sha256").filter_map(sha256).collect(),
        failed: wire.predicate.failed,
        passed: wire.predicate.passed,
        result: wire.predicate.result,
        warned: wire.predicate.warned,
    })
}

/// The canonical payload of a result about one artifact, called `name` there for people.
pub fn write(result: &TestResult, name: &str, about: &Digest) -> Vec<u8> {
    canonical::to_vec(&Wire {
        statement_type: STATEMENT_TYPE.to_owned(),
        predicate: WirePredicate {
            configuration: Vec::new(),
            failed: result.failed.clone(),
            passed: result.passed.clone(),
            result: result.result,
            warned: result.warned.clone(),
        },
        predicate_type: TEST_RESULT.to_owned(),
        subject: vec![WireSubject {
            digest: std::iter::once(("sha256".to_owned(), about.hex())).collect(),
            name: Some(name.to_owned()),
        }],
    })
}

/// The digests of each subject, by algorithm, of a statement that [`read`] takes.
///
/// # Errors
/// [`TestResultError`]
pub fn subjects(payload: &[u8]) -> Result<Vec<BTreeMap<String, String>>, TestResultError> {
    read(payload)?;
    let wire: Wire = serde_json::from_slice(payload).map_err(|error| TestResultError::Shape(error.to_string()))?;
    Ok(wire.subject.into_iter().map(|one| one.digest).collect())
}

/// The same result with one artifact, called `name` there for people, as its only subject. What was found is kept byte for byte.
///
/// `annotations` go to the subject, where in-toto has them. Two runs that found the same are two artifacts by them: without, the second
/// would be the first once more, at the first one's place in every ledger.
///
/// # Errors
/// [`TestResultError`]
pub fn readdress(
    payload: &[u8],
    name: &str,
    about: &Digest,
    annotations: &BTreeMap<String, String>,
) -> Result<Vec<u8>, TestResultError> {
    let shape = |error: serde_json::Error| TestResultError::Shape(error.to_string());
    read(payload)?;
    let found: Found<'_> = serde_json::from_slice(payload).map_err(shape)?;
    let digest = BTreeMap::from([("sha256", about.hex())]);
    serde_json::to_vec(&Addressed {
        statement_type: STATEMENT_TYPE,
        predicate: found.predicate,
        predicate_type: TEST_RESULT,
        subject: [AddressedSubject { annotations, digest, name }],
    })
    .map_err(shape)
}

#[derive(Deserialize)]
struct Found<'a> {
    #[serde(borrow)]
    predicate: &'a RawValue,
}

#[derive(Serialize)]
struct Addressed<'a> {
    #[serde(rename = "_type")]
    statement_type: &'a str,
    predicate: &'a RawValue,
    #[serde(rename = "predicateType")]
    predicate_type: &'a str,
    subject: [AddressedSubject<'a>; 1],
}

#[derive(Serialize)]
struct AddressedSubject<'a> {
    annotations: &'a BTreeMap<String, String>,
    digest: BTreeMap<&'a str, String>,
    name: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_kept_as_it_stands_and_only_said_of_something_else() {
        let predicate = r#"{ "result":"PASSED","configuration":[{"n":1e3}],"url":"x" }"#;
        let text = format!(
            r#"{{"_type":"{STATEMENT_TYPE}","predicateType":"{TEST_RESULT}","predicate":{predicate},"subject":[{{"digest":{{"gitCommit":"{}"}}}}]}}"#,
            "1".repeat(40)
        );
        let notes = |run: &str| BTreeMap::from([("run".to_owned(), run.to_owned())]);
        let moved = readdress(text.as_bytes(), "art_1", &Digest([7; 32]), &notes("1")).expect("it is a result");
        assert!(String::from_utf8_lossy(&moved).contains(predicate), "byte for byte");
        let result = read(&moved).expect("it is a result still");
        assert_eq!((result.subjects, result.commits.len()), (vec![Digest([7; 32])], 0), "of that and nothing else");
        let again = readdress(text.as_bytes(), "art_1", &Digest([7; 32]), &notes("2")).expect("it is a result");
        assert_ne!(moved, again, "another run is another artifact");
        assert_eq!(subjects(text.as_bytes()).expect("it has one")[0]["gitCommit"], "1".repeat(40));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let about = Digest([7; 32]);
        let result = TestResult {
            commits: Vec::new(),
            failed: Vec::new(),
            passed: vec!["a".to_owned()],
            result: TestOutcome::Passed,
            subjects: vec![about],
            warned: Vec::new(),
        };
        assert_eq!(read(&write(&result, "art_1", &about)).as_ref(), Ok(&result));
        assert!(result.passes());
    }

    #[test]
    fn unknown_fields_are_ignored_and_a_result_without_a_subject_is_none() {
        let with = |subject: &str| {
            format!(
                r#"{{"_type":"{STATEMENT_TYPE}","x":1,"predicateType":"{TEST_RESULT}","predicate":{{"result":"WARNED","y":2}},"subject":{subject}}}"#
            )
        };
        let commit = "1".repeat(40);
        let read_one = read(with(&format!(r#"[{{"digest":{{"gitCommit":"{commit}","md5":"0"}}}}]"#)).as_bytes());
        let read_one = read_one.expect("it is a result");
        assert_eq!(read_one.commits.len(), 1);
        assert!(!read_one.passes(), "a warning is not passed");
        assert_eq!(read(with("[]").as_bytes()), Err(TestResultError::NoSubject));
        let other = with("[]").replace(TEST_RESULT, "https://example.org/other");
        assert!(matches!(read(other.as_bytes()), Err(TestResultError::Type(_))));
    }
}

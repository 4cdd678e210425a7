//! JUnit XML, as nearly every test runner writes it: one `<testsuite>`, or several in a `<testsuites>`.
//!
//! No standard defines it. What is certain is read: a case is failed where anything inside it says so, and a case that did not run is
//! neither. Whatever would make a failure disappear is an error: a file that ends early, or a suite that counts failures it does not show.

use roxmltree::{Document, Node, ParsingOptions};

use super::canonical;
use crate::model::test_result::{TestOutcome, TestResult};

/// Most test cases in one file.
pub const MOST_CASES: usize = 100_000;
/// Deepest nesting of elements.
const MAX_DEPTH: usize = 64;
/// Most elements, texts and comments, so that a file of nothing but tags takes no more memory than any other.
const MOST_NODES: u32 = 2_000_000;
/// Names of passed tests that are kept, in bytes as they are stored. A line holds a mebibyte of base64.
const PASSED_BYTES: usize = 256 << 10;

/// What is wrong with a JUnit file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JunitError {
    /// Not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
    /// Not XML, or XML with a document type, which could define entities.
    #[error("{0}")]
    Xml(String),
    /// Another document.
    #[error("its outermost element is <{0}>, and not <testsuite> or <testsuites>")]
    Root(String),
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("elements are nested deeper than {MAX_DEPTH}")]
    TooDeep,
    /// More than [`MOST_CASES`].
    #[error("it has more than {MOST_CASES} test cases")]
    TooMany,
    /// No test is no evidence.
    #[error("it has no test case that ran")]
    NoTests,
    /// A count that is none.
    #[error("suite {suite:?} has {text:?} for {what}")]
    Count {
        /// The suite's name.
        suite: String,
        /// Which attribute.
        what: &'static str,
        /// What stands there.
        text: String,
    },
    /// A suite that says more than it shows.
    #[error("suite {suite:?} counts {counted} failed tests and shows {shown}")]
    Hidden {
        /// The suite's name.
        suite: String,
        /// What it counts.
        counted: u64,
        /// What is there.
        shown: u64,
    },
}

/// Reads a file. Its result has no subjects yet.
///
/// # Errors
/// [`JunitError`]
pub fn read(bytes: &[u8]) -> Result<TestResult, JunitError> {
    let text = std::str::from_utf8(bytes).map_err(|_| JunitError::NotText)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| JunitError::Xml(format!("no XML: {error}")))?;
    let root = document.root_element();
    if !is_suite(&root) {
        return Err(JunitError::Root(root.tag_name().name().to_owned()));
    }
    let mut cases = Cases::default();
    cases.walk(&root, 0, None)?;
    cases.result()
}

fn is_suite(node: &Node<'_, '_>) -> bool {
    matches!(node.tag_name().name(), "testsuite" | "testsuites")
}

/// One test case as far as it was read.
#[derive(Default)]
struct Case {
    failed: bool,
    /// It failed at first, and passed when it was run again.
    flaky: bool,
    name: String,
    skipped: bool,
}

#[derive(Default)]
struct Cases {
    all: Vec<Case>,
    /// Suites that failed outside of any case, by name.
    suites: Vec<String>,
}

impl Cases {
    /// Reads an element and all in it; gives how many failures it shows. `within` is the case that it lies in.
    fn walk(&mut self, node: &Node<'_, '_>, depth: usize, within: Option<usize>) -> Result<u64, JunitError> {
        if depth > MAX_DEPTH {
            return Err(JunitError::TooDeep);
        }
        let mut within = within;
        let mut shown = 0;
        match node.tag_name().name() {
            "testcase" => {
                if self.all.len() == MOST_CASES {
                    return Err(JunitError::TooMany);
                }
                within = Some(self.all.len());
                self.all.push(Case { name: name(node), skipped: did_not_run(node), ..Case::default() });
            }
            "failure" | "error" | "rerunFailure" | "rerunError" => {
                shown = 1;
                match within {
                    Some(case) => self.all[case].failed = true,
                    None => self.suites.push(suite_of(node)),
                }
            }
            "flakyFailure" | "flakyError" => within.into_iter().for_each(|case| self.all[case].flaky = true),
            "skipped" => within.into_iter().for_each(|case| self.all[case].skipped = true),
            _ => {}
        }
        for child in node.children().filter(Node::is_element) {
            shown += self.walk(&child, depth + 1, within)?;
        }
        if is_suite(node) {
            // Some count an error among the failures too, so that the two are not added up.
            let counted = count(node, "failures")?.max(count(node, "errors")?);
            if counted > shown {
                return Err(JunitError::Hidden { suite: attribute(node, "name").to_owned(), counted, shown });
            }
        }
        Ok(shown)
    }

    fn result(self) -> Result<TestResult, JunitError> {
        let mut result = TestResult { failed: self.suites, ..TestResult::default() };
        let (mut bytes, mut unnamed) = (0, 0_u64);
        for case in self.all {
            if case.failed {
                result.failed.push(case.name);
            } else if case.skipped {
                continue;
            } else if case.flaky {
                result.warned.push(case.name);
            } else {
                bytes += canonical::to_vec(&case.name).len() + 1;
                if bytes <= PASSED_BYTES { result.passed.push(case.name) } else { unnamed += 1 }
            }
        }
        if unnamed > 0 {
            result.passed.push(format!("(and {unnamed} more that passed)"));
        }
        result.result = match (result.failed.is_empty(), result.warned.is_empty(), result.passed.is_empty()) {
            (true, true, true) => return Err(JunitError::NoTests),
            (true, true, false) => TestOutcome::Passed,
            (true, false, _) => TestOutcome::Warned,
            (false, ..) => TestOutcome::Failed,
        };
        Ok(result)
    }
}

fn attribute<'a>(node: &Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default().trim()
}

/// `classname.name`, or as much of it as there is: a case without a name is a case still.
fn name(case: &Node<'_, '_>) -> String {
    match (attribute(case, "classname"), attribute(case, "name")) {
        ("", "") => "(a test without a name)".to_owned(),
        ("", one) | (one, "") => one.to_owned(),
        (class, name) => format!("{class}.{name}"),
    }
}

/// Said by an attribute where it is not said by a `<skipped>` inside.
fn did_not_run(case: &Node<'_, '_>) -> bool {
    ["status", "result"].iter().any(|name| {
        let said = attribute(case, name).to_ascii_lowercase();
        ["notrun", "disabled", "skipped", "suppressed", "ignored"].contains(&said.as_str())
    })
}

fn suite_of(node: &Node<'_, '_>) -> String {
    let suite = node.ancestors().find(is_suite).map_or("", |suite| attribute(&suite, "name"));
    if suite.is_empty() { "(a suite without a name)".to_owned() } else { suite.to_owned() }
}

fn count(suite: &Node<'_, '_>, what: &'static str) -> Result<u64, JunitError> {
    match attribute(suite, what) {
        "" => Ok(0),
        text => text.parse().map_err(|_| JunitError::Count {
            suite: attribute(suite, "name").to_owned(),
            what,
            text: text.to_owned(),
        }),
    }
}

#[cfg(test)]
#[path = "junit_tests.rs"]
mod tests;

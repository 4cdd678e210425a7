//! JUnit files as runners write them, and as somebody might spoil them.

use super::*;

fn suite(cases: &str) -> String {
    format!("<?xml version=\"1.0\"?><testsuites><testsuite name=\"s\">{cases}</testsuite></testsuites>")
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn failures_and_errors_fail_and_what_did_not_run_is_neither() {
    let text = suite(
        "<testcase classname=\"a.B\" name=\"ok &lt;1&gt;\"/><testcase name=\"bare\"/>\
         <testcase classname=\"a.B\" name=\"bad\"><failure/></testcase>\
         <testcase classname=\"a.B\" name=\"broken\"><system-out>x</system-out><error message=\"m\">t</error></testcase>\
         <testcase classname=\"a.B\" name=\"later\"><skipped/></testcase><testcase name=\"off\" status=\"notrun\"/>",
    );
    let result = read(text.as_bytes()).expect("it is one");
    assert_eq!(result.passed, names(&["a.B.ok <1>", "bare"]));
    assert_eq!(result.failed, names(&["a.B.bad", "a.B.broken"]));
    assert_eq!((result.result, result.passes()), (TestOutcome::Failed, false));
    let good = read(b"<testsuite tests=\"1\" failures=\"0\"><testcase name=\"x\"/></testsuite>").expect("it is one");
    assert!(good.passes() && good.passed == names(&["x"]), "a single suite, with no suites around it");
}

#[test]
fn a_test_that_passed_when_it_was_run_again_is_a_warning() {
    let text = suite("<testcase name=\"x\"><flakyFailure/></testcase><testcase name=\"y\"/>");
    let result = read(text.as_bytes()).expect("it is one");
    assert_eq!((result.result, result.warned), (TestOutcome::Warned, names(&["x"])));
}

#[test]
fn a_suite_that_fails_outside_of_any_case_fails() {
    let result = read(suite("<testcase name=\"x\"/><error/>").as_bytes()).expect("it is one");
    assert_eq!((result.failed.clone(), result.passes()), (names(&["s"]), false));
    let skipped = read(suite("<testcase name=\"x\"><skipped/><failure/></testcase>").as_bytes()).expect("it is one");
    assert_eq!(skipped.failed, names(&["x"]), "a failure outweighs that it was skipped");
    let nameless = read(suite("<testcase><failure/></testcase>").as_bytes()).expect("it is one");
    assert_eq!(nameless.failed.len(), 1, "a failure without a name is one");
}

#[test]
fn a_file_that_hides_or_loses_a_failure_is_refused() {
    let hidden = "<testsuite name=\"s\" failures=\"2\"><testcase name=\"x\"><failure/></testcase></testsuite>";
    let expected = JunitError::Hidden { suite: "s".to_owned(), counted: 2, shown: 1 };
    assert_eq!(read(hidden.as_bytes()), Err(expected));
    let outer = "<testsuites errors=\"1\"><testsuite><testcase name=\"x\"/></testsuite></testsuites>";
    assert!(matches!(read(outer.as_bytes()), Err(JunitError::Hidden { .. })));
    let odd = "<testsuite failures=\"many\"><testcase name=\"x\"/></testsuite>";
    assert!(matches!(read(odd.as_bytes()), Err(JunitError::Count { .. })));
    let whole = suite("<testcase name=\"x\"/><testcase name=\"y\"><failure/></testcase>");
    for end in 1..whole.len() {
        assert!(read(&whole.as_bytes()[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn no_test_is_no_evidence() {
    for cases in ["", "<testcase name=\"x\"><skipped/></testcase>", "<properties/>"] {
        assert_eq!(read(suite(cases).as_bytes()), Err(JunitError::NoTests), "{cases}");
    }
}

#[test]
fn entities_other_documents_and_floods_are_refused() {
    let typed = "<!DOCTYPE t [<!ENTITY x \"y\">]><testsuite><testcase name=\"&x;\"/></testsuite>";
    assert!(matches!(read(typed.as_bytes()), Err(JunitError::Xml(text)) if text.contains("DTD")));
    assert!(matches!(read(suite("<testcase name=\"&x;\"/>").as_bytes()), Err(JunitError::Xml(_))));
    assert_eq!(read(b"<html/>"), Err(JunitError::Root("html".to_owned())));
    assert!(matches!(read(b"{}"), Err(JunitError::Xml(_))));
    assert_eq!(read(b"\xff\xfe<"), Err(JunitError::NotText));
    let many = suite(&"<testcase name=\"x\"/>".repeat(MOST_CASES + 1));
    assert_eq!(read(many.as_bytes()), Err(JunitError::TooMany));
    let deep = format!("{}{}", "<testsuite>".repeat(300_000), "</testsuite>".repeat(300_000));
    assert_eq!(read(deep.as_bytes()), Err(JunitError::TooDeep));
    let wide = suite(&"<a/>".repeat(2_000_001));
    assert!(matches!(read(wide.as_bytes()), Err(JunitError::Xml(_))));
}

#[test]
fn passed_tests_past_the_bound_are_counted_and_failed_ones_all_named() {
    let long = "n".repeat(1_000);
    let cases = format!("<testcase name=\"{long}\"/>").repeat(300);
    let failed = "<testcase name=\"last\"><failure/></testcase>";
    let result = read(suite(&format!("{cases}{failed}")).as_bytes()).expect("it is one");
    assert_eq!(result.passed.last().map(String::as_str), Some("(and 39 more that passed)"));
    assert_eq!((result.passed.len(), result.failed), (262, names(&["last"])));
}

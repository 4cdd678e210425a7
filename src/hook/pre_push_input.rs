//! What git writes to `pre-push`: a line for every ref it is about to move.

use std::io::Read;

use super::input::{InputError, read_lines};
use crate::git::is_full_ref_name;
use crate::model::id::Oid;

/// One ref of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushLine {
    /// What the user named here: a ref, `(delete)`, `HEAD~0`, anything; for people only. Untrusted text.
    pub local_ref: String,
    /// Where the ref shall be; zero when it shall be gone.
    pub new: Oid,
    /// The full name of the ref at the remote.
    pub remote_ref: String,
    /// Where the remote says it is; zero when it has none.
    pub old: Oid,
}

impl PushLine {
    /// Whether the ref shall be gone.
    pub fn is_deletion(&self) -> bool {
        self.new.is_zero()
    }

    /// Whether the remote does not have the ref yet.
    pub fn is_creation(&self) -> bool {
        self.old.is_zero()
    }
}

/// Reads `<local ref> <local oid> <remote ref> <remote oid>` lines to the end of the input, whatever they say.
///
/// No line at all is a good answer: git runs the hook when everything is up to date, too. Whether it can be believed
/// is for [`super::Caller::doubt`] to say.
///
/// # Errors
/// [`InputError`], for the first line that is none.
pub fn read_push_lines(input: impl Read) -> Result<Vec<PushLine>, InputError> {
    read_lines(input, parse)
}

fn parse(line: &[u8]) -> Result<PushLine, &'static str> {
    // From the right: only the first field may have blanks in it, as in `HEAD@{1 day ago}`.
    let mut fields = line.rsplitn(4, |byte| *byte == b' ');
    let mut next = || fields.next().filter(|field| !field.is_empty());
    let (Some(old), Some(remote_ref), Some(new), Some(local_ref)) = (next(), next(), next(), next()) else {
        return Err("it is not \"<local ref> <local oid> <remote ref> <remote oid>\"");
    };
    let (new, old) = two_oids(new, old)?;
    let local_ref = String::from_utf8_lossy(local_ref).into_owned();
    Ok(PushLine { local_ref, new, remote_ref: ref_name(remote_ref)?, old })
}

/// Two object ids of one hash.
pub(super) fn two_oids(first: &[u8], second: &[u8]) -> Result<(Oid, Oid), &'static str> {
    let oid = |field| std::str::from_utf8(field).ok().and_then(|text| text.parse::<Oid>().ok());
    match (oid(first), oid(second)) {
        (Some(first), Some(second)) if first.as_bytes().len() == second.as_bytes().len() => Ok((first, second)),
        (Some(_), Some(_)) => Err("its object ids are of different lengths"),
        _ => Err("it has no object id where one belongs"),
    }
}

/// A ref name that rules can be matched against without guessing.
pub(super) fn ref_name(field: &[u8]) -> Result<String, &'static str> {
    match std::str::from_utf8(field) {
        Ok(name) if name.starts_with("refs/") && is_full_ref_name(name) => Ok(name.to_owned()),
        Ok(_) => Err("it names no full ref"),
        Err(_) => Err("the name of its ref is no UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "1111111111111111111111111111111111111111";
    const ZERO: &str = "0000000000000000000000000000000000000000";

    fn lines(input: &str) -> Result<Vec<PushLine>, InputError> {
        read_push_lines(input.as_bytes())
    }

    fn defect(input: impl AsRef<[u8]>) -> &'static str {
        match read_push_lines(input.as_ref()) {
            Err(InputError::Line { line: 1, defect, .. }) => defect,
            other => panic!("a bad line, and not {other:?}"),
        }
    }

    #[test]
    fn a_line_gives_both_ends_of_one_move() {
        let [line] = &lines(&format!("refs/heads/a {A} refs/heads/b {ZERO}\n")).expect("a good line")[..] else {
            panic!("one line")
        };
        assert_eq!((line.local_ref.as_str(), line.remote_ref.as_str()), ("refs/heads/a", "refs/heads/b"));
        assert_eq!((line.new.hex().as_str(), line.old.hex().as_str()), (A, ZERO));
        assert!(line.is_creation() && !line.is_deletion());
    }

    #[test]
    fn blanks_belong_to_the_local_name() {
        let found = lines(&format!(
            "HEAD@{{1 day ago}} {A} refs/heads/b {A}\n(delete) {ZERO} refs/heads/c {A}\nHEAD~0 {A} refs/tags/v1 {ZERO}"
        ));
        let found = found.expect("three good lines");
        assert_eq!(
            found.iter().map(|line| line.local_ref.as_str()).collect::<Vec<_>>(),
            ["HEAD@{1 day ago}", "(delete)", "HEAD~0"]
        );
        assert!(found[1].is_deletion());
    }

    #[test]
    fn zero_has_either_length() {
        let (a, zero) = ("1".repeat(64), "0".repeat(64));
        let found =
            lines(&format!("x {a} refs/heads/b {zero}\n(delete) {zero} refs/heads/c {a}\n")).expect("good lines");
        assert!(found[0].is_creation() && found[1].is_deletion());
    }

    #[test]
    fn nothing_is_no_line() {
        assert_eq!(lines("").expect("nothing to push"), []);
    }

    #[test]
    fn what_is_no_move_of_a_ref_is_refused_by_name() {
        assert!(defect(format!("{A} refs/heads/b {A}\n")).contains("<local ref>"));
        assert!(defect("\n").contains("<local ref>"));
        assert!(defect(format!(" {A} refs/heads/b {A}\n")).contains("<local ref>"));
        assert!(defect(format!("x {A} refs/heads/b {A} \n")).contains("<local ref>"));
        assert!(defect(format!("x {A} refs/heads/b {A}\r\n")).contains("no object id"));
        assert!(defect(format!("x {} refs/heads/b {A}\n", &A[1..])).contains("no object id"));
        assert!(defect(format!("x {A} refs/heads/b {}\n", "1".repeat(64))).contains("different lengths"));
        assert!(defect(format!("x {A} main {A}\n")).contains("full ref"));
        assert!(defect(format!("x {A} refs/heads/../b {A}\n")).contains("full ref"));
        let latin = [b"x ", A.as_bytes(), b" refs/heads/\xe9 ", A.as_bytes(), b"\n"].concat();
        assert!(defect(latin).contains("UTF-8"));
    }

    #[test]
    fn a_local_name_in_another_encoding_is_only_shown() {
        let line = [b"caf\xe9 ", A.as_bytes(), b" refs/heads/b ", A.as_bytes(), b"\n"].concat();
        assert_eq!(read_push_lines(&line[..]).expect("a good line")[0].local_ref, "caf\u{fffd}");
    }
}

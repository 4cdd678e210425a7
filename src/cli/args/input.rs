//! One `--input` of a check.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::model::digest::Digest;

/// A class of input, and where the bytes are that the checker reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The class, such as `diff` or `test_result`.
    pub class: String,
    /// Where it comes from.
    pub source: InputSource,
}

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputSource {
    /// Nothing was named: only the class `diff` can be made from the commits themselves.
    Derived,
    /// A file.
    File(PathBuf),
    /// `git:<rev>`: what git shows under that name.
    Git(String),
    /// `sha256:…`: bytes that are elsewhere.
    Digest(Digest),
}

/// A text that is no input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnInput {
    /// A class with other characters.
    #[error("{0:?} is no input class: letters, digits and . _ - only, at most 64")]
    Class(String),
    /// Nothing after `=`.
    #[error("the input {0} has an empty source")]
    Empty(String),
    /// `git:` with nothing after it.
    #[error("the input {0} names no revision after git:")]
    Revision(String),
    /// A digest that is none.
    #[error("the input {class} has {text:?} for a digest: expected sha256: and 64 lower-case hex digits")]
    Digest {
        /// The class.
        class: String,
        /// What was given.
        text: String,
    },
}

impl Input {
    /// Reads `<class>[=<file | git:<rev> | sha256:…>]`. A file of such a name is written `./git:…`.
    ///
    /// # Errors
    /// A class of other characters, an empty source, or one that says what it is and is not.
    pub fn parse(text: OsString) -> Result<Self, NotAnInput> {
        let (class, source) = split(&text);
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let class = match class.to_str() {
            Some(class) if (1..=64).contains(&class.len()) && class.bytes().all(fits) => class.to_owned(),
            _ => return Err(NotAnInput::Class(class.to_string_lossy().into_owned())),
        };
        let Some(source) = source else { return Ok(Input { class, source: InputSource::Derived }) };
        if source.is_empty() {
            return Err(NotAnInput::Empty(class));
        }
        let source = match source.to_str() {
            Some(text) if text.starts_with("git:") => match &text["git:".len()..] {
                "" => return Err(NotAnInput::Revision(class)),
                rev => InputSource::Git(rev.to_owned()),
            },
            Some(text) if text.starts_with("sha256:") => match text.parse() {
                Ok(digest) => InputSource::Digest(digest),
                Err(_) => return Err(NotAnInput::Digest { class, text: text.to_owned() }),
            },
            _ => InputSource::File(source.into()),
        };
        Ok(Input { class, source })
    }
}

/// At the first `=`; what follows may be a path of any bytes.
fn split(text: &OsString) -> (OsString, Option<OsString>) {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    let bytes = text.as_bytes();
    match bytes.iter().position(|byte| *byte == b'=') {
        None => (text.clone(), None),
        Some(at) => (OsString::from_vec(bytes[..at].to_vec()), Some(OsString::from_vec(bytes[at + 1..].to_vec()))),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    use std::path::PathBuf;

    use super::{Input, InputSource, NotAnInput};

    #[test]
    fn every_form_of_source_is_told_from_the_others() {
        let digest = format!("sha256:{}", "ab".repeat(32));
        for (text, class, source) in [
            ("diff", "diff", InputSource::Derived),
            ("test_result=report.json", "test_result", InputSource::File("report.json".into())),
            ("spec=git:HEAD~1:README", "spec", InputSource::Git("HEAD~1:README".into())),
            (&format!("log={digest}"), "log", InputSource::Digest(digest.parse().expect("it is a digest"))),
            ("a=b=c", "a", InputSource::File("b=c".into())),
            ("a=./git:x", "a", InputSource::File("./git:x".into())),
        ] {
            assert_eq!(Input::parse(text.into()), Ok(Input { class: class.into(), source }), "{text}");
        }
    }

    #[test]
    fn what_is_half_an_input_is_refused() {
        for text in ["", "=x", "a b", "a/b=x", "é", &"x".repeat(65)] {
            assert!(matches!(Input::parse(text.into()), Err(NotAnInput::Class(_))), "{text:?}");
        }
        assert_eq!(Input::parse("a=".into()), Err(NotAnInput::Empty("a".into())));
        assert_eq!(Input::parse("a=git:".into()), Err(NotAnInput::Revision("a".into())));
        assert!(matches!(Input::parse("a=sha256:12".into()), Err(NotAnInput::Digest { .. })));
    }

    #[test]
    fn a_file_name_of_any_bytes_is_taken() {
        let text = OsString::from_vec(b"log=\xff.txt".to_vec());
        let file = PathBuf::from(OsString::from_vec(b"\xff.txt".to_vec()));
        assert_eq!(Input::parse(text), Ok(Input { class: "log".into(), source: InputSource::File(file) }));
    }
}

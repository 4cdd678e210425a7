//! The files below `fixtures/`: a header that says what must come of it, an empty line, and the bytes as somebody would send them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector {
    /// Where it lies, from `fixtures/`.
    pub path: String,
    /// What must come of it. `…` in it stands for any text.
    pub expect: String,
    /// What somebody did to it, or that nobody did.
    pub about: String,
    /// What a reader needs besides, by name.
    pub given: BTreeMap<String, String>,
    /// The bytes.
    pub body: Vec<u8>,
}

impl Vector {
    /// A vector without anything given.
    pub fn new(path: impl Into<String>, expect: impl Into<String>, about: &str, body: impl Into<Vec<u8>>) -> Vector {
        let (path, expect) = (path.into(), expect.into());
        Vector { path, expect, about: about.to_owned(), given: BTreeMap::new(), body: body.into() }
    }

    /// With something that its reader needs.
    pub fn given(mut self, name: &str, value: impl ToString) -> Vector {
        self.given.insert(name.to_owned(), value.to_string());
        self
    }

    /// With another expectation than the one its maker composes.
    pub fn expecting(mut self, expect: &str) -> Vector {
        self.expect = expect.to_owned();
        self
    }

    /// What it is called without its directory and ending.
    pub fn name(&self) -> &str {
        let file = self.path.rsplit('/').next().unwrap_or(&self.path);
        file.rsplit_once('.').map_or(file, |(name, _)| name)
    }

    /// Something given.
    pub fn get(&self, name: &str) -> &str {
        self.given.get(name).unwrap_or_else(|| panic!("{} does not say {name:?}", self.path))
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = format!("expect: {}\nabout: {}\n", self.expect, self.about);
        for (name, value) in &self.given {
            out.push_str(&format!("{name}: {value}\n"));
        }
        out.push('\n');
        let mut out = out.into_bytes();
        out.extend_from_slice(&self.body);
        out
    }

    /// Takes a file apart.
    pub fn parse(path: &str, bytes: &[u8]) -> Vector {
        let split = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or_else(|| panic!("{path} has no header"));
        let header = std::str::from_utf8(&bytes[..split]).unwrap_or_else(|_| panic!("{path}: the header is text"));
        let mut given: BTreeMap<String, String> = header
            .lines()
            .map(|line| line.split_once(": ").unwrap_or_else(|| panic!("{path}: {line:?} is no header line")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut take = |name: &str| given.remove(name).unwrap_or_else(|| panic!("{path} does not say {name:?}"));
        let (expect, about) = (take("expect"), take("about"));
        Vector { path: path.to_owned(), expect, about, given, body: bytes[split + 2..].to_vec() }
    }

    /// What is to be said when something else came of it than it expects.
    fn complaint(&self, came: &str) -> Option<String> {
        let Vector { path, about, expect, .. } = self;
        (!fits(expect, came)).then(|| format!("{path} ({about})\n  expects {expect}\n  came to {came}"))
    }
}

/// Whether a text is that of a pattern in which `…` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('…');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// Where they lie.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Every vector in one directory, by name. There is at least one.
pub fn read_all(directory: &str) -> Vec<Vector> {
    let mut names: Vec<String> = fs::read_dir(root().join(directory))
        .expect("the directory is there")
        .map(|entry| entry.expect("it can be listed").file_name().into_string().expect("its name is text"))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "{directory} holds vectors");
    let read = |name: String| {
        let path = format!("{directory}/{name}");
        let bytes = fs::read(root().join(&path)).expect("it can be read");
        Vector::parse(&path, &bytes)
    };
    names.into_iter().map(read).collect()
}

/// Asserts that every vector of a directory comes to what it expects.
#[track_caller]
pub fn all_come_to_what_they_expect(directory: &str, reading: impl Fn(&Vector) -> String) {
    let vectors = read_all(directory);
    let complaints: Vec<String> = vectors.iter().filter_map(|vector| vector.complaint(&reading(vector))).collect();
    assert!(complaints.is_empty(), "{} of {} differ:\n{}", complaints.len(), vectors.len(), complaints.join("\n"));
}

#[test]
fn a_vector_reads_back_as_it_was_written() {
    let vector = Vector::new("x/y.z", "a … b", "nothing", *b"\n\n\xff: \r\n").given("now", 3);
    assert_eq!(Vector::parse("x/y.z", &vector.bytes()), vector, "the body may be any bytes");
    assert_eq!(vector.name(), "y", "the name is the attack's");
}

#[test]
fn dots_in_an_expectation_stand_for_anything_and_nothing_else_does() {
    for (pattern, text, fit) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("a…", "ab", true),
        ("…b", "ab", true),
        ("a…c…e", "abcde", true),
        ("a…c…e", "abde", false),
        ("a…a", "a", false),
    ] {
        assert_eq!(fits(pattern, text), fit, "{pattern:?} and {text:?}");
    }
}

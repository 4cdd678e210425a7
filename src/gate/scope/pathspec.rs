//! Lists of pathspecs: what a handoff grants, and what a rule guards (contract, section 4).

use super::element::{Element, Readings};

/// The paths that a handoff grants.
///
/// A path is granted when `git ls-files -- <list>` at the top of the tree would list it, with one addition: an exclusion also takes away
/// what any file system may take for a path it matches (see [`super::folding`]). The environment plays no part.
#[derive(Debug, Clone)]
pub struct PathScope {
    elements: Vec<(String, Element)>,
}

/// What a [`PathScope`] says of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathVerdict<'a> {
    /// It is in scope.
    Granted,
    /// No pathspec includes it.
    NotIncluded,
    /// This exclusion takes it away.
    Excluded(&'a str),
}

impl PathScope {
    /// Reads a list. An empty list and one of exclusions only are refused, as is all that a person could not have meant.
    pub fn parse(list: &[String]) -> Result<Self, PathspecError> {
        Ok(PathScope { elements: parse_list(list, NonEmpty::Yes)? })
    }

    /// Whether the file at `path` is in scope. `path` is from the top of the tree, as git stores it; it need not be UTF-8.
    pub fn grants(&self, path: &[u8]) -> bool {
        self.verdict(path, false) == PathVerdict::Granted
    }

    /// The same for a submodule, which also matches a pathspec that ends in a slash.
    pub fn grants_submodule(&self, path: &[u8]) -> bool {
        self.verdict(path, true) == PathVerdict::Granted
    }

    /// Whether the path is in scope, and if not, why.
    pub fn verdict(&self, path: &[u8], submodule: bool) -> PathVerdict<'_> {
        let included = |(_, element): &(String, Element)| !element.excludes && element.matches(path, submodule);
        if path.is_empty() || path.contains(&0) || !self.elements.iter().any(included) {
            return PathVerdict::NotIncluded;
        }
        let mut exclusions = self.elements.iter().filter(|(_, element)| element.excludes).peekable();
        if exclusions.peek().is_none() {
            return PathVerdict::Granted;
        }
        let readings = Readings::of(path);
        match exclusions.find(|(_, element)| element.matches(path, submodule) || element.may_match(&readings)) {
            Some((text, _)) => PathVerdict::Excluded(text),
            None => PathVerdict::Granted,
        }
    }
}

/// The paths whose change needs an owner's approval.
///
/// The mirror image of [`PathScope`]: here the pathspecs that include also match what a file system may take for the same path, and the
/// exclusions, which take the guard away, match exactly.
#[derive(Debug, Clone)]
pub struct PathGuard {
    elements: Vec<(String, Element)>,
}

impl PathGuard {
    /// Reads a list. An empty one guards nothing; one of exclusions only is refused.
    pub fn parse(list: &[String]) -> Result<Self, PathspecError> {
        Ok(PathGuard { elements: parse_list(list, NonEmpty::No)? })
    }

    /// The first pathspec that guards `path`.
    pub fn guarding(&self, path: &[u8]) -> Option<&str> {
        if self.elements.is_empty() {
            return None;
        }
        let readings = Readings::of(path);
        // A submodule counts as a directory; taking every path for one can only add to what is guarded.
        let guards = |element: &Element| element.matches(path, true) || element.may_match(&readings);
        let (text, _) = self.elements.iter().find(|(_, element)| !element.excludes && guards(element))?;
        let lets_off = |element: &Element| element.excludes && element.surely_matches(path, &readings);
        let is_let_off = self.elements.iter().any(|(_, element)| lets_off(element));
        (!is_let_off).then_some(text)
    }
}

/// A list of pathspecs that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathspecError {
    /// There is none.
    #[error("the list of pathspecs is empty; name at least one, or . for the whole tree")]
    EmptyList,
    /// None of them includes anything.
    #[error("the list has exclusions only; name what they are taken from, or . for the whole tree")]
    ExclusionsOnly,
    /// One of them can't be used.
    #[error("{pathspec:?} is no pathspec that can be used here: {defect}")]
    Element {
        /// Its place in the list, from 0.
        place: usize,
        /// It.
        pathspec: String,
        /// What is wrong with it.
        defect: PathspecDefect,
    },
}

/// What is wrong with one pathspec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathspecDefect {
    /// An empty text.
    #[error("it is empty")]
    Empty,
    /// A single colon, by which git takes back all other pathspecs.
    #[error("a colon alone means no pathspec at all; write . for the whole tree")]
    NoPathspec,
    /// An exclusion without a path.
    #[error("it excludes the whole tree")]
    ExcludesAll,
    /// `attr` magic: what it matches is for the tree under judgement to say.
    #[error("attr magic is refused, since the judged tree itself would say what it matches")]
    Attr,
    /// `:(` without `)`.
    #[error("its magic has no closing parenthesis")]
    UnclosedMagic,
    /// Some other word or sign.
    #[error("{0:?} is no magic; there is top (/), exclude (! or ^), icase, glob and literal")]
    UnknownMagic(String),
    /// Both.
    #[error("glob and literal magic exclude each other")]
    GlobAndLiteral,
    /// An absolute path.
    #[error("it begins with a slash; paths are from the top of the tree")]
    LeadingSlash,
    /// A `..` segment.
    #[error("it has a .. segment; paths are from the top of the tree")]
    Parent,
    /// A NUL character.
    #[error("it has a NUL character")]
    Nul,
    /// Over [`LONGEST`] bytes.
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
}

/// Longest pathspec that is looked at, in bytes.
pub const LONGEST: usize = 4096;

#[derive(PartialEq)]
enum NonEmpty {
    Yes,
    No,
}

fn parse_list(list: &[String], non_empty: NonEmpty) -> Result<Vec<(String, Element)>, PathspecError> {
    if list.is_empty() {
        return if non_empty == NonEmpty::Yes { Err(PathspecError::EmptyList) } else { Ok(Vec::new()) };
    }
    let mut elements = Vec::with_capacity(list.len());
    for (place, text) in list.iter().enumerate() {
        let parsed = if text.len() > LONGEST { Err(PathspecDefect::TooLong) } else { Element::parse(text) };
        let element = parsed.map_err(|defect| PathspecError::Element { place, pathspec: text.clone(), defect })?;
        elements.push((text.clone(), element));
    }
    if elements.iter().all(|(_, element)| element.excludes) {
        return Err(PathspecError::ExclusionsOnly);
    }
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use super::{PathGuard, PathScope, PathVerdict, PathspecDefect, PathspecError};

    fn list(patterns: &[&str]) -> Vec<String> {
        patterns.iter().map(|text| (*text).to_owned()).collect()
    }

    fn scope(patterns: &[&str]) -> PathScope {
        PathScope::parse(&list(patterns)).unwrap_or_else(|error| panic!("{error}"))
    }

    fn defect(pattern: &str) -> PathspecDefect {
        match PathScope::parse(&list(&[".", pattern])) {
            Err(PathspecError::Element { place: 1, defect, .. }) => defect,
            other => panic!("{pattern:?}: {other:?}"),
        }
    }

    #[test]
    fn lists_that_grant_all_or_nothing_by_accident_are_refused() {
        assert_eq!(PathScope::parse(&[]).err(), Some(PathspecError::EmptyList));
        assert_eq!(PathScope::parse(&list(&[":!docs"])).err(), Some(PathspecError::ExclusionsOnly));
        assert_eq!(PathGuard::parse(&list(&[":!docs"])).err(), Some(PathspecError::ExclusionsOnly));
        assert_eq!(defect(""), PathspecDefect::Empty);
        assert_eq!(defect(":"), PathspecDefect::NoPathspec);
        for all in [":!", ":^", ":(exclude)", ":!.", ":!./", ":!/", ":(exclude,top)."] {
            assert_eq!(defect(all), PathspecDefect::ExcludesAll, "{all}");
        }
    }

    #[test]
    fn attr_magic_is_refused_in_every_position() {
        for pattern in
            [":(attr)a", ":(attr:x)a", ":(top,attr:x)a", ":(attr:x,exclude)a", ":(attr:)a", ":(icase,attr:a b=c)a"]
        {
            assert_eq!(defect(pattern), PathspecDefect::Attr, "{pattern}");
        }
    }

    #[test]
    fn what_could_lead_out_of_the_tree_is_refused() {
        for pattern in ["/a", ":(top)/a", ":!:/a", "//a"] {
            assert_eq!(defect(pattern), PathspecDefect::LeadingSlash, "{pattern}");
        }
        for pattern in ["..", "../a", "a/..", "a/../b", ":!a/..", ":(literal)a/../b"] {
            assert_eq!(defect(pattern), PathspecDefect::Parent, "{pattern}");
        }
        assert_eq!(defect("a\0b"), PathspecDefect::Nul);
        assert_eq!(defect(&"a".repeat(5000)), PathspecDefect::TooLong);
    }

    #[test]
    fn magic_that_git_does_not_know_is_refused() {
        assert_eq!(defect(":(glob,literal)a"), PathspecDefect::GlobAndLiteral);
        assert_eq!(defect(":(top"), PathspecDefect::UnclosedMagic);
        assert_eq!(defect(":(Top)a"), PathspecDefect::UnknownMagic("Top".into()));
        assert_eq!(defect(":(prefix:3)a"), PathspecDefect::UnknownMagic("prefix:3".into()));
        assert_eq!(defect(":@a"), PathspecDefect::UnknownMagic("@".into()));
    }

    #[test]
    fn an_exclusion_holds_for_every_spelling_of_what_it_names() {
        let scope = scope(&[".", ":!secret", ":!keys/*.pem", ":!docs/[a-c]?.md", ":!straße", ":!a?c"]);
        for path in [
            "secret/x",
            "SECRET/x",
            "Secret",
            "secret./x",
            "secret /x",
            "secret::$INDEX_ALLOCATION/x",
            "secret:stream",
            "s\u{200c}ecret/x",
            "ſecret/x",
            "docs\\..\\secret\\x",
            "secret\\x",
            "SECRET~1/x",
            "SE1A2B~1",
            "keys/A.PEM",
            "keys/a.pem.",
            "keys\\a.pem",
            "keys/a.pem::$DATA",
            "docs/A1.MD",
            "docs/b\u{e9}.md",
            "STRASSE/x",
            "strasse",
            "a\u{e9}C",
            "abc",
        ] {
            assert!(matches!(scope.verdict(path.as_bytes(), false), PathVerdict::Excluded(_)), "{path} went past");
        }
        for path in [
            "secrets/x",
            "secre",
            "x/secret2",
            "notsecret",
            "keys/a.pem2",
            "keys/deep.txt",
            "docs/d1.md",
            "docs/abc.md",
            "strase",
            "abbc",
        ] {
            assert!(scope.grants(path.as_bytes()), "{path} was taken away");
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8_fail_closed_where_they_could_spell_an_exclusion() {
        let scope = scope(&[".", ":!secret", ":!*.pem"]);
        for path in [&b"secr\xffet/x"[..], b"secret\xff/x", b"\xff", b"secr\xe9t", b"a\xff.pem"] {
            assert!(!scope.grants(path), "{} went past", path.escape_ascii());
        }
        for path in [&b"docs/caf\xe9.txt"[..], b"docs/\xff.txt", b"secre-\xff"] {
            assert!(scope.grants(path), "{} was taken away", path.escape_ascii());
        }
    }

    #[test]
    fn an_inclusion_is_exact() {
        let scope = scope(&["src"]);
        assert!(scope.grants(b"src/x"));
        for path in [&b"SRC/x"[..], b"src./x", b"sr\xe2\x80\x8cc/x", b"src\\x", b"src:x", b"s\xffrc", b"", b"src\0"] {
            assert!(!scope.grants(path), "{} was granted", path.escape_ascii());
        }
    }

    #[test]
    fn an_excluded_directory_takes_what_stands_in_its_place() {
        let scope = scope(&[".", ":!vendor/", ":!build*/"]);
        for path in ["vendor/x", "vendor", "VENDOR", "build-1/x"] {
            assert!(!scope.grants(path.as_bytes()), "{path} went past");
        }
        assert!(!scope.grants_submodule(b"vendor"));
    }

    #[test]
    fn the_verdict_names_the_exclusion() {
        let scope = scope(&["src", ":!src/secret"]);
        assert_eq!(scope.verdict(b"src/Secret/x", false), PathVerdict::Excluded(":!src/secret"));
        assert_eq!(scope.verdict(b"docs/x", false), PathVerdict::NotIncluded);
        assert_eq!(scope.verdict(b"src/x", false), PathVerdict::Granted);
    }

    #[test]
    fn a_guard_holds_loosely_and_lets_off_exactly() {
        let guard = PathGuard::parse(&list(&["deploy", ":!deploy/docs"])).unwrap();
        for path in
            ["deploy/x", "DEPLOY/x", "deploy./x", "deploy", "deploy/Docs/x", "deploy/docs /x", "deploy/docs\\..\\x"]
        {
            assert_eq!(guard.guarding(path.as_bytes()), Some("deploy"), "{path} is not guarded");
        }
        assert_eq!(guard.guarding(b"deploy/docs/x"), None);
        assert_eq!(guard.guarding(b"src/x"), None);
        assert_eq!(guard.guarding(b"dep\xffloy/x"), Some("deploy"));
        assert_eq!(PathGuard::parse(&[]).unwrap().guarding(b"x"), None);
    }
}

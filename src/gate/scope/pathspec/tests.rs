//! Pathspecs of grants and guards.

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization as _;

use super::super::element::Readings;
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
    for path in ["deploy/x", "DEPLOY/x", "deploy./x", "deploy", "deploy/Docs/x", "deploy/docs /x", "deploy/docs\\..\\x"]
    {
        assert_eq!(guard.guarding(path.as_bytes()), Some("deploy"), "{path} is not guarded");
    }
    assert_eq!(guard.guarding(b"deploy/docs/x"), None);
    assert_eq!(guard.guarding(b"src/x"), None);
    assert_eq!(guard.guarding(b"dep\xffloy/x"), Some("deploy"));
    assert_eq!(PathGuard::parse(&[]).unwrap().guarding(b"x"), None);
}

/// The same file again, as some file system would take it.
fn respelled(path: &str, how: usize) -> String {
    match how {
        0 => path.to_uppercase(),
        1 => path.nfd().collect(),
        2 => path.replace('/', ". /") + "...",
        3 => path.replace('/', "\\"),
        4 => path.replace('/', "::$INDEX_ALLOCATION/") + "::$DATA",
        5 => path.chars().flat_map(|letter| ['\u{200c}', letter]).collect(),
        _ => respelled(&respelled(path, how % 5), 5),
    }
}

proptest! {
    #[test]
    fn what_needs_no_closer_look_is_not_excluded_by_it(
        magic in prop::sample::select(vec![":!", ":(exclude,glob)", ":(exclude,icase)", ":(exclude,literal)"]),
        pattern in r"(\*|\*\*|/|\?|a|B|é|\.c|\[a-c\]|\[!b\]|\*\*/|/\*\*|ab|\.){1,6}",
        path in r"[abAB](/?[abcAB-]|\.c|/\.|~1){0,6}",
    ) {
        let Ok(scope) = PathScope::parse(&list(&[".", &format!("{magic}{pattern}")])) else { return Ok(()) };
        let (_, exclusion) = &scope.elements[1];
        let readings = Readings::of(path.as_bytes());
        let excludes = exclusion.matches(path.as_bytes(), false)
            || exclusion.matches(path.as_bytes(), true)
            || exclusion.may_match(&readings);
        prop_assert!(!excludes || exclusion.may_concern(&readings), "{magic}{pattern} takes {path} and is not asked");
    }

    #[test]
    fn what_an_exclusion_takes_it_takes_in_every_spelling(
        magic in prop::sample::select(vec![":!", ":(exclude,glob)", ":(exclude,icase)", ":(exclude,literal)"]),
        pattern in r"(\*|\*\*|/|\?|a|b|é|ß|\.c|\[a-c\]|\[!b\]|\*\*/|/\*\*){1,6}",
        path in r"[abéß](/?[abcéß]|\.c){0,5}",
        how in 0..11_usize,
    ) {
        let Ok(scope) = PathScope::parse(&list(&[".", &format!("{magic}{pattern}")])) else { return Ok(()) };
        let (_, exclusion) = &scope.elements[1];
        if exclusion.matches(path.as_bytes(), false) {
            let other = respelled(&path, how);
            prop_assert!(!scope.grants(other.as_bytes()), "{magic}{pattern} takes {path}, but not {other:?}");
        }
    }
}

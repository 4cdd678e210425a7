//! Searching for a text: what is found and shown, what is skipped, and where it ends.

use std::fs;
use std::os::unix::fs::symlink;

use git_boundary::workspace::{Bound, Found, Literal, LiteralDefect, Means, SearchBounds};

use super::{Place, all_means};

fn search(place: &Place, means: Means, text: &str, bounds: SearchBounds) -> Found {
    let literal = Literal::new(text).expect("it can be looked for");
    place.open(means).search_text(&literal, None, bounds, &|_| true).expect("the workspace can be searched")
}

/// `path:line:column:shown` of every match.
fn shown(found: &Found) -> Vec<String> {
    found.matches.iter().map(|it| format!("{}:{}:{}:{}", it.path, it.line, it.column, it.shown)).collect()
}

#[test]
fn each_matching_line_is_shown_once_with_its_place() {
    let place = Place::new();
    place.put("b", "one\ntwo needle and needle\r\n\nneedle\n\nno\nlast needle");
    place.put("a/c", "needle");
    place.put("none", "nothing\n");
    for means in all_means() {
        let found = search(&place, means, "needle", SearchBounds::default());
        let lines = ["a/c:1:1:needle", "b:2:5:two needle and needle", "b:4:1:needle", "b:7:6:last needle"];
        assert_eq!(shown(&found), lines, "{means:?}");
        assert!(found.matches.iter().all(|it| !it.cut && it.shown_from == 1), "{means:?}");
        assert_eq!((found.files, found.met.len(), found.omitted.len()), (3, 0, 0), "{means:?}");
    }
}

#[test]
fn the_text_is_literal() {
    let place = Place::new();
    place.put("a", "a.c\nabc\n[x]*\nA.C\n");
    for means in all_means() {
        assert_eq!(shown(&search(&place, means, "a.c", SearchBounds::default())), ["a:1:1:a.c"], "{means:?}");
        assert_eq!(shown(&search(&place, means, "[x]*", SearchBounds::default())), ["a:3:1:[x]*"], "{means:?}");
    }
    assert_eq!(Literal::new(""), Err(LiteralDefect::Empty));
    assert_eq!(Literal::new("a\nb"), Err(LiteralDefect::ControlCharacter));
    assert_eq!(Literal::new(&"a".repeat(1025)), Err(LiteralDefect::TooLong(1025)));
    assert!(Literal::new("\tif").is_ok());
}

#[test]
fn a_long_line_is_cut_at_a_character_and_says_so() {
    let place = Place::new();
    place.put("a", format!("{}needle{}", "é".repeat(1000), "é".repeat(1000)));
    for means in all_means() {
        for line in 1..60 {
            let found = search(&place, means, "needle", SearchBounds { line, ..SearchBounds::default() });
            let it = &found.matches[0];
            assert!(it.cut && it.shown.len() <= line && it.column == 2001, "{means:?} {line}: {it:?}");
            let whole = place.text("a");
            let from = usize::try_from(it.shown_from).expect("it is small") - 1;
            assert!(whole[from..].starts_with(&it.shown), "{means:?} {line}: it is where it says");
            assert!(line < 16 || it.shown.contains("needle"), "{means:?} {line}: the text itself is shown: {it:?}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_skipped_and_counted() {
    let place = Place::new();
    place.put("good", "needle");
    place.put("binary", b"needle\xff");
    place.put("large", format!("needle{}", "a".repeat(100)));
    place.put(".git/config", "needle");
    fs::write(place.outside("secret"), "needle").expect("it is ours");
    symlink(place.outside("secret"), place.inside("link")).expect("it is ours");
    symlink(place.outside(""), place.inside("dir")).expect("it is ours");
    fs::hard_link(place.outside("secret"), place.inside("hard")).expect("both are on one file system");
    for means in all_means() {
        let found = search(&place, means, "needle", SearchBounds { file: 100, ..SearchBounds::default() });
        assert_eq!(shown(&found), ["good:1:1:needle"], "{means:?}");
        let omitted: Vec<_> = found.omitted.iter().map(|(reason, count)| (reason.name(), *count)).collect();
        assert_eq!(
            omitted,
            [("dot_git", 1), ("hard_link", 1), ("not_utf8", 1), ("symlink", 2), ("too_large", 1)],
            "{means:?}"
        );
    }
}

#[test]
fn matches_and_bytes_are_bounded_and_the_place_is_named() {
    let place = Place::new();
    for at in ["a", "b", "c"] {
        place.put(at, "needle\nneedle\n");
    }
    for means in all_means() {
        let found = search(&place, means, "needle", SearchBounds { matches: 3, ..SearchBounds::default() });
        assert_eq!((found.matches.len(), found.met[0].bound, &*found.met[0].at), (3, Bound::Matches, "b"), "{means:?}");
        let found = search(&place, means, "needle", SearchBounds { matches: 6, ..SearchBounds::default() });
        assert_eq!(
            (found.matches.len(), found.met.len()),
            (6, 0),
            "{means:?}: a bound that is just reached is not met"
        );
        let found = search(&place, means, "needle", SearchBounds { bytes: 28, ..SearchBounds::default() });
        assert_eq!((found.matches.len(), found.met[0].bound, &*found.met[0].at), (4, Bound::Bytes, "c"), "{means:?}");
        assert_eq!((found.files, found.bytes), (2, 28), "{means:?}");
    }
}

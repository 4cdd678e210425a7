//! Globs over full ref names: `*` within a segment, `**` across (contract, section 4).

use std::fmt;

use super::folding;
use super::wildcard::{Glob, Piece};

/// A pattern over full ref names.
///
/// `*` is any text without a slash, `**` any text. `/**/` also stands for a single slash, as it does in git's own patterns, so
/// `refs/heads/**/fix` matches `refs/heads/fix`. `refs/heads/agent/**` matches all below `refs/heads/agent/`, not that name itself.
#[derive(Debug, Clone)]
pub struct RefGlob {
    text: String,
    exact: Glob,
    folded: Glob,
}

impl RefGlob {
    /// Reads a glob. It must be well formed as a ref name would be, `*` and `**` aside, and begin with `refs/`.
    pub fn parse(text: &str) -> Result<Self, RefGlobError> {
        check(text, true).map_err(|defect| RefGlobError { glob: text.to_owned(), defect })?;
        let pieces = pieces(text);
        Ok(RefGlob {
            text: text.to_owned(),
            exact: Glob::exact(&pieces, false),
            folded: Glob::over_characters(&pieces, false),
        })
    }

    /// Whether `reference`, a full ref name, matches. What is no well-formed ref name never does.
    pub fn matches(&self, reference: &str) -> bool {
        is_ref_name(reference) && self.exact.matches(reference.as_bytes())
    }

    /// Whether `reference` matches up to letter case, normalisation and ignored code points: on a server whose file system levels
    /// these, a push to the one moves the other.
    pub fn matches_folded(&self, reference: &str) -> bool {
        is_ref_name(reference) && self.folded.matches(&folding::fold_characters(reference.as_bytes()))
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for RefGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether `text` is a well-formed full ref name (`git check-ref-format`), below `refs/`.
pub fn is_ref_name(text: &str) -> bool {
    check(text, false).is_ok()
}

/// A text that is no ref glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{glob:?} is no ref glob: {defect}")]
pub struct RefGlobError {
    /// The text.
    pub glob: String,
    /// What is wrong with it.
    pub defect: RefGlobDefect,
}

/// What is wrong with a ref glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RefGlobDefect {
    /// It does not begin with `refs/`.
    #[error("it must be a full name that begins with refs/, such as refs/heads/main or refs/heads/agent/**")]
    NotFull,
    /// It ends with a slash.
    #[error("it ends with a slash; end it with /** for everything below")]
    EndsWithSlash,
    /// Two slashes in a row.
    #[error("it has an empty segment")]
    EmptySegment,
    /// A character that no ref name has.
    #[error("no ref name has the character {0:?}; the wildcards are * and **")]
    Character(char),
    /// `..` or `@{`.
    #[error("no ref name has {0:?} in it")]
    Sequence(&'static str),
    /// A segment begins with a dot.
    #[error("no segment of a ref name begins with a dot")]
    LeadingDot,
    /// The name ends with a dot.
    #[error("no ref name ends with a dot")]
    TrailingDot,
    /// A segment ends with `.lock`.
    #[error("no segment of a ref name ends with .lock")]
    Lock,
    /// Three stars or more in a row.
    #[error("it has more than two stars in a row; * is within a segment, ** across segments")]
    TooManyStars,
    /// Over [`LONGEST`] bytes.
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
}

/// Longest ref glob or ref name that is looked at, in bytes.
pub const LONGEST: usize = 1024;

fn check(text: &str, stars: bool) -> Result<(), RefGlobDefect> {
    if text.len() > LONGEST {
        return Err(RefGlobDefect::TooLong);
    }
    let rest = text.strip_prefix("refs/").ok_or(RefGlobDefect::NotFull)?;
    let forbidden = |character: char| {
        character.is_ascii_control() || " ~^:?[\\".contains(character) || (character == '*' && !stars)
    };
    if let Some(character) = text.chars().find(|character| forbidden(*character)) {
        return Err(RefGlobDefect::Character(character));
    }
    for sequence in ["..", "@{"] {
        if text.contains(sequence) {
            return Err(RefGlobDefect::Sequence(sequence));
        }
    }
    if text.contains("***") {
        return Err(RefGlobDefect::TooManyStars);
    }
    if text.ends_with('/') {
        return Err(RefGlobDefect::EndsWithSlash);
    }
    if text.ends_with('.') {
        return Err(RefGlobDefect::TrailingDot);
    }
    for segment in rest.split('/') {
        match segment {
            "" => return Err(RefGlobDefect::EmptySegment),
            hidden if hidden.starts_with('.') => return Err(RefGlobDefect::LeadingDot),
            locked if locked.ends_with(".lock") => return Err(RefGlobDefect::Lock),
            _ => {}
        }
    }
    Ok(())
}

fn pieces(glob: &str) -> Vec<Piece> {
    let segments: Vec<&str> = glob.split('/').collect();
    let last = segments.len() - 1;
    let mut pieces = Vec::new();
    for (place, segment) in segments.into_iter().enumerate() {
        if segment == "**" && place < last {
            pieces.push(Piece::Dirs);
            continue;
        }
        push_segment(&mut pieces, segment);
        if place < last {
            pieces.push(Piece::Slash);
        }
    }
    pieces
}

fn push_segment(pieces: &mut Vec<Piece>, segment: &str) {
    let mut rest = segment;
    while !rest.is_empty() {
        let text = &rest[..rest.find('*').unwrap_or(rest.len())];
        let (piece, taken) = match rest {
            _ if rest.starts_with("**") => (Piece::Deep, 2),
            _ if rest.starts_with('*') => (Piece::Run, 1),
            _ => (Piece::Text(text.to_owned()), text.len()),
        };
        pieces.push(piece);
        rest = &rest[taken..];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{RefGlob, RefGlobDefect, is_ref_name};

    fn glob(text: &str) -> RefGlob {
        RefGlob::parse(text).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn stars_reach_as_far_as_they_say() {
        for (pattern, hits, misses) in [
            (
                "refs/heads/agent/**",
                &["refs/heads/agent/x", "refs/heads/agent/x/y", "refs/heads/agent/x/y/z"][..],
                &["refs/heads/agent", "refs/heads/agents/x", "refs/heads/x/agent/y", "refs/tags/agent/x"][..],
            ),
            ("refs/heads/agent/*", &["refs/heads/agent/x"], &["refs/heads/agent/x/y", "refs/heads/agent"]),
            ("refs/heads/*/fix", &["refs/heads/a/fix"], &["refs/heads/fix", "refs/heads/a/b/fix"]),
            (
                "refs/heads/**/fix",
                &["refs/heads/fix", "refs/heads/a/fix", "refs/heads/a/b/fix"],
                &["refs/heads/xfix", "refs/fix"],
            ),
            ("refs/heads/v*", &["refs/heads/v", "refs/heads/v1.2"], &["refs/heads/v1/x", "refs/heads/x"]),
            ("refs/heads/v**", &["refs/heads/v", "refs/heads/v1/x"], &["refs/heads/x"]),
            ("refs/heads/a**z", &["refs/heads/az", "refs/heads/a/b/z"], &["refs/heads/a/b"]),
            ("refs/**", &["refs/heads/main", "refs/stash"], &["HEAD", "refs"]),
            (
                "refs/heads/main",
                &["refs/heads/main"],
                &["refs/heads/main2", "refs/heads/mai", "refs/heads/Main", "main"],
            ),
            ("refs/heads/*-*-x", &["refs/heads/a-b-c-x"], &["refs/heads/a-x"]),
        ] {
            let glob = glob(pattern);
            hits.iter().for_each(|name| assert!(glob.matches(name), "{pattern} misses {name}"));
            misses.iter().for_each(|name| assert!(!glob.matches(name), "{pattern} takes {name}"));
        }
    }

    #[test]
    fn what_is_no_full_well_formed_name_is_refused() {
        use RefGlobDefect as Defect;
        for (text, defect) in [
            ("", Defect::NotFull),
            ("main", Defect::NotFull),
            ("heads/main", Defect::NotFull),
            ("**", Defect::NotFull),
            ("*/heads/main", Defect::NotFull),
            ("refs", Defect::NotFull),
            ("Refs/heads/main", Defect::NotFull),
            ("refs/", Defect::EndsWithSlash),
            ("refs/heads/", Defect::EndsWithSlash),
            ("refs/heads//x", Defect::EmptySegment),
            ("refs/heads/a b", Defect::Character(' ')),
            ("refs/heads/[ab]", Defect::Character('[')),
            ("refs/heads/a?", Defect::Character('?')),
            ("refs/heads/a\\*", Defect::Character('\\')),
            ("refs/heads/a:b", Defect::Character(':')),
            ("^refs/heads/a", Defect::NotFull),
            ("refs/heads/a\n", Defect::Character('\n')),
            ("refs/heads/a\0", Defect::Character('\0')),
            ("refs/heads/../x", Defect::Sequence("..")),
            ("refs/heads/a@{1}", Defect::Sequence("@{")),
            ("refs/heads/.x", Defect::LeadingDot),
            ("refs/heads/x.", Defect::TrailingDot),
            ("refs/heads/x.lock", Defect::Lock),
            ("refs/heads/x.lock/y", Defect::Lock),
            ("refs/heads/***", Defect::TooManyStars),
        ] {
            assert_eq!(RefGlob::parse(text).map_err(|error| error.defect).err(), Some(defect), "{text:?}");
        }
        let long = format!("refs/heads/{}", "x".repeat(2000));
        assert_eq!(RefGlob::parse(&long).map_err(|error| error.defect).err(), Some(Defect::TooLong));
    }

    #[test]
    fn a_star_is_no_part_of_a_ref_name() {
        assert!(is_ref_name("refs/heads/agent/x"));
        assert!(!is_ref_name("refs/heads/*"));
        assert!(!glob("refs/heads/**").matches("refs/heads/*"), "a pattern was taken for a name");
    }

    #[test]
    fn a_malformed_name_matches_nothing() {
        for name in ["refs/heads/agent/", "refs/heads/agent/../main", "refs/heads/agent//x", "refs/heads/agent/x.lock"]
        {
            assert!(!glob("refs/heads/agent/**").matches(name), "{name}");
        }
    }

    #[test]
    fn folded_matching_levels_case_and_ignored_code_points() {
        let main = glob("refs/heads/main");
        for name in ["refs/heads/MAIN", "refs/heads/ma\u{200d}in", "refs/Heads/main"] {
            assert!(!main.matches(name) && main.matches_folded(name), "{name}");
        }
        assert!(!main.matches_folded("refs/heads/mainly"));
    }

    proptest! {
        #[test]
        fn two_stars_take_whatever_one_takes(
            pattern in "refs/heads(/([ab]|\\*|a\\*|\\*b)){1,4}",
            name in "refs/heads(/[ab]{1,3}){1,4}",
        ) {
            let wider = pattern.replace('*', "**");
            if glob(&pattern).matches(&name) {
                prop_assert!(glob(&wider).matches(&name), "{pattern} takes {name}, {wider} does not");
            }
        }

        #[test]
        fn a_name_matches_itself_and_nothing_else(one in "refs(/[a-c]{1,2}){1,4}", other in "refs(/[a-c]{1,2}){1,4}") {
            prop_assert_eq!(glob(&one).matches(&other), one == other);
        }
    }
}

//! The one matcher behind ref globs, pathspecs and the automation table.
//!
//! A pattern is read into [`Piece`]s, and pieces become a [`Glob`]: the very pattern, or one over folded text. Matching walks the text
//! once with the set of all places the pattern can be at, so no pattern takes more than its length times the text's.

use super::folding;

/// One part of a pattern as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// These characters. Never empty, never with a slash.
    Text(String),
    /// `/`.
    Slash,
    /// One byte; a slash too if `slash`.
    One { slash: bool },
    /// One byte of a bracket expression.
    Set(Brackets),
    /// Any bytes but a slash, also none.
    Run,
    /// Any bytes, also none.
    Deep,
    /// Any number of whole segments, each with its slash, also none.
    Dirs,
    /// Nothing: git gives up on a pattern that it cannot read.
    Never,
}

/// The bytes a bracket expression takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Brackets {
    /// The bytes it takes, negation worked in.
    pub(super) bytes: ByteSet,
    /// Whether it was written `[!…]`.
    pub(super) negated: bool,
}

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteSet([u128; 2]);

impl ByteSet {
    pub(super) fn of(takes: impl Fn(u8) -> bool) -> Self {
        let mut halves = [0_u128; 2];
        for byte in (0..=255_u8).filter(|byte| takes(*byte)) {
            halves[usize::from(byte >> 7)] |= 1 << (byte & 127);
        }
        ByteSet(halves)
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 7)] >> (byte & 127) & 1 == 1
    }
}

/// A pattern ready to match.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    steps: Vec<Step>,
    /// Whether a directory that matches stands for all below it.
    below: bool,
    /// Whether the text is folded, so that [`folding::stands_for`] has a say.
    folded: bool,
    /// The longest run of bytes that stand beside each other in the pattern, and so in every text that it matches.
    run: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Byte(u8),
    One {
        slash: bool,
    },
    Set(ByteSet),
    Run,
    Deep,
    /// Bytes of characters outside ASCII, also none.
    High,
    /// Entry to zero or more segments; always followed by `DirsBody`.
    DirsOpen,
    DirsBody,
    Never,
}

impl Glob {
    /// The pattern as git reads it. `below`: a match of a leading directory counts.
    pub(super) fn exact(pieces: &[Piece], below: bool) -> Self {
        let mut steps = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => steps.extend(text.bytes().map(Step::Byte)),
                Piece::Set(brackets) => steps.push(Step::Set(brackets.bytes)),
                other => push_plain(&mut steps, other),
            }
        }
        Glob::of(steps, below, false)
    }

    /// The pattern over text folded by [`folding::fold_characters`].
    pub(super) fn over_characters(pieces: &[Piece], below: bool) -> Self {
        Glob::of(loose_steps(pieces, |text| folding::fold_characters(text.as_bytes())), below, true)
    }

    /// The pattern over text folded by [`folding::fold`].
    ///
    /// A segment that is all text loses what NTFS ignores, as the path's own does. In one with wildcards a dot at the end stays: a
    /// folded path never has it, and `*.` must not come to mean `*`.
    pub(super) fn over_fold(pieces: &[Piece], below: bool) -> Self {
        let mut kept = Vec::new();
        for segment in pieces.split_inclusive(|piece| matches!(piece, Piece::Slash | Piece::Dirs)) {
            match segment {
                [Piece::Text(text)] | [Piece::Text(text), Piece::Slash] => {
                    let folded = folding::fold(text.as_bytes());
                    if folded.is_empty() {
                        continue;
                    }
                    kept.push(Piece::Text(String::from_utf8_lossy(&folded).into_owned()));
                    kept.extend(segment.get(1).cloned());
                }
                other => kept.extend(other.iter().cloned()),
            }
        }
        if kept.last() == Some(&Piece::Slash) {
            kept.pop();
        }
        Glob::of(loose_steps(&kept, |text| folding::fold_backslashes(text.as_bytes())), below, true)
    }

    fn of(steps: Vec<Step>, below: bool, folded: bool) -> Self {
        let bytes = |run: &[Step]| -> Vec<u8> {
            let byte = |step: &Step| if let Step::Byte(byte) = step { Some(*byte) } else { None };
            run.iter().filter_map(byte).collect()
        };
        let runs = steps.split(|step| !matches!(step, Step::Byte(_))).map(bytes);
        let run = runs.max_by_key(Vec::len).unwrap_or_default();
        Glob { steps, below, folded, run }
    }

    /// The longest run of bytes that stand beside each other in every text that it matches; empty where there is none.
    pub(super) fn run(&self) -> &[u8] {
        &self.run
    }

    /// Whether the whole of `text` matches, or with `below` a leading directory of it.
    pub(super) fn matches(&self, text: &[u8]) -> bool {
        if self.is_plainly_other(text) || self.lacks_run(text) {
            return false;
        }
        let end = self.steps.len();
        let mut now = vec![false; end + 1];
        let mut next = vec![false; end + 1];
        now[0] = true;
        self.skip_empty(&mut now);
        for &byte in text {
            if self.below && byte == b'/' && now[end] {
                return true;
            }
            next.fill(false);
            match folding::stands_for(byte).filter(|_| self.folded) {
                Some(may_be) => self.take_unknown(&now, &mut next, may_be),
                None => self.take(&now, &mut next, byte),
            }
            self.skip_empty(&mut next);
            std::mem::swap(&mut now, &mut next);
            if !now.contains(&true) {
                return false;
            }
        }
        now[end]
    }

    /// A look at both ends, which tells most texts apart without setting anything up.
    fn is_plainly_other(&self, text: &[u8]) -> bool {
        let differs = |step: Option<&Step>, byte: Option<&u8>| match (step, byte) {
            (Some(Step::Byte(wanted)), Some(byte)) => {
                wanted != byte && !(self.folded && folding::stands_for(*byte).is_some())
            }
            (Some(Step::Byte(_)), None) => true,
            _ => false,
        };
        differs(self.steps.first(), text.first()) || (!self.below && differs(self.steps.last(), text.last()))
    }

    /// Whether the text is without bytes that the pattern has beside each other, and nothing in it may stand for them. It tells apart what
    /// both ends do not, such as a directory anywhere on the way, for a fraction of what walking the text costs.
    fn lacks_run(&self, text: &[u8]) -> bool {
        let Some((first, rest)) = self.run.split_first() else { return false };
        let is_here = |at: usize| text[at] == *first && text[at + 1..].starts_with(rest);
        let has = (0..text.len().saturating_sub(rest.len())).any(is_here);
        !(has || self.folded && text.iter().any(|byte| folding::stands_for(*byte).is_some()))
    }

    fn take(&self, now: &[bool], next: &mut [bool], byte: u8) {
        for (place, step) in self.steps.iter().enumerate().filter(|(place, _)| now[*place]) {
            match step {
                Step::Byte(wanted) => next[place + 1] |= *wanted == byte,
                Step::One { slash } => next[place + 1] |= *slash || byte != b'/',
                Step::Set(set) => next[place + 1] |= set.has(byte),
                Step::Run => next[place] |= byte != b'/',
                Step::Deep => next[place] = true,
                Step::High => next[place] |= byte >= 0x80,
                Step::DirsBody => {
                    next[place] = true;
                    next[place + 1] |= byte == b'/';
                }
                Step::DirsOpen | Step::Never => {}
            }
        }
    }

    /// What can be reached by text of any length, also none, of bytes that `may_be` allows. None of them is a slash.
    fn take_unknown(&self, now: &[bool], next: &mut [bool], may_be: fn(u8) -> bool) {
        next.copy_from_slice(now);
        for (place, step) in self.steps.iter().enumerate() {
            let takes = match step {
                Step::Byte(wanted) => may_be(*wanted),
                Step::Set(set) => (0..=255).any(|byte| may_be(byte) && set.has(byte)),
                Step::One { .. } | Step::Run | Step::Deep | Step::High | Step::DirsOpen => true,
                Step::DirsBody | Step::Never => false,
            };
            if next[place] && takes {
                next[place + 1] = true;
            }
        }
    }

    fn skip_empty(&self, places: &mut [bool]) {
        for (place, step) in self.steps.iter().enumerate() {
            if places[place] && matches!(step, Step::Run | Step::Deep | Step::High | Step::DirsOpen) {
                places[place + 1] = true;
                if *step == Step::DirsOpen {
                    places[place + 2] = true;
                }
            }
        }
    }
}

fn push_plain(steps: &mut Vec<Step>, piece: &Piece) {
    match piece {
        Piece::Slash => steps.push(Step::Byte(b'/')),
        Piece::One { slash } => steps.push(Step::One { slash: *slash }),
        Piece::Run => steps.push(Step::Run),
        Piece::Deep => steps.push(Step::Deep),
        Piece::Dirs => steps.extend([Step::DirsOpen, Step::DirsBody]),
        Piece::Never => steps.push(Step::Never),
        Piece::Text(_) | Piece::Set(_) => {}
    }
}

/// Folding changes how many bytes a character takes, so `?` and brackets take a whole character outside ASCII and more.
fn loose_steps(pieces: &[Piece], fold_text: impl Fn(&str) -> Vec<u8>) -> Vec<Step> {
    let mut steps = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => steps.extend(fold_text(text).into_iter().map(Step::Byte)),
            Piece::Set(brackets) => steps.extend([Step::Set(loose_set(brackets)), Step::High]),
            Piece::One { .. } => {
                push_plain(&mut steps, piece);
                steps.push(Step::High);
            }
            other => push_plain(&mut steps, other),
        }
    }
    steps
}

/// Either case of a listed letter is listed; and where a byte of a character outside ASCII is, what that character folds to may be any.
fn loose_set(brackets: &Brackets) -> ByteSet {
    let bytes = brackets.bytes;
    let lists_high = !brackets.negated && (0x80..=0xff).any(|byte| bytes.has(byte));
    ByteSet::of(|byte| {
        let (lower, upper) = (bytes.has(byte.to_ascii_lowercase()), bytes.has(byte.to_ascii_uppercase()));
        let either = if brackets.negated { lower && upper } else { lower || upper };
        either || lists_high && byte != b'/' && (byte >= 0x80 || byte.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Glob, Piece};

    fn piece() -> impl Strategy<Value = Piece> {
        prop_oneof![
            "[ab.]{1,3}".prop_map(Piece::Text),
            Just(Piece::Slash),
            Just(Piece::One { slash: false }),
            Just(Piece::Run),
            Just(Piece::Deep),
            Just(Piece::Dirs),
        ]
    }

    proptest! {
        #[test]
        fn what_lacks_a_run_of_the_pattern_would_not_have_matched_it(
            pieces in proptest::collection::vec(piece(), 0..5),
            text in proptest::collection::vec(prop_oneof![
                4 => prop::sample::select(&b"ab./"[..]),
                1 => prop::sample::select(&[0xfd_u8, 0xfe, 0xff][..]),
            ], 0..9),
            below: bool,
        ) {
            for glob in [Glob::exact(&pieces, below), Glob::over_characters(&pieces, below), Glob::over_fold(&pieces, below)] {
                let walked = Glob { run: Vec::new(), ..glob.clone() };
                prop_assert_eq!(glob.matches(&text), walked.matches(&text), "{:?}", glob);
            }
        }
    }

    #[test]
    fn a_directory_anywhere_on_the_way_is_told_apart_by_its_name() {
        let secrets = [Piece::Dirs, Piece::Text("secrets".to_owned()), Piece::Slash, Piece::Deep];
        let glob = Glob::over_fold(&secrets, false);
        assert!(glob.lacks_run(b"src/main.rs") && !glob.matches(b"src/main.rs"), "it is nowhere in it");
        assert!(!glob.lacks_run(b"a/secrets/b") && glob.matches(b"a/secrets/b"), "here it is");
        assert!(!glob.lacks_run(b"a/\xff/b"), "and what stands for any text may be it");
    }
}

//! The one matcher behind ref globs, pathspecs and the automation table.
//!
//! A pattern is read into [`Piece`]s, and pieces become a [`Glob`]: the very pattern, or one over folded text. Matching walks the text
//! once with the set of all places the pattern can be at, so no pattern takes more than its length times the text's.

use super::folding::{self, ANYTHING, DOTS};

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
    /// Whether the text is folded, so that [`ANYTHING`] and [`DOTS`] have their meaning.
    folded: bool,
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
        Glob { steps, below, folded: false }
    }

    /// The pattern over text folded by [`folding::fold_characters`].
    pub(super) fn over_characters(pieces: &[Piece], below: bool) -> Self {
        Glob { steps: loose_steps(pieces, |text| folding::fold_characters(text.as_bytes())), below, folded: true }
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
        Glob { steps: loose_steps(&kept, |text| folding::fold_backslashes(text.as_bytes())), below, folded: true }
    }

    /// Whether the whole of `text` matches, or with `below` a leading directory of it.
    pub(super) fn matches(&self, text: &[u8]) -> bool {
        if self.is_plainly_other(text) {
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
            match byte {
                ANYTHING if self.folded => self.take_anything(&now, &mut next),
                DOTS if self.folded => {
                    next.copy_from_slice(&now);
                    self.take_dots(&mut next);
                }
                _ => self.take(&now, &mut next, byte),
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
                wanted != byte && !(self.folded && matches!(*byte, ANYTHING | DOTS))
            }
            (Some(Step::Byte(_)), None) => true,
            _ => false,
        };
        differs(self.steps.first(), text.first()) || (!self.below && differs(self.steps.last(), text.last()))
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

    /// What can be reached by bytes that nobody knows, but for a slash.
    fn take_anything(&self, now: &[bool], next: &mut [bool]) {
        next.copy_from_slice(now);
        for (place, step) in self.steps.iter().enumerate() {
            if next[place] && !matches!(step, Step::Byte(b'/') | Step::DirsBody | Step::Never) {
                next[place + 1] = true;
            }
        }
    }

    /// What can be reached by any number of dots and spaces.
    fn take_dots(&self, next: &mut [bool]) {
        for (place, step) in self.steps.iter().enumerate() {
            let takes = match step {
                Step::Byte(wanted) => matches!(wanted, b'.' | b' '),
                Step::Set(set) => set.has(b'.') || set.has(b' '),
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

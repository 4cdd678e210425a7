//! Wildcards of pathspecs, with the letter of git's own matcher.

use crate::gate::scope::wildcard::{Brackets, ByteSet, Piece};

/// Reads the wildcard part of a pathspec as git's `wildmatch` does.
pub(super) struct Lexer<'a> {
    rest: &'a [u8],
    /// `:(glob)`: a slash is only matched by a slash and `**`.
    path_aware: bool,
    /// The text will be lower case. Git levels the pattern's letters too, but not those behind a backslash or in brackets.
    icase: bool,
    text: Vec<u8>,
    pieces: Vec<Piece>,
}

impl<'a> Lexer<'a> {
    /// The pieces of `pattern`. `path_aware` and `icase`: the magic that it has.
    pub(super) fn read(pattern: &'a str, path_aware: bool, icase: bool) -> Vec<Piece> {
        let mut lexer = Lexer { rest: pattern.as_bytes(), path_aware, icase, text: Vec::new(), pieces: Vec::new() };
        while let Some(byte) = lexer.next() {
            match byte {
                b'*' => lexer.stars(),
                b'?' => lexer.push(Piece::One { slash: !path_aware }),
                b'[' => {
                    let piece = lexer.brackets().unwrap_or(Piece::Never);
                    lexer.push(piece);
                }
                b'/' => lexer.push(Piece::Slash),
                b'\\' => match lexer.next() {
                    Some(b'/') => lexer.push(Piece::Slash),
                    Some(upper) if icase && upper.is_ascii_uppercase() => lexer.push(Piece::Never),
                    Some(escaped) => lexer.text.push(escaped),
                    None => lexer.push(Piece::Never),
                },
                other => lexer.text.push(if icase { other.to_ascii_lowercase() } else { other }),
            }
        }
        lexer.end_text();
        lexer.pieces
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn end_text(&mut self) {
        if !self.text.is_empty() {
            // Text is cut at ASCII signs only, so it is still UTF-8.
            let text = String::from_utf8_lossy(&self.text).into_owned();
            self.pieces.push(Piece::Text(text));
            self.text.clear();
        }
    }

    fn push(&mut self, piece: Piece) {
        self.end_text();
        self.pieces.push(piece);
    }

    fn stars(&mut self) {
        let mut count = 1;
        while self.rest.first() == Some(&b'*') {
            self.next();
            count += 1;
        }
        self.end_text();
        let whole_segment = matches!(self.pieces.last(), None | Some(Piece::Slash | Piece::Dirs));
        let piece = match (self.path_aware, count > 1 && whole_segment, self.rest) {
            (false, ..) => Piece::Deep,
            (true, true, []) => Piece::Deep,
            (true, true, [b'/', ..]) => {
                self.next();
                Piece::Dirs
            }
            // Not the same as above: here git wants the slash, and any text before it.
            (true, true, [b'\\', b'/', ..]) => Piece::Deep,
            (true, ..) => Piece::Run,
        };
        self.pieces.push(piece);
    }

    /// After `[`. `None` where git gives the pattern up.
    fn brackets(&mut self) -> Option<Piece> {
        let mut first = self.next()?;
        let negated = matches!(first, b'!' | b'^');
        if negated {
            first = self.next()?;
        }
        let mut listed = Vec::new();
        let mut previous = None;
        let mut byte = first;
        loop {
            previous = match byte {
                b'\\' => {
                    let escaped = self.next()?;
                    listed.push(Listed::Byte(escaped));
                    Some(escaped)
                }
                b'-' if previous.is_some() && !matches!(self.rest.first(), None | Some(b']')) => {
                    let mut end = self.next()?;
                    if end == b'\\' {
                        end = self.next()?;
                    }
                    listed.push(Listed::Range(previous?, end));
                    None
                }
                b'[' if self.rest.first() == Some(&b':') => {
                    let close = self.rest.iter().position(|byte| *byte == b']')?;
                    match self.rest[1..close].strip_suffix(b":") {
                        Some(name) => {
                            listed.push(class(name)?);
                            self.rest = &self.rest[close + 1..];
                            None
                        }
                        // It didn't close as a class, so the bracket is an ordinary member.
                        None => {
                            listed.push(Listed::Byte(b'['));
                            Some(b'[')
                        }
                    }
                }
                member => {
                    listed.push(Listed::Byte(member));
                    Some(member)
                }
            };
            byte = self.next()?;
            if byte == b']' {
                break;
            }
        }
        let bytes = ByteSet::of(|byte| {
            let is_listed = listed.iter().any(|member| member.has(byte, self.icase));
            is_listed != negated && !(self.path_aware && byte == b'/')
        });
        Some(Piece::Set(Brackets { bytes, negated }))
    }
}

enum Listed {
    Byte(u8),
    Range(u8, u8),
    Class(fn(u8) -> bool),
    /// `[:upper:]`, which takes lower case too where case does not count.
    Upper,
}

impl Listed {
    fn has(&self, byte: u8, icase: bool) -> bool {
        let upper = (icase && byte.is_ascii_lowercase()).then(|| byte.to_ascii_uppercase());
        match self {
            Listed::Byte(member) => *member == byte,
            Listed::Range(from, to) => {
                (*from..=*to).contains(&byte) || upper.is_some_and(|upper| (*from..=*to).contains(&upper))
            }
            Listed::Class(takes) => takes(byte),
            Listed::Upper => byte.is_ascii_uppercase() || upper.is_some(),
        }
    }
}

fn class(name: &[u8]) -> Option<Listed> {
    if name == b"upper" {
        return Some(Listed::Upper);
    }
    let takes: fn(u8) -> bool = match name {
        b"alnum" => |byte| byte.is_ascii_alphanumeric(),
        b"alpha" => |byte| byte.is_ascii_alphabetic(),
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => |byte| byte.is_ascii_control(),
        b"digit" => |byte| byte.is_ascii_digit(),
        b"graph" => |byte| byte.is_ascii_graphic(),
        b"lower" => |byte| byte.is_ascii_lowercase(),
        b"print" => |byte| matches!(byte, 0x20..=0x7e),
        b"punct" => |byte| byte.is_ascii_punctuation(),
        b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"xdigit" => |byte| byte.is_ascii_hexdigit(),
        _ => return None,
    };
    Some(Listed::Class(takes))
}

//! One pathspec: its magic, its pattern, and how git matches it (`gitglossary`, "pathspec").
//!
//! Read here and not by a library, because what counts is what git itself does with the same text, oddities included; the test
//! `against_git` holds the two together.

mod lexer;

use memchr::memmem::{self, Finder};

use self::lexer::Lexer;
use super::folding;
use super::pathspec::PathspecDefect;
use super::wildcard::{Glob, Piece};

/// One pathspec, ready to match.
#[derive(Debug, Clone)]
pub(super) struct Element {
    /// Whether it takes away.
    pub(super) excludes: bool,
    /// From the top, without `.` segments and doubled slashes; a slash at the end stays.
    path: Vec<u8>,
    icase: bool,
    /// The part with wildcards and how many bytes of `path` come before it.
    wild: Option<(usize, Glob)>,
    /// Over folded characters, and over all that is folded.
    loose: [Vec<Glob>; 2],
    /// Of these a plain path has one, or this does not match it, however it is read.
    needles: Vec<Finder<'static>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Magic {
    exclude: bool,
    icase: bool,
    glob: bool,
    literal: bool,
}

impl Element {
    pub(super) fn parse(text: &str) -> Result<Self, PathspecDefect> {
        let (magic, pattern) = magic(text)?;
        let path = from_top(pattern)?;
        if path.is_empty() && magic.exclude {
            return Err(PathspecDefect::ExcludesAll);
        }
        let literal_bytes = if magic.literal { None } else { path.find(['*', '?', '[', '\\']) };
        let wild = literal_bytes.map(|at| (at, Glob::exact(&Lexer::read(&path[at..], magic.glob, magic.icase), false)));
        let loose = loose(&path, magic, literal_bytes);
        let needles = needles(&path, wild.as_ref().map(|(_, glob)| glob), &loose);
        Ok(Element { excludes: magic.exclude, path: path.into_bytes(), icase: magic.icase, wild, loose, needles })
    }

    /// Whether there is any need to look closer: a listing asks this of each of thousands of paths, and nearly none is excluded.
    pub(super) fn may_concern(&self, readings: &Readings) -> bool {
        !readings.plain || self.needles.iter().any(|needle| needle.find(&readings.folded).is_some())
    }

    /// Whether git matches the index entry `name` by this. `submodule`: the entry is one, which counts as a directory.
    pub(super) fn matches(&self, name: &[u8], submodule: bool) -> bool {
        let spec = &self.path[..];
        if spec.is_empty() {
            return true;
        }
        if self.same(spec, name.get(..spec.len()))
            && (spec.ends_with(b"/") || matches!(name.get(spec.len()), None | Some(b'/')))
        {
            return true;
        }
        if submodule && spec.strip_suffix(b"/").is_some_and(|directory| self.same(directory, Some(name))) {
            return true;
        }
        let Some((before, glob)) = &self.wild else { return false };
        self.same(&spec[..*before], name.get(..*before)) && {
            let rest = &name[*before..];
            if self.icase { glob.matches(&rest.to_ascii_lowercase()) } else { glob.matches(rest) }
        }
    }

    /// Whether some spelling that a file system takes for `name` may be meant by this. A trailing slash is no bar here: what stands at
    /// the directory's own place, such as a symbolic link, stands for all that would be below.
    pub(super) fn may_match(&self, readings: &Readings) -> bool {
        let [characters, all] = &self.loose;
        self.path.is_empty()
            || characters.iter().any(|glob| glob.matches(&readings.characters))
            || all.iter().any(|glob| {
                glob.matches(&readings.folded) || readings.short.as_deref().is_some_and(|short| glob.matches(short))
            })
    }

    /// Whether `name` matches as it stands and still does as a file system would read it. `docs/..\\key` lies in `docs` for git and
    /// beside it on Windows.
    pub(super) fn surely_matches(&self, name: &[u8], readings: &Readings) -> bool {
        let [_, all] = &self.loose;
        self.matches(name, false) && (self.path.is_empty() || all.iter().any(|glob| glob.matches(&readings.folded)))
    }

    fn same(&self, spec: &[u8], name: Option<&[u8]>) -> bool {
        name.is_some_and(|name| if self.icase { spec.eq_ignore_ascii_case(name) } else { spec == name })
    }
}

/// A path in the forms that loose matching looks at.
pub(super) struct Readings {
    characters: Vec<u8>,
    folded: Vec<u8>,
    /// Whether all forms are the same but for letter case, of ASCII throughout.
    plain: bool,
    short: Option<Vec<u8>>,
}

impl Readings {
    pub(super) fn of(path: &[u8]) -> Self {
        let folded = folding::fold(path);
        let plain = folding::is_plain(path);
        let characters = if plain { folded.clone() } else { folding::fold_characters(path) };
        Readings { characters, plain, short: folding::short_reading(&folded), folded }
    }
}

/// What of a plain path is beside each other in lower case wherever an element matches it: for each way to match, the longest such text,
/// without those that hold another one.
fn needles(path: &str, wild: Option<&Glob>, loose: &[Vec<Glob>; 2]) -> Vec<Finder<'static>> {
    let mut all: Vec<Vec<u8>> = vec![path.trim_end_matches('/').to_ascii_lowercase().into_bytes()];
    all.extend(wild.into_iter().chain(loose.iter().flatten()).map(|glob| glob.run().to_ascii_lowercase()));
    all.sort_by_key(Vec::len);
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for one in all {
        // An empty one is in every text.
        if !kept.iter().any(|other| other.is_empty() || memmem::find(&one, other).is_some()) {
            kept.push(one);
        }
    }
    kept.iter().map(|needle| Finder::new(needle).into_owned()).collect()
}

fn loose(path: &str, magic: Magic, first_wildcard: Option<usize>) -> [Vec<Glob>; 2] {
    let directory = path.ends_with('/');
    let path = path.trim_end_matches('/');
    let mut patterns = vec![(literal(path), true)];
    if first_wildcard.is_some() {
        let at = first_wildcard.unwrap_or_default().min(path.len());
        let mut pieces = literal(&path[..at]);
        pieces.extend(Lexer::read(&path[at..], magic.glob, false));
        patterns.push((pieces, directory));
    }
    [
        patterns.iter().map(|(pieces, below)| Glob::over_characters(pieces, *below)).collect(),
        patterns.iter().map(|(pieces, below)| Glob::over_fold(pieces, *below)).collect(),
    ]
}

/// Splits off `:(…)` or `:!/^` magic.
fn magic(text: &str) -> Result<(Magic, &str), PathspecDefect> {
    if text.is_empty() {
        return Err(PathspecDefect::Empty);
    }
    if text == ":" {
        return Err(PathspecDefect::NoPathspec);
    }
    if let Some(long) = text.strip_prefix(":(") {
        let (words, path) = long.split_once(')').ok_or(PathspecDefect::UnclosedMagic)?;
        return Ok((long_magic(words)?, path));
    }
    match text.strip_prefix(':') {
        Some(short) => short_magic(short),
        None => Ok((Magic::default(), text)),
    }
}

fn long_magic(words: &str) -> Result<Magic, PathspecDefect> {
    let mut magic = Magic::default();
    for word in words.split(',') {
        match word {
            "" | "top" => {}
            "exclude" => magic.exclude = true,
            "icase" => magic.icase = true,
            "glob" => magic.glob = true,
            "literal" => magic.literal = true,
            _ if word == "attr" || word.starts_with("attr:") => return Err(PathspecDefect::Attr),
            _ => return Err(PathspecDefect::UnknownMagic(word.to_owned())),
        }
    }
    if magic.glob && magic.literal {
        return Err(PathspecDefect::GlobAndLiteral);
    }
    Ok(magic)
}

fn short_magic(short: &str) -> Result<(Magic, &str), PathspecDefect> {
    let mut magic = Magic::default();
    for (at, sign) in short.char_indices() {
        match sign {
            '/' => {}
            '!' | '^' => magic.exclude = true,
            ':' => return Ok((magic, &short[at + 1..])),
            // Signs that git keeps for magic to come.
            _ if "\"#%&',-;<=>@_`~".contains(sign) => return Err(PathspecDefect::UnknownMagic(sign.to_string())),
            _ => return Ok((magic, &short[at..])),
        }
    }
    Ok((magic, ""))
}

/// The path from the top of the tree as git cleans it up; whatever could lead out of the tree is refused.
fn from_top(path: &str) -> Result<String, PathspecDefect> {
    if path.contains('\0') {
        return Err(PathspecDefect::Nul);
    }
    if path.starts_with('/') {
        return Err(PathspecDefect::LeadingSlash);
    }
    if path.split('/').any(|segment| segment == "..") {
        return Err(PathspecDefect::Parent);
    }
    let kept: Vec<_> = path.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    let mut clean = kept.join("/");
    let is_directory = path.ends_with('/') || path.ends_with("/.");
    if is_directory && !clean.is_empty() {
        clean.push('/');
    }
    Ok(clean)
}

fn literal(path: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (place, segment) in path.split('/').enumerate() {
        if place > 0 {
            pieces.push(Piece::Slash);
        }
        if !segment.is_empty() {
            pieces.push(Piece::Text(segment.to_owned()));
        }
    }
    pieces
}

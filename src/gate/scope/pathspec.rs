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
        let excludes = |element: &Element| {
            element.may_concern(&readings) && (element.matches(path, submodule) || element.may_match(&readings))
        };
        match exclusions.find(|(_, element)| excludes(element)) {
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
mod tests;

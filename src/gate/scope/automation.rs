//! Files that machines act on without being asked: an actor who changes one changes what runs next (contract, section 4).
//!
//! The class follows from the path alone, so nothing that an actor writes can lower it.

mod table;

use std::fmt;

use super::folding;
use super::wildcard::{Glob, Piece};

/// What kind of machine acts on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AutomationClass {
    /// The file that this tool's policy is compiled from.
    Boundary,
    /// Configuration of CI services.
    Ci,
    /// Hooks of git and of hook managers.
    Hooks,
    /// What builds and tasks execute.
    Build,
    /// Dependency manifests and their locks.
    Dependencies,
    /// Attributes, submodules and configuration that git itself reads from the tree.
    Git,
    /// Instructions, permissions and tools of coding agents.
    Agent,
    /// What editors and development containers start.
    Editor,
    /// Configuration that makes compilers, package managers and shells run or fetch something else.
    Toolchain,
}

impl AutomationClass {
    /// Every class, in the order in which they are tried.
    pub const ALL: [AutomationClass; 9] = [
        AutomationClass::Boundary,
        AutomationClass::Ci,
        AutomationClass::Hooks,
        AutomationClass::Agent,
        AutomationClass::Git,
        AutomationClass::Editor,
        AutomationClass::Toolchain,
        AutomationClass::Dependencies,
        AutomationClass::Build,
    ];

    /// The word shown.
    pub fn name(self) -> &'static str {
        match self {
            AutomationClass::Boundary => "boundary",
            AutomationClass::Ci => "ci",
            AutomationClass::Hooks => "hooks",
            AutomationClass::Build => "build",
            AutomationClass::Dependencies => "dependencies",
            AutomationClass::Git => "git",
            AutomationClass::Agent => "agent",
            AutomationClass::Editor => "editor",
            AutomationClass::Toolchain => "toolchain",
        }
    }

    /// What the class is, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            AutomationClass::Boundary => "the file that the policy is compiled from",
            AutomationClass::Ci => "CI configuration",
            AutomationClass::Hooks => "hooks and hook managers",
            AutomationClass::Build => "build scripts and task runners",
            AutomationClass::Dependencies => "dependency manifests and locks",
            AutomationClass::Git => "configuration that git reads from the tree",
            AutomationClass::Agent => "agent configuration",
            AutomationClass::Editor => "editor and development container configuration",
            AutomationClass::Toolchain => "toolchain and package manager configuration",
        }
    }

    /// The paths of this class. `**/` is any depth, `/**` all below a directory, `*` any text within a segment.
    pub fn paths(self) -> &'static [&'static str] {
        match self {
            AutomationClass::Boundary => table::BOUNDARY,
            AutomationClass::Ci => table::CI,
            AutomationClass::Hooks => table::HOOKS,
            AutomationClass::Build => table::BUILD,
            AutomationClass::Dependencies => table::DEPENDENCIES,
            AutomationClass::Git => table::GIT,
            AutomationClass::Agent => table::AGENT,
            AutomationClass::Editor => table::EDITOR,
            AutomationClass::Toolchain => table::TOOLCHAIN,
        }
    }
}

impl fmt::Display for AutomationClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The class of the file at `path`, from the top of the tree; `None` for a file that no machine acts on unasked.
///
/// Paths match up to what file systems ignore (see [`folding`]). A file or link at the place of a listed directory counts as well,
/// since it stands for all below; and so does a path with bytes that are no UTF-8, if some text in their place would be listed.
pub fn is_automation(path: &[u8]) -> Option<AutomationClass> {
    automation_entry(path).map(|(class, _)| class)
}

/// Like [`is_automation`], with the entry of [`AutomationClass::paths`] that the path falls under.
pub fn automation_entry(path: &[u8]) -> Option<(AutomationClass, &'static str)> {
    let folded = folding::fold(path);
    let short = folding::short_reading(&folded);
    let readings: Vec<Vec<&[u8]>> =
        std::iter::once(&folded).chain(&short).map(|reading| reading.split(|byte| *byte == b'/').collect()).collect();
    let mut entries =
        AutomationClass::ALL.into_iter().flat_map(|class| class.paths().iter().map(move |entry| (class, *entry)));
    entries.find(|(_, entry)| readings.iter().any(|segments| entry_matches(entry, segments)))
}

/// Whether one entry lists a path. Entries are read as they are written, each time: hooks look at a handful of paths, and a table made
/// ready for matching would cost each of them more than that.
fn entry_matches(entry: &str, path: &[&[u8]]) -> bool {
    let (any_depth, rest) = entry.strip_prefix("**/").map_or((false, entry), |rest| (true, rest));
    // Whether all below counts.
    let (directory, rest) = rest.strip_suffix("/**").map_or((false, rest), |rest| (true, rest));
    let starts = if any_depth { path.len() } else { 1 };
    (0..starts).any(|start| {
        let tail = &path[start..];
        // A path that ends within the entry is a file or link where a directory of the entry would be.
        let fits = directory || tail.len() <= rest.split('/').count();
        fits && rest.split('/').zip(tail).all(|(name, segment)| name_matches(name, segment))
    })
}

/// Whether a name of an entry stands for a folded segment.
fn name_matches(name: &str, segment: &[u8]) -> bool {
    if segment.iter().any(|byte| folding::stands_for(*byte).is_some()) {
        return pattern(name).matches(segment);
    }
    // An ASCII name folds to its lower case, and so to as many bytes.
    match name.split_once('*') {
        None => name.as_bytes().eq_ignore_ascii_case(segment),
        Some((before, after)) => {
            let end = after.rsplit('*').next().unwrap_or(after).as_bytes();
            let starts = segment.get(..before.len()).is_some_and(|start| start.eq_ignore_ascii_case(before.as_bytes()));
            let ends = segment.len().checked_sub(end.len()).is_some_and(|at| segment[at..].eq_ignore_ascii_case(end));
            starts && ends && pattern(name).matches(segment)
        }
    }
}

fn pattern(name: &str) -> Glob {
    let mut pieces = Vec::new();
    for (place, part) in name.split('*').enumerate() {
        if place > 0 {
            pieces.push(Piece::Run);
        }
        if !part.is_empty() {
            pieces.push(Piece::Text(part.to_owned()));
        }
    }
    Glob::over_fold(&pieces, false)
}

#[cfg(test)]
mod tests;

//! Files that machines act on without being asked: an actor who changes one changes what runs next (contract, section 4).
//!
//! The class follows from the path alone, so nothing that an actor writes can lower it.

mod table;

use std::fmt;
use std::sync::LazyLock;

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
    TABLE
        .iter()
        .find(|entry| readings.iter().any(|segments| entry.matches(segments)))
        .map(|entry| (entry.class, entry.text))
}

static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entries = |class: AutomationClass| class.paths().iter().map(move |text| Entry::read(class, text));
    AutomationClass::ALL.into_iter().flat_map(entries).collect()
});

struct Entry {
    class: AutomationClass,
    text: &'static str,
    any_depth: bool,
    /// Whether all below counts.
    directory: bool,
    segments: Vec<Name>,
}

enum Name {
    Plain(Vec<u8>),
    Pattern(Glob),
}

impl Entry {
    fn read(class: AutomationClass, text: &'static str) -> Self {
        let (any_depth, rest) = text.strip_prefix("**/").map_or((false, text), |rest| (true, rest));
        let (directory, rest) = rest.strip_suffix("/**").map_or((false, rest), |rest| (true, rest));
        Entry { class, text, any_depth, directory, segments: rest.split('/').map(Name::read).collect() }
    }

    fn matches(&self, path: &[&[u8]]) -> bool {
        let starts = if self.any_depth { path.len() } else { 1 };
        (0..starts).any(|start| {
            let tail = &path[start..];
            // A path that ends within the entry is a file or link where a directory of the entry would be.
            let fits = tail.len() <= self.segments.len() || self.directory;
            fits && self.segments.iter().zip(tail).all(|(name, segment)| name.matches(segment))
        })
    }
}

impl Name {
    fn read(text: &str) -> Self {
        if !text.contains('*') {
            return Name::Plain(folding::fold(text.as_bytes()));
        }
        let mut pieces = Vec::new();
        for (place, part) in text.split('*').enumerate() {
            if place > 0 {
                pieces.push(Piece::Run);
            }
            if !part.is_empty() {
                pieces.push(Piece::Text(part.to_owned()));
            }
        }
        Name::Pattern(Glob::over_fold(&pieces, false))
    }

    fn matches(&self, segment: &[u8]) -> bool {
        match self {
            Name::Plain(name) if segment.iter().any(|byte| folding::stands_for(*byte).is_some()) => {
                let text = String::from_utf8_lossy(name).into_owned();
                Glob::over_fold(&[Piece::Text(text)], false).matches(segment)
            }
            Name::Plain(name) => name == segment,
            Name::Pattern(glob) => glob.matches(segment),
        }
    }
}

#[cfg(test)]
mod tests;

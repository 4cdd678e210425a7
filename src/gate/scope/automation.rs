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
mod tests {
    use std::collections::BTreeSet;

    use super::{AutomationClass, automation_entry, is_automation};

    /// A path that an entry means.
    fn example(entry: &str, depth: &str) -> String {
        let (any_depth, rest) = entry.strip_prefix("**/").map_or((false, entry), |rest| (true, rest));
        let below = rest.strip_suffix("/**").map_or(rest.to_owned(), |directory| format!("{directory}/below/it"));
        format!("{}{}", if any_depth { depth } else { "" }, below.replace('*', "x"))
    }

    fn entries() -> impl Iterator<Item = (AutomationClass, &'static str)> {
        AutomationClass::ALL.into_iter().flat_map(|class| class.paths().iter().map(move |entry| (class, *entry)))
    }

    #[test]
    fn every_entry_is_matched_in_every_spelling() {
        for (_, entry) in entries() {
            for depth in ["", "deep/er/"] {
                let path = example(entry, depth);
                let streamed = format!("{path}::$DATA");
                let backslashed = path.replace('/', "\\");
                let ignorable = path.replacen('e', "e\u{200d}", 1);
                for spelling in
                    [path.clone(), path.to_uppercase(), format!("{path}. ."), streamed, backslashed, ignorable]
                {
                    assert!(is_automation(spelling.as_bytes()).is_some(), "{spelling} is not seen as {entry}");
                }
            }
        }
    }

    #[test]
    fn every_entry_keeps_its_class() {
        for (class, entry) in entries() {
            let found = automation_entry(example(entry, "").as_bytes());
            let first = AutomationClass::ALL.into_iter().find(|tried| Some(*tried) == found.map(|(class, _)| class));
            assert_eq!(first, Some(class), "{entry} is shadowed by {found:?}");
        }
    }

    #[test]
    fn no_entry_is_written_twice() {
        let all: Vec<_> = entries().map(|(_, entry)| entry.to_lowercase()).collect();
        let distinct: BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn the_files_that_people_name_first_have_the_class_they_expect() {
        use AutomationClass as Class;
        for (path, class) in [
            ("boundary.toml", Class::Boundary),
            (".github/workflows/ci.yml", Class::Ci),
            (".gitlab-ci.yml", Class::Ci),
            ("Jenkinsfile", Class::Ci),
            (".husky/pre-commit", Class::Hooks),
            ("hooks/pre-push", Class::Hooks),
            (".pre-commit-config.yaml", Class::Hooks),
            ("crates/core/build.rs", Class::Build),
            ("Makefile", Class::Build),
            ("lib/BUILD.bazel", Class::Build),
            ("Cargo.toml", Class::Dependencies),
            ("web/package-lock.json", Class::Dependencies),
            ("requirements-dev.txt", Class::Dependencies),
            ("sub/.gitattributes", Class::Git),
            (".gitmodules", Class::Git),
            ("CLAUDE.md", Class::Agent),
            ("pkg/AGENTS.md", Class::Agent),
            (".claude/settings.json", Class::Agent),
            (".mcp.json", Class::Agent),
            (".vscode/tasks.json", Class::Editor),
            (".devcontainer/devcontainer.json", Class::Editor),
            (".cargo/config.toml", Class::Toolchain),
            ("rust-toolchain.toml", Class::Toolchain),
            (".npmrc", Class::Toolchain),
        ] {
            assert_eq!(is_automation(path.as_bytes()), Some(class), "{path}");
        }
    }

    #[test]
    fn ordinary_files_have_none() {
        for path in [
            "README.md",
            "src/lib.rs",
            "src/build/mod.rs",
            "build/notes.md",
            "docs/building.md",
            ".gitignore",
            "src/hooks/use_state.ts",
            "docs/boundary.toml",
            "src/makefile_parser.rs",
            "package/json.rs",
            "src/claude.rs",
            "cargo/toml.md",
            "caf\u{e9}.txt",
            "a~b",
            "tests/data/x.json",
            "src/docker.rs",
            ".github/ISSUE_TEMPLATE/bug.md",
            "LICENSE",
            "requirements.md",
            "configure.md",
        ] {
            assert_eq!(automation_entry(path.as_bytes()), None, "{path}");
        }
        assert_eq!(automation_entry(b"docs/caf\xe9.md"), None, "an old encoding alone is no automation");
    }

    #[test]
    fn short_names_stand_for_the_long_ones() {
        for path in [
            "GITHUB~1/workflows/ci.yml",
            "CARGO~1.TOM",
            "PACKAG~1.JSO",
            "x/GITATT~1",
            "PRE-CO~1.YAM",
            "CLAUDE~1/x",
            "GI7EB8~1",
        ] {
            assert!(is_automation(path.as_bytes()).is_some(), "{path}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8_do_not_hide_a_name() {
        for path in [&b"Make\xfffile"[..], b"\xffMakefile", b".github\xfe/workflows/ci.yml", b"Mak\xe9file", b"a/\xff"]
        {
            assert!(is_automation(path).is_some(), "{}", path.escape_ascii());
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_listed_directory_stands_for_all_below() {
        for path in [".github", ".github/workflows", ".husky", "deep/.claude", ".vscode", "hooks"] {
            assert!(is_automation(path.as_bytes()).is_some(), "{path}");
        }
    }
}

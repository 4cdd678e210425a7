//! What machines act on, under every spelling.

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
            for spelling in [path.clone(), path.to_uppercase(), format!("{path}. ."), streamed, backslashed, ignorable]
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
fn every_entry_folds_to_its_lower_case() {
    for (_, entry) in entries() {
        let names = entry.split('/').filter(|name| !name.is_empty() && *name != "**");
        for name in names.flat_map(|name| name.split('*')) {
            assert!(name.is_ascii(), "{entry}");
        }
        let plain = entry.split('/').filter(|name| !name.contains('*'));
        for name in plain {
            assert_eq!(super::folding::fold(name.as_bytes()), name.to_ascii_lowercase().into_bytes(), "{entry}");
        }
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
    for path in [&b"Make\xfffile"[..], b"\xffMakefile", b".github\xfe/workflows/ci.yml", b"Mak\xe9file", b"a/\xff"] {
        assert!(is_automation(path).is_some(), "{}", path.escape_ascii());
    }
}

#[test]
fn a_link_in_the_place_of_a_listed_directory_stands_for_all_below() {
    for path in [".github", ".github/workflows", ".husky", "deep/.claude", ".vscode", "hooks"] {
        assert!(is_automation(path.as_bytes()).is_some(), "{path}");
    }
}

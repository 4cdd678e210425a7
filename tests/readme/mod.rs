//! What README and manual say is run as it stands.

pub mod session;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn manual_pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = fs::read_dir(root().join("src/manual"))
        .expect("the manual is there")
        .map(|entry| entry.expect("it is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

/// Lines of the one fenced block of a language under a heading.
fn blocks<'a>(page: &'a str, heading: &str, language: &str) -> Vec<Vec<&'a str>> {
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).expect("the section is there");
    section
        .split(&format!("```{language}\n"))
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap_or_default().lines().collect())
        .collect()
}

#[test]
fn every_console_block_of_the_readme_prints_what_it_shows() {
    match session::run(&read("README.md")) {
        Ok(steps) => assert!(steps > 10, "the README shows how it works: {steps} commands"),
        Err(wrong) => panic!("README.md\n{wrong}"),
    }
}

#[test]
fn every_console_block_of_the_manual_prints_what_it_shows() {
    let mut steps = 0;
    let mut wrong = String::new();
    for page in manual_pages() {
        match session::run(&read(&page)) {
            Ok(count) => steps += count,
            Err(what) => wrong.push_str(&format!("{}\n{what}", page.display())),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(steps > 20, "the manual shows what it says: {steps} commands");
}

#[test]
fn the_readme_begins_with_a_transcript_that_ends_in_a_refusal() {
    let page = read("README.md");
    let steps = session::steps(page.split("\n## ").next().expect("it has sections"));
    let [.., push, status] = steps.as_slice() else { panic!("{steps:?}") };
    assert!(push.command.starts_with("git push ") && push.expected.starts_with("refused: "), "{push:?}");
    assert_eq!((status.command.as_str(), status.expected.as_str()), ("echo $?", "1\n"));
}

/// The set-up commands build and test this very crate, so that running them here would never end: the installed name, the
/// subcommand, the lock file and the line of the pipeline are looked at instead. `demo` itself is played by another test.
#[test]
fn the_readme_sets_up_with_two_commands_that_exist() {
    let blocks = blocks(&read("README.md"), "Set up", "sh").iter().map(|lines| lines.join("\n")).collect::<Vec<_>>();
    let [install, test] = blocks.as_slice() else { panic!("exactly two blocks, not {blocks:?}") };
    assert_eq!(install, "cargo install --locked --path . && git boundary demo");
    assert_eq!(test, "cargo test --locked");
    let manifest = read("Cargo.toml");
    assert!(manifest.contains("[[bin]]\nname = \"git-boundary\"\n"), "git finds `git boundary` by this name");
    assert!(root().join("Cargo.lock").exists(), "--locked needs it");
    let help = Command::new(env!("CARGO_BIN_EXE_git-boundary")).args(["demo", "--help"]).output().expect("it runs");
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("git boundary demo"));
    assert!(read(".ci/run").lines().any(|line| line == test), "the pipeline runs the README's test command");
}

#[test]
fn the_readme_lists_every_command_and_no_other() {
    let help = Command::new(env!("CARGO_BIN_EXE_git-boundary")).arg("--help").output().expect("it runs");
    let help = String::from_utf8(help.stdout).expect("help is UTF-8");
    let commands =
        help.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("it lists them");
    let mut commands: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    commands.retain(|name| *name != "help");
    let page = read("README.md");
    let section = page.split("\n## ").find(|section| section.starts_with("Commands")).expect("the section is there");
    let listed: Vec<&str> =
        section.lines().filter_map(|line| line.strip_prefix("| `")?.split(['`', ' ']).next()).collect();
    assert_eq!(listed, commands);
}

#[test]
fn every_configuration_key_that_the_source_reads_is_on_the_page_about_storage_and_on_the_man_page() {
    fn collect(dir: &Path, keys: &mut std::collections::BTreeSet<String>) {
        for entry in fs::read_dir(dir).expect("the source is there") {
            let path = entry.expect("it is readable").path();
            if path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests")) {
                continue;
            } else if path.is_dir() {
                collect(&path, keys);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("it is text");
                for rest in text.split("\"boundary.").skip(1) {
                    let name = rest.split('"').next().unwrap_or_default();
                    if name.bytes().all(|byte| byte.is_ascii_alphabetic()) && !["md", "toml", "v"].contains(&name) {
                        keys.insert(format!("boundary.{name}"));
                    }
                }
            }
        }
    }
    let mut keys = std::collections::BTreeSet::new();
    collect(&root().join("src"), &mut keys);
    assert!(keys.contains("boundary.trustRoot"), "{keys:?}");
    let page = read("src/manual/storage.md");
    let missing: Vec<_> = keys.iter().filter(|key| !page.contains(&format!("| `{key}` |"))).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
    let man = Command::new(env!("CARGO_BIN_EXE_git-boundary")).args(["manual", "--man"]).output().expect("it runs");
    let man = String::from_utf8(man.stdout).expect("the man page is text");
    let missing: Vec<_> = keys.iter().filter(|key| !man.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "not on the man page: {missing:?}");
}

#[test]
fn a_page_that_shows_something_else_is_noticed() {
    let page = |body: &str| format!("Text.\n\n```console\n{body}```\n");
    assert_eq!(session::run(&page("$ echo one two\none …\n$ pwd\n[..]/work\n")), Ok(2));
    assert_eq!(session::run(&page("$ cd src\n$ ls\n...\nmain.rs\n$ false\n$ echo $?\n1\n")), Ok(4));
    for body in ["$ echo one\ntwo\n", "$ echo one\n", "$ true\nmore\n", "$ false\n", "$ exit 3\n$ echo more\nmore\n"] {
        assert!(session::run(&page(body)).is_err(), "{body}");
    }
}

//! The house: what the compiler does not hold about the layout of the sources and of these tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which rooms a room may import from, besides its own files.
const ROOMS: [(&str, &[&str]); 14] = [
    ("model", &[]),
    ("codec", &["model"]),
    ("crypto", &["model", "codec"]),
    ("ledger", &["model", "codec", "crypto"]),
    ("gate", &["model", "codec", "crypto", "ledger"]),
    ("git", &["model"]),
    ("workspace", &["model"]),
    ("store", &["model", "codec", "crypto", "ledger", "git"]),
    ("gather", &["model", "codec", "crypto", "ledger", "git", "store", "gate"]),
    ("app", &["model", "codec", "crypto", "ledger", "git", "store", "gate", "gather", "workspace"]),
    // Where hooks are installed is git's to say.
    ("hook", &["model", "git", "app"]),
    ("gateway", &["model", "codec", "crypto", "app", "workspace"]),
    ("manual", &["model"]),
    (
        "cli",
        &["model", "codec", "crypto", "ledger", "git", "store", "gate", "gather", "app", "hook", "gateway", "manual"],
    ),
];

/// Of some rooms only a part may be used by others: user, room, parts.
const PARTS: [(&str, &str, &[&str]); 7] = [
    // What artifacts are once their signature is verified, and the digests that a judgement recomputes. Nothing that reads or asks.
    ("gate", "codec", &["artifact", "canonical", "in_toto"]),
    ("gate", "crypto", &["trust", "verified"]),
    ("gate", "ledger", &["root_of"]),
    // The facts, and the questions that decide which facts are wanted.
    ("gather", "gate", &["facts", "docket", "rule", "clock", "write"]),
    // Git's room knows ids and times, and no noun of this project.
    ("git", "model", &["id", "time", "hex", "operation"]),
    // What it writes for itself is canonical, and it signs and reads no artifact.
    ("gateway", "codec", &["canonical", "strict"]),
    // Nor does the workspace: it is told what to write and judges nothing.
    ("workspace", "model", &["digest", "hex", "workspace_path"]),
];

/// Rooms that touch processes, files and the environment. The store keeps its local state in files of its
/// own, which are no repository's; crypto loads keys.
fn may_touch_the_system(path: &str) -> bool {
    ["git/", "cli/", "hook/", "gateway/", "crypto/", "workspace/", "main.rs"].iter().any(|room| path.starts_with(room))
        || path.starts_with("store/local/")
        || path == "store/alone.rs"
        || path.starts_with("store/index")
}

/// Files of `app` that touch the system themselves, each with what for. A list that only gets shorter.
const APP_TOUCHES: [(&str, &str); 3] = [
    ("app/check.rs", "reads inputs to hash them, and runs the checker's command in a checkout"),
    ("app/init.rs", "writes the starter policy beside the user's files"),
    ("app/policy.rs", "reads the policy file"),
];

/// One source file without its tests.
struct Source {
    /// Below `src/`.
    path: String,
    text: String,
    /// The text up to the tests at its end.
    code: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for path in rust_files(&root) {
        let text = fs::read_to_string(&path).expect("sources are readable");
        let path = path.strip_prefix(&root).expect("it lies below").to_str().expect("names are text").to_owned();
        let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
        found.push(Source { path, text, code });
    }
    assert!(found.len() > 100, "the sources were found");
    found
}

impl Source {
    fn room(&self) -> &str {
        self.path.split('/').next().unwrap_or_default()
    }

    fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        self.path.contains("/tests/")
            || ["tests.rs", "testing.rs", "against_git.rs"].contains(&name)
            || name.ends_with("_tests.rs")
    }

    /// Code lines without comments.
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.code.lines().map(str::trim).filter(|line| !line.starts_with("//"))
    }

    /// Every `crate::…` path outside its tests.
    fn imports(&self) -> Vec<String> {
        let mut found = Vec::new();
        for line in self.lines() {
            for (at, _) in line.match_indices("crate::") {
                let rest = &line[at + "crate::".len()..];
                let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && !"_:".contains(it)).unwrap_or(rest.len());
                found.push(rest[..end].trim_end_matches(':').to_owned());
            }
        }
        found
    }
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Fails with the whole list, so that one run shows everything.
#[track_caller]
fn none(broken: &[String], rule: &str) {
    assert!(broken.is_empty(), "{rule}:\n  {}", broken.join("\n  "));
}

#[test]
fn every_file_of_tests_is_a_module_of_the_one_binary() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let runner = fs::read_to_string(dir.join("runner.rs")).expect("the runner is readable");
    let listed: BTreeSet<String> = runner
        .lines()
        .filter_map(|line| line.trim().strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned))
        .collect();
    let found: BTreeSet<String> = fs::read_dir(&dir)
        .expect("the folder is readable")
        .filter_map(|entry| {
            let path = entry.expect("the folder is readable").path();
            let name = path.file_stem()?.to_str()?.to_owned();
            let module = path.extension().is_some_and(|it| it == "rs") || path.join("mod.rs").exists();
            (module && name != "runner").then_some(name)
        })
        .collect();
    assert_eq!(found, listed, "a file that no `mod` line names would never be run");
}

#[test]
fn rooms_import_only_what_they_may() {
    let allowed: BTreeMap<&str, &[&str]> = ROOMS.into_iter().collect();
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        let room = source.room();
        if ["lib.rs", "main.rs"].contains(&room) {
            continue;
        }
        let Some(rooms) = allowed.get(room) else {
            broken.push(format!("{}: {room} is no room of the house", source.path));
            continue;
        };
        for import in source.imports() {
            let from = import.split("::").next().unwrap_or_default();
            if from != room && !rooms.contains(&from) {
                broken.push(format!("{}: crate::{import}", source.path));
            }
        }
    }
    none(&broken, "rooms import only what the house lets them");
}

#[test]
fn of_some_rooms_only_a_part_is_used() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        for import in source.imports() {
            let mut words = import.split("::");
            let (from, part) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let limited = PARTS.iter().find(|(user, room, _)| *user == source.room() && *room == from);
            if limited.is_some_and(|(.., parts)| !parts.contains(&part)) {
                broken.push(format!("{}: crate::{import}", source.path));
            }
        }
    }
    none(&broken, "the gate is a pure function of what was gathered, and git knows no boundary word");
}

#[test]
fn processes_files_and_environment_are_touched_in_their_rooms_only() {
    let mut broken = Vec::new();
    let mut touching = BTreeSet::new();
    for source in sources().iter().filter(|source| !source.is_test() && !may_touch_the_system(&source.path)) {
        for line in source.lines() {
            for what in ["std::process", "std::env", "std::fs", "std::net", "File::", "Command::new", "tempfile::"] {
                if line.contains(what) {
                    touching.insert(source.path.clone());
                    broken.push(format!("{}: {line}", source.path));
                }
            }
        }
    }
    broken.retain(|line| !APP_TOUCHES.iter().any(|(path, _)| line.starts_with(&format!("{path}: "))));
    none(&broken, "only git, cli, hook, gateway, workspace, the loading of keys and the local state touch the system");
    for (path, what) in APP_TOUCHES {
        assert!(touching.contains(path), "{path} no longer {what}: take it off the list");
    }
}

#[test]
fn the_clock_is_read_where_the_context_is_made_and_nowhere_else() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test() && source.path != "cli/context.rs") {
        for line in source.lines() {
            if ["SystemTime::now", "Instant::now", "Zoned::now", "Timestamp::now", "jiff::Timestamp::now"]
                .iter()
                .any(|clock| line.contains(clock))
            {
                broken.push(format!("{}: {line}", source.path));
            }
        }
    }
    // How long to wait for an agent that does not answer is no judgement of anything.
    broken.retain(|line| !line.starts_with("crypto/agent.rs: ") && !line.starts_with("cli/progress.rs: "));
    none(&broken, "time is passed in");
}

#[test]
fn only_the_command_line_and_the_hooks_print() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        if ["cli", "hook", "gateway"].contains(&source.room()) {
            continue;
        }
        for line in source.lines() {
            for what in ["println!", "eprintln!", "print!(", "eprint!(", "dbg!", "io::stdout", "io::stderr"] {
                // Where a command's output is sent to is no printing of ours.
                if line.contains(what) && !line.contains("command.stdout(") {
                    broken.push(format!("{}: {line}", source.path));
                }
            }
        }
    }
    none(&broken, "only cli, hook and gateway print");
}

#[test]
fn nothing_unwraps_or_is_left_to_do() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        for line in source.code.lines() {
            let marks = ["TODO", "FIXME", "todo!", "unimplemented!", ".unwrap()", "#[allow("];
            if marks.iter().any(|mark| line.contains(mark)) {
                broken.push(format!("{}: {}", source.path, line.trim()));
            }
        }
    }
    none(&broken, "no unwrap, no allow and nothing left to do");
}

#[test]
fn every_file_says_at_its_head_what_it_is() {
    let mut broken = Vec::new();
    for dir in ["src", "tests"] {
        for path in rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(dir)) {
            let text = fs::read_to_string(&path).expect("sources are readable");
            if !text.starts_with("//! ") {
                broken.push(path.display().to_string());
            }
        }
    }
    none(&broken, "every file begins with //! and what it is");
}

#[test]
fn no_source_file_is_longer_than_five_hundred_lines() {
    let mut broken = Vec::new();
    for source in sources() {
        let lines = source.text.lines().count();
        if lines > 500 {
            broken.push(format!("{} has {lines}", source.path));
        }
    }
    none(&broken, "a file past 500 lines has several things in it");
}

#[test]
fn nothing_in_the_sources_is_about_a_machine_or_how_the_work_is_done() {
    let mut broken = Vec::new();
    let words = ["/home/", "/Users/", "/root/", "/work/", "localhost:", "C:\\\\"];
    for source in sources().iter().filter(|source| !source.is_test()) {
        for line in source.text.lines() {
            if words.iter().any(|word| line.contains(word)) {
                broken.push(format!("{}: {}", source.path, line.trim()));
            }
        }
    }
    none(&broken, "sources hold no paths of a machine");
}

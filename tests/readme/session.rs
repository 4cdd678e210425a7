//! Console blocks of a Markdown page, run as one session: one shell, one throw-away home, one clone with a remote beside it.
//!
//! Lines that begin with `$ ` are commands, the lines up to the next one are what they print, standard error included. In these,
//! `…` and `[..]` stand for anything within a line and a line `...` for any number of lines. A command that does not end with 0
//! must be followed by `$ echo $?`, so that no page passes over a failure.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// One command of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Where it stands.
    pub line: usize,
    /// What is typed.
    pub command: String,
    /// What is printed.
    pub expected: String,
}

/// The commands of all console blocks, in order.
pub fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut fence: Option<&str> = None;
    for (place, line) in page.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            fence = fence.is_none().then_some(language.trim());
        } else if fence == Some("console") {
            if let Some(command) = line.strip_prefix("$ ") {
                steps.push(Step { line: place + 1, command: command.to_owned(), expected: String::new() });
            } else {
                let step = steps.last_mut().unwrap_or_else(|| panic!("line {}: output before any command", place + 1));
                step.expected.push_str(line);
                step.expected.push('\n');
            }
        } else {
            assert!(!line.trim_start().starts_with("$ "), "line {}: a command in a block that is not run", place + 1);
        }
    }
    assert!(fence.is_none(), "the last block does not end");
    steps
}

/// Runs them; what does not come out as written is told, all of it at once.
pub fn run(page: &str) -> Result<usize, String> {
    let steps = steps(page);
    let world = World::new();
    world.play(&steps);
    let mut wrong = String::new();
    for (place, step) in steps.iter().enumerate() {
        let Some((printed, status)) = world.came_of(place) else {
            let _ = writeln!(wrong, "line {}: the session ended before `{}`", step.line, step.command);
            break;
        };
        let shown = steps.get(place + 1).is_some_and(|next| next.command == "echo $?");
        if status != 0 && !shown {
            let _ = writeln!(
                wrong,
                "line {}: `{}` ends with {status}, and no `$ echo $?` follows",
                step.line, step.command
            );
        }
        if let Err(difference) = compare(&printed, &step.expected) {
            let _ = writeln!(wrong, "line {}: `{}` prints something else\n{difference}", step.line, step.command);
        }
    }
    if wrong.is_empty() { Ok(steps.len()) } else { Err(wrong) }
}

fn compare(printed: &str, expected: &str) -> Result<(), String> {
    // Spaces at the end of a line can't be seen on a page.
    let printed: String = printed.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let expected = snapbox::Data::text(expected.replace('…', "[..]"));
    snapbox::Assert::new()
        .normalize_paths(false)
        .try_eq(Some(&"printed"), snapbox::Data::text(printed), expected)
        .map_err(|error| error.to_string())
}

/// A throw-away place: a home, a bare remote, and a clone of it with one pushed commit, in which the session begins.
struct World {
    dir: TempDir,
}

impl World {
    fn new() -> Self {
        let world = World { dir: tempfile::tempdir().expect("a temporary directory") };
        for name in ["home", "bin", "out", "template"] {
            fs::create_dir(world.path(name)).expect("a directory");
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_git-boundary"), world.path("bin/git-boundary")).expect("a link");
        let config = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n";
        fs::write(world.path("gitconfig"), config).expect("a file");
        world.shell(
            world.dir.path(),
            "git init -q --bare server.git && git clone -q server.git work 2>/dev/null && cd work && mkdir src \
             && echo 'fn main() {}' > src/main.rs && echo 'A program.' > README.md && git add . \
             && git commit -q -m 'First commit' && git push -q origin main",
        );
        world
    }

    /// One shell for all, so that directories and variables carry over.
    fn play(&self, steps: &[Step]) {
        let mut script = String::from("true\n");
        for (place, step) in steps.iter().enumerate() {
            let _ = writeln!(script, "{{ {}\n}} > \"$OUT/{place}\" 2>&1", step.command);
            let _ = writeln!(script, "status=$?; echo $status > \"$OUT/{place}.status\"; (exit $status)");
        }
        self.shell(&self.path("work"), &script);
    }

    /// What a step printed, and its exit status.
    fn came_of(&self, place: usize) -> Option<(String, i32)> {
        let out = self.path("out");
        let status = fs::read_to_string(out.join(format!("{place}.status"))).ok()?;
        let printed = fs::read(out.join(place.to_string())).ok()?;
        Some((String::from_utf8(printed).expect("output is UTF-8"), status.trim().parse().expect("a status")))
    }

    fn shell(&self, dir: &Path, script: &str) {
        let inherited = std::env::var("PATH").expect("PATH is set");
        let status = Command::new("sh")
            .args(["-c", script])
            .env_clear()
            .env("PATH", format!("{}:{inherited}", self.path("bin").display()))
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("home/.config"))
            .env("GIT_CONFIG_GLOBAL", self.path("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TEMPLATE_DIR", self.path("template"))
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .env("OUT", self.path("out"))
            .current_dir(dir)
            .stdin(Stdio::null())
            .status()
            .expect("sh runs");
        // The session's own end is its last command's, which is looked at with the others.
        let _ = status;
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

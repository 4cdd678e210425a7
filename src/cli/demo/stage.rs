//! The throw-away place where the story is played: a bare remote, two clones, a home of its own, and this very binary.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{fs, io};

use serde_json::Value;
use tempfile::TempDir;

use crate::app::demo::{Place, REMOTE, Refs, Seen, Step};
use crate::cli::error::CliError;
use crate::git::Environment;
use crate::model::refusal::Code;

/// Variables of the user that are handed on: where programs are and where there is room. No other reaches the story, so that neither
/// the user's git configuration nor an agent nor a repository around it can.
const HANDED_ON: [&str; 3] = ["PATH", "TMPDIR", "GIT_EXEC_PATH"];

/// git's own configuration of the story.
const CONFIG: &str = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[advice]\n\tpushUpdateRejected = false\n[core]\n\tautocrlf = false\n";

/// A place to play in. Its directory goes away with it, unless it is kept.
pub(super) struct Stage {
    dir: TempDir,
    variables: BTreeMap<OsString, OsString>,
}

/// What a command line printed, standard error after standard output as the shell gave them, and how it ended.
pub(super) struct Ran {
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    /// All of it.
    pub text: String,
}

/// How playing a step came out.
pub(super) enum Played {
    /// Its command ended, one way or another.
    Done {
        /// What it printed.
        ran: Ran,
        /// What must be compared.
        seen: Box<Seen>,
    },
    /// The scene that the step rests on could not be set.
    Stuck {
        /// The command line that failed.
        line: String,
        /// What it printed.
        ran: Ran,
    },
}

impl Stage {
    /// Makes the directories. `binary` is what `git boundary` and the hook will run.
    pub(super) fn new(environment: &Environment, binary: &Path) -> Result<Self, CliError> {
        let dir = tempfile::Builder::new()
            .prefix("git-boundary-demo-")
            .tempdir()
            .map_err(|error| failed("make", Path::new("a temporary directory"), &error))?;
        let stage = Stage { variables: variables(environment, dir.path())?, dir };
        for name in ["home", "bin", "template"].into_iter().chain(Place::ALL.map(Place::name)) {
            let path = stage.path(name);
            fs::create_dir(&path).map_err(|error| failed("make", &path, &error))?;
        }
        let config = stage.path("gitconfig");
        fs::write(&config, CONFIG).map_err(|error| failed("write", &config, &error))?;
        let link = stage.path("bin/git-boundary");
        std::os::unix::fs::symlink(binary, &link).map_err(|error| failed("make", &link, &error))?;
        // Asked first, so that a machine without git is told that, and not that a step went wrong.
        start(stage.command("git", Place::Work).arg("--version"), "git")?;
        Ok(stage)
    }

    /// Where it all is.
    pub(super) fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Leaves it in place.
    pub(super) fn keep(self) -> PathBuf {
        self.dir.keep()
    }

    /// Runs one command line in one of the clones.
    pub(super) fn run(&self, place: Place, line: &str) -> Result<Ran, CliError> {
        // One stream, so that what is printed stands in the order in which it was said.
        let mut command = self.command("sh", place);
        command.args(["-c", &format!("exec 2>&1\n{line}")]);
        let output = start(&mut command, "sh")?;
        Ok(Ran { status: output.status.code(), text: String::from_utf8_lossy(&output.stdout).into_owned() })
    }

    /// Plays a step: sets the scene, runs its command, and looks at all that must be compared.
    pub(super) fn play(&mut self, step: &Step) -> Result<Played, CliError> {
        for line in step.before {
            let ran = self.run(step.place, line)?;
            if ran.status != Some(0) {
                return Ok(Played::Stuck { line: (*line).to_owned(), ran });
            }
        }
        let before = self.remote_refs()?;
        let ran = self.run(step.place, step.command)?;
        let after = self.remote_refs()?;
        if let Some((variable, prefix)) = step.keep
            && let Some(id) = first_id(&ran.text, prefix)
        {
            self.variables.insert(variable.into(), id.into());
        }
        let (code, receipt) = if step.is_verify() {
            (self.verified_code(step)?, None)
        } else {
            (printed_code(&ran.text), self.receipt_code(step, &ran.text)?)
        };
        let seen = Seen { status: ran.status, code, receipt, before, after };
        Ok(Played::Done { ran, seen: Box::new(seen) })
    }

    /// The remote's refs; none while there is no remote.
    fn remote_refs(&self) -> Result<Refs, CliError> {
        if !self.path(REMOTE).exists() {
            return Ok(Refs::new());
        }
        let mut command = self.command("git", Place::Work);
        command.args([&format!("--git-dir=../{REMOTE}"), "for-each-ref", "--format=%(refname) %(objectname)"]);
        let output = start(&mut command, "git for-each-ref")?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter_map(|line| line.split_once(' ')).map(|(name, oid)| (name.into(), oid.into())).collect())
    }

    /// The primary code that the same verification gives to machines.
    fn verified_code(&self, step: &Step) -> Result<Option<Code>, CliError> {
        let arguments = step.command.split(' ').skip(2);
        let mut command = self.command("git-boundary", step.place);
        command.args(arguments).arg("--json");
        let answer = json(&start(&mut command, "git boundary verify")?);
        Ok(answer["primary_code"].as_str().and_then(|code| code.parse().ok()))
    }

    /// The primary code in the signed receipt that a refusal names, read back from the notes.
    fn receipt_code(&self, step: &Step, text: &str) -> Result<Option<Code>, CliError> {
        let Some(id) = text.lines().find_map(|line| line.trim_start().strip_prefix("receipt: ")) else {
            return Ok(None);
        };
        let mut command = self.command("git-boundary", step.place);
        command.args(["show", id.trim(), "--json"]);
        let shown = json(&start(&mut command, "git boundary show")?);
        let facts = shown["records"][0]["proven"].as_array();
        let codes = facts.into_iter().flatten().find(|fact| fact[0] == "codes").and_then(|fact| fact[1].as_str());
        Ok(codes.and_then(|codes| codes.split(' ').next()).and_then(|code| code.parse().ok()))
    }

    fn command(&self, program: &str, place: Place) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.variables).current_dir(self.path(place.name()));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

fn variables(environment: &Environment, root: &Path) -> Result<BTreeMap<OsString, OsString>, CliError> {
    let mut variables: BTreeMap<OsString, OsString> =
        HANDED_ON.iter().filter_map(|name| Some(((*name).into(), environment.var(name)?.to_owned()))).collect();
    let inherited = variables.get(&OsString::from("PATH")).cloned().unwrap_or_default();
    let directories = std::iter::once(root.join("bin")).chain(std::env::split_paths(&inherited));
    let path = std::env::join_paths(directories)
        .map_err(|_| CliError::fatal(format!("the temporary directory {root:?} can't stand in PATH")))?;
    variables.insert("PATH".into(), path);
    for (name, value) in [
        ("HOME", root.join("home")),
        ("XDG_CONFIG_HOME", root.join("home/.config")),
        ("GIT_CONFIG_GLOBAL", root.join("gitconfig")),
        ("GIT_TEMPLATE_DIR", root.join("template")),
        ("GIT_CEILING_DIRECTORIES", root.to_owned()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
        ("LC_ALL", "C".into()),
    ] {
        variables.insert(name.into(), value.into());
    }
    Ok(variables)
}

fn start(command: &mut Command, what: &str) -> Result<Output, CliError> {
    command.output().map_err(|error| {
        CliError::fatal(format!("cannot run {what}: {error}")).hint("the demo needs git and a POSIX shell on PATH")
    })
}

/// The code after `refused:` or `undecided:`, of the first line that has one.
fn printed_code(text: &str) -> Option<Code> {
    text.lines()
        .find_map(|line| line.strip_prefix("refused: ").or_else(|| line.strip_prefix("undecided: ")))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|code| code.parse().ok())
}

fn first_id(text: &str, prefix: &str) -> Option<String> {
    text.split_whitespace().find(|word| word.starts_with(prefix)).map(str::to_owned)
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

fn failed(verb: &str, path: &Path, error: &io::Error) -> CliError {
    CliError::fatal(format!("cannot {verb} {path:?}: {error}"))
}

//! ADAPTERS: what is known of each agent, as data and one small function for what data can't say. One file each; a new one is added here
//! and nowhere else.

mod claude;
mod codex;
mod generic;
mod grammar;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::error::Unestablished;

pub use self::grammar::{Flag, Prompt, Value, pass_on};

/// What is known of one kind of agent.
#[derive(Debug)]
pub struct Adapter {
    /// The word that is typed.
    pub name: &'static str,
    /// The program that is looked for on PATH; none where the user names it.
    pub program: Option<&'static str>,
    /// The files that make up the agent at a path: first what is started. For most that is [`interpreted`].
    pub parts: fn(&Path) -> Result<Vec<(&'static str, PathBuf)>, Unestablished>,
    /// Reads what the agent prints for `--version`; none where a version can't be asked for.
    pub version: Option<fn(&str) -> Result<String, String>>,
    /// The one command of the agent's that a launch starts, where it has several; a user may type it too.
    pub subcommand: Option<&'static str>,
    /// Arguments that a user may pass on. All others are refused.
    pub grammar: &'static [Flag],
    /// How the words that are no flags are passed on.
    pub prompt: Prompt,
    /// Variables that are handed on where they are set, besides [`ENVIRONMENT`].
    pub variables: &'static [&'static str],
    /// What is written for the agent, and how it is started.
    pub contract: fn(&Route<'_>) -> Contract,
    /// What it can't contain, in words for an owner.
    pub gaps: &'static [&'static str],
}

/// Where everything is that an agent is given.
#[derive(Debug)]
pub struct Route<'r> {
    /// Arguments named at setup, for the generic adapter.
    pub arguments: &'r [String],
    /// The directory that holds the files of the contract.
    pub files: &'r Path,
    /// The agent's isolated home.
    pub profile: &'r Path,
    /// The program that serves the tools.
    pub runner: &'r str,
    /// The arguments with which it does.
    pub serve: Vec<String>,
    /// Variables that it needs to find what belongs to the user, since the agent has a home of its own.
    pub surroundings: &'r BTreeMap<String, String>,
    /// The session's token, or a placeholder while none is open.
    pub token: &'r str,
    /// Names of the tools.
    pub tools: Vec<&'static str>,
    /// The workspace.
    pub workspace: &'r str,
}

impl Route<'_> {
    /// The shell command that denies tools of others. Agents take status 2 with a word on standard error for a denial, and let pass
    /// whatever ends otherwise: a hook that is not there, or is killed, has to end so too. Nor may it matter where it is started.
    pub fn hook(&self) -> String {
        let runner = crate::model::typed::quoted(self.runner);
        format!("cd / && {runner} gateway hook || {{ echo 'not let pass by git-boundary' >&2; exit 2; }}")
    }

    /// Variables for our server, with the session's token.
    pub fn variables(&self) -> BTreeMap<String, String> {
        let mut variables = self.surroundings.clone();
        variables.insert(super::session::TOKEN_VARIABLE.to_owned(), self.token.to_owned());
        variables
    }

    /// Our server, in the form that clients of the protocol read from a file.
    pub fn mcp(&self) -> Vec<u8> {
        let variables = self.variables();
        let server =
            serde_json::json!({ "type": "stdio", "command": self.runner, "args": self.serve, "env": variables });
        serde_json::json!({ "mcpServers": { SERVER: server } }).to_string().into_bytes()
    }
}

/// What an agent is given for one session.
#[derive(Debug, Default)]
pub struct Contract {
    /// Files: what each is for, its name in [`Route::files`], its bytes.
    pub files: Vec<(&'static str, &'static str, Vec<u8>)>,
    /// Files that are put in the profile once, where they are not there: the agent changes them.
    pub seeds: Vec<(&'static str, Vec<u8>)>,
    /// Names in [`Route::files`] that lead into the profile, so that what the agent writes there outlasts the session.
    pub kept: Vec<&'static str>,
    /// Arguments that come before the user's.
    pub arguments: Vec<OsString>,
    /// Variables that are set.
    pub variables: Vec<(&'static str, OsString)>,
}

/// Variables that every agent is handed on, where they are set. Nothing that names code to load, a proxy, a home or a configuration.
pub const ENVIRONMENT: [&str; 8] =
    ["COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TERM_PROGRAM", "TZ", "NO_COLOR"];

/// Where an agent, and whatever interprets it, finds programs: those of the system alone. What a user's own PATH has first was not measured.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The name under which the tools' server is known to an agent.
pub const SERVER: &str = "git-boundary";

/// Every adapter.
pub static ADAPTERS: [&Adapter; 3] = [&claude::ADAPTER, &codex::ADAPTER, &generic::ADAPTER];

/// The adapter of a name.
pub fn find(name: &str) -> Option<&'static Adapter> {
    ADAPTERS.iter().copied().find(|adapter| adapter.name == name)
}

impl Adapter {
    /// Reads what a user wants passed on, and writes it anew.
    ///
    /// # Errors
    /// A sentence about the first word that is not in the grammar.
    pub fn pass_on(&self, words: &[OsString]) -> Result<Vec<OsString>, String> {
        let words = match (self.subcommand, words) {
            (Some(command), [first, rest @ ..]) if first == command => rest,
            _ => words,
        };
        pass_on(self.grammar, self.prompt, words)
    }
}

/// What is started, then, for a script, what interprets it.
///
/// # Errors
/// When a script does not say by what it is interpreted, or that is not to be found.
pub fn interpreted(program: &Path) -> Result<Vec<(&'static str, PathBuf)>, Unestablished> {
    let what = || format!("what interprets {}", program.display());
    let start = beginning(program)?;
    let Some(line) = start.strip_prefix(b"#!") else { return Ok(vec![("executable", program.to_owned())]) };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).map_err(|_| Unestablished::new(what(), "its first line is not UTF-8"))?;
    let mut words = line.split_ascii_whitespace();
    let interpreter = PathBuf::from(words.next().ok_or_else(|| Unestablished::new(what(), "it names none"))?);
    let mut found = vec![("launcher", program.to_owned())];
    if interpreter.file_name().is_some_and(|name| name == "env") {
        let (Some(name), None) = (words.next().filter(|name| !name.starts_with('-')), words.next()) else {
            return Err(Unestablished::new(what(), format!("`{line}` is more than a name for env")));
        };
        found.push(("env", resolved(&interpreter)?));
        let on_path = look_up(name, Some(PATH.as_ref()), &|_| true);
        let missing = || Unestablished::new(what(), format!("{PATH}, where a launched agent looks, has no {name}"));
        found.push(("interpreter", on_path.ok_or_else(missing)?));
    } else {
        found.push(("interpreter", resolved(&interpreter)?));
    }
    for (_, path) in &found[1..] {
        if beginning(path)?.starts_with(b"#!") {
            return Err(Unestablished::new(what(), format!("{} is itself a script", path.display())));
        }
    }
    Ok(found)
}

/// The first bytes of a file: enough for the line that names an interpreter.
fn beginning(path: &Path) -> Result<Vec<u8>, Unestablished> {
    let mut start = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| std::io::Read::read_to_end(&mut file.take(256), &mut start));
    read.map_err(|error| Unestablished::new(path.display().to_string(), error.to_string()))?;
    Ok(start)
}

fn resolved(path: &Path) -> Result<PathBuf, Unestablished> {
    path.canonicalize().map_err(|error| Unestablished::new(path.display().to_string(), error.to_string()))
}

/// The first program of a name on PATH that is `wanted`, with links followed. Relative entries of PATH are passed over: what they name
/// depends on where one stands.
pub fn look_up(name: &str, path: Option<&std::ffi::OsStr>, wanted: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let directories: Vec<PathBuf> = path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    directories.into_iter().filter(|directory| directory.is_absolute()).find_map(|directory| {
        let found = directory.join(name).canonicalize().ok()?;
        let about = found.metadata().ok()?;
        (about.is_file() && about.permissions().mode() & 0o111 != 0 && wanted(&found) && wanted(&directory))
            .then_some(found)
    })
}

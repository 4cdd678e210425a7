//! What every subcommand gets: the world it runs in, and the doors to the screen.

use std::cell::RefCell;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::error::CliError;
use super::exit::Exit;
use super::progress::Progress;
use super::report::{self, Report};
use super::stream::Stream;
use super::text::Text;
use crate::crypto::{KeyEnvironment, Keyring};
use crate::git::Environment;
use crate::model::time::Timestamp;

/// Where a command runs: taken from the process once, or made up by a test.
pub struct World {
    /// Directory and variables.
    pub environment: Environment,
    /// The time. No variable, option or file can set it; who needs another one calls [`super::run`] with it.
    pub now: Timestamp,
    /// Where `-` is read from.
    pub stdin: Box<dyn Read>,
    /// Where reports go.
    pub stdout: Stream,
    /// Where errors, warnings and progress go.
    pub stderr: Stream,
    /// Whether this is the process itself, which then really changes its directory for `-C`.
    pub is_process: bool,
}

impl World {
    /// The world of this process, with the one reading of the clock.
    pub fn of_process(environment: Environment) -> Self {
        World {
            now: clock(),
            stdin: Box::new(io::stdin()),
            stdout: Stream::stdout(&environment),
            stderr: Stream::stderr(&environment),
            environment,
            is_process: true,
        }
    }
}

/// The time as it is: read once by every command, and again only by one that lasts, such as the gateway's server.
pub(super) fn clock() -> Timestamp {
    Timestamp(match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds),
    })
}

/// The same, with what the command line said about it.
pub struct Context {
    /// Directory (after `-C`) and variables.
    pub environment: Environment,
    /// The time.
    pub now: Timestamp,
    /// Whether `--json` was given.
    pub json: bool,
    /// The keys there are.
    pub keyring: Keyring,
    stdin: RefCell<Box<dyn Read>>,
    stdout: RefCell<Stream>,
    stderr: RefCell<Stream>,
}

impl Context {
    pub(super) fn new(world: World, json: bool) -> Self {
        let keys = KeyEnvironment::read(&|name| world.environment.var(name).map(ToOwned::to_owned));
        Context {
            keyring: Keyring::from_env(&keys),
            environment: world.environment,
            now: world.now,
            json,
            stdin: RefCell::new(world.stdin),
            stdout: RefCell::new(world.stdout),
            stderr: RefCell::new(world.stderr),
        }
    }

    /// Prints a report, whole and at once, and says how the process ends. May be called several times by a command that tells its
    /// steps.
    ///
    /// # Errors
    /// See [`report::print`].
    pub fn print(&self, report: &dyn Report) -> Result<Exit, CliError> {
        report::print(report, self.json, &mut self.stdout.borrow_mut())
    }

    /// The same for machines or for people, whatever was asked for elsewhere.
    ///
    /// # Errors
    /// See [`report::print`].
    pub(super) fn print_as(&self, report: &dyn Report, json: bool) -> Result<Exit, CliError> {
        report::print(report, json, &mut self.stdout.borrow_mut())
    }

    /// Prints a report for people on standard error, where a hook's words belong; and, with `--json`, for machines on standard
    /// output.
    ///
    /// # Errors
    /// See [`report::print`].
    pub fn print_to_people(&self, report: &dyn Report) -> Result<Exit, CliError> {
        if self.json {
            return self.print(report);
        }
        report::print(report, false, &mut self.stderr.borrow_mut())
    }

    /// Lends standard input to a reader.
    pub fn stdin<T>(&self, read: impl FnOnce(&mut dyn Read) -> T) -> T {
        read(self.stdin.borrow_mut().as_mut())
    }

    /// Whether somebody watches who could be asked.
    pub fn is_attended(&self) -> bool {
        !self.json && self.stderr.borrow().is_terminal()
    }

    /// Asks a question whose answer is no unless it begins with a `y`.
    ///
    /// # Errors
    /// When the question can't be put.
    pub fn confirm(&self, question: &str) -> Result<bool, CliError> {
        let asked = format!("{question} [y/N] ");
        self.stderr.borrow_mut().deliver(asked.as_bytes()).map_err(CliError::fatal)?;
        let mut answer = Vec::new();
        self.stdin(|stdin| {
            let mut byte = [0];
            while answer.len() < 16 && stdin.read(&mut byte).is_ok_and(|read| read == 1) && byte[0] != b'\n' {
                answer.push(byte[0]);
            }
        });
        Ok(answer.first().is_some_and(|first| first.eq_ignore_ascii_case(&b'y')))
    }

    /// Prints bytes as they are.
    ///
    /// # Errors
    /// See [`report::deliver`].
    pub fn deliver(&self, bytes: &[u8]) -> Result<Exit, CliError> {
        report::deliver(bytes, Exit::Ok, &mut self.stdout.borrow_mut())
    }

    /// Says on standard error that something is amiss, without failing. Escaped.
    pub fn warn(&self, message: impl Display) {
        self.say(Text::yellow("warning:").then(" ").then(message));
    }

    /// Says on standard error how far it is.
    pub fn tell(&self, message: impl Display) {
        self.say(Text::from(message));
    }

    /// Says on standard error what to do.
    pub fn hint(&self, hint: impl Display) {
        self.say(Text::yellow("hint:").then(" ").then(hint));
    }

    /// A sign of life for work that takes long, on a terminal only.
    pub fn progress(&self, what: &'static str) -> Progress<'_> {
        Progress::new(&self.stderr, what)
    }

    /// Reads a file whole, or standard input for `-`; `what` names it in errors ("draft").
    ///
    /// # Errors
    /// It can't be read, it is empty, or it is longer than `limit` bytes.
    pub fn read(&self, what: &str, path: &Path, limit: u64) -> Result<Vec<u8>, CliError> {
        let stdin = path == Path::new("-");
        let name = if stdin { "standard input".to_owned() } else { format!("{path:?}") };
        let mut bytes = Vec::new();
        let taken = if stdin {
            self.stdin.borrow_mut().as_mut().take(limit.saturating_add(1)).read_to_end(&mut bytes)
        } else {
            File::open(self.environment.cwd().join(path))
                .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes))
        };
        taken.map_err(|error| CliError::fatal(format!("cannot read the {what} from {name}: {error}")))?;
        if bytes.is_empty() {
            return Err(CliError::fatal(format!("no {what}: {name} is empty")));
        }
        if bytes.len() as u64 > limit {
            return Err(CliError::fatal(format!("the {what} in {name} is longer than {limit} bytes")));
        }
        Ok(bytes)
    }

    pub(super) fn fail(&self, error: &CliError) {
        error.show(self.json, &mut self.stdout.borrow_mut(), &mut self.stderr.borrow_mut());
    }

    fn say(&self, text: Text) {
        let mut stderr = self.stderr.borrow_mut();
        let mut page = stderr.page();
        page.line(text);
        // A warning that nobody can read changes nothing about the work.
        let _ = stderr.deliver(page.as_str().as_bytes());
    }
}

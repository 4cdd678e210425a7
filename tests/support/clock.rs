//! The program at another time than now: in this process, through its own front door, since nothing else can set its clock.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{Cursor, Write};
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use git_boundary::cli::{self, World};
use git_boundary::git::Environment;
use git_boundary::model::time::Timestamp;

use super::home::words;
use super::ran::Ran;
use super::work::Work;

/// A clone as seen at another time.
#[derive(Debug)]
pub struct Elsewhen<'w> {
    /// The time.
    pub now: Timestamp,
    work: &'w Work,
}

impl Work {
    /// This clone so many seconds after now, or before it.
    pub fn later(&self, seconds: i64) -> Elsewhen<'_> {
        Elsewhen { now: Timestamp(now().0 + seconds), work: self }
    }
}

impl Elsewhen<'_> {
    /// `git boundary …`
    #[track_caller]
    pub fn boundary(&self, line: &str) -> Ran {
        self.run(&words(line), b"")
    }

    /// What the hook says of the given lines.
    #[track_caller]
    pub fn hook(&self, lines: &str) -> Ran {
        self.run(&["hook", "run", "pre-push", "origin", "address"], lines.as_bytes())
    }

    fn run(&self, args: &[&str], stdin: &[u8]) -> Ran {
        // A hook runs the program that installed it, and this one is the tests.
        let installs = matches!(args, ["init", ..] if !args.contains(&"--no-hooks"))
            || matches!(args, ["hook", "install", ..] | ["doctor", "--repair", ..]);
        assert!(!installs, "hooks are installed by the built program, not from inside a test");
        let (stdout, stderr) = (Sink::default(), Sink::default());
        let world = World {
            environment: Environment::new(&self.work.dir, self.work.home.variables()),
            now: self.now,
            stdin: Box::new(Cursor::new(stdin.to_vec())),
            stdout: cli::stream::Stream::plain(stdout.clone()),
            stderr: cli::stream::Stream::plain(stderr.clone()),
            is_process: false,
        };
        let all = ["git-boundary"].iter().chain(args).map(OsString::from);
        let exit = cli::run(all, world);
        Ran {
            what: format!("git boundary {} (at {})", args.join(" "), self.now),
            status: exit.code().into(),
            stdout: stdout.text(),
            stderr: stderr.text(),
        }
    }
}

/// This machine's clock, in whole seconds.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970");
    Timestamp(i64::try_from(since.as_secs()).expect("seconds fit for long"))
}

#[derive(Debug, Default, Clone)]
struct Sink(Rc<RefCell<Vec<u8>>>);

impl Sink {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

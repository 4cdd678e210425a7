//! For this room's tests: a world without a process.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use super::context::World;
use super::exit::Exit;
use super::stream::Stream;
use crate::git::Environment;
use crate::model::time::Timestamp;

/// A buffer that is read while somebody else writes it.
#[derive(Debug, Clone, Default)]
pub struct Sink(Rc<RefCell<Vec<u8>>>);

impl Sink {
    pub fn new() -> Self {
        Sink::default()
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).expect("all output is UTF-8")
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stream that fails in one way.
pub struct Broken(pub io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

/// What came of a command line.
pub struct Ran {
    pub exit: Exit,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command line with `home` as home and current directory, and nothing else in the environment.
pub fn run_in(home: &Path, args: &[&str]) -> Ran {
    let (stdout, stderr) = (Sink::new(), Sink::new());
    let variables = [("HOME".into(), home.into())];
    let world = World {
        environment: Environment::new(home, variables),
        now: Timestamp(1_800_000_000),
        stdin: Box::new(io::empty()),
        stdout: Stream::plain(stdout.clone()),
        stderr: Stream::plain(stderr.clone()),
        is_process: false,
    };
    let exit = super::run(std::iter::once("git-boundary").chain(args.iter().copied()).map(Into::into), world);
    Ran { exit, stdout: stdout.text(), stderr: stderr.text() }
}

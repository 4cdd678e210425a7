//! Standard output and standard error as the commands see them: where bytes go, and what their reader can show.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

use super::out::Out;
use super::terminal::takes_colour;
use crate::git::Environment;

/// One of the two.
pub struct Stream {
    sink: Box<dyn Write>,
    styled: bool,
    width: Option<usize>,
    terminal: bool,
}

impl Stream {
    /// This process's standard output.
    pub fn stdout(environment: &Environment) -> Self {
        Self::of(io::stdout(), environment)
    }

    /// This process's standard error.
    pub fn stderr(environment: &Environment) -> Self {
        Self::of(io::stderr(), environment)
    }

    /// Anything else, such as a buffer of a test: no terminal, no colour.
    pub fn plain(sink: impl Write + 'static) -> Self {
        Stream { sink: Box::new(sink), styled: false, width: None, terminal: false }
    }

    /// Whether somebody is watching.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether colour codes are of use.
    pub fn is_styled(&self) -> bool {
        self.styled
    }

    /// A page to fill for this stream.
    pub fn page(&self) -> Out {
        Out::new(self.styled, self.width)
    }

    /// Delivers bytes.
    ///
    /// # Errors
    /// When they could not be delivered, a full disk and a closed pipe included.
    pub fn deliver(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sink.write_all(bytes)?;
        // Without it the end of the process would swallow the failure.
        self.sink.flush()
    }

    fn of(stream: impl Write + IsTerminal + AsFd + 'static, environment: &Environment) -> Self {
        let terminal = stream.is_terminal();
        let styled = takes_colour(terminal, &|name| environment.var(name).map(ToOwned::to_owned));
        let size = || tcgetwinsize(&stream).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        let width = if terminal { size() } else { None };
        Stream { sink: Box::new(stream), styled, width, terminal }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("styled", &self.styled).field("width", &self.width).finish_non_exhaustive()
    }
}

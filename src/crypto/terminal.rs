//! One secret line from the controlling terminal, without echo.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use super::passphrase::{LONGEST, PassphraseError};

/// What came of asking.
pub(super) enum Asked {
    /// The line, without its newline.
    Answer(Zeroizing<Vec<u8>>),
    /// This process has no terminal.
    NoTerminal,
}

/// Shows `prompt` on `/dev/tty` and reads a line. The terminal is put back whatever happens.
pub(super) fn ask(prompt: &str) -> Result<Asked, PassphraseError> {
    // Not standard input and output: those may be git's pipes.
    let Ok(mut tty) = OpenOptions::new().read(true).write(true).open("/dev/tty") else { return Ok(Asked::NoTerminal) };
    let quiet = Quiet::begin(&tty).map_err(PassphraseError::Terminal)?;
    // Echo goes off before the prompt shows, so that nothing typed at it can be seen.
    let answer = show(&mut tty, prompt.as_bytes()).and_then(|()| read_line(&mut tty));
    drop(quiet);
    show(&mut tty, b"\n").map_err(PassphraseError::Terminal)?;
    match answer.map_err(PassphraseError::Terminal)? {
        Line::Whole(secret) => Ok(Asked::Answer(secret)),
        Line::Interrupted => Err(PassphraseError::Interrupted),
        Line::TooLong => Err(PassphraseError::TooLong),
    }
}

/// The terminal without echo, line editing and signals, until dropped.
///
/// Signals are off because Ctrl-C would otherwise end the process with the echo still off; it arrives as a byte
/// instead. Without line editing by the kernel that byte does not wait for Enter.
struct Quiet {
    tty: File,
    before: Termios,
}

impl Quiet {
    fn begin(tty: &File) -> io::Result<Self> {
        let tty = tty.try_clone()?;
        let before = tcgetattr(&tty)?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&tty, OptionalActions::Flush, &quiet)?;
        Ok(Quiet { tty, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // Nothing better can be done about a terminal that went away.
        let _ = tcsetattr(&self.tty, OptionalActions::Flush, &self.before);
    }
}

enum Line {
    Whole(Zeroizing<Vec<u8>>),
    Interrupted,
    TooLong,
}

fn read_line(tty: &mut File) -> io::Result<Line> {
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST + 1));
    let mut byte = Zeroizing::new([0]);
    loop {
        match tty.read(byte.as_mut_slice()) {
            Ok(0) => return Ok(Line::Whole(line)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        match byte[0] {
            b'\n' | b'\r' => return Ok(Line::Whole(line)),
            // Ctrl-C and Ctrl-\.
            0x03 | 0x1c => return Ok(Line::Interrupted),
            // Ctrl-D on an empty line gives up, as ever.
            0x04 if line.is_empty() => return Ok(Line::Whole(line)),
            // Backspace takes a whole character, also one of several bytes.
            0x08 | 0x7f => while line.pop().is_some_and(|gone| gone & 0xc0 == 0x80) {},
            // Ctrl-U.
            0x15 => line.clear(),
            _ if line.len() == LONGEST => return Ok(Line::TooLong),
            typed => line.push(typed),
        }
    }
}

fn show(tty: &mut File, text: &[u8]) -> io::Result<()> {
    tty.write_all(text)?;
    tty.flush()
}

//! Asking for a passphrase the way ssh asks: on the terminal, or through the user's askpass program.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::process::{Command, Stdio};

use zeroize::Zeroizing;

use super::environment::KeyEnvironment;
use super::terminal::{self, Asked};

/// ssh reads no more than this either.
pub(super) const LONGEST: usize = 1023;

/// A secret that is wiped from memory when dropped. Its `Debug` form shows nothing.
pub struct Passphrase(Zeroizing<Vec<u8>>);

impl Passphrase {
    /// Takes over `bytes`.
    pub fn new(bytes: Vec<u8>) -> Self {
        Passphrase(Zeroizing::new(bytes))
    }

    /// The secret, as typed, without a newline.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

/// Why there is no passphrase.
#[derive(Debug, thiserror::Error)]
pub enum PassphraseError {
    /// Neither a terminal nor a usable askpass program.
    #[error("no passphrase can be asked for: {terminal}, and {askpass}")]
    NoWayToAsk {
        /// What is the matter with the terminal.
        terminal: &'static str,
        /// What is the matter with the askpass program.
        askpass: &'static str,
    },
    /// The user gave an empty one, or closed the input.
    #[error("no passphrase was given")]
    NotGiven,
    /// The user pressed Ctrl-C.
    #[error("interrupted while the passphrase was asked for")]
    Interrupted,
    /// Longer than ssh reads.
    #[error("the passphrase is longer than {LONGEST} bytes")]
    TooLong,
    /// The terminal failed.
    #[error("the terminal failed while the passphrase was asked for: {0}")]
    Terminal(io::Error),
    /// The askpass program cannot be run.
    #[error("the SSH_ASKPASS program {program:?} cannot be run: {source}")]
    Askpass {
        /// The program.
        program: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// The askpass program ended with a failure, which is how its cancel button looks.
    #[error("the SSH_ASKPASS program {program:?} gave no passphrase ({status})")]
    AskpassRefused {
        /// The program.
        program: OsString,
        /// How it ended.
        status: std::process::ExitStatus,
    },
}

/// The values of `SSH_ASKPASS_REQUIRE` (ssh(1)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskpassRequire {
    /// Never use an askpass program.
    Never,
    /// Rather askpass than the terminal, when there is a display.
    Prefer,
    /// Always askpass, display or not.
    Force,
}

impl AskpassRequire {
    /// By its word, in any case of letters; `None` for other words.
    pub fn from_word(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "never" => Some(AskpassRequire::Never),
            "prefer" => Some(AskpassRequire::Prefer),
            "force" => Some(AskpassRequire::Force),
            _ => None,
        }
    }
}

/// How this process may ask for a passphrase.
#[derive(Debug, Clone)]
pub struct Asker {
    terminal: bool,
    program: Option<OsString>,
    askpass: Askpass,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Askpass {
    First,
    WithoutTerminal,
    No(&'static str),
}

impl Asker {
    /// As ssh decides it from `SSH_ASKPASS`, `SSH_ASKPASS_REQUIRE` and the display, except that there is no built-in
    /// askpass program; `GIT_TERMINAL_PROMPT=0` keeps off the terminal.
    pub fn from_environment(environment: &KeyEnvironment) -> Self {
        let no_display = "SSH_ASKPASS is used only with a display or SSH_ASKPASS_REQUIRE=force";
        let askpass = match (environment.askpass_require, environment.display) {
            _ if environment.ssh_askpass.is_none() => Askpass::No("SSH_ASKPASS is not set"),
            (Some(AskpassRequire::Never), _) => Askpass::No("SSH_ASKPASS_REQUIRE=never forbids SSH_ASKPASS"),
            (Some(AskpassRequire::Force), _) | (Some(AskpassRequire::Prefer), true) => Askpass::First,
            (_, true) => Askpass::WithoutTerminal,
            (_, false) => Askpass::No(no_display),
        };
        let forced = environment.askpass_require == Some(AskpassRequire::Force);
        Asker {
            // Forced means that somebody decided against the terminal, even if the program then is missing.
            terminal: !environment.terminal_prompt_off && !forced,
            program: environment.ssh_askpass.clone(),
            askpass,
        }
    }

    /// One that never asks, for hooks and other places where nobody is watching.
    pub fn silent() -> Self {
        Asker { terminal: false, program: None, askpass: Askpass::No("asking is switched off here") }
    }

    /// Shows `prompt` and waits for the answer.
    ///
    /// # Errors
    /// No way to ask, nothing given, or the terminal or program failing.
    pub fn ask(&self, prompt: &str) -> Result<Passphrase, PassphraseError> {
        if self.askpass == Askpass::First {
            return self.ask_program(prompt);
        }
        let asked = if self.terminal { terminal::ask(prompt)? } else { Asked::NoTerminal };
        match (asked, self.askpass) {
            (Asked::Answer(answer), _) => given(answer),
            (Asked::NoTerminal, Askpass::No(why)) => Err(PassphraseError::NoWayToAsk {
                terminal: if self.terminal { "there is no terminal" } else { "the terminal may not be used" },
                askpass: why,
            }),
            (Asked::NoTerminal, _) => self.ask_program(prompt),
        }
    }

    fn ask_program(&self, prompt: &str) -> Result<Passphrase, PassphraseError> {
        let program = self.program.clone().unwrap_or_default();
        let failed = |source| PassphraseError::Askpass { program: program.clone(), source };
        // Not our standard input: in a hook git has put the refs there.
        let mut child =
            Command::new(&program).arg(prompt).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut answer = Zeroizing::new(Vec::with_capacity(LONGEST + 2));
        if let Some(out) = child.stdout.take() {
            out.take(LONGEST as u64 + 2).read_to_end(&mut answer).map_err(failed)?;
        }
        let status = child.wait().map_err(failed)?;
        if !status.success() {
            return Err(PassphraseError::AskpassRefused { program, status });
        }
        let end = answer.iter().position(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(answer.len());
        answer.truncate(end);
        given(answer)
    }
}

fn given(answer: Zeroizing<Vec<u8>>) -> Result<Passphrase, PassphraseError> {
    match answer.len() {
        0 => Err(PassphraseError::NotGiven),
        1..=LONGEST => Ok(Passphrase(answer)),
        _ => Err(PassphraseError::TooLong),
    }
}

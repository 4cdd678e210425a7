//! What the environment says about keys, read once and passed on as a value.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use super::passphrase::AskpassRequire;

/// The environment variables that keys depend on.
#[derive(Debug, Clone, Default)]
pub struct KeyEnvironment {
    /// `HOME`, when absolute.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, when absolute (the XDG specification ignores relative ones).
    pub xdg_config_home: Option<PathBuf>,
    /// `SSH_AUTH_SOCK`, when not empty.
    pub ssh_auth_sock: Option<PathBuf>,
    /// `SSH_ASKPASS`, when not empty.
    pub ssh_askpass: Option<OsString>,
    /// `SSH_ASKPASS_REQUIRE`, in any case of letters; other words mean that it is not set, as for ssh.
    pub askpass_require: Option<AskpassRequire>,
    /// Whether `DISPLAY` or `WAYLAND_DISPLAY` is set, without which ssh uses an askpass program only when forced.
    pub display: bool,
    /// Whether `GIT_TERMINAL_PROMPT` is set to a false value, by which users tell git not to ask.
    pub terminal_prompt_off: bool,
}

impl KeyEnvironment {
    /// The environment of this process.
    pub fn from_process() -> Self {
        Self::read(&|name| env::var_os(name))
    }

    /// The environment that `lookup` shows; the same rules as for the process's own.
    pub fn read(lookup: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let filled = |name| lookup(name).filter(|value| !value.is_empty());
        let absolute = |name| filled(name).map(PathBuf::from).filter(|path| path.is_absolute());
        KeyEnvironment {
            home: absolute("HOME"),
            xdg_config_home: absolute("XDG_CONFIG_HOME"),
            ssh_auth_sock: filled("SSH_AUTH_SOCK").map(PathBuf::from),
            ssh_askpass: filled("SSH_ASKPASS"),
            askpass_require: filled("SSH_ASKPASS_REQUIRE").and_then(|word| AskpassRequire::from_word(word.to_str()?)),
            display: filled("DISPLAY").is_some() || filled("WAYLAND_DISPLAY").is_some(),
            terminal_prompt_off: lookup("GIT_TERMINAL_PROMPT").is_some_and(|word| is_false(&word)),
        }
    }

    /// `$XDG_CONFIG_HOME/git-boundary/keys`, by default `~/.config/git-boundary/keys`.
    pub fn keys_dir(&self) -> Option<PathBuf> {
        let config = self.xdg_config_home.clone().or_else(|| Some(self.home.as_ref()?.join(".config")))?;
        Some(config.join("git-boundary").join("keys"))
    }
}

/// git's words for false.
fn is_false(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| {
        let word = word.to_ascii_lowercase();
        ["", "0", "no", "off", "false"].contains(&word.as_str())
    })
}

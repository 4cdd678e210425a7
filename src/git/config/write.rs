//! Changes to the repository's configuration, made by the user's git: it owns the file, its lock and its comments.

use crate::git::process::ProcessError;
use crate::git::repository::Repository;

impl Repository {
    /// `git config --local <key> <value>`, replacing all values the key has. Open the repository anew to read it back.
    ///
    /// # Errors
    /// When git cannot be started or refuses.
    pub fn set_config_local(&self, key: &str, value: &str) -> Result<(), ProcessError> {
        self.git(["config", "--local", "--replace-all", key, value]).run().map(drop)
    }

    /// `git config --local --add <key> <value>`, unless the repository's file already has exactly this value.
    ///
    /// # Errors
    /// As [`Self::set_config_local`].
    pub fn add_config_local(&self, key: &str, value: &str) -> Result<(), ProcessError> {
        let there = self.git(["config", "--local", "--null", "--get-all", key]).output()?;
        if there.status.success() && there.stdout.split(|byte| *byte == 0).any(|known| known == value.as_bytes()) {
            return Ok(());
        }
        self.git(["config", "--local", "--add", key, value]).run().map(drop)
    }

    /// Removes one exact value of a key, or with `None` all of them; absence is no error.
    ///
    /// # Errors
    /// As [`Self::set_config_local`].
    pub fn unset_config_local(&self, key: &str, value: Option<&str>) -> Result<(), ProcessError> {
        let mut command = self.git(["config", "--local", "--unset-all"]);
        match value {
            Some(value) => command.args(["--fixed-value", key, value]),
            None => command.args([key]),
        };
        let output = command.output()?;
        // 5: there was nothing to unset.
        if output.status.code() == Some(5) { Ok(()) } else { output.success().map(drop) }
    }
}

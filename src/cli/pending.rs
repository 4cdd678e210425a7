//! Commands whose work is not built into this binary yet. Goes away with the last of them.

use super::error::CliError;
use super::exit::Exit;

/// Says so.
pub(super) fn absent(command: &str) -> Result<Exit, CliError> {
    Err(CliError::fatal(format!("'git boundary {command}' is not built into this binary yet")))
}

//! Why a hook cannot be installed, each with what to do instead.

use std::path::PathBuf;

use super::managers::Manager;
use super::name::HookName;
use crate::git::ProcessError;

/// Hooks cannot be installed or removed. Nothing was changed, unless it is [`InstallError::File`].
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// git did not answer.
    #[error(transparent)]
    Git(#[from] ProcessError),
    /// The path to be recorded cannot be run by the hooks.
    #[error("the hooks cannot run '{}': {defect}", path.display())]
    Binary {
        /// What was to be recorded.
        path: PathBuf,
        /// Why not.
        defect: &'static str,
    },
    /// `core.hooksPath` leads out of the repository; other repositories may use what is there.
    #[error(
        "git runs hooks from '{}' ({because}), which is not this repository's own. \
         Either give this repository hooks of its own, which leaves those there unused here: `{command}`, \
         then `{}`; or put this line first in '{}': {line}",
        directory.display(), hook.install_command(), directory.join(hook.as_str()).display()
    )]
    Elsewhere {
        /// The hook to be installed.
        hook: HookName,
        /// Where git looks.
        directory: PathBuf,
        /// What leads there: `core.hooksPath` and the scope of configuration it is set in, or a link.
        because: String,
        /// What makes git look into the repository again.
        command: String,
        /// What to add by hand instead.
        line: String,
    },
    /// The hooks are files that commits may carry to others, and a machine's path must not go there.
    #[error(
        "git runs hooks from '{}', which is part of the checkout and shared by commits. \
         Put this line first in '{}' (make it executable): {line}",
        path.parent().unwrap_or(path).display(), path.display()
    )]
    Shared {
        /// The hook git would run.
        path: PathBuf,
        /// What to add by hand.
        line: String,
    },
    /// `core.hooksPath` names a directory of the checkout that is not there.
    #[error(
        "git looks for hooks in '{}', which is not there: {}, then run `{}`",
        directory.display(),
        manager.map_or_else(|| format!("make it, or run `{command}`"), |manager| manager.make_files().to_owned()),
        hook.install_command()
    )]
    Missing {
        /// The hook to be installed.
        hook: HookName,
        /// Where git looks.
        directory: PathBuf,
        /// What makes git look into the repository again.
        command: String,
        /// Who would make it.
        manager: Option<Manager>,
    },
    /// Something else where a directory or a file belongs.
    #[error("'{}' is no {expected}", path.display())]
    Kind {
        /// What is in the way.
        path: PathBuf,
        /// `directory` or `file`.
        expected: &'static str,
    },
    /// The lines between our markers are not whole, or there are several of them.
    #[error(
        "'{}' has git-boundary's lines in pieces: take out all from '# >>> git-boundary {hook}' to \
         '# <<< git-boundary {hook} <<<' by hand, then run `{}` again",
        path.display(), hook.install_command()
    )]
    Torn {
        /// The hook.
        path: PathBuf,
        /// Its name.
        hook: HookName,
    },
    /// The place in which the hook that is there would be kept has something else in it.
    #[error("'{}' would be kept as '{}', where another hook is kept already: move one of them away", path.display(), kept.display())]
    Taken {
        /// The hook.
        path: PathBuf,
        /// Where it should go.
        kept: PathBuf,
    },
    /// A hook of another language in a directory in which nothing can be kept beside it.
    #[error("'{}' is no shell script, and there is no place beside it: let it run, first of all, the command {line}", path.display())]
    NoPlaceBeside {
        /// The hook.
        path: PathBuf,
        /// What to run.
        line: String,
    },
    /// Lines were added to a file in which nothing after ours runs; taking ours out would lose them.
    #[error("'{}' has lines besides git-boundary's, which removing it would lose: move them away first", path.display())]
    Edited {
        /// The hook.
        path: PathBuf,
    },
    /// The file system said no.
    #[error("cannot {action} '{}': {source}", path.display())]
    File {
        /// What was tried: `read`, `write`, `make`, `keep`, `remove`.
        action: &'static str,
        /// What with.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl InstallError {
    /// What to type first where git looks elsewhere for hooks, before installing can do anything.
    pub fn command(&self) -> Option<&str> {
        match self {
            InstallError::Elsewhere { command, .. } | InstallError::Missing { command, manager: None, .. } => {
                Some(command)
            }
            _ => None,
        }
    }
}

//! SESSION: what a launch opened and a server of the same launch may use, for as long as both live. Only who holds the token is let in,
//! only into the one workspace, and only until its end.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::Unestablished;
use super::private::Private;
use crate::codec::canonical;
use crate::codec::strict;
use crate::model::digest::Digest;
use crate::model::gateway::{Access, Place};
use crate::model::hex;
use crate::model::id::{KeyId, Oid};
use crate::model::time::Timestamp;

/// The variable in which a launch hands the token to the agent's process, and so to the server that it starts.
pub const TOKEN_VARIABLE: &str = "GIT_BOUNDARY_GATEWAY_TOKEN";

/// What the server of a session needs to know, as the launch wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionFacts {
    /// Whose key signs what the agent asks for; none where it may only look.
    pub actor: Option<KeyId>,
    /// The commit on which everything about it is noted.
    pub commit: Oid,
    /// Not after this moment.
    pub expires_at: Timestamp,
    /// The installation's digest.
    pub installation: Digest,
    /// The digest of the sealed session.
    pub seal: Digest,
    /// Whose ledger holds the trace.
    pub registrar: KeyId,
    /// SHA-256 of the token.
    pub token: Digest,
    /// Where.
    pub workspace: Place,
}

/// Why a server does not serve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// No session of that name is open here.
    #[error("no session {0} is open here")]
    Unknown(String),
    /// The token is missing, or another's.
    #[error("the token is not this session's")]
    Token,
    /// Its time is over.
    #[error("the session ended at {0}")]
    Expired(Timestamp),
    /// Its launch has ended.
    #[error("the launch that opened the session has ended")]
    LaunchEnded,
    /// Another server of the session runs: two would write two traces.
    #[error("another server of this session is running")]
    Served,
    /// Another workspace's.
    #[error("the session is for {0}, and this is another directory")]
    Workspace(String),
    /// The state can't be used.
    #[error("{0}")]
    State(String),
}

/// An open session's directory.
#[derive(Debug, Clone)]
pub struct SessionState {
    private: Private,
    name: String,
}

/// Being the launch of a session, or its server, as long as this lives. What a killed process held is free at once.
#[derive(Debug)]
pub struct Held {
    _lock: File,
}

/// A token: 32 random bytes in hex, and nowhere written down.
pub struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn new() -> Result<Self, Unestablished> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| Unestablished::new("a session's token", error.to_string()))?;
        Ok(Token(hex::encode(&bytes)))
    }

    /// As somebody hands it over.
    pub fn given(text: &str) -> Self {
        Token(text.to_owned())
    }

    /// For the agent's environment.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    pub fn digest(&self) -> Digest {
        canonical::separated_digest("gateway-token", &self.0)
    }
}

impl SessionState {
    /// The state of a session below an installation's, held open. It gets its name only once it is held, because what nobody holds is
    /// cleared away by the next launch, which may be under way.
    ///
    /// # Errors
    /// When its directory can't be made or held, or is not private.
    pub fn make(installation: &Private, name: &str) -> Result<(Self, Held), Unestablished> {
        let sessions = installation.path("sessions");
        let private = Private::make(&sessions, &format!("making-{name}"))?;
        let made = SessionState { private, name: name.to_owned() };
        let held = made.hold()?;
        let path = sessions.join(name);
        std::fs::rename(made.path(""), &path)
            .map_err(|error| Unestablished::new(path.display().to_string(), error.to_string()))?;
        Ok((SessionState { private: Private::open(&sessions, name)?, ..made }, held))
    }

    /// The state of a session that is there.
    ///
    /// # Errors
    /// [`NotAdmitted::Unknown`] when there is none of that name.
    pub fn open(installation: &Private, name: &str) -> Result<Self, NotAdmitted> {
        let is_name = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let private = is_name.then(|| Private::open(&installation.path("sessions"), name));
        let private = private.and_then(Result::ok).ok_or_else(|| NotAdmitted::Unknown(name.to_owned()))?;
        Ok(SessionState { private, name: name.to_owned() })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its files are.
    pub fn path(&self, name: &str) -> PathBuf {
        self.private.path(name)
    }

    /// Writes a file of the session's own.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Unestablished> {
        self.private.write(name, bytes, false)
    }

    /// Makes a name of the session's own lead elsewhere, whether or not something is there yet.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn lead(&self, name: &str, to: &Path) -> Result<(), Unestablished> {
        let path = self.private.path(name);
        std::os::unix::fs::symlink(to, &path)
            .map_err(|error| Unestablished::new(path.display().to_string(), error.to_string()))
    }

    /// Writes down what the server needs.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn begin(&self, facts: &SessionFacts) -> Result<(), Unestablished> {
        self.private.write("session.json", &canonical::to_vec(facts), false).map(|_| ())
    }

    /// Holds the session open, before anything else of it is there.
    fn hold(&self) -> Result<Held, Unestablished> {
        let lock =
            self.lock_file("launch").map_err(|error| Unestablished::new("the session's lock", error.to_string()))?;
        lock.try_lock().map_err(|error| Unestablished::new("the session's lock", error.to_string()))?;
        Ok(Held { _lock: lock })
    }

    fn lock_file(&self, name: &str) -> std::io::Result<File> {
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(self.private.path(name))
    }

    /// Whether the launch that opened it lives.
    pub fn is_held(&self) -> bool {
        self.lock_file("launch").is_ok_and(|lock| lock.try_lock().is_err())
    }

    /// Being the one that writes the session's trace, as long as this lives.
    ///
    /// # Errors
    /// When another one is.
    pub fn writing(&self) -> Result<Held, NotAdmitted> {
        let lock = self.lock_file("serve").map_err(|error| NotAdmitted::State(error.to_string()))?;
        lock.try_lock().map_err(|_| NotAdmitted::Served)?;
        Ok(Held { _lock: lock })
    }

    /// Removes all of it, once the ledger has it.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn remove(self) -> Result<(), Unestablished> {
        let dir = self.private.path("");
        std::fs::remove_dir_all(&dir).map_err(|error| Unestablished::new(dir.display().to_string(), error.to_string()))
    }

    /// The sessions of an installation that have state here.
    pub fn all(installation: &Private) -> Vec<SessionState> {
        let entries = std::fs::read_dir(installation.path("sessions")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter_map(|name| SessionState::open(installation, &name).ok()).collect()
    }

    /// What the launch wrote.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn facts(&self) -> Result<SessionFacts, NotAdmitted> {
        let bytes = self.private.read("session.json").map_err(|error| NotAdmitted::State(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| NotAdmitted::Unknown(self.name.clone()))?;
        strict::read(&bytes).map_err(|error| NotAdmitted::State(format!("session.json: {error}")))
    }

    /// Lets a server in: with the token, in the workspace, in time, and while the launch lives.
    ///
    /// # Errors
    /// Whatever is not so.
    pub fn admit(&self, token: &Token, here: &Place, now: Timestamp) -> Result<SessionFacts, NotAdmitted> {
        let facts = self.facts()?;
        // Digests are compared, so that how long it takes tells nothing of the token.
        if token.digest() != facts.token {
            return Err(NotAdmitted::Token);
        }
        if *here != facts.workspace {
            return Err(NotAdmitted::Workspace(facts.workspace.path));
        }
        self.still_open(&facts, now)?;
        Ok(facts)
    }

    /// Whether its time is not over and the launch lives; asked before every call.
    ///
    /// # Errors
    /// What is not so.
    pub fn still_open(&self, facts: &SessionFacts, now: Timestamp) -> Result<(), NotAdmitted> {
        if now > facts.expires_at {
            return Err(NotAdmitted::Expired(facts.expires_at));
        }
        if !self.is_held() {
            return Err(NotAdmitted::LaunchEnded);
        }
        Ok(())
    }

    /// Writes an access down before it is answered, so that a killed server leaves none out.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn note(&self, access: &Access) -> Result<(), Unestablished> {
        let mut line = canonical::to_vec(access);
        line.push(b'\n');
        let append = || -> std::io::Result<()> {
            let mut file =
                OpenOptions::new().create(true).append(true).mode(0o600).open(self.private.path("journal"))?;
            let before = file.metadata()?.len();
            // Half a line would be taken for the beginning of the next one.
            file.write_all(&line).inspect_err(|_| drop(file.set_len(before)))
        };
        append().map_err(|error| Unestablished::new("the session's journal", error.to_string()))
    }

    /// Accesses that were written down; the last line may be torn by a kill, and is then no access that was answered. It is cut off, so
    /// that others can follow.
    ///
    /// # Errors
    /// When a line before the last is no access.
    pub fn noted(&self) -> Result<Vec<Access>, Unestablished> {
        let bytes = self.private.read("journal")?.unwrap_or_default();
        let mut found = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(line) = line.strip_suffix(b"\n") else {
                self.private.write("journal", &bytes[..bytes.len() - line.len()], false)?;
                break;
            };
            found.push(strict::read(line).map_err(|error| {
                Unestablished::new(format!("line {} of the session's journal", found.len() + 1), error.to_string())
            })?);
        }
        Ok(found)
    }

    /// Forgets the journal, once all of it stands in the ledger.
    ///
    /// # Errors
    /// When it can't be emptied.
    pub fn forget_noted(&self) -> Result<(), Unestablished> {
        self.private.write("journal", b"", false).map(|_| ())
    }
}

/// Which directory this is.
///
/// # Errors
/// When it can't be looked at, or its path is no text.
pub fn place(dir: &Path) -> Result<Place, Unestablished> {
    use std::os::unix::fs::MetadataExt as _;
    let failed = |why: String| Unestablished::new(format!("the workspace {}", dir.display()), why);
    let canonical = dir.canonicalize().map_err(|error| failed(error.to_string()))?;
    let found = canonical.metadata().map_err(|error| failed(error.to_string()))?;
    if !found.is_dir() {
        return Err(failed("it is no directory".to_owned()));
    }
    let path = canonical.to_str().ok_or_else(|| failed("its path is not UTF-8".to_owned()))?.to_owned();
    Ok(Place { device: found.dev().to_string(), inode: found.ino().to_string(), path })
}

//! The keys a user can sign with here: labelled files, an agent, and whatever else is named by its path.

use std::fmt;
use std::path::{Path, PathBuf};

use super::agent::Agent;
use super::ed25519::key_id;
use super::environment::KeyEnvironment;
use super::error::KeyError;
use super::openssh::{with_pub, write_new_key};
use super::passphrase::Asker;
use super::search::{self, Found};
use super::signer::Signer;
use crate::model::id::KeyId;
use crate::model::key::PublicKey;

/// Where keys are looked for, and how their passphrases are asked for.
#[derive(Debug, Clone)]
pub struct Keyring {
    /// The directory of labelled keys; `None` when the environment names no home.
    pub dir: Option<PathBuf>,
    /// The user's home directory, for `~/`.
    pub home: Option<PathBuf>,
    /// The ssh-agent.
    pub agent: Option<Agent>,
    /// How to ask for a passphrase.
    pub asker: Asker,
}

/// One key of a keyring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// Its label; `None` for a key that is no file in the directory of keys.
    pub label: Option<Label>,
    /// Its id.
    pub id: KeyId,
    /// The public half.
    pub public: PublicKey,
    /// The comment of the public key line, or what the agent calls it: a stranger's text.
    pub comment: String,
    /// Its private key file; `None` when only the public half is a file, or none is.
    pub path: Option<PathBuf>,
    /// Whether that file needs a passphrase.
    pub encrypted: bool,
    /// Whether the agent holds it.
    pub in_agent: bool,
}

impl KeyInfo {
    /// Whether anything here can sign with it.
    pub fn can_sign(&self) -> bool {
        self.path.is_some() || self.in_agent
    }
}

/// The keys there are, and what could not be read, which is never passed over in silence.
#[derive(Debug, Default)]
pub struct KeyList {
    /// Labelled keys by label, then the agent's others.
    pub keys: Vec<KeyInfo>,
    /// Files that are no usable key, an agent that does not answer.
    pub defects: Vec<KeyError>,
}

impl Keyring {
    /// The keyring that the environment describes. Nothing is opened yet.
    pub fn from_env(environment: &KeyEnvironment) -> Self {
        Keyring {
            dir: environment.keys_dir(),
            home: environment.home.clone(),
            agent: environment.ssh_auth_sock.as_deref().map(Agent::at),
            asker: Asker::from_environment(environment),
        }
    }

    /// The same one, which never asks for a passphrase: for hooks.
    pub fn without_prompts(self) -> Self {
        Keyring { asker: Asker::silent(), ..self }
    }

    /// All labelled keys and all Ed25519 keys in the agent.
    pub fn list(&self) -> KeyList {
        search::list(self)
    }

    /// The key that `spec` names, ready to sign: a label, `key_…`, a path (private key, or `.pub` whose private half is
    /// beside it or in the agent), `key::ssh-ed25519 …`, or the public key line itself.
    ///
    /// A key that is encrypted in its file and loaded in the agent is used from there, so that nothing is asked.
    ///
    /// # Errors
    /// The name means nothing, its file is absent or refused, its private half is nowhere, or it stays locked.
    pub fn find(&self, spec: &str) -> Result<Box<dyn Signer>, KeyError> {
        let found = search::locate(self, spec)?;
        search::signer(self, &found)
    }

    /// The public key that `spec` names, in the same forms; the private half need not be here.
    ///
    /// # Errors
    /// The name means nothing, or its file is absent or refused.
    pub fn find_public(&self, spec: &str) -> Result<PublicKey, KeyError> {
        search::locate(self, spec).map(|Found { public, .. }| public)
    }

    /// Makes a new key of that label, mode 0600 and without a passphrase.
    ///
    /// # Errors
    /// A bad label, one that is taken, or a directory that cannot be written.
    pub fn new_key(&self, label: &str) -> Result<KeyInfo, KeyError> {
        let label = Label::new(label)?;
        let path = self.dir()?.join(label.as_str());
        let public = write_new_key(&path, label.as_str())?.public_key();
        Ok(KeyInfo {
            id: key_id(&public),
            public,
            comment: label.0.clone(),
            label: Some(label),
            path: Some(path),
            encrypted: false,
            in_agent: false,
        })
    }

    /// The user's own Ed25519 keys that `init` can offer: `~/.ssh/id_ed25519` first, then others beside it by name.
    /// Hints only: files that are no such keys are passed over, and nothing is unlocked.
    pub fn discover_user_key(&self) -> Vec<KeyInfo> {
        search::user_keys(self)
    }

    pub(super) fn dir(&self) -> Result<&Path, KeyError> {
        self.dir.as_deref().ok_or(KeyError::NoHome)
    }

    pub(super) fn agent_socket(&self) -> Option<PathBuf> {
        self.agent.as_ref().map(|agent| agent.socket().to_owned())
    }
}

/// The name of a key file in the directory of keys: checked, so that it can only ever be a file right in there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(String);

/// Why a text is no label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LabelDefect {
    /// Nothing.
    #[error("it is empty")]
    Empty,
    /// More than 64 bytes.
    #[error("it is longer than {} bytes", Label::LONGEST)]
    TooLong,
    /// A slash or backslash.
    #[error("it has a slash")]
    Slash,
    /// A control character.
    #[error("it has a control character")]
    Control,
    /// A space at either end.
    #[error("it begins or ends with a space")]
    Space,
    /// It starts with a dot, a dash or a tilde.
    #[error("it begins with {0:?}")]
    First(char),
    /// It ends with `.pub`, which is the name of the public half.
    #[error("it ends with .pub")]
    Pub,
    /// It reads as a key id or a public key.
    #[error("it looks like a key id or a public key")]
    LooksLikeAKey,
}

impl Label {
    /// In bytes.
    pub const LONGEST: usize = 64;

    /// Checks `text`.
    ///
    /// # Errors
    /// [`KeyError::BadLabel`].
    pub fn new(text: &str) -> Result<Self, KeyError> {
        match label_defect(text) {
            None => Ok(Label(text.to_owned())),
            Some(defect) => Err(KeyError::BadLabel { label: text.chars().take(80).collect(), defect }),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn label_defect(text: &str) -> Option<LabelDefect> {
    let first = text.chars().next();
    Some(match first {
        None => LabelDefect::Empty,
        _ if text.len() > Label::LONGEST => LabelDefect::TooLong,
        _ if text.contains(['/', '\\']) => LabelDefect::Slash,
        _ if text.contains(char::is_control) => LabelDefect::Control,
        _ if text.trim() != text => LabelDefect::Space,
        Some(c @ ('.' | '-' | '~')) => LabelDefect::First(c),
        _ if text.to_ascii_lowercase().ends_with(".pub") => LabelDefect::Pub,
        _ if text.starts_with("key_") || text.contains("::") || text.starts_with("ssh-") => LabelDefect::LooksLikeAKey,
        _ => return None,
    })
}

/// The private and the public file of a label.
pub(super) fn files_of(dir: &Path, label: &Label) -> (PathBuf, PathBuf) {
    let private = dir.join(label.as_str());
    let public = with_pub(&private);
    (private, public)
}

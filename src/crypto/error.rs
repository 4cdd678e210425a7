//! Everything that can go wrong with a key, each naming the file, label or socket and what is the matter with it.

use std::io;
use std::path::PathBuf;

use super::agent::AgentError;
use super::key::PublicKeyDefect;
use super::keyring::LabelDefect;
use super::passphrase::PassphraseError;
use crate::model::id::KeyId;

/// A key that cannot be used as asked. [`KeyError::remedy`] says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The named key file is not there: a cannot-sign, never an unsigned.
    #[error("cannot sign: the key file {path:?} is absent")]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// It is there and cannot be read.
    #[error("the key file {path:?} cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A directory, a pipe, a device.
    #[error("{path:?} is no regular file, so no key is read from it")]
    NotAFile {
        /// The file.
        path: PathBuf,
    },
    /// Group or others have rights on a private key file.
    #[error("the private key {path:?} has mode {mode:04o}: others than its owner can get at it, so it is not used")]
    ModeTooOpen {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A private key file of another user.
    #[error("the private key {path:?} belongs to user {owner}, and this is user {user}, so it is not used")]
    ForeignOwner {
        /// The file.
        path: PathBuf,
        /// Its owner's user id.
        owner: u32,
        /// The effective user id of this process.
        user: u32,
    },
    /// A file that should hold an OpenSSH private key.
    #[error("the private key {path:?} is not usable: {defect}")]
    PrivateFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        defect: PrivateKeyDefect,
    },
    /// A file that should hold a public key.
    #[error("the public key file {path:?} is not usable: {defect}")]
    PublicFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        defect: PublicKeyDefect,
    },
    /// A public key given as text.
    #[error("{text:?} is no usable public key: {defect}")]
    PublicText {
        /// The text, shortened.
        text: String,
        /// What is wrong with it.
        defect: PublicKeyDefect,
    },
    /// `X` and `X.pub` hold different keys.
    #[error("{public_path:?} holds {public} and {path:?} holds {private}: they are not one key pair")]
    PairMismatch {
        /// The private key file.
        path: PathBuf,
        /// The id of its key.
        private: KeyId,
        /// The public key file.
        public_path: PathBuf,
        /// The id of its key.
        public: KeyId,
    },
    /// No passphrase to be had.
    #[error("the private key {path:?} is encrypted: {source}")]
    Passphrase {
        /// The file.
        path: PathBuf,
        /// Why there is none.
        source: PassphraseError,
    },
    /// Every try failed.
    #[error("the private key {path:?} was not opened: {tries} wrong passphrases")]
    WrongPassphrase {
        /// The file.
        path: PathBuf,
        /// How many were tried.
        tries: u8,
    },
    /// A label that cannot be a file name here.
    #[error("{label:?} is no key label: {defect}")]
    BadLabel {
        /// The label.
        label: String,
        /// What is wrong with it.
        defect: LabelDefect,
    },
    /// No key of that label.
    #[error("no key labelled {label:?} in {dir:?}")]
    NoSuchLabel {
        /// The label.
        label: String,
        /// Where labels live.
        dir: PathBuf,
        /// A file of that name in the current directory, which is used only when it is written as a path.
        file_here: bool,
    },
    /// No key with that id.
    #[error("no key with the id {id} in {dir:?}{}", agent_clause(.agent))]
    NoSuchId {
        /// The id.
        id: KeyId,
        /// Where labels live.
        dir: PathBuf,
        /// The agent that was asked too.
        agent: Option<PathBuf>,
    },
    /// The public key is known and nothing here can sign with it.
    #[error("cannot sign with {id}: its private half is neither in {looked:?}{}", agent_nor_clause(.agent))]
    NoPrivateHalf {
        /// The key's id.
        id: KeyId,
        /// The file or directory where it was looked for.
        looked: PathBuf,
        /// The agent that was asked too.
        agent: Option<PathBuf>,
    },
    /// `~user/…` is not expanded.
    #[error("{text:?}: only your own ~/ is expanded")]
    OtherHome {
        /// What was written.
        text: String,
    },
    /// Neither `XDG_CONFIG_HOME` nor `HOME` is set, so there is no place for labelled keys.
    #[error("there is no directory for keys: neither XDG_CONFIG_HOME nor HOME is set to an absolute path")]
    NoHome,
    /// An empty key name.
    #[error("no key was named")]
    Nothing,
    /// A new key would overwrite a file.
    #[error("{path:?} exists already and is not overwritten")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A new key cannot be written.
    #[error("{path:?} cannot be written: {source}")]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The operating system gave no random bytes.
    #[error("the operating system gave no random bytes for a new key")]
    NoRandomness,
    /// The ssh-agent.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// What is wrong with the contents of a private key file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrivateKeyDefect {
    /// Nothing in it.
    #[error("it is empty")]
    Empty,
    /// Larger than any key file.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    /// It starts with U+FEFF.
    #[error("it begins with a byte order mark")]
    ByteOrderMark,
    /// Windows line endings, which ssh refuses too.
    #[error("it has carriage returns (CRLF line endings)")]
    CarriageReturn,
    /// A public key.
    #[error("it holds a public key")]
    PublicKey,
    /// Another container, named by its first line.
    #[error("it is in another format, {0:?}, and only OpenSSH private keys are read")]
    OtherFormat(String),
    /// No key at all.
    #[error("it is no OpenSSH private key")]
    NotAKey,
    /// Of another algorithm, named.
    #[error("it is a key of type {0:?}, and only ssh-ed25519 is accepted")]
    Algorithm(String),
    /// A file of several keys.
    #[error("it holds {0} keys where exactly one is expected")]
    SeveralKeys(u32),
    /// An encryption that is not read here, named.
    #[error("it is encrypted with {0:?}, which is not supported")]
    Cipher(String),
    /// So many key derivation rounds that opening it would take hours.
    #[error("it asks for {0} key derivation rounds, more than are ever needed")]
    Rounds(u32),
    /// Cut short, edited, or damaged.
    #[error("its contents are damaged")]
    Damaged,
    /// The private half does not give the public half that the file shows.
    #[error("its private half does not belong to the public key it shows")]
    Mismatch,
    /// Its public point is none that a key can have.
    #[error("its public key is none that a key can have (off the curve, badly encoded, or of low order)")]
    Point,
}

impl KeyError {
    /// What the user can do, as one sentence with the command; `None` where the message says it all.
    pub fn remedy(&self) -> Option<String> {
        use KeyError::*;
        Some(match self {
            Absent { path } => format!("restore {path:?}, or name another key with --key"),
            ModeTooOpen { path, .. } => format!("chmod 600 {path:?}"),
            ForeignOwner { path, .. } => format!("copy it to a file of your own: install -m 600 {path:?} <new path>"),
            PrivateFile { path, defect } => match defect {
                PrivateKeyDefect::CarriageReturn | PrivateKeyDefect::ByteOrderMark => format!("dos2unix {path:?}"),
                PrivateKeyDefect::PublicKey => "name the private key file, the one without .pub".to_owned(),
                _ => "make an Ed25519 key: git boundary key new <label>, or ssh-keygen -t ed25519".to_owned(),
            },
            PublicFile { defect: PublicKeyDefect::CarriageReturn | PublicKeyDefect::ByteOrderMark, path } => {
                format!("dos2unix {path:?}")
            }
            PublicFile { .. } | PublicText { .. } => {
                "give one line as ssh-keygen -y prints it: ssh-ed25519 AAAA… comment".to_owned()
            }
            PairMismatch { path, public_path, .. } => format!("ssh-keygen -y -f {path:?} > {public_path:?}"),
            Passphrase { path, source: PassphraseError::NoWayToAsk { .. } } => {
                format!(
                    "ssh-add {path:?} beforehand, or run it in a terminal, or set SSH_ASKPASS and SSH_ASKPASS_REQUIRE=force"
                )
            }
            Passphrase { path, .. } | WrongPassphrase { path, .. } => format!("try again, or ssh-add {path:?} first"),
            NoSuchLabel { label, file_here: true, .. } => format!("to use the file in this directory write ./{label}"),
            NoSuchLabel { label, .. } => {
                format!("git boundary key list shows the keys; git boundary key new {label} makes one")
            }
            NoSuchId { .. } => "git boundary key list shows the keys that can sign here".to_owned(),
            NoPrivateHalf { agent: None, .. } => {
                "start an ssh-agent and ssh-add the key, or name its private key file".to_owned()
            }
            NoPrivateHalf { .. } => "ssh-add the key, or name its private key file".to_owned(),
            Exists { .. } => "choose another label or path".to_owned(),
            NoHome => "set HOME, or name the key by its path".to_owned(),
            Nothing => "name one: --key <label | keyid | path>".to_owned(),
            OtherHome { .. } => "write the whole path".to_owned(),
            Agent(error) => error.remedy(),
            BadLabel { .. } => "to name a file, write its path with a slash, such as ./name".to_owned(),
            Unreadable { .. } | NotAFile { .. } | Unwritable { .. } | NoRandomness => return None,
        })
    }
}

fn agent_clause(agent: &Option<PathBuf>) -> String {
    match agent {
        Some(socket) => format!(" or in the ssh-agent at {socket:?}"),
        None => ", and no ssh-agent to ask (SSH_AUTH_SOCK is not set)".to_owned(),
    }
}

fn agent_nor_clause(agent: &Option<PathBuf>) -> String {
    match agent {
        Some(socket) => format!(" nor in the ssh-agent at {socket:?}"),
        None => " nor in an ssh-agent (SSH_AUTH_SOCK is not set)".to_owned(),
    }
}

//! The ssh-agent protocol, as far as it is needed: which keys are there, and a signature by one of them.
//!
//! Wire format: draft-ietf-sshm-ssh-agent, sections 3 to 5. The agent is the user's, yet nothing it says is believed:
//! frames are bounded, silence ends, and a signature is verified before anyone gets to see it.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::ed25519::{is_sound, key_id, verify};
use super::error::KeyError;
use super::signer::Signer;
use super::wire::{self, Reader};
use crate::model::id::KeyId;
use crate::model::key::PublicKey;

/// OpenSSH's own limit for one message in either direction.
const LARGEST_FRAME: usize = 256 * 1024;
/// Reading a list asks no one anything.
const LIST_PATIENCE: Duration = Duration::from_secs(10);
/// A signature may wait for its owner to confirm (`ssh-add -c`).
const SIGN_PATIENCE: Duration = Duration::from_secs(120);

const FAILURE: u8 = 5;
const REQUEST_IDENTITIES: u8 = 11;
const IDENTITIES_ANSWER: u8 = 12;
const SIGN_REQUEST: u8 = 13;
const SIGN_RESPONSE: u8 = 14;

/// Why an agent was of no use. Each names its socket.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Nobody listens there, or the connection broke.
    #[error("the ssh-agent at {socket:?} cannot be talked to: {source}")]
    Unreachable {
        /// Its socket.
        socket: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It did not answer in time.
    #[error("the ssh-agent at {socket:?} did not answer within {} seconds", .patience.as_secs())]
    Silent {
        /// Its socket.
        socket: PathBuf,
        /// How long was waited.
        patience: Duration,
    },
    /// It answered with something that is not the protocol.
    #[error("the ssh-agent at {socket:?} answered with nonsense: {what}")]
    Nonsense {
        /// Its socket.
        socket: PathBuf,
        /// What was wrong.
        what: &'static str,
    },
    /// It refused: locked, without the key, or its owner said no.
    #[error("the ssh-agent at {socket:?} refused to {act}")]
    Refused {
        /// Its socket.
        socket: PathBuf,
        /// What was asked.
        act: &'static str,
    },
    /// Its signature does not verify under the key that was asked for.
    #[error("the ssh-agent at {socket:?} returned a signature that does not verify under {key}")]
    WrongSignature {
        /// Its socket.
        socket: PathBuf,
        /// The key asked for.
        key: KeyId,
    },
    /// More bytes than an agent takes.
    #[error("{length} bytes are too many for the ssh-agent at {socket:?}, which takes {LARGEST_FRAME}")]
    TooLarge {
        /// Its socket.
        socket: PathBuf,
        /// What was to be sent, in bytes.
        length: usize,
    },
}

impl AgentError {
    pub(super) fn remedy(&self) -> String {
        match self {
            AgentError::Refused { .. } => "ssh-add -l shows what it holds; ssh-add -X unlocks it".to_owned(),
            AgentError::TooLarge { .. } => "sign with a private key file instead".to_owned(),
            _ => "ssh-add -l shows whether it is well; start another one, or name a private key file".to_owned(),
        }
    }
}

/// A key that an agent offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentIdentity {
    /// The public half.
    pub public: PublicKey,
    /// What the agent calls it, a stranger's text.
    pub comment: String,
}

/// An ssh-agent by its socket. Each request is a connection of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    socket: PathBuf,
    patience: Option<Duration>,
}

impl Agent {
    /// The agent that listens at `socket`; nothing is opened yet.
    pub fn at(socket: &Path) -> Self {
        Agent { socket: socket.to_owned(), patience: None }
    }

    /// Gives up on every answer after `patience` instead of the usual times.
    pub fn with_patience(self, patience: Duration) -> Self {
        Agent { patience: Some(patience), ..self }
    }

    /// Its socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The Ed25519 keys it holds; keys of other kinds, certificates and hardware-bound keys are passed over.
    ///
    /// # Errors
    /// No answer, a refusal, or an answer that does not follow the protocol.
    pub fn identities(&self) -> Result<Vec<AgentIdentity>, AgentError> {
        let answer = self.exchange(vec![REQUEST_IDENTITIES], LIST_PATIENCE)?;
        let mut reader = Reader::new(&answer);
        match reader.byte() {
            Some(IDENTITIES_ANSWER) => {
                read_identities(&mut reader).ok_or(self.nonsense("its list of keys is malformed"))
            }
            Some(FAILURE) => Err(AgentError::Refused { socket: self.socket.clone(), act: "list its keys" }),
            _ => Err(self.nonsense("its answer is no list of keys")),
        }
    }

    /// The plain 64-byte signature of `key` over exactly `message`, verified.
    ///
    /// # Errors
    /// No answer, a refusal, a malformed answer, a signature that does not verify, or too long a message.
    pub fn sign(&self, key: &PublicKey, message: &[u8]) -> Result<[u8; 64], AgentError> {
        if message.len() > LARGEST_FRAME {
            return Err(AgentError::TooLarge { socket: self.socket.clone(), length: message.len() });
        }
        let mut request = vec![SIGN_REQUEST];
        wire::put_string(&mut request, &wire::key_blob(key));
        wire::put_string(&mut request, message);
        request.extend_from_slice(&0u32.to_be_bytes());
        let answer = self.exchange(request, SIGN_PATIENCE)?;
        let mut reader = Reader::new(&answer);
        let signature = match reader.byte() {
            Some(SIGN_RESPONSE) => reader.string().filter(|_| reader.end().is_some()),
            Some(FAILURE) => return Err(AgentError::Refused { socket: self.socket.clone(), act: "sign" }),
            _ => return Err(self.nonsense("its answer is no signature")),
        };
        let signature = signature
            .and_then(|blob| wire::read_signature_blob(blob).ok())
            .ok_or(self.nonsense("its signature is malformed"))?;
        if !verify(key, message, &signature) {
            return Err(AgentError::WrongSignature { socket: self.socket.clone(), key: key_id(key) });
        }
        Ok(signature)
    }

    fn exchange(&self, body: Vec<u8>, usual: Duration) -> Result<Vec<u8>, AgentError> {
        if body.len() > LARGEST_FRAME {
            return Err(AgentError::TooLarge { socket: self.socket.clone(), length: body.len() });
        }
        let patience = self.patience.unwrap_or(usual);
        let (sender, receiver) = mpsc::channel();
        let socket = self.socket.clone();
        // A thread, because connecting to a socket that nobody accepts from cannot be given a time limit, and a limit
        // on each read would not stop an agent that sends a byte now and then.
        thread::spawn(move || {
            let _ = sender.send(converse(&socket, &body, patience));
        });
        match receiver.recv_timeout(patience) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Broken::Io(source))) if is_timeout(&source) => Err(self.silent(patience)),
            Ok(Err(Broken::Io(source))) => Err(AgentError::Unreachable { socket: self.socket.clone(), source }),
            Ok(Err(Broken::Length)) => Err(self.nonsense("its answer has an impossible length")),
            Err(_) => Err(self.silent(patience)),
        }
    }

    fn nonsense(&self, what: &'static str) -> AgentError {
        AgentError::Nonsense { socket: self.socket.clone(), what }
    }

    fn silent(&self, patience: Duration) -> AgentError {
        AgentError::Silent { socket: self.socket.clone(), patience }
    }
}

/// One key in an agent, as a signer.
#[derive(Debug, Clone)]
pub struct AgentKey {
    agent: Agent,
    key: PublicKey,
}

impl AgentKey {
    /// `key` in `agent`; whether the agent holds it shows when it signs.
    pub fn new(agent: Agent, key: PublicKey) -> Self {
        AgentKey { agent, key }
    }
}

impl Signer for AgentKey {
    fn public_key(&self) -> PublicKey {
        self.key
    }

    fn sign(&self, message: &[u8]) -> Result<[u8; 64], KeyError> {
        Ok(self.agent.sign(&self.key, message)?)
    }
}

enum Broken {
    Io(io::Error),
    Length,
}

impl From<io::Error> for Broken {
    fn from(source: io::Error) -> Self {
        Broken::Io(source)
    }
}

fn converse(socket: &Path, body: &[u8], patience: Duration) -> Result<Vec<u8>, Broken> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let mut frame = Vec::with_capacity(body.len() + 4);
    wire::put_string(&mut frame, body);
    stream.write_all(&frame)?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_be_bytes(length)).map_err(|_| Broken::Length)?;
    if length == 0 || length > LARGEST_FRAME {
        return Err(Broken::Length);
    }
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// `uint32 count`, then that many times `string key, string comment`, and nothing more.
fn read_identities(reader: &mut Reader<'_>) -> Option<Vec<AgentIdentity>> {
    let mut found = Vec::new();
    // The count is only a loop bound: each turn must find its bytes in the frame.
    for _ in 0..reader.u32()? {
        let blob = reader.string()?;
        let comment = String::from_utf8_lossy(reader.string()?).into_owned();
        match wire::read_key_blob(blob) {
            Ok(public) if is_sound(&public) => found.push(AgentIdentity { public, comment }),
            _ => {}
        }
    }
    reader.end()?;
    Some(found)
}

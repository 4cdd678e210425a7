//! PROOF: who signed what. Keys in the forms people have, and the one place where a signature is verified.
//!
//! Private keys are OpenSSH files or live in an ssh-agent; public keys are `ssh-ed25519` lines; everything else is
//! refused by its name (contract, section 1). Files, the environment and the agent's socket are touched only here.

#![expect(
    clippy::disallowed_methods,
    reason = "a passphrase is asked for by the user's own program, in the user's own environment"
)]

pub mod agent;
pub mod ed25519;
pub mod environment;
pub mod error;
pub mod key;
pub mod keyring;
pub mod openssh;
pub mod passphrase;
pub mod pending;
mod private_file;
mod search;
pub mod signer;
pub mod sshsig;
mod terminal;
pub mod trust;
pub mod verified;
mod wire;

#[cfg(test)]
mod tests;

pub use agent::{Agent, AgentError, AgentIdentity, AgentKey};
pub use ed25519::{is_sound, key_id, verify};
pub use environment::KeyEnvironment;
pub use error::{KeyError, PrivateKeyDefect};
pub use key::{PublicKeyDefect, parse_public_key, parse_public_line, to_openssh};
pub use keyring::{KeyInfo, KeyList, Keyring, Label, LabelDefect};
pub use openssh::{read_private_key, read_public_key, write_new_key};
pub use passphrase::{Asker, AskpassRequire, Passphrase, PassphraseError};
pub use private_file::{PrivateKeyFile, TRIES};
pub use signer::{PrivateKey, Signer};
pub use sshsig::{SshsigError, sign_sshsig, verify_sshsig};

//! CONTEXT: what every use case is given: environment, clock, keys, and what the user said about all of them.

use crate::crypto::trust::Standing;
use crate::crypto::{Keyring, Signer, key_id, to_openssh};
use crate::gather::session::{PinSource, pin};
use crate::gather::{Session, SessionOptions};
use crate::git::{Environment, Repository};
use crate::model::digest::Digest;
use crate::model::id::KeyId;
use crate::model::key::PublicKey;
use crate::model::party::Role;
use crate::model::time::Timestamp;

use super::error::{AppError, Failure};

/// Given to every use case.
#[derive(Debug, Clone)]
pub struct Context {
    /// Directory and variables.
    pub environment: Environment,
    /// `--key`.
    pub key: Option<String>,
    /// Where keys are found.
    pub keyring: Keyring,
    /// The clock, read once.
    pub now: Timestamp,
    /// Whether what is written is sent to the remote at once.
    pub publish: bool,
    /// Where trust comes from.
    pub session: SessionOptions,
}

impl Context {
    /// Opens the repository of the current directory.
    ///
    /// # Errors
    /// When there is none, or git would refuse it.
    pub fn repository(&self) -> Result<Repository, AppError> {
        Ok(Repository::discover(&self.environment).map_err(crate::git::GitError::from)?)
    }

    /// The root to verify a file against: as the user names it, else as the repository around here has it pinned. Never one that the
    /// file brings along.
    ///
    /// # Errors
    /// When there is neither.
    pub fn pinned(&self) -> Result<(Digest, PinSource), AppError> {
        if let Some(root) = self.session.trust_root {
            return Ok((root, PinSource::Argument));
        }
        let here = self.repository().and_then(|repository| Ok(pin(&repository, &self.session)?));
        here.map_err(|error| {
            AppError::usage(
                format!("no trust root is named, and none is pinned here: {error}"),
                "name the root that the owner gave you: --trust-root sha256:<digest>",
            )
        })
    }

    /// Reads the boundary refs and all that follows from them.
    ///
    /// # Errors
    /// When trust or shelves can't be read.
    pub fn open<'r>(&self, repository: &'r Repository) -> Result<Session<'r>, AppError> {
        Session::open(repository, self.now, &self.session).map_err(|error| self.unopened(error.into()))
    }

    /// Another root than the one that the user names is an answer about what is here. Another than the pinned one only says that nothing of
    /// the pinned one is.
    fn unopened(&self, error: AppError) -> AppError {
        if self.session.trust_root.is_some() || error.failure() != Failure::NotVerified {
            return error;
        }
        AppError::Told { failure: Failure::Undecided, hint: error.hint(), text: error.to_string() }
    }

    /// The same for who looks at trust or changes it, which no policy can be in the way of.
    ///
    /// # Errors
    /// When trust or shelves can't be read.
    pub fn open_for_trust<'r>(&self, repository: &'r Repository) -> Result<Session<'r>, AppError> {
        Session::open_for_trust(repository, self.now, &self.session).map_err(|error| self.unopened(error.into()))
    }

    /// The key for owner commands: `--key`, `boundary.ownerKey`, then git's own `user.signingkey` where that is an SSH key.
    ///
    /// # Errors
    /// When none is named, or it can't sign.
    pub(super) fn owner(&self, repository: &Repository) -> Result<Box<dyn Signer>, AppError> {
        let named = self.key.clone().or_else(|| repository.config_string("boundary.ownerKey")).or_else(|| {
            let ssh = repository.config_string("gpg.format").is_some_and(|format| format == "ssh");
            repository.config_string("user.signingkey").filter(|_| ssh)
        });
        let spec = named.ok_or_else(|| {
            AppError::usage("no owner key is named", "git config boundary.ownerKey <label, key id or path>")
        })?;
        self.signer(repository, &spec)
    }

    /// The key that a name stands for: as the keyring knows it, else as the trust document does, since that is how messages call keys.
    fn signer(&self, repository: &Repository, spec: &str) -> Result<Box<dyn Signer>, AppError> {
        if let Err(unknown) = self.keyring.find_public(spec) {
            let Some(public) = self.trusted(repository, spec) else { return Err(unknown.into()) };
            let configured = [
                "boundary.ownerKey",
                "boundary.actorKey",
                "boundary.checkerKey",
                "boundary.evidenceKey",
                "user.signingkey",
            ];
            let configured = configured.iter().filter_map(|name| repository.config_string(name));
            let places = configured.chain([format!("key::{}", to_openssh(&public, ""))]);
            let mut here = places.filter(|place| self.keyring.find_public(place).is_ok_and(|found| found == public));
            // Its own place is the last to be asked, whose answer says what is missing.
            return here.find_map(|place| self.keyring.find(&place).ok()).ok_or_else(|| {
                AppError::fatal(
                    format!("{spec:?} is {} in the trust document, and its private half is not here", key_id(&public)),
                    "git boundary key list",
                )
            });
        }
        Ok(self.keyring.find(spec)?)
    }

    /// The one key that the trust document holds under a label or id.
    fn trusted(&self, repository: &Repository, spec: &str) -> Option<PublicKey> {
        let session = self.open_for_trust(repository).ok()?;
        let labelled: Vec<_> = session.trust.parties().filter(|party| party.label == spec).collect();
        match labelled.as_slice() {
            [one] => Some(one.key),
            [] => session.trust.resolve(spec),
            _ => None,
        }
    }

    /// The same, where it is trusted as owner now. What an owner says binds only from such a key, so that a command whose whole work is
    /// to say it must not seem to have done so with another; `what` says what only owners do.
    ///
    /// # Errors
    /// When none is named, it can't sign, or it is not trusted.
    pub fn good_owner(&self, session: &Session<'_>, what: &str) -> Result<Box<dyn Signer>, AppError> {
        let owner = self.owner(session.repository)?;
        if session.trust.standing(&owner.public_key(), Role::Owner, self.now) != Standing::Good {
            let label = Context::label(session, &*owner);
            return Err(AppError::usage(
                format!("{label} is not trusted as owner, and only owners {what}"),
                "name an owner's key: --key <owner>",
            ));
        }
        Ok(owner)
    }

    /// The key named by `--key` or one config value, and by nothing else.
    ///
    /// # Errors
    /// When none is named, or it can't sign.
    pub fn named_key(&self, repository: &Repository, config: &str, hint: &str) -> Result<Box<dyn Signer>, AppError> {
        let spec = self.key.clone().or_else(|| repository.config_string(config)).ok_or_else(|| {
            AppError::usage(format!("no key is named: this signs with --key or {config}, and with no other"), hint)
        })?;
        self.signer(repository, &spec)
    }

    /// The id of a party that the user names by label, key id or key file, as the trust document has it.
    ///
    /// # Errors
    /// When the trust document holds no such key.
    pub fn party(&self, session: &Session<'_>, spec: &str) -> Result<KeyId, AppError> {
        self.party_or(session, spec, "git boundary trust show")
    }

    /// The same, with what to do where the trust document holds no such key.
    ///
    /// # Errors
    /// As for [`Context::party`].
    pub fn party_or(&self, session: &Session<'_>, spec: &str, otherwise: &str) -> Result<KeyId, AppError> {
        let labelled: Vec<_> = session.trust.parties().filter(|party| party.label == spec).collect();
        match labelled.as_slice() {
            [one] => return Ok(one.id),
            [] => {}
            several => {
                let ids: Vec<_> = several.iter().map(|party| party.id.to_string()).collect();
                return Err(AppError::usage(
                    format!("{spec:?} is the label of {} keys", several.len()),
                    format!("name one of {}", ids.join(", ")),
                ));
            }
        }
        let key = session.trust.resolve(spec).or_else(|| self.keyring.find_public(spec).ok());
        let party = key.and_then(|key| session.trust.party(&key));
        party.map(|party| party.id).ok_or_else(|| {
            let known: Vec<_> = session.trust.parties().map(|party| party.label.as_str()).collect();
            AppError::usage(
                format!("the trust document holds no key {spec:?}; it holds {}", known.join(", ")),
                otherwise,
            )
        })
    }

    /// How a signer is called: its label in the trust document, else its id.
    pub fn label(session: &Session<'_>, signer: &dyn Signer) -> String {
        let key = signer.public_key();
        session.trust.party(&key).map_or_else(|| key_id(&key).to_string(), |party| party.label.clone())
    }
}

/// 32 hex digits from the operating system.
///
/// # Errors
/// When it has no randomness to give.
pub fn nonce() -> Result<String, AppError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| AppError::Key(crate::crypto::KeyError::NoRandomness))?;
    Ok(crate::model::hex::encode(&bytes))
}

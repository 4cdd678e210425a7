//! SESSION: one coherent reading of the boundary refs, and what follows from it: trust, policy, shelves.

use std::path::PathBuf;
use std::rc::Rc;

use super::error::GatherError;
use crate::crypto::trust::Trust;
use crate::gate::facts::PolicyFacts;
use crate::gate::rule::check_policy;
use crate::git::Repository;
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::time::Timestamp;
use crate::store::chains::{self, PolicyChain};
use crate::store::error::ChainDefect;
use crate::store::{LocalState, Shelves, StoreError, layout};

/// What the caller decides.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// A trust root named on the command line; goes before the pinned one.
    pub trust_root: Option<Digest>,
    /// The least trust version that is believed.
    pub min_trust_version: Option<u64>,
    /// Boundary refs as they shall be once a push is accepted; they go before those that are there. A server fills it, and only with
    /// what it found that each ref may become.
    pub received: Vec<(String, Oid)>,
    /// A file with the registrar's key, where it is not this clone's own.
    pub registrar: Option<PathBuf>,
}

/// Where the trust root came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinSource {
    /// `--trust-root`.
    Argument,
    /// `boundary.trustRoot` in git config.
    Config,
}

impl PinSource {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            PinSource::Argument => "--trust-root",
            PinSource::Config => "boundary.trustRoot",
        }
    }
}

/// One reading.
#[derive(Debug)]
pub struct Session<'r> {
    /// Local state.
    pub local: LocalState,
    /// The clock.
    pub now: Timestamp,
    /// Where the pin came from.
    pub pin_source: PinSource,
    /// The policy chain for the gate.
    pub policies: PolicyFacts,
    /// The policy chain as stored.
    pub policy_chain: PolicyChain,
    /// The boundary refs as read once.
    pub refs: Vec<(String, Oid)>,
    /// The repository.
    pub repository: &'r Repository,
    /// The registrars' refs.
    pub shelves: Shelves<'r>,
    /// The trust chain.
    pub trust: Rc<Trust>,
}

impl<'r> Session<'r> {
    /// Reads the refs once, and everything from that reading.
    ///
    /// # Errors
    /// [`GatherError`]
    pub fn open(repository: &'r Repository, now: Timestamp, options: &SessionOptions) -> Result<Self, GatherError> {
        Session::read(repository, now, options, Err)
    }

    /// The same for who changes trust: a policy chain with a defect is none in force then, so that the owner who made it can be revoked.
    ///
    /// # Errors
    /// [`GatherError`]
    pub fn open_for_trust(
        repository: &'r Repository,
        now: Timestamp,
        options: &SessionOptions,
    ) -> Result<Self, GatherError> {
        Session::read(repository, now, options, |error| match error {
            StoreError::Chain { .. } => Ok(PolicyChain { defect: Some(error.to_string()), ..PolicyChain::default() }),
            other => Err(other),
        })
    }

    fn read(
        repository: &'r Repository,
        now: Timestamp,
        options: &SessionOptions,
        without_policy: impl FnOnce(StoreError) -> Result<PolicyChain, StoreError>,
    ) -> Result<Self, GatherError> {
        let mut local = LocalState::of(repository);
        if let Some(path) = &options.registrar {
            local = local.with_registrar(repository.environment().cwd().join(path));
        }
        let (pin, pin_source) = pin(repository, options)?;
        let mut refs = boundary_refs(repository)?;
        if !options.received.is_empty() {
            refs.retain(|(name, _)| !options.received.iter().any(|(received, _)| received == name));
            refs.extend(options.received.iter().cloned());
            refs.sort();
        }
        let trust = chains::load_trust(repository, &local, &refs, pin)?.ok_or(GatherError::NoTrust(pin))?;
        if let Some(wanted) = options.min_trust_version.filter(|wanted| *wanted > trust.version()) {
            let defect = ChainDefect::TooOld { found: trust.version(), wanted };
            return Err(StoreError::Chain { reference: layout::TRUST.to_owned(), defect }.into());
        }
        let policy_chain = chains::load_policy(repository, &local, &refs, &trust, now).or_else(without_policy)?;
        let policies = policy_facts(&policy_chain);
        let shelves = Shelves::open(repository, &trust, &local, &refs)?;
        Ok(Session { local, now, pin_source, policies, policy_chain, refs, repository, shelves, trust: Rc::new(trust) })
    }

    /// Whether receipts of others were ever fetched here, or there is no remote they could be at. What a file brought was not fetched:
    /// it shows what its maker chose to.
    pub fn has_fetched_receipts(&self) -> bool {
        let imported = format!("{}{}/", layout::REMOTE, layout::IMPORTED);
        let fetched = |name: &str| name.starts_with(layout::REMOTE) && !name.starts_with(&imported);
        self.refs.iter().any(|(name, _)| fetched(name) || name.starts_with(layout::NOTES))
    }
}

/// The pinned trust root.
///
/// # Errors
/// [`GatherError::NotPinned`], or a pin that is none.
pub fn pin(repository: &Repository, options: &SessionOptions) -> Result<(Digest, PinSource), GatherError> {
    if let Some(root) = options.trust_root {
        return Ok((root, PinSource::Argument));
    }
    let text = repository.config_string("boundary.trustRoot").ok_or(GatherError::NotPinned)?;
    let pinned = LocalState::of(repository).pinned_root()?;
    let config = text.parse().map_err(|_| GatherError::BadPin { text, pinned })?;
    // Kept in two places, so that a change of git's configuration alone, which much software writes, is noticed.
    match pinned {
        Some(pinned) if pinned != config => Err(GatherError::TwoPins { config, pinned }),
        _ => Ok((config, PinSource::Config)),
    }
}

/// Every boundary ref, own and fetched.
///
/// # Errors
/// When refs can't be read.
pub fn boundary_refs(repository: &Repository) -> Result<Vec<(String, Oid)>, GatherError> {
    let mut refs = repository.refs_under(layout::NOTES)?;
    refs.extend(repository.refs_under(layout::BOUNDARY)?);
    refs.extend(repository.refs_under(layout::REMOTE)?);
    Ok(refs)
}

/// A verified policy chain as the gate looks at it.
pub fn policy_facts(chain: &PolicyChain) -> PolicyFacts {
    let mut facts = PolicyFacts { in_force: chain.in_force(), defect: chain.defect.clone(), ..PolicyFacts::default() };
    for (digest, _, policy) in &chain.versions {
        facts.known.insert(*digest, Rc::clone(policy));
    }
    let last = chain.versions.last().map(|(_, _, policy)| check_policy(policy));
    if let Some(Err(defect)) = last {
        facts.in_force = None;
        facts.defect = Some(format!("the policy in force can't be read: {defect}"));
    }
    facts
}

//! The chains of trust and policy: one commit a version, each tree holding every version's line as `<version>.json`.
//!
//! All versions stand in the last tree, so that a shallow fetch of the ref brings the whole chain.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::alone::Alone;
use super::error::{ChainDefect, StoreError};
use super::layout;
use super::local::{LocalState, SeenVersion};
use crate::codec::{canonical, strict};
use crate::crypto::trust::{Standing, Trust, TrustError};
use crate::crypto::verified::verify_statement;
use crate::git::{Expected, Mode, NewCommit, ObjectError, RefEdit, Repository, TreeEntry, Update, retry};
use crate::model::digest::Digest;
use crate::model::id::Oid;
use crate::model::party::Role;
use crate::model::policy::{Policy, PolicyVersion};
use crate::model::time::Timestamp;

/// Longest chain that is read.
const MAX_VERSIONS: usize = 10_000;
/// Largest one, in bytes: whoever can write a fetched ref could have ten thousand versions of the largest size in it.
const MAX_BYTES: u64 = 64 << 20;

/// The lines of a chain, version 1 first.
///
/// # Errors
/// When the tree is not of the form described above.
pub fn read_lines(repository: &Repository, reference: &str, commit: &Oid) -> Result<Vec<Vec<u8>>, StoreError> {
    lines(repository, reference, commit)?.collect()
}

/// The same, each read when it is asked for: whoever stops at a bad one has not paid for those after it.
fn lines<'a>(
    repository: &'a Repository,
    reference: &'a str,
    commit: &Oid,
) -> Result<impl Iterator<Item = Result<Vec<u8>, StoreError>> + 'a, StoreError> {
    let layout =
        move |text: String| StoreError::Chain { reference: reference.to_owned(), defect: ChainDefect::Layout(text) };
    // That an object is absent is nobody's defect; any other is the ref's.
    let object = move |error: ObjectError| if error.is_missing() { error.into() } else { layout(error.to_string()) };
    let entries = repository.commit(commit).and_then(|commit| repository.tree(&commit.tree)).map_err(object)?;
    let mut by_version: BTreeMap<u64, Oid> = BTreeMap::new();
    for entry in &entries {
        let name = String::from_utf8_lossy(&entry.name).into_owned();
        let version = name
            .strip_suffix(".json")
            .and_then(|number| number.parse::<u64>().ok().filter(|parsed| parsed.to_string() == number))
            .filter(|_| entry.mode == Mode::File)
            .ok_or_else(|| layout(format!("holds {name:?}; only files named <version>.json belong here")))?;
        by_version.insert(version, entry.oid);
    }
    let count = by_version.len();
    if count == 0 || count > MAX_VERSIONS || !by_version.keys().copied().eq(1..=count as u64) {
        return Err(layout(format!(
            "holds versions {:?}, not 1 to {count}",
            by_version.keys().take(20).collect::<Vec<_>>()
        )));
    }
    let mut left = MAX_BYTES;
    Ok(by_version.into_values().map(move |blob| {
        let mut bytes = repository.blob_within(&blob, left.min(strict::MAX_LINE as u64 + 1)).map_err(object)?;
        left -= bytes.len() as u64;
        if bytes.pop() != Some(b'\n') {
            return Err(layout(format!("blob {blob} does not end in a newline")));
        }
        Ok(bytes)
    }))
}

/// Commits among the refs that hold the beginning of a chain, made apart from it: with these for parents too, what goes on from the chain
/// is a plain fast-forward for whoever has them.
///
/// # Errors
/// [`StoreError`]
pub fn beginnings(repository: &Repository, reference: &str, tip: Option<Oid>) -> Result<Vec<Oid>, StoreError> {
    let Some(tip) = tip else { return Ok(Vec::new()) };
    let whole = read_lines(repository, reference, &tip)?;
    let mut refs = repository.refs_under(layout::BOUNDARY)?;
    refs.extend(repository.refs_under(layout::REMOTE)?);
    let mut found = Vec::new();
    for (name, commit) in candidates(repository, reference, &refs) {
        let begins = read_lines(repository, name, commit).is_ok_and(|lines| whole.starts_with(&lines));
        if *commit != tip && begins && !repository.is_ancestor(commit, &tip).unwrap_or(true) {
            found.push(*commit);
        }
    }
    Ok(found)
}

/// Makes the commit of a chain with one more version; `also` are further parents. No ref is at it yet.
///
/// # Errors
/// [`StoreError`]
pub fn next_commit(
    repository: &Repository,
    reference: &str,
    (tip, also): (Option<Oid>, &[Oid]),
    version: u64,
    line: &[u8],
    now: Timestamp,
) -> Result<Oid, StoreError> {
    let mut entries = match &tip {
        Some(commit) => repository.tree(&repository.commit(commit)?.tree)?,
        None => Vec::new(),
    };
    let mut bytes = line.to_vec();
    bytes.push(b'\n');
    let oid = repository.write_blob(&bytes)?;
    entries.push(TreeEntry { mode: Mode::File, name: format!("{version}.json").into_bytes(), oid });
    let tree = repository.write_tree(entries)?;
    let parents: Vec<Oid> = tip.into_iter().chain(also.iter().copied()).collect();
    let message = format!("{} version {version}", reference.trim_start_matches(layout::BOUNDARY));
    let subject = layout::message(repository, &message);
    Ok(repository.write_commit(&NewCommit { tree, parents: &parents, time: now, message: &subject })?)
}

/// Moves a chain's ref on to a commit that goes on from it.
///
/// # Errors
/// [`StoreError`]; `Ok(Update::Raced)` when somebody else moved it meanwhile.
pub fn advance(
    repository: &Repository,
    reference: &str,
    tip: Option<Oid>,
    commit: Oid,
    now: Timestamp,
) -> Result<Update, StoreError> {
    let edit =
        RefEdit { name: reference.to_owned(), expected: tip.map_or(Expected::Absent, Expected::At), new: Some(commit) };
    let mut alone = Alone::enter(repository);
    let edits = [edit];
    retry(reference, || match repository.update_refs(&edits, "boundary: next version", now)? {
        // Somebody holds the ref's lock; whether they change it will be seen.
        Update::Raced if repository.find_ref(reference)? == tip && alone.refused(reference)? => Ok(None),
        other => Ok(Some(other)),
    })
}

/// The refs that may hold a chain: this repository's own, and that of each remote where fetches put it. Whoever can push may make
/// others that only look alike.
pub fn candidates<'a>(repository: &Repository, own: &str, refs: &'a [(String, Oid)]) -> Vec<&'a (String, Oid)> {
    let name = own.strip_prefix(layout::BOUNDARY).expect("chains live under refs/boundary/");
    let mut places = BTreeSet::from([own.to_owned()]);
    for remote in repository.remotes() {
        // One that was renamed still fetches to where its old name leads.
        let refspecs = repository.config_strings(&format!("remote.{remote}.fetch"));
        let renamed = refspecs.iter().filter_map(|refspec| layout::tracking_place(refspec));
        places.extend(renamed.chain([remote.as_str()]).map(|place| format!("{}{place}/{name}", layout::REMOTE)));
    }
    let mut seen = BTreeSet::new();
    refs.iter()
        .filter(|(reference, _)| places.contains(reference))
        // What was published and fetched again is the same chain.
        .filter(|(_, commit)| seen.insert(*commit))
        .collect()
}

/// The highest trust chain among the refs that verifies from the pin.
///
/// # Errors
/// [`ChainDefect`] when none does, when two fork, or when it goes back behind what was seen.
pub fn load_trust(
    repository: &Repository,
    local: &LocalState,
    refs: &[(String, Oid)],
    pin: Digest,
) -> Result<Option<Trust>, StoreError> {
    let Some(Highest { chain, reference, .. }) = highest_trust(repository, local, refs, pin)? else { return Ok(None) };
    keep_seen(local, "trust", &reference, chain.digests(), true)?;
    Ok(Some(chain))
}

/// The chain that goes furthest, and where it is.
#[derive(Debug, Clone)]
pub struct Highest<T> {
    /// As verified.
    pub chain: T,
    /// The commit that holds it.
    pub commit: Oid,
    /// The ref.
    pub reference: String,
}

/// The same, without remembering it: for who has yet to put it where it is read from.
///
/// # Errors
/// As [`load_trust`].
pub fn highest_trust(
    repository: &Repository,
    local: &LocalState,
    refs: &[(String, Oid)],
    pin: Digest,
) -> Result<Option<Highest<Trust>>, StoreError> {
    let mut best: Option<Highest<Trust>> = None;
    let mut defect: Option<StoreError> = None;
    for (reference, commit) in candidates(repository, layout::TRUST, refs) {
        match verify_trust(repository, reference, commit, pin) {
            Ok(trust) => {
                if let Some(other) = &best {
                    same_history(reference, &trust, &other.chain)?;
                }
                if best.as_ref().is_none_or(|other| trust.version() > other.chain.version()) {
                    best = Some(Highest { chain: trust, commit: *commit, reference: reference.clone() });
                }
            }
            Err(error) => defect = Some(error),
        }
    }
    let Some(best) = best else { return defect.map_or(Ok(None), Err) };
    keep_seen(local, "trust", &best.reference, best.chain.digests(), false)?;
    Ok(Some(best))
}

/// Verifies the trust chain in one commit, whatever else there is.
///
/// # Errors
/// [`ChainDefect`]
pub fn verify_trust(repository: &Repository, reference: &str, commit: &Oid, pin: Digest) -> Result<Trust, StoreError> {
    let err = |error: TrustError| StoreError::Chain { reference: reference.to_owned(), defect: error.into() };
    let mut chain = None;
    for (line, version) in lines(repository, reference, commit)?.zip(1..) {
        chain = Some(Trust::next(chain, &line?, version, pin).map_err(err)?);
    }
    chain.ok_or_else(|| err(TrustError::Empty))
}

fn same_history(reference: &str, one: &Trust, other: &Trust) -> Result<(), StoreError> {
    for (place, (found, seen)) in one.digests().iter().zip(other.digests()).enumerate() {
        if found != seen {
            let defect = ChainDefect::Forked { version: place as u64 + 1, found: *found, seen: *seen };
            return Err(StoreError::Chain { reference: reference.to_owned(), defect });
        }
    }
    Ok(())
}

/// Refuses what goes back or forks, and remembers what goes on, if that is to be relied on.
fn keep_seen(
    local: &LocalState,
    chain: &str,
    reference: &str,
    digests: &[Digest],
    in_force: bool,
) -> Result<(), StoreError> {
    let err = |defect| StoreError::Chain { reference: reference.to_owned(), defect };
    let version = digests.len() as u64;
    let digest = *digests.last().expect("a chain has a first version");
    if let Some(seen) = local.seen_version(chain)? {
        if version < seen.version {
            return Err(err(ChainDefect::RolledBack { found: version, seen: seen.version }));
        }
        let then = digests[seen.version.max(1) as usize - 1];
        if then != seen.digest {
            return Err(err(ChainDefect::Forked { version: seen.version, found: then, seen: seen.digest }));
        }
        if version == seen.version {
            return Ok(());
        }
    }
    if !in_force {
        return Ok(());
    }
    // A state that can't be written leaves the next reading as wary as this one.
    local.remember_version(chain, SeenVersion { digest, version }).ok();
    Ok(())
}

/// The policy chain as verified.
#[derive(Debug, Clone, Default)]
pub struct PolicyChain {
    /// Versions, version 1 first: policy digest, artifact digest, and the policy.
    pub versions: Vec<(Digest, Digest, Rc<Policy>)>,
    /// Why the last version is not in force, if it is not.
    pub defect: Option<String>,
}

impl PolicyChain {
    /// Digest of the policy in force.
    pub fn in_force(&self) -> Option<Digest> {
        if self.defect.is_some() {
            return None;
        }
        self.versions.last().map(|(digest, ..)| *digest)
    }

    /// Of its versions, version 1 first.
    pub fn digests(&self) -> Vec<Digest> {
        self.versions.iter().map(|(_, artifact, _)| *artifact).collect()
    }

    /// Where two chains are two histories.
    fn parts_from(&self, other: &PolicyChain) -> Option<ChainDefect> {
        let mut pairs = (1..).zip(self.versions.iter().zip(&other.versions));
        let (version, (mine, theirs)) = pairs.find(|(_, (mine, theirs))| mine.1 != theirs.1)?;
        Some(ChainDefect::Forked { version, found: mine.1, seen: theirs.1 })
    }
}

/// The highest policy chain among the refs.
///
/// Links may be signed by any owner key that the trust document holds; the last one, which is in force, by an owner in good standing.
/// A chain that ends with somebody who is an owner no more, and parts from one in force, is none: whoever held such a key could make
/// two histories of one for ever. Where it goes on from the one in force, nobody can tell whether it was made in time, and an owner
/// has to sign a new one.
///
/// # Errors
/// [`ChainDefect`], as for trust.
pub fn load_policy(
    repository: &Repository,
    local: &LocalState,
    refs: &[(String, Oid)],
    trust: &Trust,
    now: Timestamp,
) -> Result<PolicyChain, StoreError> {
    let found = highest_policy(repository, local, refs, trust, now)?;
    let Some(Highest { chain, reference, .. }) = found else { return Ok(PolicyChain::default()) };
    keep_seen(local, "policy", &reference, &chain.digests(), chain.defect.is_none())?;
    Ok(chain)
}

/// The same, without remembering it, and with where it is.
///
/// # Errors
/// As [`load_policy`].
pub fn highest_policy(
    repository: &Repository,
    local: &LocalState,
    refs: &[(String, Oid)],
    trust: &Trust,
    now: Timestamp,
) -> Result<Option<Highest<PolicyChain>>, StoreError> {
    let (mut chains, mut defect) = (Vec::new(), None);
    for (reference, commit) in candidates(repository, layout::POLICY, refs) {
        match verify_policy_at(repository, reference, commit, trust, now) {
            Ok(chain) => chains.push((chain, reference, commit)),
            Err(error) => defect = Some(error),
        }
    }
    chains.sort_by_key(|(chain, ..)| std::cmp::Reverse(chain.versions.len()));
    if let Some((good, ..)) = chains.iter().find(|(chain, ..)| chain.defect.is_none()).cloned() {
        chains.retain(|(chain, ..)| chain.defect.is_none() || chain.parts_from(&good).is_none());
    }
    let Some((chain, reference, commit)) = chains.first() else { return defect.map_or(Ok(None), Err) };
    for (other, elsewhere, _) in &chains[1..] {
        if let Some(defect) = other.parts_from(chain) {
            return Err(StoreError::Chain { reference: (*elsewhere).clone(), defect });
        }
    }
    keep_seen(local, "policy", reference, &chain.digests(), false)?;
    Ok(Some(Highest { chain: chain.clone(), commit: **commit, reference: (*reference).clone() }))
}

/// Verifies the policy chain in one commit, whatever else there is.
///
/// # Errors
/// As [`verify_policy`].
pub fn verify_policy_at(
    repository: &Repository,
    reference: &str,
    commit: &Oid,
    trust: &Trust,
    now: Timestamp,
) -> Result<PolicyChain, StoreError> {
    verify_each_policy(reference, lines(repository, reference, commit)?, trust, now)
}

/// Verifies a chain of policies, version 1 first, against a verified trust document.
///
/// # Errors
/// [`ChainDefect::Policy`], naming the version and the defect. That the last one is not in force is no error.
pub fn verify_policy(
    reference: &str,
    lines: &[Vec<u8>],
    trust: &Trust,
    now: Timestamp,
) -> Result<PolicyChain, StoreError> {
    verify_each_policy(reference, lines.iter().map(Ok), trust, now)
}

fn verify_each_policy<L: AsRef<[u8]>>(
    reference: &str,
    lines: impl Iterator<Item = Result<L, StoreError>>,
    trust: &Trust,
    now: Timestamp,
) -> Result<PolicyChain, StoreError> {
    let mut chain = PolicyChain::default();
    let mut standing = None;
    for (line, version) in lines.zip(1..) {
        let line = line?;
        let bad = |defect: String| StoreError::Chain {
            reference: reference.to_owned(),
            defect: ChainDefect::Policy { version, defect },
        };
        let verified = verify_statement::<PolicyVersion>(line.as_ref(), &|name| trust.resolve(name))
            .map_err(|error| bad(error.to_string()))?;
        let said = &verified.value().predicate;
        let previous = chain.versions.last().map(|(_, artifact, _)| *artifact);
        if said.version != version || said.previous != previous {
            return Err(bad(format!(
                "is version {} after {:?}, expected {version} after {previous:?}",
                said.version, said.previous
            )));
        }
        if said.repository != trust.repository() {
            return Err(bad(format!("is for {}, this repository is {}", said.repository, trust.repository())));
        }
        let owners: Vec<_> = verified
            .signers()
            .iter()
            .filter(|key| trust.party(key).is_some_and(|party| party.roles.contains(&Role::Owner)))
            .collect();
        if owners.is_empty() {
            return Err(bad("is not signed by an owner".to_owned()));
        }
        standing = Some(owners.iter().any(|key| trust.standing(key, Role::Owner, now) == Standing::Good));
        chain.versions.push((canonical::digest_of(&said.policy), verified.digest(), Rc::new(said.policy.clone())));
    }
    if standing == Some(false) {
        chain.defect = Some(format!(
            "policy version {} is signed by an owner key that is revoked or out of validity; an owner must sign a new one",
            chain.versions.len()
        ));
    }
    Ok(chain)
}

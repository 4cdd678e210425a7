//! ARRIVALS: what was fetched of registrars' refs goes to the tracking place once it is verified, and never in place of more.
//!
//! `git fetch` forces the tracking place to whatever the remote has; what was there is lost with it where somebody wound the remote's
//! ref back. So `sync` fetches beside it, and takes over what its registrar signed and what goes on from what was here.

use std::collections::BTreeMap;

use super::carried::{Registered, lacking};
use super::error::StoreError;
use super::layout;
use super::local::LocalState;
use super::shelf::{Signed, is_honoured};
use crate::crypto::trust::Trust;
use crate::git::{Expected, NotesTree, RefEdit, Repository, Update, retry};
use crate::ledger::TreeHead;
use crate::model::id::{KeyId, Oid};
use crate::model::time::Timestamp;

/// One registrar's ref at a remote, against what was fetched of it before.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// Whether its registrar's word counts, so that a defect leaves answers open.
    pub listed: bool,
    /// The head that the remote has; `None` for none, or none that can be believed.
    pub new: Option<TreeHead>,
    /// The head that was fetched before.
    pub old: Option<TreeHead>,
    /// The ref at the remote.
    pub reference: String,
    /// Whose.
    pub registrar: KeyId,
    /// How it stands.
    pub state: Arriving,
}

/// How what arrived stands to what was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arriving {
    /// Nothing of it was here.
    New,
    /// It goes on from what was here.
    Extended,
    /// Nothing was added.
    Same,
    /// It is no longer at the remote. What was fetched stays.
    Gone,
    /// It is shorter than what was fetched, which stays.
    RolledBack,
    /// It parted from what was fetched after so many entries. Both are kept.
    Parted(u64),
    /// Lines are gone that were there when it was fetched before, which stays.
    Stripped,
    /// It is no ledger of that registrar, in words.
    Bad(String),
}

impl Arriving {
    /// In one word.
    pub fn name(&self) -> &'static str {
        match self {
            Arriving::New => "new",
            Arriving::Extended => "extended",
            Arriving::Same => "same",
            Arriving::Gone => "gone",
            Arriving::RolledBack => "rolled_back",
            Arriving::Parted(_) => "forked",
            Arriving::Stripped => "stripped",
            Arriving::Bad(_) => "bad",
        }
    }
}

/// Looks at everything that was fetched of registrars' refs, and takes over what is good. `own` is this clone's registrar: what the
/// remote has of it was united with the own ref before, so that the tracking place only says where the remote stands.
///
/// # Errors
/// When refs or objects can't be read or written. What is wrong with a ref is no error: anybody may have made it.
pub fn take_over(
    repository: &Repository,
    trust: &Trust,
    remote: &str,
    own: Option<&KeyId>,
    now: Timestamp,
) -> Result<Vec<Arrival>, StoreError> {
    let mut arrivals = Vec::new();
    for (registrar, (there, _)) in places(repository, remote)? {
        let reference = layout::registrar_ref(&registrar);
        let tracking = layout::tracking(remote, &reference).expect("it is a boundary ref");
        let arrival = retry(&tracking, || {
            let here = repository.find_ref(&tracking)?;
            let looked = look(repository, trust, &registrar, &tracking, (here, there))?;
            let is_own = own == Some(&registrar);
            let takes = match &looked.state {
                Arriving::New | Arriving::Extended | Arriving::Same => true,
                Arriving::RolledBack | Arriving::Parted(_) | Arriving::Stripped => is_own,
                // For the own one the tracking place says what the remote has yet to be sent.
                Arriving::Gone => is_own,
                Arriving::Bad(_) => false,
            };
            let mut edits = Vec::new();
            if takes && here != there {
                edits.push(edit(&tracking, here, there));
            }
            if let (Arriving::Parted(_), false) = (&looked.state, is_own) {
                let name = layout::parted(remote, &registrar);
                let kept = repository.find_ref(&name)?;
                if kept != there {
                    edits.push(edit(&name, kept, there));
                }
            }
            if edits.is_empty() {
                return Ok::<_, StoreError>(Some(looked));
            }
            match repository.update_refs(&edits, "boundary: fetched and verified", now)? {
                Update::Done => Ok(Some(looked)),
                Update::Raced => Ok(None),
            }
        })?;
        arrivals.push(arrival);
    }
    Ok(arrivals)
}

fn edit(name: &str, from: Option<Oid>, to: Option<Oid>) -> RefEdit {
    RefEdit { name: name.to_owned(), expected: from.map_or(Expected::Absent, Expected::At), new: to }
}

/// What a remote has of each registrar, and what was fetched of it before.
type Places = BTreeMap<KeyId, (Option<Oid>, Option<Oid>)>;

fn places(repository: &Repository, remote: &str) -> Result<Places, StoreError> {
    let mut found = Places::new();
    // Whatever else lies below is nobody's: anybody can push a name that ends like a registrar's.
    let under = |place: &str| {
        let under = format!("{place}{remote}/notes/");
        let found = repository.refs_under(&under)?;
        let registrar = |(name, oid): (String, Oid)| Some((name.strip_prefix(&under)?.parse::<KeyId>().ok()?, oid));
        Ok::<_, StoreError>(found.into_iter().filter_map(registrar).collect::<Vec<_>>())
    };
    for (id, oid) in under(layout::INCOMING)? {
        found.entry(id).or_default().0 = Some(oid);
    }
    for (id, oid) in under(layout::REMOTE)? {
        found.entry(id).or_default().1 = Some(oid);
    }
    Ok(found)
}

fn look(
    repository: &Repository,
    trust: &Trust,
    registrar: &KeyId,
    tracking: &str,
    (here, there): (Option<Oid>, Option<Oid>),
) -> Result<Arrival, StoreError> {
    let open = |tip: Option<Oid>| tip.map(|tip| Signed::open(repository, trust, registrar, tracking, &tip));
    let (before, after) = (open(here), open(there));
    let state = match (&before, &after) {
        (_, None) => Arriving::Gone,
        (_, Some(Err(defect))) => Arriving::Bad(defect.clone()),
        (None | Some(Err(_)), Some(Ok(after))) => match after.index(&LocalState::of(repository)) {
            Ok(_) => Arriving::New,
            Err(defect) => Arriving::Bad(defect),
        },
        (Some(Ok(_)), Some(Ok(_))) if here == there => Arriving::Same,
        (Some(Ok(before)), Some(Ok(after))) => compare(repository, (before, here), (after, there))?,
    };
    let head = |signed: &Option<Result<Signed<'_>, String>>| signed.as_ref()?.as_ref().ok().map(|signed| signed.head);
    Ok(Arrival {
        listed: is_honoured(trust, registrar),
        new: head(&after),
        old: head(&before),
        reference: layout::registrar_ref(registrar),
        registrar: *registrar,
        state,
    })
}

fn compare(
    repository: &Repository,
    (before, here): (&Signed<'_>, Option<Oid>),
    (after, there): (&Signed<'_>, Option<Oid>),
) -> Result<Arriving, StoreError> {
    if !after.extends(before.head).unwrap_or(false) {
        let rolled_back = before.extends(after.head).unwrap_or(false);
        return Ok(match after.shared_with(before) {
            _ if rolled_back => Arriving::RolledBack,
            Ok(shared) => Arriving::Parted(shared),
            Err(defect) => Arriving::Bad(defect),
        });
    }
    if let Err(defect) = after.index(&LocalState::of(repository)) {
        return Ok(Arriving::Bad(defect));
    }
    let (Some(here), Some(there)) = (here, there) else { return Ok(Arriving::Gone) };
    let entries = match after.entries() {
        Ok(entries) => entries,
        Err(defect) => return Ok(Arriving::Bad(defect)),
    };
    let mut had = NotesTree::load(repository, Some(&here))?;
    let mut has = NotesTree::load(repository, Some(&there))?;
    if !lacking(&mut had, &mut has, &Registered::of(&entries))?.is_empty() {
        return Ok(Arriving::Stripped);
    }
    Ok(if after.head.size > before.head.size { Arriving::Extended } else { Arriving::Same })
}

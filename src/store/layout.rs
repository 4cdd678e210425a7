//! The names of refs and files.

use crate::git::Repository;
use crate::model::id::KeyId;

/// Under it, one notes ref for each registrar.
pub const NOTES: &str = "refs/notes/boundary/";
/// A ref of this name would block all of [`NOTES`].
pub const BLOCKING_NOTES: &str = "refs/notes/boundary";
/// The trust chain.
pub const TRUST: &str = "refs/boundary/trust";
/// The next trust version, while it lacks root signatures.
pub const TRUST_PENDING: &str = "refs/boundary/trust-pending";
/// The policy chain.
pub const POLICY: &str = "refs/boundary/policy";
/// Under it, what was fetched, by remote.
pub const REMOTE: &str = "refs/boundary-remote/";
/// Under it, what `sync` has fetched and not yet looked at, by remote. Nobody reads it as anything.
pub const INCOMING: &str = "refs/boundary-incoming/";
/// Under it, everything but the notes.
pub const BOUNDARY: &str = "refs/boundary/";

/// Under it, what somebody set aside of this repository's own chains. Nobody reads it.
pub const ASIDE: &str = "refs/boundary-aside/";

/// Under it, by session, commits that hold what agents of the gateway want written. They are kept here and sent nowhere.
pub const WRITES: &str = "refs/boundary-writes/";

/// In a registrar's tree: its ledger.
pub const LEDGER: &str = "ledger/";
/// In a registrar's tree: its signed checkpoint.
pub const CHECKPOINT: &str = "ledger/checkpoint";
/// In a registrar's tree: its public key, so that an unlisted registrar's own signatures can be told from noise.
pub const REGISTRAR_KEY: &str = "ledger/registrar.pub";

/// In a witness's tree: the checkpoints of other registrars that it cosigned, as `<registrar>/<size>`.
pub const COSIGNED: &str = "cosigned/";

/// Where a witness keeps its cosignature over one checkpoint.
pub fn cosigned(registrar: &KeyId, size: u64) -> String {
    format!("{COSIGNED}{registrar}/{size}")
}

/// The fetch refspecs that `init` writes: wildcards, so that an absent ref is no error, into a tracking place, so that neither force
/// nor prune can touch own receipts. No two lead to one name: git fetches nothing at all where two refs would.
pub fn fetch_refspecs(remote: &str) -> [String; 3] {
    refspecs_to(REMOTE, remote)
}

/// The same into the place where what was fetched waits until it is verified.
pub fn incoming_refspecs(remote: &str) -> [String; 3] {
    refspecs_to(INCOMING, remote)
}

fn refspecs_to(place: &str, remote: &str) -> [String; 3] {
    [
        format!("+{NOTES}*:{place}{remote}/notes/*"),
        format!("+{TRUST}*:{place}{remote}/trust*"),
        format!("+{POLICY}*:{place}{remote}/policy*"),
    ]
}

/// Where a fetch puts a boundary ref of a remote.
pub fn tracking(remote: &str, reference: &str) -> Option<String> {
    let rest = match reference.strip_prefix(NOTES) {
        Some(registrar) => format!("notes/{registrar}"),
        None => reference.strip_prefix(BOUNDARY)?.to_owned(),
    };
    Some(format!("{REMOTE}{remote}/{rest}"))
}

/// Where `sync` first puts it.
pub fn incoming(remote: &str, reference: &str) -> Option<String> {
    Some(format!("{INCOMING}{}", tracking(remote, reference)?.strip_prefix(REMOTE)?))
}

/// Beside the tracking place, a ledger that parted from the one that was fetched before: kept, since it shows that there are two.
pub fn parted(remote: &str, registrar: &KeyId) -> String {
    format!("{REMOTE}{remote}/parted/notes/{registrar}")
}

/// What `init` wrote instead of the last two before: anybody's `refs/boundary/notes/<registrar>` shares a destination with the notes.
pub fn former_refspec(remote: &str) -> String {
    format!("+{BOUNDARY}*:{REMOTE}{remote}/*")
}

/// Refs at a remote that stop every fetch by [`former_refspec`].
pub const CLASHING: [&str; 2] = ["refs/boundary/notes", "refs/boundary/notes/*"];

/// A ref of this name, which such a fetch could leave behind, would block every name below it.
pub fn blocking_tracking(remote: &str) -> String {
    format!("{REMOTE}{remote}/notes")
}

/// The tracking place that a fetch refspec leads to, if it fetches a remote's notes: `origin` of `refs/boundary-remote/origin/notes/*`.
pub fn tracking_place(refspec: &str) -> Option<&str> {
    refspec
        .strip_prefix('+')
        .unwrap_or(refspec)
        .strip_prefix(NOTES)?
        .strip_prefix("*:")?
        .strip_prefix(REMOTE)?
        .strip_suffix("/notes/*")
}

/// What stands before the subject of every commit that is written to these refs, unless `boundary.messagePrefix` says otherwise.
const MESSAGE_PREFIX: &str = "chore(boundary): ";

/// The message of a commit in these refs. Servers that look at messages look at those of all refs.
pub fn message(repository: &Repository, what: &str) -> String {
    let prefix = repository.config_string("boundary.messagePrefix");
    format!("{}{what}", prefix.as_deref().unwrap_or(MESSAGE_PREFIX))
}

/// Where ledgers that came in a file stand: a tracking place as any remote has, so that readers find it.
pub const IMPORTED: &str = "imported";

/// The tracking ref of one registrar whose ledger came in a file.
pub fn imported_ref(registrar: &KeyId) -> String {
    format!("{REMOTE}{IMPORTED}/notes/{registrar}")
}

/// The notes ref of one registrar.
pub fn registrar_ref(registrar: &KeyId) -> String {
    format!("{NOTES}{registrar}")
}

/// Whether the rules of section 4 leave this ref to section 11.
pub fn is_boundary_ref(reference: &str) -> bool {
    reference.starts_with(NOTES) || reference.starts_with(BOUNDARY) || reference == BLOCKING_NOTES
}

/// The registrar of a notes ref, own or fetched, and the remote it was fetched from.
pub fn parse_notes_ref(reference: &str) -> Option<(KeyId, Option<&str>)> {
    if let Some(name) = reference.strip_prefix(NOTES) {
        return Some((name.parse().ok()?, None));
    }
    let (remote, name) = reference.strip_prefix(REMOTE)?.rsplit_once("/notes/")?;
    Some((name.parse().ok()?, Some(remote)))
}

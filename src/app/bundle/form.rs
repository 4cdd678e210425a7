//! FORM: how a bundle is written: canonical JSON, one file, nothing in it that this version does not know.

use serde::{Deserialize, Serialize};

use crate::codec::{canonical, strict};
use crate::ledger::{ConsistencyProof, InclusionProof};
use crate::model::digest::Digest;
use crate::model::id::{KeyId, Oid, RepositoryId};

/// What names this form of file.
pub const VERSION: &str = "urn:git-boundary:bundle:v1";
/// Largest file that is read, in bytes.
pub const MAX_BYTES: u64 = 64 << 20;
/// Most artifacts in it: each costs a verification.
pub const MAX_ARTIFACTS: usize = 50_000;
/// Most commits in it.
pub const MAX_COMMITS: usize = 20_000;
/// Most versions of trust and of policy together.
const MAX_VERSIONS: usize = 20_000;
/// Most ledgers.
const MAX_LEDGERS: usize = 1_000;

/// A bundle. Lists are in ascending order, chains begin with version 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// What it is about.
    pub about: About,
    /// Signed lines as they are stored, without newlines, by digest and then by their own bytes.
    pub artifacts: Vec<String>,
    /// [`VERSION`].
    pub bundle: String,
    /// Commits of which the bytes are carried, by id.
    pub commits: Vec<CarriedCommit>,
    /// What the registrars' ledgers show, by registrar.
    pub ledgers: Vec<CarriedLedger>,
    /// The policy chain.
    pub policy: Vec<String>,
    /// The repository.
    pub repository: RepositoryId,
    /// The trust chain.
    pub trust: Vec<String>,
}

/// What a bundle is about. The word of who made the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Of a proof, an envelope or a session: its digest.
    pub artifact: Option<Digest>,
    /// What kind of thing.
    pub kind: AboutKind,
    /// Of a range: what it is.
    pub range: Option<AboutRange>,
}

/// The kinds of things that a bundle can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AboutKind {
    /// A proposal with its life.
    Envelope,
    /// A boundary proof.
    Proof,
    /// A stretch of history.
    Range,
    /// A session of the gateway with its trace.
    Session,
}

/// A stretch of history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutRange {
    /// Its commits, newest first.
    pub commits: Vec<Oid>,
    /// The ref by whose rule it is judged.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// A commit and its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedCommit {
    /// Its id.
    pub oid: Oid,
    /// The object's bytes in standard base64.
    pub raw: String,
}

/// What one registrar's ledger shows under one signed checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedLedger {
    /// The checkpoint as it is stored, with the cosignatures that it has.
    pub checkpoint: String,
    /// That it goes on from the last checkpoint that the trust document honours.
    pub consistency: Option<ConsistencyProof>,
    /// Earlier checkpoints that witnesses cosigned, by size and witness.
    pub cosigned: Vec<CarriedCosigned>,
    /// Entries, by index.
    pub entries: Vec<CarriedEntry>,
    /// The key of a registrar that the trust document does not hold, as OpenSSH writes it.
    pub key: Option<String>,
    /// Whose ledger.
    pub registrar: KeyId,
}

/// A checkpoint that a witness cosigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedCosigned {
    /// The note, signed by the registrar and cosigned by the witness.
    pub checkpoint: String,
    /// That the ledger goes on from it; none where it is the very checkpoint that is carried.
    pub consistency: Option<ConsistencyProof>,
    /// The witness.
    pub witness: KeyId,
}

/// One entry and what shows that it is in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedEntry {
    /// The entry's text, with its newline.
    pub entry: String,
    /// That the checkpoint holds it.
    pub proof: InclusionProof,
}

impl Bundle {
    /// Reads a file.
    ///
    /// # Errors
    /// In words, what is wrong with its form.
    pub fn read(bytes: &[u8]) -> Result<Bundle, String> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("is longer than {MAX_BYTES} bytes"));
        }
        // Handing a file on through an editor or a mail adds a newline more often than anything else.
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bundle: Bundle = strict::read_whole(bytes).map_err(|defect| format!("is no bundle: {defect}"))?;
        if bundle.bundle != VERSION {
            return Err(format!("is a bundle of form {:?}; this version reads {VERSION}", bundle.bundle));
        }
        for (what, count, most) in [
            ("artifacts", bundle.artifacts.len(), MAX_ARTIFACTS),
            ("commits", bundle.commits.len(), MAX_COMMITS),
            ("ledgers", bundle.ledgers.len(), MAX_LEDGERS),
            ("versions of trust and policy", bundle.trust.len().saturating_add(bundle.policy.len()), MAX_VERSIONS),
        ] {
            if count > most {
                return Err(format!("holds {count} {what}; {most} are read"));
            }
        }
        Ok(bundle)
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = canonical::to_vec(self);
        bytes.push(b'\n');
        bytes
    }
}

//! SSH signatures as `git commit -S` makes them with `gpg.format=ssh` (PROTOCOL.sshsig in the OpenSSH sources).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256, Sha512};

use super::ed25519::verify;
use super::error::KeyError;
use super::signer::Signer;
use super::wire::{self, BlobDefect, Reader};
use crate::model::key::PublicKey;

/// What git signs in: a signature made for anything else must not count as one on a commit.
pub const NAMESPACE: &str = "git";

const MAGIC: &[u8] = b"SSHSIG";
const VERSION: u32 = 1;
const FIRST_LINE: &str = "-----BEGIN SSH SIGNATURE-----\n";
const LAST_LINE: &str = "-----END SSH SIGNATURE-----";
/// An Ed25519 one has about 300; an RSA one, to be refused by name, up to about 3,000.
const LARGEST: usize = 8 * 1024;
/// As ssh-keygen breaks lines.
const COLUMNS: usize = 70;

/// Why a text is no good SSH signature on the payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SshsigError {
    /// Not the armour lines, not base64, or far too long.
    #[error("it is no armored SSH signature")]
    Armor,
    /// The bytes inside do not follow the format, or something follows them.
    #[error("its contents are malformed")]
    Malformed,
    /// A version that is not known here.
    #[error("it has version {0}, and only version {VERSION} is known")]
    Version(u32),
    /// Made for another purpose.
    #[error("it was made in the namespace {0:?}, and {NAMESPACE:?} is expected")]
    Namespace(String),
    /// A field whose meaning is not known here.
    #[error("it uses a reserved field")]
    Reserved,
    /// Neither sha256 nor sha512.
    #[error("it uses the hash {0:?}, and only sha256 and sha512 are accepted")]
    Hash(String),
    /// A key or signature of another kind, named.
    #[error("it is by a key of type {0:?}, and only ssh-ed25519 is accepted")]
    Algorithm(String),
    /// Well-formed, and not a signature of that key over this payload.
    #[error("it does not verify over these bytes")]
    Signature,
}

/// The key whose holder signed `payload` (for a commit: the object without its `gpgsig` header) with `armored`.
///
/// The answer says who signed, not whether that key is trusted: the caller must look the key up.
///
/// # Errors
/// Anything other than one valid Ed25519 signature in the namespace `git`.
pub fn verify_sshsig(armored: &[u8], payload: &[u8]) -> Result<PublicKey, SshsigError> {
    let bytes = dearmor(armored).ok_or(SshsigError::Armor)?;
    let parts = read_parts(&bytes)?;
    if verify(&parts.key, &signed_bytes(parts.hash, payload), &parts.signature) {
        Ok(parts.key)
    } else {
        Err(SshsigError::Signature)
    }
}

/// An armored signature over `payload` in the namespace `git`, with a final newline, like `ssh-keygen -Y sign -n git`.
///
/// # Errors
/// Those of the signer.
pub fn sign_sshsig(signer: &dyn Signer, payload: &[u8]) -> Result<String, KeyError> {
    let signature = signer.sign(&signed_bytes(Hash::Sha512, payload))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_be_bytes());
    wire::put_string(&mut bytes, &wire::key_blob(&signer.public_key()));
    wire::put_string(&mut bytes, NAMESPACE.as_bytes());
    wire::put_string(&mut bytes, b"");
    wire::put_string(&mut bytes, Hash::Sha512.name().as_bytes());
    wire::put_string(&mut bytes, &wire::signature_blob(&signature));
    Ok(armor(&bytes))
}

#[derive(Debug, Clone, Copy)]
enum Hash {
    Sha256,
    Sha512,
}

impl Hash {
    fn name(self) -> &'static str {
        match self {
            Hash::Sha256 => "sha256",
            Hash::Sha512 => "sha512",
        }
    }

    fn of(self, payload: &[u8]) -> Vec<u8> {
        match self {
            Hash::Sha256 => Sha256::digest(payload).to_vec(),
            Hash::Sha512 => Sha512::digest(payload).to_vec(),
        }
    }
}

struct Parts {
    key: PublicKey,
    hash: Hash,
    signature: [u8; 64],
}

fn read_parts(bytes: &[u8]) -> Result<Parts, SshsigError> {
    let malformed = || SshsigError::Malformed;
    let named = |defect| match defect {
        BlobDefect::Algorithm(name) => SshsigError::Algorithm(name),
        BlobDefect::Malformed => SshsigError::Malformed,
    };
    let mut reader = Reader::new(bytes);
    if reader.take(MAGIC.len()) != Some(MAGIC) {
        return Err(SshsigError::Malformed);
    }
    let version = reader.u32().ok_or_else(malformed)?;
    if version != VERSION {
        return Err(SshsigError::Version(version));
    }
    let key = reader.string().ok_or_else(malformed)?;
    let namespace = reader.string().ok_or_else(malformed)?;
    let reserved = reader.string().ok_or_else(malformed)?;
    let hash = reader.string().ok_or_else(malformed)?;
    let signature = reader.string().ok_or_else(malformed)?;
    reader.end().ok_or_else(malformed)?;
    if namespace != NAMESPACE.as_bytes() {
        return Err(SshsigError::Namespace(shown(namespace)));
    }
    if !reserved.is_empty() {
        return Err(SshsigError::Reserved);
    }
    let hash = [Hash::Sha256, Hash::Sha512]
        .into_iter()
        .find(|known| known.name().as_bytes() == hash)
        .ok_or_else(|| SshsigError::Hash(shown(hash)))?;
    let key = wire::read_key_blob(key).map_err(named)?;
    let signature = wire::read_signature_blob(signature).map_err(named)?;
    Ok(Parts { key, hash, signature })
}

/// What the key really signs: the preamble, the namespace, an empty reserved field, the hash's name and the hash.
fn signed_bytes(hash: Hash, payload: &[u8]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    for field in [NAMESPACE.as_bytes(), b"", hash.name().as_bytes(), &hash.of(payload)] {
        wire::put_string(&mut out, field);
    }
    out
}

fn dearmor(armored: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(armored).ok().filter(|text| text.len() <= LARGEST)?;
    let body = text.strip_prefix(FIRST_LINE)?.trim_end_matches('\n').strip_suffix(LAST_LINE)?;
    // The last line starts a line, and no line is empty; how wide they are is the writer's affair.
    let body = body.strip_suffix('\n').filter(|body| body.split('\n').all(|line| !line.is_empty()))?;
    STANDARD.decode(body.replace('\n', "")).ok()
}

fn armor(bytes: &[u8]) -> String {
    let encoded = STANDARD.encode(bytes);
    let mut out = String::from(FIRST_LINE);
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, more) = rest.split_at(rest.len().min(COLUMNS));
        out.push_str(line);
        out.push('\n');
        rest = more;
    }
    out.push_str(LAST_LINE);
    out.push('\n');
    out
}

fn shown(raw: &[u8]) -> String {
    String::from_utf8_lossy(&raw[..raw.len().min(64)]).into_owned()
}

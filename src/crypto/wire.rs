//! The SSH wire encoding (RFC 4251, section 5) as far as keys, signatures and the agent need it.

use crate::model::key::PublicKey;

/// The one key type spoken here (RFC 8709, section 4).
pub(super) const ED25519: &str = "ssh-ed25519";

/// Reads from the front of a byte string; every read is bounded by what is left.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|one| one[0])
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        let raw: [u8; 4] = self.take(4)?.try_into().ok()?;
        Some(u32::from_be_bytes(raw))
    }

    /// A `uint32` length and that many bytes.
    pub(super) fn string(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32()?).ok()?;
        self.take(length)
    }

    /// `Some` when nothing is left over.
    pub(super) fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// Appends `bytes` as a `string`. Callers bound what they send far below 4 GiB.
pub(super) fn put_string(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).expect("callers bound their strings to a few hundred kilobytes");
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(bytes);
}

/// Why a key or signature blob is none of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BlobDefect {
    /// It is of another algorithm, named so.
    Algorithm(String),
    /// Its bytes do not follow the encoding.
    Malformed,
}

/// `string "ssh-ed25519", string key[32]` (RFC 8709, section 4).
pub(super) fn key_blob(key: &PublicKey) -> Vec<u8> {
    tagged(&key.0)
}

/// The reverse of [`key_blob`]; exact, nothing may follow. Does not judge the point itself.
pub(super) fn read_key_blob(blob: &[u8]) -> Result<PublicKey, BlobDefect> {
    untagged(blob).map(PublicKey)
}

/// `string "ssh-ed25519", string signature[64]` (RFC 8709, section 6).
pub(super) fn signature_blob(signature: &[u8; 64]) -> Vec<u8> {
    tagged(signature)
}

/// The reverse of [`signature_blob`]; exact.
pub(super) fn read_signature_blob(blob: &[u8]) -> Result<[u8; 64], BlobDefect> {
    untagged(blob)
}

fn tagged(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + ED25519.len() + bytes.len());
    put_string(&mut out, ED25519.as_bytes());
    put_string(&mut out, bytes);
    out
}

fn untagged<const N: usize>(blob: &[u8]) -> Result<[u8; N], BlobDefect> {
    let mut reader = Reader::new(blob);
    let algorithm = reader.string().ok_or(BlobDefect::Malformed)?;
    if algorithm != ED25519.as_bytes() {
        return Err(BlobDefect::Algorithm(algorithm_name(algorithm)));
    }
    let bytes = reader.string().ok_or(BlobDefect::Malformed)?;
    reader.end().ok_or(BlobDefect::Malformed)?;
    bytes.try_into().map_err(|_| BlobDefect::Malformed)
}

/// A stranger's algorithm name, short enough to print.
fn algorithm_name(raw: &[u8]) -> String {
    String::from_utf8_lossy(&raw[..raw.len().min(64)]).into_owned()
}

//! Entry bundles: entries one after the other, each behind its length as a big-endian 16-bit number (C2SP tlog-tiles).

/// Adds one entry to a bundle.
pub(super) fn add(bundle: &mut Vec<u8>, entry: impl AsRef<[u8]>) {
    let entry = entry.as_ref();
    let length = u16::try_from(entry.len()).expect("an entry's text is at most 222 bytes");
    bundle.extend_from_slice(&length.to_be_bytes());
    bundle.extend_from_slice(entry);
}

/// Takes a bundle of exactly `count` entries apart.
///
/// # Errors
/// When it ends early or goes on after the last one.
pub fn split(bundle: &[u8], count: usize) -> Result<Vec<&[u8]>, BundleError> {
    let mut rest = bundle;
    let mut entries = Vec::with_capacity(count.min(256));
    for position in 0..count {
        let (entry, after) = next(rest).ok_or(BundleError::Truncated { position, count })?;
        entries.push(entry);
        rest = after;
    }
    if rest.is_empty() { Ok(entries) } else { Err(BundleError::Trailing { count, bytes: rest.len() }) }
}

fn next(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
}

/// Why bytes are no bundle of so many entries.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// It ends within an entry, or before it.
    #[error("ends within entry {position} of {count}")]
    Truncated {
        /// The entry's place within the bundle, from 0.
        position: usize,
        /// How many there should be.
        count: usize,
    },
    /// Something follows the last entry.
    #[error("goes on for {bytes} bytes after its {count} entries")]
    Trailing {
        /// How many there should be.
        count: usize,
        /// How many bytes are too many.
        bytes: usize,
    },
}

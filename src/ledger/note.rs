//! C2SP signed notes: a text, an empty line, and lines that sign the text.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::hash;

/// Signature type of a plain Ed25519 signature over the text.
pub const ED25519: u8 = 0x01;
/// Signature type of a timestamped Ed25519 cosignature.
pub const COSIGNATURE_V1: u8 = 0x04;

/// A note longer than this is not read. C2SP asks for at least 16 signatures, of up to 5 kB each.
pub const MAX_BYTES: usize = 256 * 1024;
/// Nor is one with more signatures than this.
pub const MAX_SIGNATURES: usize = 64;

const DASH: &str = "\u{2014} ";

/// A text and its signatures, none of them verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What is signed, with its last newline.
    pub text: String,
    /// The signature lines in order, known or not: verifiers ignore those of keys they do not know, and nobody drops
    /// them.
    pub signatures: Vec<NoteSignature>,
}

/// One signature line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSignature {
    /// The key's name.
    pub name: String,
    /// The first bytes of a hash over name, type and key: tells keys apart, proves nothing.
    pub key_id: [u8; 4],
    /// What the key made; never empty.
    pub signature: Vec<u8>,
}

/// The key id of a public key under a name (C2SP signed-note, "Signatures").
pub fn key_id(name: &str, kind: u8, public_key: &[u8]) -> [u8; 4] {
    let digest = hash::sha256(&[name.as_bytes(), b"\n", &[kind], public_key]);
    [digest[0], digest[1], digest[2], digest[3]]
}

/// Whether a key may be called that: not empty, no Unicode space, no plus.
pub fn is_key_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control() || c == '+')
}

impl Note {
    /// Takes a note apart.
    ///
    /// # Errors
    /// When it is over the bounds, not in the one form, or two lines claim one key.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        if bytes.len() > MAX_BYTES {
            return Err(NoteError::TooLong { bytes: bytes.len() });
        }
        let whole = std::str::from_utf8(bytes).map_err(|_| NoteError::NotUtf8)?;
        if let Some(byte) = whole.bytes().find(|byte| *byte < 0x20 && *byte != b'\n') {
            return Err(NoteError::ControlCharacter { byte });
        }
        let whole = whole.strip_suffix('\n').ok_or(NoteError::NoNewline)?;
        let (text, lines) = whole.rsplit_once("\n\n").ok_or(NoteError::NoSignatures)?;
        let mut signatures: Vec<NoteSignature> = Vec::new();
        for (position, line) in lines.split('\n').enumerate() {
            if position == MAX_SIGNATURES {
                return Err(NoteError::TooManySignatures);
            }
            let signature = NoteSignature::parse(line).ok_or(NoteError::SignatureLine { position })?;
            if signatures.iter().any(|other| other.is_by(&signature.name, signature.key_id)) {
                return Err(NoteError::SignedTwice { name: signature.name });
            }
            signatures.push(signature);
        }
        Ok(Note { text: format!("{text}\n"), signatures })
    }

    /// The signature by that name and key id, if there is one.
    pub fn signature_by(&self, name: &str, key_id: [u8; 4]) -> Option<&[u8]> {
        self.signatures.iter().find(|line| line.is_by(name, key_id)).map(|line| &line.signature[..])
    }

    /// Adds a signature line in the place of an earlier one by the same name and key.
    pub(super) fn put(&mut self, signature: NoteSignature) {
        self.signatures.retain(|line| !line.is_by(&signature.name, signature.key_id));
        self.signatures.push(signature);
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        for line in &self.signatures {
            let bytes = [&line.key_id[..], &line.signature].concat();
            writeln!(f, "{DASH}{} {}", line.name, BASE64_STANDARD.encode(bytes))?;
        }
        Ok(())
    }
}

impl NoteSignature {
    fn parse(line: &str) -> Option<Self> {
        let (name, encoded) = line.strip_prefix(DASH)?.split_once(' ')?;
        // The decoder refuses missing padding and stray bits, so a signature has one spelling.
        let bytes = BASE64_STANDARD.decode(encoded).ok()?;
        let (key_id, signature) = bytes.split_first_chunk()?;
        let valid = is_key_name(name) && !signature.is_empty();
        valid.then(|| NoteSignature { name: name.to_owned(), key_id: *key_id, signature: signature.to_vec() })
    }

    fn is_by(&self, name: &str, key_id: [u8; 4]) -> bool {
        self.name == name && self.key_id == key_id
    }
}

/// Why bytes are no signed note.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Over [`MAX_BYTES`].
    #[error("the note has {bytes} bytes, past the limit of {MAX_BYTES}")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// Not text.
    #[error("the note is not UTF-8")]
    NotUtf8,
    /// A control character other than newline.
    #[error("the note contains the control character {byte:#04x}")]
    ControlCharacter {
        /// Which.
        byte: u8,
    },
    /// The last line does not end.
    #[error("the note does not end with a newline")]
    NoNewline,
    /// No empty line with signatures after it.
    #[error("the note has no signatures")]
    NoSignatures,
    /// More than [`MAX_SIGNATURES`].
    #[error("the note has more than {MAX_SIGNATURES} signatures")]
    TooManySignatures,
    /// A line that should be a signature is none.
    #[error("signature line {position} of the note is malformed")]
    SignatureLine {
        /// Its place, from 0.
        position: usize,
    },
    /// Two lines by one key.
    #[error("the note has two signatures by the same key, named {name:?}")]
    SignedTwice {
        /// The key's name.
        name: String,
    },
    /// A name that no key may have.
    #[error("{name:?} cannot name a key: it is empty or contains a space, a control character or a plus")]
    KeyName {
        /// The name.
        name: String,
    },
}

//! Public keys as one line of text: `ssh-ed25519 AAAA… comment`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::ed25519::is_sound;
use super::wire::{self, BlobDefect, ED25519};
use crate::model::key::PublicKey;

/// Why a text is no Ed25519 public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublicKeyDefect {
    /// Nothing there.
    #[error("it is empty")]
    Empty,
    /// It starts with U+FEFF.
    #[error("it begins with a byte order mark")]
    ByteOrderMark,
    /// A carriage return: a file saved with Windows line endings.
    #[error("it has carriage returns (CRLF line endings)")]
    CarriageReturn,
    /// More than one line.
    #[error("it has more than one line")]
    SeveralLines,
    /// Control characters, or bytes that are not UTF-8.
    #[error("it has control characters or is not UTF-8 text")]
    NotText,
    /// A key of another kind, named.
    #[error("it is a key of type {0:?}, and only ssh-ed25519 is accepted")]
    Algorithm(String),
    /// It does not have the form `ssh-ed25519 AAAA… comment`.
    #[error("it is not of the form \"ssh-ed25519 AAAA… comment\"")]
    Form,
    /// The base64 part is no canonical base64 of an Ed25519 key blob.
    #[error("its base64 part is not an Ed25519 key")]
    Blob,
    /// The 32 bytes are no point that can be a key: off the curve, badly encoded, or of low order.
    #[error("its point is none that a key can have (off the curve, badly encoded, or of low order)")]
    Point,
}

/// The key in one `ssh-ed25519 AAAA… comment` line; the comment is optional, as is one final newline.
///
/// # Errors
/// What is wrong with it; nothing is trimmed or repaired.
pub fn parse_public_key(text: &str) -> Result<PublicKey, PublicKeyDefect> {
    parse_public_line(text).map(|(key, _)| key)
}

/// Like [`parse_public_key`], with the comment (empty when there is none).
///
/// # Errors
/// What is wrong with it.
pub fn parse_public_line(text: &str) -> Result<(PublicKey, &str), PublicKeyDefect> {
    let line = text.strip_suffix('\n').unwrap_or(text);
    match line {
        "" => return Err(PublicKeyDefect::Empty),
        _ if line.starts_with('\u{feff}') => return Err(PublicKeyDefect::ByteOrderMark),
        _ if line.contains('\r') => return Err(PublicKeyDefect::CarriageReturn),
        _ if line.contains('\n') => return Err(PublicKeyDefect::SeveralLines),
        _ if line.contains(char::is_control) => return Err(PublicKeyDefect::NotText),
        _ => {}
    }
    let (algorithm, rest) = line.split_once(' ').ok_or(PublicKeyDefect::Form)?;
    if algorithm != ED25519 {
        let is_a_key = names_a_key_type(algorithm);
        return Err(if is_a_key { PublicKeyDefect::Algorithm(algorithm.to_owned()) } else { PublicKeyDefect::Form });
    }
    let (encoded, comment) = rest.split_once(' ').unwrap_or((rest, ""));
    let blob = STANDARD.decode(encoded).map_err(|_| PublicKeyDefect::Blob)?;
    let key = wire::read_key_blob(&blob).map_err(|defect| match defect {
        BlobDefect::Algorithm(name) => PublicKeyDefect::Algorithm(name),
        BlobDefect::Malformed => PublicKeyDefect::Blob,
    })?;
    if is_sound(&key) { Ok((key, comment)) } else { Err(PublicKeyDefect::Point) }
}

/// The line for `key`, without a newline. Control characters in `comment` become `?`: one key is one line.
pub fn to_openssh(key: &PublicKey, comment: &str) -> String {
    let mut line = format!("{ED25519} {}", STANDARD.encode(wire::key_blob(key)));
    let comment = comment.trim();
    if !comment.is_empty() {
        line.push(' ');
        line.extend(comment.chars().map(|c| if c.is_control() { '?' } else { c }));
    }
    line
}

/// Whether `word` is how OpenSSH starts a public key line.
pub(super) fn names_a_key_type(word: &str) -> bool {
    word.starts_with("ssh-") || word.starts_with("ecdsa-sha2-") || word.starts_with("sk-")
}

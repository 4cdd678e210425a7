//! DSSE envelopes (the secure-systems-lab specification, v1): one line each.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{canonical, strict};
use crate::model::digest::Digest;

/// Most signatures on one line.
pub const MAX_SIGNATURES: usize = 64;

/// Reads both paddings; which alphabet is decided by the text.
const EITHER_PADDING: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const READ_STANDARD: GeneralPurpose = GeneralPurpose::new(&STANDARD, EITHER_PADDING);
const READ_URL_SAFE: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, EITHER_PADDING);

/// A signed payload, not yet verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dsse {
    /// The media type that is signed with the payload.
    pub payload_type: String,
    /// The signed bytes.
    pub payload: Vec<u8>,
    /// Who says to have signed them.
    pub signatures: Vec<Signature>,
}

/// One signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// A hint at the key; proves nothing.
    pub keyid: String,
    /// The signature's bytes.
    pub sig: Vec<u8>,
}

/// What is wrong with a line that should be an envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DsseError {
    /// No strict canonical JSON of this shape.
    #[error("no DSSE envelope: {0}")]
    Line(#[from] strict::Defect),
    /// Bad base64, naming the field.
    #[error("field {0} of the DSSE envelope is no base64")]
    Base64(&'static str),
    /// None, or more than [`MAX_SIGNATURES`].
    #[error("a DSSE envelope with {0} signatures; 1 to 64 are read")]
    Signatures(usize),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    payload: String,
    #[serde(rename = "payloadType")]
    payload_type: String,
    signatures: Vec<WireSignature>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSignature {
    keyid: String,
    sig: String,
}

impl Dsse {
    /// Reads one line, without its newline.
    ///
    /// # Errors
    /// [`DsseError`], naming the defect.
    pub fn parse(line: &[u8]) -> Result<Dsse, DsseError> {
        Dsse::of(strict::read(line)?)
    }

    /// Reads a line that [`Dsse::parse`] has read before, in this process or another: what it found of the spelling is not looked for
    /// again. Of any other line it says nothing that can be relied on.
    pub fn parse_again(line: &[u8]) -> Option<Dsse> {
        Dsse::of(strict::read_again(line).ok()?).ok()
    }

    /// Whether this is what [`Dsse::parse`] gives of a line. `false` says nothing: a line may be spelt in the other base64 as well.
    pub fn is_whole_of(&self, line: &[u8]) -> bool {
        // What the writer writes holds no number, nests no deeper than itself, and can be read in one way only.
        line.len() <= strict::MAX_LINE && self.line() == line
    }

    fn of(wire: Wire) -> Result<Dsse, DsseError> {
        if wire.signatures.is_empty() || wire.signatures.len() > MAX_SIGNATURES {
            return Err(DsseError::Signatures(wire.signatures.len()));
        }
        let payload = decode(&wire.payload).ok_or(DsseError::Base64("payload"))?;
        let signatures = wire
            .signatures
            .into_iter()
            .map(|one| Ok(Signature { sig: decode(&one.sig).ok_or(DsseError::Base64("sig"))?, keyid: one.keyid }))
            .collect::<Result<_, DsseError>>()?;
        Ok(Dsse { payload_type: wire.payload_type, payload, signatures })
    }

    /// The line, without its newline.
    pub fn line(&self) -> Vec<u8> {
        let standard = &base64::engine::general_purpose::STANDARD;
        canonical::to_vec(&Wire {
            payload: standard.encode(&self.payload),
            payload_type: self.payload_type.clone(),
            signatures: self
                .signatures
                .iter()
                .map(|one| WireSignature { keyid: one.keyid.clone(), sig: standard.encode(&one.sig) })
                .collect(),
        })
    }

    /// The bytes that are signed.
    pub fn pae(&self) -> Vec<u8> {
        pae(&self.payload_type, &self.payload)
    }

    /// What names this artifact for ever: SHA-256 of the signed bytes.
    pub fn digest(&self) -> Digest {
        artifact_digest(&self.payload_type, &self.payload)
    }
}

/// DSSE's pre-authentication encoding.
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = format!("DSSEv1 {} {} {} ", payload_type.len(), payload_type, payload.len()).into_bytes();
    out.extend_from_slice(payload);
    out
}

/// SHA-256 of [`pae`]: the artifact digest (contract, section 2).
pub fn artifact_digest(payload_type: &str, payload: &[u8]) -> Digest {
    Digest(Sha256::digest(pae(payload_type, payload)).into())
}

/// Standard or URL-safe base64, padded or not.
fn decode(text: &str) -> Option<Vec<u8>> {
    let url_safe = text.bytes().any(|byte| matches!(byte, b'-' | b'_'));
    if url_safe { READ_URL_SAFE.decode(text).ok() } else { READ_STANDARD.decode(text).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pae_counts_bytes_and_not_characters() {
        assert_eq!(
            pae("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
        assert_eq!(pae("t", "é".as_bytes()), "DSSEv1 1 t 2 é".as_bytes());
    }

    #[test]
    fn both_alphabets_and_paddings_are_the_same_bytes() {
        for text in ["+/8=", "+/8", "-_8=", "-_8"] {
            assert_eq!(decode(text), Some(vec![0xfb, 0xff]), "{text}");
        }
        for text in ["+_8=", "+/8==", "+/9", "*", "+ /8"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    #[test]
    fn a_line_that_an_envelope_is_the_whole_of_gives_that_envelope() {
        let signatures = vec![Signature { keyid: "k\u{1}\r\u{feff}\"\\é".into(), sig: vec![0xfb; 64] }];
        let one = Dsse { payload_type: "t".into(), payload: vec![0xfb, 0xff], signatures };
        let line = one.line();
        assert!(one.is_whole_of(&line), "what is written of it");
        assert_eq!(Dsse::parse(&line), Ok(one.clone()), "whatever its words hold");
        let url_safe = String::from_utf8(line.clone()).expect("text").replace("+/8=", "-_8");
        assert_eq!(Dsse::parse(url_safe.as_bytes()), Ok(one.clone()), "another spelling of the same");
        assert!(!one.is_whole_of(url_safe.as_bytes()), "is not told to be it");
        for at in 0..line.len() {
            let mut changed = line.clone();
            changed[at] ^= 1;
            assert!(!one.is_whole_of(&changed), "byte {at}");
        }
        let long = Dsse { payload: vec![0; strict::MAX_LINE], ..one };
        assert!(!long.is_whole_of(&long.line()), "nor what is too long to be read");
    }

    #[test]
    fn an_envelope_without_or_with_too_many_signatures_is_none() {
        let one = Dsse {
            payload_type: "t".into(),
            payload: b"{}".to_vec(),
            signatures: vec![Signature { keyid: "k".into(), sig: vec![1; 64] }],
        };
        assert_eq!(Dsse::parse(&one.line()), Ok(one.clone()));
        let none = Dsse { signatures: vec![], ..one.clone() };
        assert_eq!(Dsse::parse(&none.line()), Err(DsseError::Signatures(0)));
        let many = Dsse { signatures: vec![one.signatures[0].clone(); 65], ..one };
        assert_eq!(Dsse::parse(&many.line()), Err(DsseError::Signatures(65)));
    }
}

//! Names: git object ids, key ids, artifact ids, repository ids, envelope ids.
//!
//! Ids of keys and artifacts are for people; every binding is by full digest or raw public key (contract, section 2).

use std::fmt;
use std::str::FromStr;

use super::digest::Digest;
use super::hex;

/// A git object id: 20 bytes in a SHA-1 repository, 32 in a SHA-256 one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid {
    len: u8,
    bytes: [u8; 32],
}

impl Oid {
    /// From 20 or 32 raw bytes; `None` for any other length.
    pub fn from_bytes(raw: &[u8]) -> Option<Self> {
        if raw.len() != 20 && raw.len() != 32 {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..raw.len()].copy_from_slice(raw);
        Some(Oid { len: raw.len() as u8, bytes })
    }

    /// The raw bytes, 20 or 32 of them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Whether this is the all-zero id with which git says "nothing there".
    pub fn is_zero(&self) -> bool {
        self.bytes == [0; 32]
    }

    /// Lower-case hex, 40 or 64 digits.
    pub fn hex(&self) -> String {
        hex::encode(self.as_bytes())
    }

    /// The first twelve digits, for people.
    pub fn short(&self) -> String {
        self.hex()[..12].to_owned()
    }
}

impl FromStr for Oid {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let raw = match text.len() {
            40 => hex::decode_exact::<20>(text).and_then(|raw| Oid::from_bytes(&raw)),
            _ => hex::decode_exact::<32>(text).and_then(|raw| Oid::from_bytes(&raw)),
        };
        raw.ok_or_else(|| BadName {
            what: "git object id",
            expected: "40 or 64 lower-case hex digits",
            text: text.to_owned(),
        })
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex())
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not the kind of name it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {what}: expected {expected}")]
pub struct BadName {
    /// What was wanted.
    pub what: &'static str,
    /// Its form.
    pub expected: &'static str,
    /// What was found.
    pub text: String,
}

macro_rules! prefixed_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 16]);

        impl $name {
            /// The first 16 bytes of a digest, which is what these ids are made of.
            pub fn of(digest: &Digest) -> Self {
                let mut id = [0; 16];
                id.copy_from_slice(&digest.0[..16]);
                $name(id)
            }
        }

        impl FromStr for $name {
            type Err = BadName;

            fn from_str(text: &str) -> Result<Self, BadName> {
                text.strip_prefix($prefix).and_then(hex::decode_exact::<16>).map($name).ok_or_else(|| BadName {
                    what: $what,
                    expected: concat!("\"", $prefix, "\" and 32 lower-case hex digits"),
                    text: text.to_owned(),
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), hex::encode(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        text_serde!($name);
    };
}

/// Serialises a type as the text that `Display` writes and `FromStr` reads.
macro_rules! text_serde {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.to_string())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;

                impl serde::de::Visitor<'_> for Text {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a string")
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }

                deserializer.deserialize_str(Text)
            }
        }
    };
}
pub(super) use text_serde;

text_serde!(Oid);

prefixed_id!(
    /// `key_` and the first 32 hex digits of SHA-256(raw public key). For people; comparisons use the raw key.
    KeyId, "key_", "key id"
);
prefixed_id!(
    /// `art_` and the first 32 hex digits of the artifact's digest. For people; bindings use the digest.
    ArtifactId, "art_", "artifact id"
);
prefixed_id!(
    /// `repo_` and the first 32 hex digits of the digest of trust version 1.
    RepositoryId, "repo_", "repository id"
);
prefixed_id!(
    /// `env_` and 32 hex digits, shared by all versions of one envelope.
    EnvelopeId, "env_", "envelope id"
);

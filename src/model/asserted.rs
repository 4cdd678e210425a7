//! The asserted zone: what a party says of itself. Recorded, shown, and read by no rule.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An open JSON object of self-descriptions.
///
/// The content is private and has no accessor that a rule could use: only [`Asserted::for_display`] gives it out, already as text,
/// and the caller escapes it. Could the producer have written it differently while reality stayed the same? Then it is asserted
/// (seed "boundary proofs", "Two zones").
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Asserted(serde_json::Map<String, serde_json::Value>);

impl Asserted {
    /// Nothing said.
    pub fn none() -> Self {
        Asserted::default()
    }

    /// One thing said.
    pub fn one(name: &str, text: &str) -> Self {
        Asserted::none().and(name, text)
    }

    /// And another.
    #[must_use]
    pub fn and(mut self, name: &str, text: &str) -> Self {
        self.0.insert(name.to_owned(), serde_json::Value::String(text.to_owned()));
        self
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `name: value` pairs as text, unescaped, for a screen that labels them as asserted.
    pub fn for_display(&self) -> Vec<(String, String)> {
        self.0
            .iter()
            .map(|(name, value)| {
                let text = match value {
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                (name.clone(), text)
            })
            .collect()
    }
}

impl fmt::Debug for Asserted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asserted({} fields)", self.0.len())
    }
}

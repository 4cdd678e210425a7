//! WASTE: how much of what anybody can write is looked at in vain.
//!
//! A registrar that nobody listed may still carry the line that matters. An honest one has hardly a line that authorises nothing, and no
//! hint that leads to nothing; so it is not how much it wrote that is limited, but how much of that was of no use.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::model::id::KeyId;

/// So many lines and hints of one registrar are looked at in vain in one process.
const MOST_IN_VAIN: u32 = 64;
/// What is said of the rest.
pub const SPENT: &str =
    "so much of this registrar's ref, which is not listed, was looked at in vain that no more of it is";

/// Counts by registrar.
#[derive(Debug, Default)]
pub struct Waste {
    counts: RefCell<BTreeMap<KeyId, u32>>,
}

impl Waste {
    /// Counts one more.
    pub fn charge(&self, registrar: &KeyId) {
        *self.counts.borrow_mut().entry(*registrar).or_default() += 1;
    }

    /// Whether that was enough.
    pub fn is_spent(&self, registrar: &KeyId) -> bool {
        self.counts.borrow().get(registrar).is_some_and(|count| *count >= MOST_IN_VAIN)
    }

    /// All of whom that is so.
    pub fn spent(&self) -> Vec<KeyId> {
        let counts = self.counts.borrow();
        counts.iter().filter(|(_, count)| **count >= MOST_IN_VAIN).map(|(registrar, _)| *registrar).collect()
    }
}

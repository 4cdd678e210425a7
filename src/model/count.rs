//! How many of something, in words.

use std::fmt::Display;

/// `1 entry`, `2 entries`.
pub fn of<N: Display + PartialEq + From<u8>>(count: N, one: &str, several: &str) -> String {
    let word = if count == N::from(1) { one } else { several };
    format!("{count} {word}")
}

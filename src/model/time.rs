//! Seconds since the epoch, written as RFC 3339 UTC with `Z`. The clock itself is always passed in.

use std::fmt;
use std::str::FromStr;

use super::id::text_serde;

/// A moment, to the second. Written `2026-11-29T22:54:29Z` (contract, section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The earliest moment RFC 3339 can write with a four-digit year.
    pub const MIN: Timestamp = Timestamp(-62_135_596_800);
    /// The latest one.
    pub const MAX: Timestamp = Timestamp(253_402_300_799);

    /// This moment and `seconds` more, kept within what can be written.
    pub fn plus(self, seconds: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(seconds).clamp(Self::MIN.0, Self::MAX.0))
    }
}

/// A text that is no moment in the one accepted form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no time: expected RFC 3339 in UTC, such as 2026-06-06T00:00:00Z")]
pub struct NotATime(pub String);

impl FromStr for Timestamp {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let bad = || NotATime(text.to_owned());
        // One spelling for one moment: signed bytes must not have two.
        if text.len() != 20 || !text.ends_with('Z') {
            return Err(bad());
        }
        let parsed: jiff::Timestamp = text.parse().map_err(|_| bad())?;
        let moment = Timestamp(parsed.as_second());
        if moment.to_string() == text { Ok(moment) } else { Err(bad()) }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.0.clamp(Self::MIN.0, Self::MAX.0);
        let moment = jiff::Timestamp::from_second(kept).map_err(|_| fmt::Error)?;
        write!(f, "{}", moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

text_serde!(Timestamp);

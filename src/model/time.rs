//! Seconds since the epoch, written as RFC 3339 UTC with `Z`. The clock itself is always passed in.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};

use super::id::text_serde;

/// Counted from here in civil time, which UTC is: jiff's own timestamps end a day before what can be written does.
const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

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
        let local = text.strip_suffix('Z').filter(|_| text.len() == 20).ok_or_else(bad)?;
        let parsed: DateTime = local.parse().map_err(|_| bad())?;
        let moment = Timestamp(parsed.duration_since(EPOCH).as_secs());
        if moment.to_string() == text { Ok(moment) } else { Err(bad()) }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.0.clamp(Self::MIN.0, Self::MAX.0);
        let moment = EPOCH.checked_add(SignedDuration::from_secs(kept)).map_err(|_| fmt::Error)?;
        write!(f, "{}", moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

text_serde!(Timestamp);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_that_can_be_kept_can_be_written_and_read_again() {
        for (moment, text) in [
            (Timestamp::MIN, "0001-01-01T00:00:00Z"),
            (Timestamp(-1), "1969-12-31T23:59:59Z"),
            (Timestamp(0), "1970-01-01T00:00:00Z"),
            (Timestamp(1_709_208_000), "2024-02-29T12:00:00Z"),
            (Timestamp::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(moment.to_string(), text);
            assert_eq!(text.parse(), Ok(moment));
        }
        assert_eq!(Timestamp(i64::MAX).to_string(), Timestamp::MAX.to_string(), "what is later is kept within");
    }

    #[test]
    fn no_other_spelling_is_read() {
        for text in [
            "",
            "Z",
            "2026-06-06T00:00:00",
            "2026-06-06 00:00:00Z",
            "2026-06-06t00:00:00Z",
            "2026-06-06T00:00:60Z",
            "2026-06-31T00:00:00Z",
            "2026-06-06T24:00:00Z",
            "+26-06-06T00:00:00Z",
            "2026-06-06T00:00:0\u{e9}",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text:?}");
        }
    }
}

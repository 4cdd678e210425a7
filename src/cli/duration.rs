//! Lengths of time as people type them: `8h`, `30m`, `7d`, `1h30m`.

use std::time::Duration;

/// The longest that is taken: ten years of 365 days. More than that is a slip of the finger.
pub const LONGEST: Duration = Duration::from_secs(3650 * 86_400);

const UNITS: [(char, u64); 5] = [('w', 7 * 86_400), ('d', 86_400), ('h', 3600), ('m', 60), ('s', 1)];

/// A text that is no length of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotADuration {
    /// Not numbers with units, largest unit first.
    #[error("{0:?} is no length of time: write 8h, 30m, 7d or 1h30m")]
    Form(String),
    /// Nothing, or longer than anything is meant to last.
    #[error("{0:?} is out of bounds: more than nothing and at most 3650d")]
    Bounds(String),
}

/// Reads a length of time: whole numbers with the units `w d h m s`, each at most once and larger ones first.
///
/// # Errors
/// Another form, zero, or more than [`LONGEST`].
pub fn parse(text: &str) -> Result<Duration, NotADuration> {
    let form = || NotADuration::Form(text.to_owned());
    let bounds = || NotADuration::Bounds(text.to_owned());
    let mut rest = text;
    let mut units = UNITS.iter();
    let mut seconds = 0_u64;
    while !rest.is_empty() {
        let end = rest.find(|character: char| !character.is_ascii_digit()).ok_or_else(form)?;
        let (digits, after) = rest.split_at(end);
        let unit = after.chars().next().ok_or_else(form)?;
        // What was passed over can't come again: that keeps the order.
        let (_, size) = units.find(|(name, _)| *name == unit).ok_or_else(form)?;
        if digits.is_empty() {
            return Err(form());
        }
        let count: u64 = digits.parse().map_err(|_| bounds())?;
        seconds = count.checked_mul(*size).and_then(|more| seconds.checked_add(more)).ok_or_else(bounds)?;
        rest = &after[unit.len_utf8()..];
    }
    if text.is_empty() {
        return Err(form());
    }
    let length = Duration::from_secs(seconds);
    if length.is_zero() || length > LONGEST { Err(bounds()) } else { Ok(length) }
}

/// Writes whole seconds in the same form, in days at most: `1h30m`; `0s` for nothing.
pub fn show(length: Duration) -> String {
    let mut left = length.as_secs();
    let mut text = String::new();
    for (unit, size) in &UNITS[1..] {
        if left >= *size {
            text.push_str(&format!("{}{unit}", left / size));
            left %= size;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LONGEST, NotADuration, parse, show};

    #[test]
    fn lengths_are_read_as_people_write_them() {
        for (text, seconds) in [
            ("8h", 28_800),
            ("30m", 1800),
            ("7d", 604_800),
            ("1h30m", 5400),
            ("1d1s", 86_401),
            ("2w", 1_209_600),
            ("007s", 7),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in
            ["", "8", "h", "8 h", "8H", "1m1h", "1h1h", "-1h", "+1h", "1.5h", "1h ", " 1h", "٣h", "8h\0", "1y", "hh"]
        {
            assert!(matches!(parse(text), Err(NotADuration::Form(_))), "{text:?}");
        }
    }

    #[test]
    fn nothing_and_for_ever_are_out_of_bounds() {
        for text in ["0s", "0h0m", "3651d", "3650d1s", "99999999999999999999h", "18446744073709551615w"] {
            assert!(matches!(parse(text), Err(NotADuration::Bounds(_))), "{text:?}");
        }
        assert_eq!(parse("3650d"), Ok(LONGEST));
    }

    #[test]
    fn what_is_shown_reads_back() {
        for seconds in [1, 59, 60, 61, 3600, 28_800, 86_400, 90_061, 315_360_000] {
            let length = Duration::from_secs(seconds);
            assert_eq!(parse(&show(length)), Ok(length));
        }
        assert_eq!(show(Duration::from_secs(5400)), "1h30m");
        assert_eq!(show(Duration::ZERO), "0s");
    }
}

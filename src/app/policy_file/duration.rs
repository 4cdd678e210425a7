//! Spans of time as people write them: `8h`, `90m`, `1d12h`.

/// Reads a span of time: whole numbers, each with a unit (`s`, `m`, `h`, `d`, `w`), the larger unit first. In seconds, at least one.
pub fn parse_duration(text: &str) -> Result<u64, NotADuration> {
    let bad = || NotADuration(text.to_owned());
    let mut total: u64 = 0;
    let mut last_unit = u64::MAX;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().map_err(|_| bad())?;
        let unit = match rest.as_bytes().get(digits) {
            Some(b's') => 1,
            Some(b'm') => 60,
            Some(b'h') => 60 * 60,
            Some(b'd') => 24 * 60 * 60,
            Some(b'w') => 7 * 24 * 60 * 60,
            _ => return Err(bad()),
        };
        // In order and once each: `1h1h` is a slip of the hand, not two hours.
        if unit >= last_unit {
            return Err(bad());
        }
        last_unit = unit;
        total = number.checked_mul(unit).and_then(|seconds| total.checked_add(seconds)).ok_or_else(bad)?;
        rest = &rest[digits + 1..];
    }
    if total == 0 { Err(bad()) } else { Ok(total) }
}

/// A text that is no span of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no span of time: expected whole numbers with s, m, h, d or w, such as 8h, 90m or 1d12h")]
pub struct NotADuration(pub String);

#[cfg(test)]
mod tests {
    use super::parse_duration;

    #[test]
    fn units_add_up_from_the_largest() {
        for (text, seconds) in [("8h", 28_800), ("90m", 5_400), ("1d12h", 129_600), ("45s", 45), ("2w", 1_209_600)] {
            assert_eq!(parse_duration(text), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn what_could_be_misread_is_refused() {
        for text in [
            "",
            "8",
            "h",
            "8 h",
            "0h",
            "-8h",
            "+8h",
            "1h1h",
            "1m1h",
            "8H",
            "1.5h",
            "8hours",
            "99999999999999999999s",
            "９h",
        ] {
            assert!(parse_duration(text).is_err(), "{text:?} was read as a span of time");
        }
    }
}

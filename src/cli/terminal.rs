//! What a terminal may be shown: strangers' text made harmless, and whether it takes colour.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

/// Code points that would not be seen, or would change what is seen around them: controls, joiners and other zero-width characters,
/// bidirectional overrides and isolates, line and paragraph separators, variation selectors, tags. Ascending, ends included.
///
/// From Unicode's `Cc`, `Zl`, `Zp`, `Default_Ignorable_Code_Point`, and those of `Cf` that have no glyph.
const UNSEEN: [(u32, u32); 20] = [
    (0x0000, 0x001f),
    (0x007f, 0x009f),
    (0x00ad, 0x00ad),
    (0x034f, 0x034f),
    (0x061c, 0x061c),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
];

/// Whether a terminal would show `character` as itself and nothing else by it.
pub fn is_plain(character: char) -> bool {
    // Nearly all text is this.
    if (' '..='~').contains(&character) {
        return true;
    }
    let point = u32::from(character);
    !UNSEEN.iter().any(|(first, last)| (*first..=*last).contains(&point))
}

/// `text` with everything that [`is_plain`] rejects written out: `\n`, `\x1b`, `\u{202e}`. Plain text comes back unchanged.
///
/// One line in, one line out. A backslash stays a backslash, so this is for eyes, not for reading back.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(text, &mut out);
    out
}

/// The same for bytes of any kind; what is no UTF-8 is written as `\xff`.
pub fn escape_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        escape_into(chunk.valid(), &mut out);
        for byte in chunk.invalid() {
            // Writing to a String can't fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

/// The same for what the system hands over.
pub fn escape_os(text: &OsStr) -> String {
    escape_bytes(text.as_encoded_bytes())
}

/// The same for a path.
pub fn escape_path(path: &Path) -> String {
    escape_os(path.as_os_str())
}

fn escape_into(text: &str, out: &mut String) {
    for character in text.chars() {
        let _ = match character {
            _ if is_plain(character) => {
                out.push(character);
                Ok(())
            }
            '\n' => write!(out, "\\n"),
            '\r' => write!(out, "\\r"),
            '\t' => write!(out, "\\t"),
            '\0'..='\u{7f}' => write!(out, "\\x{:02x}", u32::from(character)),
            _ => write!(out, "\\u{{{:x}}}", u32::from(character)),
        };
    }
}

/// Whether to use colour on a stream: `lookup` gives environment variables.
///
/// `NO_COLOR` and `CLICOLOR=0` switch it off, `CLICOLOR_FORCE` on; otherwise a terminal that is not `dumb` gets it, and so does git's
/// pager, as with git's own commands.
pub fn takes_colour(is_terminal: bool, lookup: &dyn Fn(&str) -> Option<std::ffi::OsString>) -> bool {
    let set = |name: &str| lookup(name).filter(|value| !value.is_empty());
    let zero = |value: &std::ffi::OsString| value == "0";
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| !zero(&value)) {
        return true;
    }
    if set("CLICOLOR").is_some_and(|value| zero(&value)) || set("TERM").is_none_or(|term| term == "dumb") {
        return false;
    }
    let paged = set("GIT_PAGER_IN_USE").is_some_and(|value| value == "true" || value == "1");
    is_terminal || paged
}

#[cfg(test)]
#[path = "terminal_tests.rs"]
mod tests;

//! What different file systems take for one and the same path.
//!
//! A scope that excludes `secret/` would be worth little if `SECRET/`, `secret./` or `s\u{200c}ecret/` went past it and landed in the
//! same directory on somebody's machine. So a path is *folded* to one form for all its spellings, and exclusions, approval paths and the
//! automation class look at that form too (contract, section 4). Folding may take two honest paths for one; it is only ever used to
//! refuse or to ask.

use unicode_normalization::UnicodeNormalization;

/// Stands in a folded path for bytes that are no UTF-8. Systems drop, replace or reject such bytes, so a match must reckon with any
/// text in their place, within the segment.
pub const ANYTHING: u8 = 0xff;

/// Stands in a [`short_reading`] where the long name may have had dots or spaces.
pub const DOTS: u8 = 0xfe;

/// The one form of all spellings of `path` that some file system takes for the same.
///
/// In this order: bytes that are no UTF-8 become [`ANYTHING`]; code points that HFS+, APFS or ext4 ignore go away; letter case and
/// Unicode normalisation are levelled; `\` is `/`; from each segment go an alternate stream (`:` and all after it, so also `::$DATA`),
/// dots and spaces at its end; `..` takes its parent away and empty segments vanish. Folding a folded path changes nothing.
pub fn fold(path: &[u8]) -> Vec<u8> {
    let levelled = fold_characters(path);
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for segment in levelled.split(|byte| matches!(byte, b'/' | b'\\')) {
        if segment.iter().rev().skip_while(|byte| **byte == b' ').eq(b"..") {
            kept.pop();
            continue;
        }
        let folded = fold_segment(segment);
        if !folded.is_empty() {
            kept.push(folded);
        }
    }
    kept.join(&b'/')
}

/// The part of [`fold`] that is about characters: case, normalisation, ignored code points, bytes that are no UTF-8.
pub fn fold_characters(path: &[u8]) -> Vec<u8> {
    let mut folded = Vec::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        if chunk.valid().is_ascii() {
            folded.extend(chunk.valid().bytes().map(|byte| byte.to_ascii_lowercase()));
        } else {
            folded.extend(level(chunk.valid()).into_bytes());
        }
        if !chunk.invalid().is_empty() && folded.last() != Some(&ANYTHING) {
            folded.push(ANYTHING);
        }
    }
    folded
}

/// [`fold_characters`], and `\` as the separator it is on Windows.
pub(super) fn fold_backslashes(text: &[u8]) -> Vec<u8> {
    let mut folded = fold_characters(text);
    folded.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    folded
}

/// What long names a folded path may stand for if its segments like `secret~1` are the short names that NTFS and FAT give.
///
/// `None` where no segment looks like one. In the result [`ANYTHING`] stands for what a short name leaves out, [`DOTS`] for dots and
/// spaces that it drops.
pub fn short_reading(folded: &[u8]) -> Option<Vec<u8>> {
    let segments: Vec<_> = folded.split(|byte| *byte == b'/').collect();
    let readings: Vec<_> = segments.iter().map(|segment| long_names(segment)).collect();
    if readings.iter().all(Option::is_none) {
        return None;
    }
    let chosen: Vec<_> = readings
        .into_iter()
        .zip(segments)
        .map(|(reading, segment)| reading.unwrap_or_else(|| segment.to_vec()))
        .collect();
    Some(chosen.join(&b'/'))
}

fn fold_segment(segment: &[u8]) -> Vec<u8> {
    let name = segment.split(|byte| *byte == b':').next().unwrap_or_default();
    let trailing = name.iter().rev().take_while(|byte| matches!(**byte, b'.' | b' ' | ANYTHING)).count();
    let (kept, tail) = name.split_at(name.len() - trailing);
    let mut folded = kept.to_vec();
    // Were the unknown bytes dropped, the dots before them would be at the end.
    if tail.contains(&ANYTHING) {
        folded.push(ANYTHING);
    }
    folded
}

/// Canonical caseless form, near enough: full case mappings both ways, so that `ß` meets `SS` and the Kelvin sign meets `k`.
fn level(text: &str) -> String {
    let mut levelled: String = text.to_owned();
    // One round is nearly always enough; a mapping can bring out a character that decomposes or maps again.
    for _ in 0..8 {
        let again: String = levelled
            .chars()
            .filter(|character| !is_ignorable(*character))
            .nfd()
            .flat_map(char::to_lowercase)
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
            .nfd()
            .collect();
        if again == levelled {
            break;
        }
        levelled = again;
    }
    levelled
}

/// Unicode's `Default_Ignorable_Code_Point`, which ext4 skips; the ones that HFS+ skips are among them.
fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// `stem~1.ext`: a stem of at most six, a number, an extension of at most three.
fn long_names(segment: &[u8]) -> Option<Vec<u8>> {
    let (base, extension) = match segment.iter().rposition(|byte| *byte == b'.') {
        Some(dot) => (&segment[..dot], Some(&segment[dot + 1..])),
        None => (segment, None),
    };
    let tilde = base.iter().rposition(|byte| *byte == b'~')?;
    let (stem, number) = (&base[..tilde], &base[tilde + 1..]);
    let is_short = base.len() <= 8
        && !stem.is_empty()
        && !number.is_empty()
        && number.iter().all(u8::is_ascii_digit)
        && extension.is_none_or(|text| text.len() <= 3);
    if !is_short {
        return None;
    }
    // From the fifth clash on, NTFS keeps one or two letters and puts four digits of a hash behind them.
    let hashed = matches!(stem.len(), 5 | 6) && stem[stem.len() - 4..].iter().all(u8::is_ascii_hexdigit);
    let letters = if hashed { &stem[..stem.len() - 4] } else { stem };
    let mut reading = vec![DOTS];
    push_letters(&mut reading, letters);
    reading.push(ANYTHING);
    if let Some(extension) = extension {
        reading.push(b'.');
        push_letters(&mut reading, extension);
        reading.push(ANYTHING);
    }
    Some(reading)
}

fn push_letters(reading: &mut Vec<u8>, letters: &[u8]) {
    for letter in letters {
        // An underscore replaces what a short name can't have.
        reading.extend([if *letter == b'_' { ANYTHING } else { *letter }, DOTS]);
    }
}

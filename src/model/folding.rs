//! What different file systems take for one and the same path.
//!
//! A scope that excludes `secret/` would be worth little if `SECRET/`, `secret./` or `s\u{200c}ecret/` went past it and landed in the
//! same directory on somebody's machine. So a path is *folded* to one form for all its spellings, and exclusions, approval paths and the
//! automation class look at that form too (contract, section 4). Folding may take two honest paths for one; it is only ever used to
//! refuse or to ask.

use unicode_normalization::UnicodeNormalization;

/// Stands in a folded path for bytes that are no UTF-8.
///
/// Some systems drop such bytes, some put a replacement character, the letter of an old encoding or an escape of hex digits in their
/// place. So a match must reckon with any such text here (see [`may_replace`]).
pub const UNREADABLE: u8 = 0xff;

/// Stands in a [`short_reading`] for the part of a long name that its short name leaves out.
pub const LEFT_OUT: u8 = 0xfd;

/// Stands in a [`short_reading`] where the long name may have had dots or spaces.
pub const DOTS: u8 = 0xfe;

/// What a byte of a folded path may stand for, where it is one of the three above: text of any length of bytes that satisfy the answer.
pub fn stands_for(byte: u8) -> Option<fn(u8) -> bool> {
    match byte {
        UNREADABLE => Some(may_replace),
        LEFT_OUT => Some(|byte| byte != b'/'),
        DOTS => Some(|byte| matches!(byte, b'.' | b' ')),
        _ => None,
    }
}

/// The one form of all spellings of `path` that some file system takes for the same.
///
/// In this order: bytes that are no UTF-8 become [`UNREADABLE`]; code points that HFS+, APFS or ext4 ignore go away; letter case and
/// Unicode normalisation are levelled; `\` is `/`; from each segment go an alternate stream (`:` and all after it, so also `::$DATA`),
/// dots and spaces at its end; `..` takes its parent away and empty segments vanish. Folding a folded path changes nothing.
pub fn fold(path: &[u8]) -> Vec<u8> {
    if is_plain(path) {
        return path.to_ascii_lowercase();
    }
    fold_any(path)
}

fn fold_any(path: &[u8]) -> Vec<u8> {
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

/// Whether nothing of a path but letter case is ever levelled, as of nearly every path that there is: letters, digits, `_`, `-` and dots of
/// ASCII, in segments of which none is empty or ends with a dot.
pub fn is_plain(path: &[u8]) -> bool {
    let mut before = b'/';
    for &byte in path {
        match byte {
            b'/' if matches!(before, b'/' | b'.') => return false,
            b'/' | b'.' | b'_' | b'-' => {}
            _ if byte.is_ascii_alphanumeric() => {}
            _ => return false,
        }
        before = byte;
    }
    !matches!(before, b'/' | b'.')
}

/// Whether `byte`, of a folded path, may be part of what a system puts in the place of bytes that are no UTF-8. Never a separator, a
/// dot or a space, so that no such bytes make up an extension.
pub fn may_replace(byte: u8) -> bool {
    byte >= 0x80 || byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'?' | b'_')
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
        if !chunk.invalid().is_empty() && folded.last() != Some(&UNREADABLE) {
            folded.push(UNREADABLE);
        }
    }
    folded
}

/// [`fold_characters`], and `\` as the separator it is on Windows.
pub fn fold_backslashes(text: &[u8]) -> Vec<u8> {
    let mut folded = fold_characters(text);
    folded.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    folded
}

/// What long names a folded path may stand for if its segments like `secret~1` are the short names that NTFS and FAT give.
///
/// `None` where no segment looks like one.
pub fn short_reading(folded: &[u8]) -> Option<Vec<u8>> {
    if !folded.contains(&b'~') {
        return None;
    }
    let mut is_short = false;
    let mut reading = |segment: &[u8]| match long_names(segment) {
        Some(long) => {
            is_short = true;
            long
        }
        None => segment.to_vec(),
    };
    let segments: Vec<_> = folded.split(|byte| *byte == b'/').map(&mut reading).collect();
    is_short.then(|| segments.join(&b'/'))
}

/// Whether some file system may take a segment of what `folded` was for git's own directory `.git`: in any letter case, with code points
/// it ignores, with dots, spaces or a stream's name at the end, or under the short name that NTFS or FAT gives.
///
/// git itself refuses a part of these in trees; whatever it refuses is refused here.
pub fn leads_into_dot_git(folded: &[u8]) -> bool {
    folded
        .split(|byte| *byte == b'/')
        .any(|segment| segment == b".git" || long_names(segment).is_some_and(|long| stands_for_git(&long)))
}

/// Whether the letters that a short name kept are the first ones of `git`: a leading dot goes away in short names, and there is no extension.
fn stands_for_git(long: &[u8]) -> bool {
    let letters: Vec<u8> = long.iter().copied().filter(|byte| stands_for(*byte).is_none()).collect();
    !letters.is_empty() && b"git".starts_with(&letters)
}

fn fold_segment(segment: &[u8]) -> Vec<u8> {
    let name = segment.split(|byte| *byte == b':').next().unwrap_or_default();
    let trailing = name.iter().rev().take_while(|byte| matches!(**byte, b'.' | b' ' | UNREADABLE)).count();
    let (kept, tail) = name.split_at(name.len() - trailing);
    let mut folded = kept.to_vec();
    // Were the unknown bytes dropped, the dots before them would be at the end.
    if tail.contains(&UNREADABLE) {
        folded.push(UNREADABLE);
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
    reading.push(LEFT_OUT);
    if let Some(extension) = extension {
        reading.push(b'.');
        push_letters(&mut reading, extension);
        reading.push(LEFT_OUT);
    }
    Some(reading)
}

fn push_letters(reading: &mut Vec<u8>, letters: &[u8]) {
    for letter in letters {
        // An underscore replaces what a short name can't have.
        reading.extend([if *letter == b'_' { LEFT_OUT } else { *letter }, DOTS]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{UNREADABLE, fold, fold_any, leads_into_dot_git, short_reading};

    fn folds_to(path: impl AsRef<[u8]>, folded: &str) {
        assert_eq!(fold(path.as_ref()).escape_ascii().to_string(), folded.as_bytes().escape_ascii().to_string());
    }

    #[test]
    fn letter_case_is_levelled_beyond_ascii() {
        folds_to("SRC/Secret", "src/secret");
        folds_to("ſecret-STRASSE-\u{212a}", "secret-strasse-k");
        folds_to("straße", "strasse");
        folds_to("STRAẞE", "strasse");
        folds_to("ΣΊΣΥΦΟΣ", "σι\u{301}συφοσ");
        folds_to("σίσυφος", "σι\u{301}συφοσ");
    }

    #[test]
    fn composed_and_decomposed_letters_are_one() {
        folds_to("café", "cafe\u{301}");
        folds_to("cafe\u{301}", "cafe\u{301}");
        folds_to("\u{212b}", "a\u{30a}");
    }

    #[test]
    fn code_points_that_hfs_or_ext4_ignores_go_away() {
        for ignored in ['\u{200c}', '\u{200d}', '\u{202e}', '\u{206f}', '\u{feff}', '\u{ad}', '\u{fe0f}', '\u{e0041}'] {
            folds_to(format!("se{ignored}cret"), "secret");
        }
    }

    #[test]
    fn what_ntfs_ignores_at_the_end_of_a_name_goes_away() {
        folds_to("secret./key. .", "secret/key");
        folds_to("secret::$INDEX_ALLOCATION/key::$DATA", "secret/key");
        folds_to("key.txt:stream", "key.txt");
        folds_to("key.:stream", "key");
    }

    #[test]
    fn a_backslash_separates_and_a_parent_leads_out() {
        folds_to("docs\\key", "docs/key");
        folds_to("docs\\..\\secret", "secret");
        folds_to("..\\secret", "secret");
        folds_to("docs/.../key", "docs/key");
    }

    proptest! {
        #[test]
        fn the_short_way_for_plain_paths_leads_to_the_same(path in "[a-cA-C_./-]{0,9}") {
            prop_assert_eq!(fold(path.as_bytes()), fold_any(path.as_bytes()));
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8_become_one_mark() {
        assert_eq!(fold(b"caf\xe9\xe8.txt"), [b"caf", &[UNREADABLE][..], b".txt"].concat());
        // A surrogate in UTF-8 clothes is none of it either.
        assert_eq!(fold(b"a\xed\xa0\x80b"), [b"a", &[UNREADABLE][..], b"b"].concat());
        assert_eq!(fold(b"secret.\xff"), [b"secret", &[UNREADABLE][..]].concat());
    }

    #[test]
    fn only_a_name_of_the_short_form_has_a_short_reading() {
        for name in ["github~1", "src/secre~12/key", "makefi~1.txt", "gi7eb8~1", "a/b~9"] {
            assert!(short_reading(name.as_bytes()).is_some(), "{name}");
        }
        for name in ["github", "notes~", "~1", "secrets~1", "secret~x", "secret~1.toml", "a~b/c", "verylong~123"] {
            assert!(short_reading(name.as_bytes()).is_none(), "{name}");
        }
    }

    #[test]
    fn only_what_some_file_system_takes_for_it_is_git_s_own_directory() {
        for name in [".git", ".GIT", ".g\u{200c}it", ".git. ", ".git::$INDEX_ALLOCATION", "git~1", "GIT~12", "gi7eba~1"]
        {
            assert!(leads_into_dot_git(&fold(name.as_bytes())), "{name:?}");
        }
        for name in [
            "git",
            ".gitignore",
            ".github",
            ".git.d",
            "a.git",
            "..git",
            "git~",
            "git~x",
            "gitmod~1",
            "git~1.txt",
            "~1",
            ".gi",
        ] {
            assert!(!leads_into_dot_git(&fold(name.as_bytes())), "{name:?}");
        }
    }

    proptest! {
        // Another implementation of what git itself refuses in trees.
        #[test]
        fn what_git_refuses_as_its_own_directory_is_refused(name in "(\\.|\u{200c}|git~1){0,2}[gG\u{feff}]{0,2}[iI\u{206a}]{0,2}[tT]{0,1}(~1|[. :]|\u{200e}|x){0,3}") {
            use gix::validate::path::component::{Error, Options};
            let options = Options { protect_windows: false, protect_hfs: true, protect_ntfs: true };
            let refused = gix::validate::path::component(name.as_str().into(), None, options);
            if matches!(refused, Err(Error::DotGitDir)) {
                prop_assert!(leads_into_dot_git(&fold(name.as_bytes())), "{:?}", name);
            }
        }

        #[test]
        fn folding_a_folded_path_changes_nothing(path in prop::collection::vec(any::<u8>(), 0..40)) {
            let folded = fold(&path);
            prop_assert_eq!(fold(&folded), folded);
        }

        #[test]
        fn folding_folded_text_changes_nothing(path in "[\\PC/\\\\.: \u{200c}\u{345}\u{130}ẞŉΐﬃǰ]{0,20}") {
            let folded = fold(path.as_bytes());
            prop_assert_eq!(fold(&folded), folded);
        }

        #[test]
        fn normal_form_and_case_do_not_change_what_a_path_folds_to(path in "[a-zA-Zà-žα-ωΑ-Ω가-힣]{1,8}") {
            use unicode_normalization::UnicodeNormalization as _;
            let folded = fold(path.as_bytes());
            for other in [path.nfc().collect::<String>(), path.nfd().collect(), path.to_uppercase(), path.to_lowercase()] {
                prop_assert_eq!(fold(other.as_bytes()), folded.clone(), "{:?}", other);
            }
        }
    }
}

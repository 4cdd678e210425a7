//! The shipped shims, and the same lines as a block in a hook that was there.
//!
//! A block stands at the top, so that it reads git's list before anything else can; it gives the whole list to what
//! follows. Insertion and removal are exact inverses, byte for byte.

use std::path::{Path, PathBuf};

use super::name::HookName;

/// First line of a file that we make.
pub(super) const SHEBANG: &[u8] = b"#!/bin/sh\n";
/// The line of the shipped shims that the recorded path of the binary goes into.
const RECORDED: &str = "boundary_at=''\n";

/// How the first line of a block ends, for each [`Variant`].
const OWN: &str = " >>>";
const WITHIN: &str = ", ahead of a hook that was here >>>";
const BESIDE: &str = ", beside a hook that was here >>>";

/// How a block came into its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Variant {
    /// Nothing was there: the file is ours.
    Own,
    /// Put in front of a shell script.
    Within,
    /// In place of a hook that is kept under this name in the directory beside, and started from here.
    Beside(String),
}

/// A block found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub variant: Variant,
    /// The recorded path of the binary; `None` in a shim as it is shipped.
    pub recorded: Option<PathBuf>,
    /// Where its first line begins and where its last line ends, without the newline.
    pub range: std::ops::Range<usize>,
}

/// Block lines that are not one whole block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Torn;

/// The text of `hooks/<name>`.
pub(super) fn shipped(name: HookName) -> &'static str {
    match name {
        HookName::PrePush => include_str!("../../hooks/pre-push"),
        HookName::PreReceive => include_str!("../../hooks/pre-receive"),
        HookName::PostReceive => include_str!("../../hooks/post-receive"),
    }
}

/// A block without the newline at its end. `directory` is the name of the directory the hook stands in.
pub(super) fn render(name: HookName, variant: &Variant, binary: Option<&Path>, directory: &str) -> Vec<u8> {
    let shipped = shipped(name);
    let body = shipped.strip_prefix("#!/bin/sh\n").unwrap_or(shipped);
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    let (before, after) = rest.split_once(RECORDED).unwrap_or((rest, ""));
    let (after, last) = after.trim_end_matches('\n').rsplit_once('\n').unwrap_or((after, ""));
    let begin = first.strip_suffix(OWN).unwrap_or(first);
    let how = match variant {
        Variant::Own => OWN,
        Variant::Within => WITHIN,
        Variant::Beside(_) => BESIDE,
    };
    let mut block = format!("{begin}{how}\n{before}boundary_at=").into_bytes();
    block.extend(quote(&binary.map(path_bytes).unwrap_or_default()));
    block.extend(format!("\n{after}\n").bytes());
    if let Variant::Beside(kept) = variant {
        block.extend(b"boundary_next=${0%/*}/../");
        block.extend(quote(beside(directory).as_bytes()));
        block.push(b'/');
        block.extend(quote(kept.as_bytes()));
        block.extend(b"\n[ ! -x \"$boundary_next\" ] || exec \"$boundary_next\" \"$@\"\n");
    }
    block.extend(last.bytes());
    block
}

/// The directory beside a hooks directory of this name, in which hooks are kept that are no shell scripts.
///
/// Beside and not within, so that relative links and `../..` keep their meaning; under the hook's own name, because
/// some hooks look at what they are called.
pub(super) fn beside(directory: &str) -> String {
    format!("{directory}.boundary-next")
}

/// The one block of this hook in a file; `None` when there is none.
pub(super) fn find(name: HookName, content: &[u8]) -> Result<Option<Block>, Torn> {
    let (begin, end) = (format!("# >>> git-boundary {name}"), format!("# <<< git-boundary {name} <<<"));
    let mut found = None;
    let mut open = None;
    for (start, line) in lines(content) {
        let begins =
            line.strip_prefix(begin.as_bytes()).filter(|rest| rest.starts_with(b" >") || rest.starts_with(b","));
        match (begins, open) {
            (Some(how), None) if found.is_none() => open = Some((start, how)),
            (Some(_), _) => return Err(Torn),
            (None, Some((at, how))) if line == end.as_bytes() => {
                found = Some(block(&content[at..start], how, at..start + line.len()).ok_or(Torn)?);
                open = None;
            }
            (None, None) if line == end.as_bytes() => return Err(Torn),
            _ => {}
        }
    }
    if open.is_some() { Err(Torn) } else { Ok(found) }
}

fn block(text: &[u8], how: &[u8], range: std::ops::Range<usize>) -> Option<Block> {
    let value = |key: &str| lines(text).find_map(|(_, line)| line.strip_prefix(key.as_bytes()));
    let recorded = unquote(value("boundary_at=")?)?;
    let variant = match str::from_utf8(how).ok()? {
        OWN => Variant::Own,
        WITHIN => Variant::Within,
        BESIDE => {
            let path = value("boundary_next=")?;
            let name = path.windows(3).rposition(|three| three == b"'/'").map(|at| &path[at + 2..])?;
            Variant::Beside(String::from_utf8(unquote(name)?).ok().filter(|name| !name.contains('/'))?)
        }
        _ => return None,
    };
    let recorded = (!recorded.is_empty()).then(|| bytes_path(recorded));
    Some(Block { variant, recorded, range })
}

/// Lines with the offset of their beginning, without their ends.
pub(super) fn lines(content: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    content.split_inclusive(|byte| *byte == b'\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.strip_suffix(b"\n").unwrap_or(line))
    })
}

/// A path as one word for `sh`, to be shown in a command.
pub(super) fn quote_path(path: &Path) -> String {
    String::from_utf8_lossy(&quote(&path_bytes(path))).into_owned()
}

/// One word for `sh`.
fn quote(raw: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in raw {
        match byte {
            b'\'' => word.extend(b"'\\''"),
            byte => word.push(*byte),
        }
    }
    word.push(b'\'');
    word
}

fn unquote(word: &[u8]) -> Option<Vec<u8>> {
    let inner = word.strip_prefix(b"'")?.strip_suffix(b"'")?;
    let mut raw = Vec::new();
    let mut rest = inner;
    while let Some((first, more)) = rest.split_first() {
        match first {
            b'\'' => {
                rest = more.strip_prefix(b"\\''")?;
                raw.push(b'\'');
            }
            first => {
                raw.push(*first);
                rest = more;
            }
        }
    }
    Some(raw)
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

#[cfg(unix)]
fn bytes_path(raw: Vec<u8>) -> PathBuf {
    PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(raw))
}

/// git's own shell reads forward slashes everywhere.
#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

#[cfg(not(unix))]
fn bytes_path(raw: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&raw).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_of(variant: Variant, binary: Option<&str>) -> Block {
        let text = render(HookName::PrePush, &variant, binary.map(Path::new), "ho'oks");
        let found = find(HookName::PrePush, &text).expect("it is whole").expect("it is one");
        assert_eq!(found.range, 0..text.len());
        found
    }

    #[test]
    fn what_is_rendered_is_found_again() {
        for variant in [Variant::Own, Variant::Within, Variant::Beside("pre-'push".into())] {
            let block = block_of(variant.clone(), Some("/o'dd dir/'/git-boundary"));
            assert_eq!(block.variant, variant);
            assert_eq!(block.recorded.as_deref(), Some(Path::new("/o'dd dir/'/git-boundary")));
        }
    }

    #[test]
    fn a_shim_as_shipped_is_a_block_that_records_no_path() {
        for name in HookName::ALL {
            let found = find(name, shipped(name).as_bytes()).expect("it is whole").expect("it is one");
            assert_eq!((found.variant, found.recorded), (Variant::Own, None));
            let other = HookName::ALL.into_iter().find(|other| *other != name).expect("there are three");
            assert_eq!(find(other, shipped(name).as_bytes()), Ok(None), "a shim answers for its own hook alone");
        }
    }

    #[test]
    fn without_a_path_to_record_a_rendered_file_is_the_shipped_one() {
        for name in HookName::ALL {
            let file = [SHEBANG, &render(name, &Variant::Own, None, "hooks"), b"\n"].concat();
            assert_eq!(String::from_utf8_lossy(&file), shipped(name));
        }
    }

    #[test]
    fn the_shims_that_refuse_differ_in_words_alone() {
        let bare = |name: HookName| {
            let text = shipped(name).replace(name.as_str(), "HOOK");
            let quiet = |line: &&str| !line.starts_with('#') && !line.contains("refused:") && !line.contains("next:");
            text.lines().filter(quiet).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(bare(HookName::PrePush), bare(HookName::PreReceive));
    }

    #[test]
    fn half_a_block_or_two_of_them_are_told_from_one() {
        let whole = render(HookName::PrePush, &Variant::Own, None, "hooks");
        let twice = [&whole[..], b"\n", &whole].concat();
        let (half, _) = whole.split_at(whole.len() - 10);
        let end = b"# <<< git-boundary pre-push <<<\n";
        for torn in [&twice[..], half, &end[..]] {
            assert_eq!(find(HookName::PrePush, torn), Err(Torn));
        }
    }
}

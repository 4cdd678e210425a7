//! The line people add where we do not write, and how it is found again.

use super::edit::runs_before;
use super::name::HookName;
use super::shim::lines;

/// A line, added by hand, that runs git-boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    /// Whether something runs before it, which may have read git's list.
    pub after_others: bool,
}

/// What to add, to a hook with this content or to none.
///
/// It names no path, because such files travel to other machines. What else reads the list still gets it.
pub(super) fn line(name: HookName, content: Option<&[u8]>) -> String {
    let run = format!("git-boundary hook run {name} \"$@\"");
    if content.is_some_and(reads_input) {
        let kept = "boundary=$(mktemp) && cat >\"$boundary\"";
        return format!(
            "{kept} && {run} <\"$boundary\" || {{ rm -f \"$boundary\"; exit 1; }}; exec <\"$boundary\"; rm -f \"$boundary\""
        );
    }
    format!("{run} || exit 1")
}

/// The first line that runs us as this hook, comments aside.
pub(super) fn find(name: HookName, content: &[u8]) -> Option<Call> {
    let (start, _) = lines(content).find(|(_, line)| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_start();
        let runs = |command: &str| {
            text.split_once(&format!("{command} hook run {name}")).is_some_and(|(_, rest)| !rest.starts_with('-'))
        };
        !text.starts_with('#') && (runs("git-boundary") || runs("git boundary"))
    })?;
    Some(Call { after_others: runs_before(content, start) })
}

/// Whether a script looks as if it read its standard input.
fn reads_input(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let readers = ["read", "cat", "xargs", "while", "awk", "stdin", "lfs", "lefthook", "pre-commit"];
    code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')))
        .any(|word| readers.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUSH: HookName = HookName::PrePush;

    #[test]
    fn the_line_to_add_is_found_when_it_was_added() {
        for content in [None, Some(&b"git lfs pre-push \"$@\"\n"[..])] {
            let hook = format!("#!/bin/sh\n# ours\n{}\nnpm test\n", line(PUSH, content));
            assert_eq!(find(PUSH, hook.as_bytes()), Some(Call { after_others: false }));
            assert_eq!(find(HookName::PreReceive, hook.as_bytes()), None);
        }
    }

    #[test]
    fn where_others_read_the_list_the_line_keeps_it_for_them() {
        assert!(line(PUSH, Some(b"while read -r a b c d; do :; done")).contains("mktemp"));
        assert!(!line(PUSH, Some(b"npm test # readme")).contains("mktemp"));
    }

    #[test]
    fn a_comment_does_not_run_us_and_a_line_before_may_eat_the_list() {
        assert_eq!(find(PUSH, b"# git boundary hook run pre-push\n"), None);
        assert_eq!(find(PUSH, b"git boundary hook run pre-push-x\n"), None);
        assert_eq!(
            find(PUSH, b"#!/bin/sh\ncat\ngit boundary hook run pre-push \"$@\"\n"),
            Some(Call { after_others: true })
        );
    }
}

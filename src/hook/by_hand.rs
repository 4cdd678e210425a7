//! The line people add where we do not write, and how it is found again.

use super::edit::runs_before;
use super::name::HookName;
use super::shim::lines;

/// A line, added by hand, that runs git-boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    /// Whether something runs before it, which may have read git's list.
    pub after_others: bool,
    /// Whether the hook ends with a refusal when ours refuses.
    pub heeded: bool,
}

impl Call {
    /// Whether git's push is judged by it as by a shim of ours.
    pub(super) fn is_sound(self) -> bool {
        self.heeded && !self.after_others
    }
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

/// The first line that runs us as this hook. `strict` says that the script is run with `-e`.
///
/// A shell script cannot be understood by looking at it: this errs towards not seeing a call that is there.
pub(super) fn find(name: HookName, content: &[u8], strict: bool) -> Option<Call> {
    let (start, end, before, after) = lines(content).find_map(|(start, line)| {
        // A quoted path is a path.
        let text = String::from_utf8_lossy(line).replace(['"', '\''], "");
        let (before, after) = call_in(name, &text)?;
        Some((start, start + line.len(), before.to_owned(), after.to_owned()))
    })?;
    let heeded = match after.split_once("||") {
        Some((args, then)) => !args.contains(['|', '&']) && ends(then),
        None if after.contains(['|', '&']) => false,
        None => {
            let first = before.split_whitespace().next().unwrap_or_default();
            strict || first == "exec" || first == "if" || stops_at_failure(&content[..start]) || !runs(&content[end..])
        }
    };
    Some(Call { after_others: runs_before(content, start), heeded })
}

/// What stands before and after a call of ours in a line, when it stands where a command does.
fn call_in(name: HookName, line: &str) -> Option<(&str, &str)> {
    let command = format!(" hook run {name}");
    let line = line.trim_start();
    let at = ["git-boundary", "git boundary"].iter().find_map(|run| line.find(&format!("{run}{command}")))?;
    let (before, call) = line.split_at(at);
    let after = call.split_once(&command)?.1;
    // A path to the binary is part of the call.
    let before = if before.ends_with('/') { before.rsplit_once(' ').map_or("", |cut| cut.0) } else { before };
    let stands = match before.split_whitespace().next_back() {
        None => true,
        Some("exec" | "command" | "if" | "!" | "&&" | "then" | "{" | "(") => true,
        Some(word) => word.ends_with(';') || word.split_once('=').is_some_and(|(name, _)| is_name(name)),
    };
    (stands && !before.starts_with('#') && !after.starts_with('-')).then_some((before, after))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether what is done after a failure ends the hook with one.
fn ends(then: &str) -> bool {
    let mut words = then.split(|c: char| c.is_whitespace() || c == ';').filter(|word| !word.is_empty());
    words.any(|word| word == "exit" || word == "return") && !then.contains("exit 0") && !then.contains("return 0")
}

/// Whether a script, up to here, asked its shell to end at the first failure.
fn stops_at_failure(before: &[u8]) -> bool {
    lines(before).any(|(start, line)| {
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_whitespace();
        let asks = start == 0 && text.starts_with("#!") || words.next() == Some("set");
        asks && words
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('e') || word == "errexit")
    })
}

fn runs(rest: &[u8]) -> bool {
    runs_before(rest, rest.len())
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

    fn call(content: &str) -> Option<Call> {
        find(PUSH, content.as_bytes(), false)
    }

    const SOUND: Option<Call> = Some(Call { after_others: false, heeded: true });

    #[test]
    fn the_line_to_add_is_found_when_it_was_added() {
        for content in [None, Some(&b"git lfs pre-push \"$@\"\n"[..])] {
            let hook = format!("#!/bin/sh\n# ours\n{}\nnpm test\n", line(PUSH, content));
            assert_eq!(call(&hook), SOUND);
            assert_eq!(find(HookName::PreReceive, hook.as_bytes(), false), None);
        }
    }

    #[test]
    fn where_others_read_the_list_the_line_keeps_it_for_them() {
        assert!(line(PUSH, Some(b"while read -r a b c d; do :; done")).contains("mktemp"));
        assert!(!line(PUSH, Some(b"npm test # readme")).contains("mktemp"));
    }

    #[test]
    fn people_write_the_call_in_many_ways() {
        for run in [
            "exec git boundary hook run pre-push \"$@\"",
            "\"$HOME/.cargo/bin/git-boundary\" hook run pre-push \"$@\" || exit $?",
            "/usr/bin/git-boundary hook run pre-push \"$@\" || { echo no; exit 1; }",
            "LC_ALL=C git-boundary hook run pre-push \"$@\" || exit",
            "if ! git boundary hook run pre-push \"$@\"; then exit 1; fi",
        ] {
            assert_eq!(call(&format!("#!/bin/sh\n{run}\nnpm test\n")), SOUND, "{run}");
        }
        assert_eq!(call("git boundary hook run pre-push \"$@\"\n# the end\n"), SOUND, "the last status is the hook's");
        assert_eq!(call("#!/bin/sh -e\ngit boundary hook run pre-push \"$@\"\nnpm test\n"), SOUND);
    }

    #[test]
    fn what_only_speaks_of_us_does_not_run_us() {
        for talk in [
            "# git boundary hook run pre-push",
            "echo \"not run: git boundary hook run pre-push\"",
            "echo git-boundary hook run pre-push",
            "git boundary hook run pre-push-other",
        ] {
            assert_eq!(call(talk), None, "{talk}");
        }
    }

    #[test]
    fn a_line_before_may_eat_the_list() {
        let found = call("#!/bin/sh\ncat\ngit boundary hook run pre-push \"$@\"\n");
        assert_eq!(found, Some(Call { after_others: true, heeded: true }));
    }

    #[test]
    fn a_refusal_that_does_not_end_the_hook_is_no_refusal() {
        for run in ["", " || true", " || exit 0", " | tee log", " &", " && true || echo no"] {
            let hook = format!("#!/bin/sh\ngit boundary hook run pre-push \"$@\"{run}\nnpm test\n");
            assert_eq!(call(&hook), Some(Call { after_others: false, heeded: false }), "{run}");
        }
    }
}

//! TYPED: words that others chose, in commands that are printed to be pasted.

use std::borrow::Cow;

/// A ref as it can be typed: whoever pushes chooses its name, and who reads a refusal pastes what it says.
pub fn typed_ref(reference: &str) -> Cow<'_, str> {
    typed(reference, "<ref>")
}

/// A branch as git's commands take it: without `refs/heads/`, unless what is left would mean something else to them. A `+` in front asks
/// for a forced push, and `refs/…` names another ref.
pub fn typed_branch(reference: &str) -> Cow<'_, str> {
    let short = reference.strip_prefix("refs/heads/").unwrap_or(reference);
    typed(if short.starts_with('+') || short.starts_with("refs/") { reference } else { short }, "<branch>")
}

/// A remote's name or address as it can be typed.
pub fn typed_remote(remote: &str) -> Cow<'_, str> {
    typed(remote, "<remote>")
}

/// A word as it stands where no shell reads anything into it; in single quotes where those hold it; else what holds its place.
pub fn typed<'a>(word: &'a str, place: &'static str) -> Cow<'a, str> {
    if is_plain(word) {
        return Cow::Borrowed(word);
    }
    // What a screen would not show as it is could not be pasted as it is; and what begins with a dash is an option, quoted or not.
    let shown = |it: char| it == ' ' || it.is_ascii_graphic() || it.is_alphanumeric();
    let holds = !cfg!(windows) && !word.is_empty() && !word.starts_with('-') && word.chars().all(shown);
    if holds { Cow::Owned(quoted(word)) } else { Cow::Borrowed(place) }
}

/// Any word as one word of a POSIX shell.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Whether a word needs no quoting in any shell.
pub fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'@' | b'+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_word_stands_as_it_is() {
        assert_eq!(typed_ref("refs/heads/agent/fix-1.2_a@b+c"), "refs/heads/agent/fix-1.2_a@b+c");
        assert_eq!(typed_branch("refs/heads/agent/fix"), "agent/fix");
        assert_eq!(typed_branch("refs/tags/v1"), "refs/tags/v1");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_shell_would_act_on_is_quoted_as_one_word() {
        for word in
            ["a;b", "$(touch x)", "`x`", "a&b", "a|b", "it's", "%PATH%", "a\"b", "füße", "#1", "!!", "{a,b}", "a b"]
        {
            let output = std::process::Command::new("sh")
                .args(["-c", &format!("printf '[%s]' {}", typed(word, "<x>"))])
                .output()
                .expect("there is a shell");
            assert_eq!(String::from_utf8_lossy(&output.stdout), format!("[{word}]"), "the shell reads back one word");
        }
    }

    #[test]
    fn what_no_quotes_hold_or_no_screen_shows_keeps_its_place() {
        for word in ["", "-x", "a\nb", "a\u{202e}b", "a\u{200b}b", "\u{7}"] {
            assert_eq!(typed(word, "<ref>"), "<ref>", "{word:?}");
        }
    }
}

//! Paths are bytes; JSON wants text.

/// The path as it is where it is UTF-8, else in double quotes with octal escapes, as git prints it.
pub(super) fn path_text(path: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(path) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(*byte)]),
            0x20..=0x7e => quoted.push(char::from(*byte)),
            _ => quoted.push_str(&format!("\\{byte:03o}")),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::path_text;

    #[test]
    fn a_path_in_latin_1_is_quoted_as_git_quotes_it() {
        assert_eq!(path_text(b"caf\xe9 \"x\".txt"), r#""caf\351 \"x\".txt""#);
        assert_eq!(path_text("café".as_bytes()), "café");
    }
}

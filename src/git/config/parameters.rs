//! `git -c key=value`, as git hands it to what it runs: `GIT_CONFIG_COUNT` with its pairs, and `GIT_CONFIG_PARAMETERS`.

use std::ffi::OsStr;

use gix::bstr::{BString, ByteSlice};

use crate::git::environment::Environment;

/// A configuration variable set by the environment; without a value it means true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter {
    /// `section.subsection.name`
    pub key: BString,
    /// `None` for a key without `=`.
    pub value: Option<BString>,
}

/// Environment variables that git itself would refuse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("environment variable {variable} is malformed: {defect}")]
pub struct BadParameters {
    /// Which variable.
    pub variable: String,
    /// What is wrong with it.
    pub defect: &'static str,
}

/// All of them, in rising order of precedence: pairs by count first, then the quoted list, as git reads them.
pub(super) fn parameters(environment: &Environment) -> Result<Vec<Parameter>, BadParameters> {
    let mut found = counted(environment)?;
    if let Some(list) = environment.var("GIT_CONFIG_PARAMETERS") {
        let mut rest = bytes(list);
        quoted(&mut rest, &mut found)
            .map_err(|defect| BadParameters { variable: "GIT_CONFIG_PARAMETERS".to_owned(), defect })?;
    }
    Ok(found)
}

fn counted(environment: &Environment) -> Result<Vec<Parameter>, BadParameters> {
    let bad = |variable: String, defect| BadParameters { variable, defect };
    let count = match environment.var("GIT_CONFIG_COUNT") {
        None => return Ok(Vec::new()),
        Some(text) if text.is_empty() => return Ok(Vec::new()),
        Some(text) => text
            .to_str()
            .and_then(|text| text.parse::<u16>().ok())
            .ok_or_else(|| bad("GIT_CONFIG_COUNT".to_owned(), "not a small number"))?,
    };
    (0..count)
        .map(|index| {
            let take = |prefix: &str| {
                let name = format!("{prefix}{index}");
                environment.var(&name).map(|value| BString::from(bytes(value))).ok_or_else(|| bad(name, "not set"))
            };
            Ok(Parameter { key: take("GIT_CONFIG_KEY_")?, value: Some(take("GIT_CONFIG_VALUE_")?) })
        })
        .collect()
}

fn quoted(rest: &mut &[u8], found: &mut Vec<Parameter>) -> Result<(), &'static str> {
    loop {
        *rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(());
        }
        let key = dequote(rest)?;
        match rest.first() {
            Some(b'=') => {
                *rest = &rest[1..];
                let value = match rest.first() {
                    Some(b'\'') => Some(BString::from(dequote(rest)?)),
                    None => None,
                    Some(byte) if byte.is_ascii_whitespace() => None,
                    Some(_) => return Err("a value that is not quoted"),
                };
                if rest.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
                    return Err("text right after a quoted value");
                }
                found.push(Parameter { key: key.into(), value });
            }
            None => found.push(joined(&key)),
            Some(byte) if byte.is_ascii_whitespace() => found.push(joined(&key)),
            Some(_) => return Err("text right after a quoted key"),
        }
    }
}

/// The older form: key and value within one pair of quotes.
fn joined(text: &[u8]) -> Parameter {
    match text.split_once_str("=") {
        Some((key, value)) => Parameter { key: key.trim().into(), value: Some(value.into()) },
        None => Parameter { key: text.trim().into(), value: None },
    }
}

/// One single-quoted word; within it git writes a quote as `'\''` and an exclamation mark as `'\!'`.
fn dequote(rest: &mut &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut text = rest.strip_prefix(b"'").ok_or("a word that is not quoted")?;
    let mut word = Vec::new();
    loop {
        let end = text.find_byte(b'\'').ok_or("a quote without its end")?;
        word.extend_from_slice(&text[..end]);
        text = &text[end + 1..];
        match text {
            [b'\\', escaped @ (b'\'' | b'!'), b'\'', ..] => {
                word.push(*escaped);
                text = &text[3..];
            }
            _ => {
                *rest = text;
                return Ok(word);
            }
        }
    }
}

fn bytes(text: &OsStr) -> &[u8] {
    gix::path::os_str_into_bstr(text).map(|text| text.as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &str) -> Result<Vec<(String, Option<String>)>, BadParameters> {
        let environment = Environment::new("/", []).with("GIT_CONFIG_PARAMETERS", list);
        Ok(parameters(&environment)?
            .into_iter()
            .map(|found| (found.key.to_string(), found.value.map(|value| value.to_string())))
            .collect())
    }

    fn pair(key: &str, value: &str) -> (String, Option<String>) {
        (key.to_owned(), Some(value.to_owned()))
    }

    #[test]
    fn both_quoting_styles_of_git_are_read() {
        assert_eq!(of("'user.name=A B' 'c.d'='e=f'").unwrap(), [pair("user.name", "A B"), pair("c.d", "e=f")]);
        assert_eq!(of("'a.b'='it'\\''s'\\!''").unwrap(), [pair("a.b", "it's!")]);
    }

    #[test]
    fn a_key_without_value_has_none() {
        assert_eq!(of("'a.b' 'c.d'=").unwrap(), [("a.b".to_owned(), None), ("c.d".to_owned(), None)]);
        assert_eq!(of("'a.b'=''").unwrap(), [pair("a.b", "")]);
    }

    #[test]
    fn what_git_refuses_is_refused() {
        for list in ["a.b=c", "'a.b=c", "'a.b'=c", "'a.b'='c'd", "'a.b'x"] {
            assert!(of(list).is_err(), "{list} is not a quoted list");
        }
    }

    #[test]
    fn counted_pairs_come_before_the_quoted_list() {
        let environment = Environment::new("/", [])
            .with("GIT_CONFIG_COUNT", "1")
            .with("GIT_CONFIG_KEY_0", "a.b")
            .with("GIT_CONFIG_VALUE_0", "counted")
            .with("GIT_CONFIG_PARAMETERS", "'a.b=quoted'");
        let values: Vec<_> = parameters(&environment).unwrap().into_iter().map(|found| found.value).collect();
        assert_eq!(values, [Some("counted".into()), Some("quoted".into())]);
        assert!(parameters(&Environment::new("/", []).with("GIT_CONFIG_COUNT", "1")).is_err());
    }
}

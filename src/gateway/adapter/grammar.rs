//! The closed grammar of what a user may pass on to an agent. What it does not name is refused: in both agents a later flag undoes an
//! earlier one, so that a single word let through by mistake opens what the launch has closed.

use std::ffi::OsString;

/// A flag that may be passed on.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// As it is passed on.
    pub name: &'static str,
    /// Other spellings that mean the same.
    pub aliases: &'static [&'static str],
    /// Its value.
    pub value: Value,
}

/// What a flag's value may be.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// It has none.
    None,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// 1 to 64 letters, digits, dots and hyphens, beginning with a letter or digit.
    Name,
    /// Digits, with at most one dot among them.
    Number,
}

/// How the words that are no flags are passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// At most one, behind `--`, so that no word of it is taken for a flag.
    BehindDashes,
    /// None.
    Refused,
}

/// Reads what a user wants passed on, and writes it anew.
///
/// # Errors
/// A sentence about the first word that is not in the grammar.
pub fn pass_on(flags: &[Flag], prompt: Prompt, words: &[OsString]) -> Result<Vec<OsString>, String> {
    let mut passed: Vec<OsString> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut said: Option<&str> = None;
    let mut words = words.iter();
    let mut behind = false;
    while let Some(word) = words.next() {
        let word = word.to_str().ok_or("an argument is not UTF-8")?;
        if !behind && word == "--" {
            behind = true;
            continue;
        }
        if behind || !word.starts_with('-') {
            if prompt == Prompt::Refused {
                return Err(format!("{word:?} can't be passed on: this agent is started without words of the user's"));
            }
            if said.replace(word).is_some() {
                return Err("only one prompt can be passed on; quote it as one word".to_owned());
            }
            continue;
        }
        let (name, glued) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let Some(flag) = flags.iter().find(|flag| flag.name == name || flag.aliases.contains(&name)) else {
            let known: Vec<&str> = flags.iter().map(|flag| flag.name).collect();
            return Err(format!("{name:?} can't be passed on; what can is {}", list(&known)));
        };
        if seen.contains(&flag.name) {
            return Err(format!("{} is given twice", flag.name));
        }
        seen.push(flag.name);
        passed.push(flag.name.into());
        match flag.value {
            Value::None if glued.is_some() => return Err(format!("{} takes no value", flag.name)),
            Value::None => {}
            wanted => {
                let value = glued.or_else(|| words.next().and_then(|word| word.to_str()));
                let value = value.ok_or_else(|| format!("{} takes a value", flag.name))?;
                if !wanted.takes(value) {
                    return Err(format!(
                        "{value:?} is no value that can be passed on for {}: {}",
                        flag.name,
                        wanted.words()
                    ));
                }
                passed.push(value.into());
            }
        }
    }
    if let Some(said) = said {
        passed.extend(["--".into(), said.into()]);
    }
    Ok(passed)
}

fn list(known: &[&str]) -> String {
    if known.is_empty() { "nothing".to_owned() } else { known.join(", ") }
}

impl Value {
    fn takes(self, value: &str) -> bool {
        match self {
            Value::None => false,
            Value::OneOf(words) => words.contains(&value),
            Value::Name => {
                let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
                (1..=64).contains(&value.len())
                    && value.bytes().all(inner)
                    && value.as_bytes()[0].is_ascii_alphanumeric()
            }
            Value::Number => {
                let digits = value.bytes().filter(u8::is_ascii_digit).count();
                digits > 0 && value.len() <= 16 && value.len() - digits == usize::from(value.contains('.'))
            }
        }
    }

    fn words(self) -> String {
        match self {
            Value::None => "none".to_owned(),
            Value::OneOf(words) => format!("one of {}", words.join(", ")),
            Value::Name => "a name of letters, digits, dots and hyphens".to_owned(),
            Value::Number => "a number".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Flag, Prompt, Value, pass_on};

    const FLAGS: [Flag; 4] = [
        Flag { name: "--print", aliases: &["-p"], value: Value::None },
        Flag { name: "--model", aliases: &[], value: Value::Name },
        Flag { name: "--output-format", aliases: &[], value: Value::OneOf(&["text", "json"]) },
        Flag { name: "--max-budget-usd", aliases: &[], value: Value::Number },
    ];

    fn passed(words: &[&str]) -> Result<Vec<String>, String> {
        let words: Vec<_> = words.iter().map(Into::into).collect();
        let found = pass_on(&FLAGS, Prompt::BehindDashes, &words)?;
        Ok(found.into_iter().map(|word| word.into_string().expect("it was text")).collect())
    }

    #[test]
    fn known_flags_are_written_anew_and_the_prompt_goes_behind_dashes() {
        let words = ["-p", "--model=sonnet-4.5", "fix it", "--max-budget-usd", "2.50"];
        let expected = ["--print", "--model", "sonnet-4.5", "--max-budget-usd", "2.50", "--", "fix it"];
        assert_eq!(passed(&words).as_deref(), Ok(&expected.map(str::to_owned)[..]), "in the grammar's own spelling");
        let prompt = ["--", "--dangerously-skip-permissions"];
        assert_eq!(passed(&prompt).as_deref(), Ok(&prompt.map(str::to_owned)[..]), "a prompt is no flag");
    }

    #[test]
    fn nothing_else_is_passed_on() {
        for words in [
            &["--tools", "default"][..],
            &["--tools=Bash"],
            &["--mod", "x"],
            &["-pc"],
            &["--print=1"],
            &["--model"],
            &["--model", "--tools"],
            &["--model", "a b"],
            &["--model", ""],
            &["--output-format", "stream"],
            &["--max-budget-usd", "."],
            &["--max-budget-usd", "1.2.3"],
            &["--print", "-p"],
            &["one", "two"],
            &["-"],
        ] {
            assert!(passed(words).is_err(), "not in the grammar: {words:?}");
        }
        assert!(pass_on(&FLAGS, Prompt::Refused, &["word".into()]).is_err(), "no prompt where none is taken");
    }
}

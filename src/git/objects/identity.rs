//! In whose name our own commits are made: the user's, as for any commit of theirs, so that servers that check accept them.

use crate::git::repository::Repository;

/// Name and address of a committer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name, without angle brackets or newlines.
    pub name: String,
    /// The address, likewise.
    pub email: String,
}

impl Repository {
    /// `GIT_COMMITTER_*`, `committer.*`, `user.*`, `EMAIL`; a fixed one where the user has none.
    pub fn identity(&self) -> Identity {
        let from = |variable: &str, keys: [&str; 2]| {
            let set = self.environment().var(variable).map(|value| value.to_string_lossy().into_owned());
            set.into_iter()
                .chain(keys.iter().filter_map(|key| self.config_string(key)))
                .map(|text| clean(&text))
                .find(|text| !text.is_empty())
        };
        let email = || self.environment().var("EMAIL").map(|value| clean(&value.to_string_lossy()));
        Identity {
            name: from("GIT_COMMITTER_NAME", ["committer.name", "user.name"])
                .unwrap_or_else(|| "git-boundary".to_owned()),
            email: from("GIT_COMMITTER_EMAIL", ["committer.email", "user.email"])
                .or_else(|| email().filter(|text| !text.is_empty()))
                .unwrap_or_else(|| "git-boundary@localhost".to_owned()),
        }
    }
}

/// Without what would end the field early, and without the crumbs git cuts from both ends.
fn clean(text: &str) -> String {
    let crumb = |c: char| c <= ' ' || ".,:;<>\"\\'".contains(c);
    text.chars().filter(|c| !"<>\n\0".contains(*c)).collect::<String>().trim_matches(crumb).to_owned()
}

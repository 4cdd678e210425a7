//! ALLOWED SIGNERS: the file by which `ssh-keygen -Y verify` and git know keys (ssh-keygen(1), "ALLOWED SIGNERS"), in and out of trust.

use serde::Serialize;

use super::change::{AddOptions, TrustChanged, add_all};
use crate::app::context::Context;
use crate::app::error::AppError;
use crate::crypto::parse_public_key;
use crate::model::party::Role;
use crate::model::time::Timestamp;

/// The namespace of git's own signatures.
const GIT: &str = "git";
/// Most lines that are read.
const MAX_LINES: usize = 1_000;

/// What came of a file.
#[derive(Debug, Serialize)]
pub struct SignersImported {
    /// Keys that are in the trust document now.
    pub added: Vec<TrustChanged>,
    /// Lines that were left, and why.
    pub left: Vec<LineLeft>,
}

/// A line that was left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineLeft {
    /// Its number, from 1.
    pub line: usize,
    /// Why.
    pub why: String,
}

/// A line that can be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Signer {
    key: String,
    label: String,
    valid_from: Option<Timestamp>,
    valid_until: Option<Timestamp>,
}

/// Adds the keys of a file in one version, each called by its principal.
///
/// # Errors
/// As for `trust add`.
pub fn import(
    context: &Context,
    text: &str,
    roles: &[Role],
    domain: Option<&str>,
) -> Result<SignersImported, AppError> {
    let mut imported = SignersImported { added: Vec::new(), left: Vec::new() };
    let mut signers = Vec::new();
    for (line, text) in (1..).zip(text.lines()).take(MAX_LINES) {
        match signer(text) {
            Ok(signer) => signers.extend(signer),
            Err(why) => imported.left.push(LineLeft { line, why }),
        }
    }
    let options = |signer: Signer| AddOptions {
        key: format!("key::{}", signer.key),
        roles: roles.to_vec(),
        domain: domain.map(str::to_owned),
        new_key: false,
        label: Some(signer.label),
        aliases: Vec::new(),
        valid_from: signer.valid_from,
        valid_until: signer.valid_until,
    };
    let keys: Vec<AddOptions> = signers.into_iter().map(options).collect();
    imported.added = add_all(context, &keys)?;
    Ok(imported)
}

/// One line; nothing for a comment.
fn signer(text: &str) -> Result<Option<Signer>, String> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let (principals, rest) = field(text).ok_or("is no line of principals, options and a key")?;
    if principals.contains(['*', '?', '!']) {
        return Err(format!("its principal {principals:?} is a pattern; a key has one name here"));
    }
    let label = principals.split(',').next().unwrap_or_default().to_owned();
    let (mut valid_from, mut valid_until, mut key) = (None, None, rest.trim());
    if !key.starts_with("ssh-") && !key.starts_with("ecdsa-") && !key.starts_with("sk-") {
        let (options, rest) = field(key).ok_or("holds no key")?;
        key = rest.trim();
        for option in split_options(&options) {
            let (name, value) = option.split_once('=').map_or((option.as_str(), ""), |(name, value)| (name, value));
            let value = value.trim_matches('"');
            match name.to_ascii_lowercase().as_str() {
                "cert-authority" => {
                    return Err("is a certificate authority, and only single keys are trusted here".to_owned());
                }
                "namespaces" if value.split(',').any(|name| name == GIT) => {}
                "namespaces" => return Err(format!("is for namespaces {value:?}, and git's is not among them")),
                "valid-after" => valid_from = Some(moment(value)?),
                "valid-before" => valid_until = Some(moment(value)?),
                other => return Err(format!("has option {other:?}, which is not known here")),
            }
        }
    }
    parse_public_key(key).map_err(|defect| format!("its key: {defect}"))?;
    Ok(Some(Signer { key: key.to_owned(), label, valid_from, valid_until }))
}

/// The first field, which ends at a blank outside of quotes, without those around it.
fn field(text: &str) -> Option<(String, &str)> {
    let mut quoted = false;
    let end = text.find(|it: char| {
        quoted ^= it == '"';
        it.is_ascii_whitespace() && !quoted
    })?;
    let (field, rest) = text.split_at(end);
    let bare = field.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(field);
    Some((bare.to_owned(), rest))
}

/// Options are separated by commas outside of quotes.
fn split_options(text: &str) -> Vec<String> {
    let mut quoted = false;
    let separates = |it: char| {
        quoted ^= it == '"';
        it == ',' && !quoted
    };
    text.split(separates).map(str::to_owned).collect()
}

/// `YYYYMMDD[HHMM[SS]]Z`. Without the `Z` it is local time, which is another one on each machine.
fn moment(text: &str) -> Result<Timestamp, String> {
    let wrong = || format!("its time {text:?} is not of the form YYYYMMDDHHMMSSZ, in UTC");
    let digits = text.strip_suffix('Z').ok_or_else(wrong)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || ![8, 12, 14].contains(&digits.len()) {
        return Err(wrong());
    }
    let full = format!("{digits:0<14}");
    let part = |from: usize, to: usize| &full[from..to];
    let written =
        format!("{}-{}-{}T{}:{}:{}Z", part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 12), part(12, 14));
    written.parse().map_err(|_| wrong())
}

/// The file's form of a moment.
fn written(moment: Timestamp) -> String {
    moment.to_string().chars().filter(|it| it.is_ascii_digit() || *it == 'Z').collect()
}

/// The keys of the trust document as such a file, those in one of the roles where any are named. A key that was ended ends there too.
///
/// # Errors
/// When trust can't be read.
pub fn export(context: &Context, roles: &[Role]) -> Result<String, AppError> {
    let repository = context.repository()?;
    let session = context.open_for_trust(&repository)?;
    let mut lines = Vec::new();
    for party in session.trust.parties() {
        if !roles.is_empty() && !roles.iter().any(|role| party.roles.contains(role)) {
            continue;
        }
        if !crate::model::typed::is_plain(&party.label) {
            lines.push(format!("# {}: its label is no principal", party.id));
            continue;
        }
        let mut options = vec![format!("namespaces=\"{GIT}\"")];
        options.extend(party.valid_from.map(|from| format!("valid-after=\"{}\"", written(from))));
        // A revoked key is not believed at that moment any more; the file's own bound is the last good one.
        let end = [party.valid_until, party.revoked_at.map(|at| at.plus(-1))].into_iter().flatten().min();
        options.extend(end.map(|end| format!("valid-before=\"{}\"", written(end))));
        let key = crate::crypto::to_openssh(&party.key, "");
        lines.push(format!("{} {} {}", party.label, options.join(","), key.trim_end()));
    }
    lines.sort();
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c";

    #[test]
    fn a_line_is_a_principal_options_and_a_key() {
        let plain = signer(&format!("ada@example.com {KEY} a comment")).expect("it is good").expect("it is a key");
        assert_eq!((plain.label.as_str(), plain.valid_from, plain.valid_until), ("ada@example.com", None, None));
        let text = format!(
            "\"ada\",x namespaces=\"file,git\",valid-after=\"20260606\",valid-before=\"20270606120000Z\" {KEY}"
        );
        assert!(signer(&text).is_err(), "a time without its zone is another one on each machine");
        let text = text.replace("20260606\"", "20260606Z\"");
        let bounded = signer(&text).expect("it is good").expect("it is a key");
        assert_eq!(bounded.valid_until.map(written).as_deref(), Some("20270606120000Z"));
        assert_eq!(signer("  # nobody"), Ok(None));
    }

    #[test]
    fn what_means_more_than_one_key_for_git_is_left() {
        for (text, why) in [
            (format!("*@example.com {KEY}"), "pattern"),
            (format!("ada cert-authority {KEY}"), "certificate authority"),
            (format!("ada namespaces=\"file\" {KEY}"), "namespaces"),
            (format!("ada verify-required {KEY}"), "verify-required"),
            ("ada ssh-rsa AAAA".to_owned(), "its key"),
            ("ada".to_owned(), "no line"),
        ] {
            let found = signer(&text).expect_err("it is left");
            assert!(found.contains(why), "{text}: {found}");
        }
    }
}

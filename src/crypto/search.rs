//! From what a user writes to a key: the rules behind [`Keyring`].

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use super::agent::{AgentIdentity, AgentKey};
use super::ed25519::key_id;
use super::error::KeyError;
use super::key::{names_a_key_type, parse_public_key, parse_public_line};
use super::keyring::{KeyInfo, KeyList, Keyring, Label, files_of};
use super::openssh::{read_public_key, with_pub};
use super::private_file::{PrivateKeyFile, read_key_file, starts_as_public_key};
use super::signer::Signer;
use crate::model::id::KeyId;
use crate::model::key::PublicKey;

/// A key that was named: its public half, and where its private half may be.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) public: PublicKey,
    /// The private key file, if one is there.
    private: Option<PathBuf>,
    /// Where a private file was looked for, for the message.
    looked: PathBuf,
}

/// Reads `spec` by its form; each form has one meaning, so no file in the current directory can take a label's place.
pub(super) fn locate(ring: &Keyring, spec: &str) -> Result<Found, KeyError> {
    let literal = spec.strip_prefix("key::");
    let first_word = spec.split(' ').next().unwrap_or_default();
    if spec.is_empty() {
        Err(KeyError::Nothing)
    } else if literal.is_some() || (names_a_key_type(first_word) && first_word != spec) {
        let text = literal.unwrap_or(spec);
        let key = parse_public_key(text)
            .map_err(|defect| KeyError::PublicText { text: text.chars().take(100).collect(), defect })?;
        by_key(ring, key)
    } else if let Ok(id) = KeyId::from_str(spec) {
        by_id(ring, id)
    } else if spec.contains('/') || spec.starts_with('~') {
        by_path(&expand(ring, spec)?)
    } else {
        by_label(ring, &Label::new(spec)?)
    }
}

/// A signer for `found`: its file, or the agent where there is no file or the file is locked and the agent has the key.
pub(super) fn signer(ring: &Keyring, found: &Found) -> Result<Box<dyn Signer>, KeyError> {
    let Some(path) = &found.private else {
        return match &ring.agent {
            Some(agent) if holds(&agent.identities()?, &found.public) => {
                Ok(Box::new(AgentKey::new(agent.clone(), found.public)))
            }
            _ => Err(KeyError::NoPrivateHalf {
                id: key_id(&found.public),
                looked: found.looked.clone(),
                agent: ring.agent_socket(),
            }),
        };
    };
    let file = PrivateKeyFile::open(path)?;
    if file.is_encrypted()
        && let Some(agent) = &ring.agent
        // An agent that fails here is no obstacle: the passphrase opens the file without it.
        && agent.identities().is_ok_and(|keys| holds(&keys, &found.public))
    {
        return Ok(Box::new(AgentKey::new(agent.clone(), found.public)));
    }
    Ok(Box::new(file.unlock(&mut |prompt| ring.asker.ask(prompt))?))
}

/// All keys in the directory, then what the agent has besides.
pub(super) fn list(ring: &Keyring) -> KeyList {
    let mut out = KeyList::default();
    let in_agent = match ring.agent.as_ref().map(|agent| agent.identities()) {
        Some(Ok(keys)) => keys,
        Some(Err(error)) => {
            out.defects.push(error.into());
            Vec::new()
        }
        None => Vec::new(),
    };
    if let Some(dir) = &ring.dir {
        for label in labels(dir, &mut out.defects) {
            let (private, public) = files_of(dir, &label);
            match describe(&private, &public, &in_agent) {
                Ok(info) => out.keys.push(KeyInfo { label: Some(label), ..info }),
                Err(error) => out.defects.push(error),
            }
        }
    }
    for identity in in_agent {
        if !out.keys.iter().any(|listed| listed.public == identity.public) {
            out.keys.push(agent_info(identity));
        }
    }
    out
}

/// `~/.ssh/id_ed25519` and other pairs in `~/.ssh` whose public half is an Ed25519 key.
pub(super) fn user_keys(ring: &Keyring) -> Vec<KeyInfo> {
    let Some(dir) = ring.home.as_ref().map(|home| home.join(".ssh")) else { return Vec::new() };
    let in_agent = ring.agent.as_ref().and_then(|agent| agent.identities().ok()).unwrap_or_default();
    let mut names = vec!["id_ed25519".to_owned()];
    let others: BTreeSet<String> = file_names(&dir)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|name| name.strip_suffix(".pub").map(str::to_owned))
        .filter(|name| *name != names[0])
        .collect();
    names.extend(others);
    names
        .into_iter()
        .filter_map(|name| {
            let private = dir.join(name);
            describe(&private, &with_pub(&private), &in_agent).ok()
        })
        .filter(KeyInfo::can_sign)
        .collect()
}

fn by_key(ring: &Keyring, public: PublicKey) -> Result<Found, KeyError> {
    let looked = ring.dir.clone().unwrap_or_default();
    let private = labelled(ring).into_iter().find(|found| found.public == public && found.private.is_some());
    Ok(private.unwrap_or(Found { public, private: None, looked }))
}

fn by_id(ring: &Keyring, id: KeyId) -> Result<Found, KeyError> {
    let mut matching: Vec<Found> = labelled(ring).into_iter().filter(|found| key_id(&found.public) == id).collect();
    // Of two files with one key, the one that can sign.
    matching.sort_by_key(|found| found.private.is_none());
    if let Some(found) = matching.into_iter().next() {
        return Ok(found);
    }
    let dir = ring.dir.clone().unwrap_or_default();
    let held = match &ring.agent {
        Some(agent) => agent.identities()?.into_iter().find(|held| key_id(&held.public) == id),
        None => None,
    };
    match held {
        Some(held) => Ok(Found { public: held.public, private: None, looked: dir }),
        None => Err(KeyError::NoSuchId { id, dir, agent: ring.agent_socket() }),
    }
}

fn by_label(ring: &Keyring, label: &Label) -> Result<Found, KeyError> {
    let dir = ring.dir()?;
    let (private, public) = files_of(dir, label);
    pair(&private, &public)?.ok_or_else(|| KeyError::NoSuchLabel {
        label: label.to_string(),
        dir: dir.to_owned(),
        file_here: Path::new(label.as_str()).is_file(),
    })
}

fn by_path(path: &Path) -> Result<Found, KeyError> {
    if path.extension().is_some_and(|extension| extension == "pub") {
        // The public half was named, so it must be there even if the private half shows the same.
        let public = read_public_key(path)?;
        let private = path.with_extension("");
        return match pair(&private, path)? {
            Some(found) => Ok(found),
            None => Ok(Found { public, private: None, looked: private }),
        };
    }
    if exists(path) {
        let (text, _) = read_key_file(path)?;
        // A public key in a file of any name, as git takes it.
        if std::str::from_utf8(&text).is_ok_and(starts_as_public_key) {
            return Ok(Found { public: read_public_key(path)?, private: None, looked: path.to_owned() });
        }
    }
    pair(path, &with_pub(path))?.ok_or_else(|| KeyError::Absent { path: path.to_owned() })
}

/// A private and a public file that go by one name: `None` if neither is there, an error if they disagree.
fn pair(private: &Path, public: &Path) -> Result<Option<Found>, KeyError> {
    let looked = private.to_owned();
    match (exists(private), exists(public)) {
        (false, false) => Ok(None),
        (false, true) => Ok(Some(Found { public: read_public_key(public)?, private: None, looked })),
        (true, false) => {
            let key = PrivateKeyFile::open(private)?.public_key();
            Ok(Some(Found { public: key, private: Some(looked.clone()), looked }))
        }
        (true, true) => {
            let shown = read_public_key(public)?;
            let held = PrivateKeyFile::open(private)?.public_key();
            if shown != held {
                return Err(KeyError::PairMismatch {
                    path: looked,
                    private: key_id(&held),
                    public_path: public.to_owned(),
                    public: key_id(&shown),
                });
            }
            Ok(Some(Found { public: held, private: Some(looked.clone()), looked }))
        }
    }
}

/// The labelled keys that can be read; the others show in `list` and when they are named.
fn labelled(ring: &Keyring) -> Vec<Found> {
    let Some(dir) = &ring.dir else { return Vec::new() };
    labels(dir, &mut Vec::new())
        .iter()
        .map(|label| files_of(dir, label))
        .filter_map(|(private, public)| pair(&private, &public).ok().flatten())
        .collect()
}

fn describe(private: &Path, public: &Path, in_agent: &[AgentIdentity]) -> Result<KeyInfo, KeyError> {
    let found = pair(private, public)?.ok_or_else(|| KeyError::Absent { path: private.to_owned() })?;
    let encrypted = match &found.private {
        Some(path) => PrivateKeyFile::open(path)?.is_encrypted(),
        None => false,
    };
    Ok(KeyInfo {
        label: None,
        id: key_id(&found.public),
        public: found.public,
        comment: comment_of(public).unwrap_or_default(),
        path: found.private,
        encrypted,
        in_agent: holds(in_agent, &found.public),
    })
}

fn agent_info(identity: AgentIdentity) -> KeyInfo {
    KeyInfo {
        label: None,
        id: key_id(&identity.public),
        public: identity.public,
        comment: identity.comment,
        path: None,
        encrypted: false,
        in_agent: true,
    }
}

fn comment_of(public: &Path) -> Option<String> {
    let (text, _) = read_key_file(public).ok()?;
    parse_public_line(std::str::from_utf8(&text).ok()?).ok().map(|(_, comment)| comment.to_owned())
}

fn holds(keys: &[AgentIdentity], wanted: &PublicKey) -> bool {
    keys.iter().any(|held| held.public == *wanted)
}

/// The labels in `dir`, sorted; names that cannot be labels go to `defects`. Dot files are nobody's keys.
fn labels(dir: &Path, defects: &mut Vec<KeyError>) -> BTreeSet<Label> {
    let names = match file_names(dir) {
        Ok(names) => names,
        Err(source) if source.kind() == io::ErrorKind::NotFound => return BTreeSet::new(),
        Err(source) => {
            defects.push(KeyError::Unreadable { path: dir.to_owned(), source });
            return BTreeSet::new();
        }
    };
    let mut labels = BTreeSet::new();
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        match Label::new(name.strip_suffix(".pub").unwrap_or(name)) {
            Ok(label) => {
                labels.insert(label);
            }
            Err(error) => defects.push(error),
        }
    }
    labels
}

fn file_names(dir: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Whether anything has that name, a dangling link included: it must give an error, not count as nothing.
fn exists(path: &Path) -> bool {
    !matches!(fs::symlink_metadata(path), Err(error) if error.kind() == io::ErrorKind::NotFound)
}

/// `~/` as git does; `~user/` would need the user database.
fn expand(ring: &Keyring, spec: &str) -> Result<PathBuf, KeyError> {
    match spec.strip_prefix('~') {
        None => Ok(PathBuf::from(spec)),
        Some(rest) => match (rest.strip_prefix('/'), &ring.home) {
            (Some(rest), Some(home)) => Ok(home.join(rest.trim_start_matches('/'))),
            (Some(_), None) => Err(KeyError::NoHome),
            (None, _) => Err(KeyError::OtherHome { text: spec.to_owned() }),
        },
    }
}

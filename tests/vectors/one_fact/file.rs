//! One push as a file: what git says, an empty line, the trust document, the policy, and every stored line. Read by itself: nothing here
//! knows how a file was made.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use git_boundary::codec::artifact::ClaimedKind;
use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::crypto::trust::Trust;
use git_boundary::crypto::verified::{BadLine, verify_line};
use git_boundary::gate::docket::Docket;
use git_boundary::gate::facts::{BadLineSeen, Facts, LedgerEntry, PolicyFacts, Purpose, Recorded, Update};
use git_boundary::gate::judge::{judge, judge_claim};
use git_boundary::gate::verdict::Outcome;
use git_boundary::model::context::{Observation, ObservedBy};
use git_boundary::model::digest::Digest;
use git_boundary::model::id::{KeyId, Oid};
use git_boundary::model::party::Role;
use git_boundary::model::policy::Policy;
use git_boundary::model::time::Timestamp;
use serde_json::Value;

use super::git::Git;

/// The parts of a file.
#[derive(Debug, Clone)]
pub struct File {
    /// What git says, read as [`Git`].
    pub git: Value,
    /// Stored lines, each with its note and place: `<note> <registrar> <index> <seconds> <line>`.
    pub lines: Vec<Vec<u8>>,
    /// The canonical policy in force, if one is signed.
    pub policy: Option<Vec<u8>>,
    /// The line of the trust document.
    pub trust: Vec<u8>,
}

/// What the gate made of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// `admitted`, or the outcome and the primary code.
    pub says: String,
    /// All codes by rank.
    pub codes: String,
    /// The full digest of the proposal that was judged.
    pub envelope: String,
}

impl File {
    /// Takes a file apart. What git says stands in its canonical form, or this is no such file.
    pub fn parse(body: &[u8]) -> Result<File, String> {
        let split = body.windows(2).position(|pair| pair == b"\n\n").ok_or("no empty line after what git says")?;
        let git: Value = serde_json::from_slice(&body[..split]).map_err(|error| error.to_string())?;
        let mut lines = body[split + 2..].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).peekable();
        let trust = lines.next().and_then(|line| line.strip_prefix(b"trust ")).ok_or("no trust document")?.to_vec();
        let policy = lines.next_if(|line| line.starts_with(b"policy ")).map(|line| line[b"policy ".len()..].to_vec());
        let file = File { git, lines: lines.map(<[u8]>::to_vec).collect(), policy, trust };
        (file.bytes() == body).then_some(file).ok_or_else(|| "not in canonical form".to_owned())
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = serde_json::to_vec_pretty(&self.git).expect("a value can be written");
        out.extend_from_slice(&[b"\n\ntrust ", &self.trust[..], b"\n"].concat());
        if let Some(policy) = &self.policy {
            out.extend_from_slice(&[b"policy ", &policy[..], b"\n"].concat());
        }
        self.lines.iter().for_each(|line| out.extend_from_slice(&[&line[..], b"\n"].concat()));
        out
    }

    /// Verifies every line.
    pub fn read(&self) -> Result<Read, String> {
        let root = Dsse::parse(&self.trust).map_err(|error| error.to_string())?.digest();
        let trust = Trust::verify(std::slice::from_ref(&self.trust), root).map_err(|error| error.to_string())?;
        let mut read = Read {
            artifacts: BTreeMap::new(),
            bad_lines: Vec::new(),
            policies: PolicyFacts::default(),
            trust: Rc::new(trust),
        };
        if let Some(text) = &self.policy {
            let policy: Policy = serde_json::from_slice(text).map_err(|error| error.to_string())?;
            let digest = canonical::digest_of(&policy);
            let known = BTreeMap::from([(digest, Rc::new(policy))]);
            read.policies = PolicyFacts { defect: None, in_force: Some(digest), known };
        }
        for line in &self.lines {
            read.keep(Stored::parse(line)?);
        }
        Ok(read)
    }

    /// What the gate makes of it.
    pub fn answer(&self) -> Result<Answer, String> {
        self.read()?.answer(&self.git)
    }
}

/// What was signed, verified.
#[derive(Debug)]
pub struct Read {
    artifacts: BTreeMap<Digest, Recorded>,
    bad_lines: Vec<BadLineSeen>,
    policies: PolicyFacts,
    trust: Rc<Trust>,
}

impl Read {
    /// The facts, with what git says.
    fn facts(&self, git: &Value) -> Result<Facts, String> {
        let git: Git = serde_json::from_value(git.clone()).map_err(|error| error.to_string())?;
        let mut facts = nothing(Rc::clone(&self.trust));
        facts.artifacts = Docket::new(self.artifacts.clone());
        facts.bad_lines.clone_from(&self.bad_lines);
        facts.policies = self.policies.clone();
        git.tell(&mut facts);
        Ok(facts)
    }

    /// What the gate makes of it.
    pub fn answer(&self, git: &Value) -> Result<Answer, String> {
        let claim: Option<Digest> = match git.get("claim") {
            Some(claim) => serde_json::from_value(claim.clone()).map_err(|error| error.to_string())?,
            None => None,
        };
        let facts = self.facts(git)?;
        let verdict = claim.map_or_else(|| judge(&facts), |claim| judge_claim(&facts, &claim));
        let primary = verdict.primary().map_or("", |code| code.name());
        let says = match verdict.outcome {
            Outcome::Admitted if verdict.governed => "admitted".to_owned(),
            Outcome::Admitted => "not governed".to_owned(),
            Outcome::Refused => format!("refused {primary}"),
            Outcome::Undecided => format!("undecided {primary}"),
        };
        let codes: Vec<&str> = verdict.codes().into_iter().map(|code| code.name()).collect();
        let or_none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
        let envelope = verdict.proposal.map(|digest| digest.to_string()).unwrap_or_default();
        Ok(Answer { says, codes: or_none(codes.join(" ")), envelope: or_none(envelope) })
    }

    fn keep(&mut self, stored: Stored<'_>) {
        let Stored { note, registrar, index, at, line } = stored;
        let mut bad = |claims, unknown_key, text: String| {
            self.bad_lines.push(BadLineSeen { claims, unknown_key, note, registrar, text });
        };
        let verified = match verify_line(line, &|name| self.trust.resolve(name)) {
            Ok(verified) => verified,
            Err(error) => return bad(error.claims(), matches!(error, BadLine::UnknownKey { .. }), error.to_string()),
        };
        if verified.value().noted_on().is_some_and(|other| other != note) {
            return bad(verified.value().kind().map(ClaimedKind::Own), false, "is about another commit".to_owned());
        }
        let listed = self.trust.party_of(&registrar).is_some_and(|party| party.roles.contains(&Role::Registrar));
        let entry = LedgerEntry { at, index, listed, note, registrar, witnesses: Vec::new() };
        match self.artifacts.get_mut(&verified.digest()) {
            Some(known) => {
                known.artifact.absorb(&verified);
                known.entries.push(entry);
            }
            None => {
                let recorded = Recorded { artifact: verified, entries: vec![entry], note };
                self.artifacts.insert(recorded.artifact.digest(), recorded);
            }
        }
    }
}

/// Facts before anything is known.
fn nothing(trust: Rc<Trust>) -> Facts {
    let zero = Oid::from_bytes(&[0; 20]).expect("an object id");
    Facts {
        absent: Vec::new(),
        artifacts: Docket::default(),
        bad_lines: Vec::new(),
        base: Observation { by: ObservedBy::Hook, oid: None, reference: String::new() },
        baselines: BTreeSet::new(),
        behind_the_cut: BTreeSet::new(),
        commits: BTreeMap::new(),
        elsewhere: Vec::new(),
        rewritten: None,
        exact: false,
        gaps: Vec::new(),
        malformed: BTreeMap::new(),
        now: Timestamp(0),
        other_handoffs: Vec::new(),
        policies: PolicyFacts::default(),
        proposals: Vec::new(),
        range: Vec::new(),
        registrar: None,
        trust,
        write: None,
        update: Update {
            fast_forward: None,
            new: zero,
            old: zero,
            purpose: Purpose::Push,
            reference: String::new(),
            tip: None,
        },
    }
}

/// One stored line and one of its entries.
struct Stored<'a> {
    note: Oid,
    registrar: KeyId,
    index: u64,
    at: Timestamp,
    line: &'a [u8],
}

impl Stored<'_> {
    fn parse(text: &[u8]) -> Result<Stored<'_>, String> {
        let fields: Vec<&[u8]> = text.splitn(5, |byte| *byte == b' ').collect();
        let [note, registrar, index, at, line] = fields[..] else { return Err("a stored line has five fields".into()) };
        let text = |field| std::str::from_utf8(field).map_err(|error| error.to_string());
        Ok(Stored {
            note: text(note)?.parse().map_err(|_| "no object id")?,
            registrar: text(registrar)?.parse().map_err(|_| "no key id")?,
            index: text(index)?.parse().map_err(|_| "no index")?,
            at: Timestamp(text(at)?.parse().map_err(|_| "no seconds")?),
            line,
        })
    }
}

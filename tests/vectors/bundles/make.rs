//! A whole bundle from fixed keys: the admitted case, its chains, and what the registrar's ledger shows.

use std::collections::BTreeMap;
use std::convert::Infallible;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use git_boundary::app::bundle::form::{
    About, AboutKind, AboutRange, Bundle, CarriedCommit, CarriedEntry, CarriedLedger, VERSION,
};
use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::gate::proof::diet_root;
use git_boundary::git::{ObjectFormat, ObjectKind};
use git_boundary::ledger::{Checkpoint, Entry, Origin, Stored, TreeHead, append};
use git_boundary::model::diet::{DietCommitment, DiffInput};
use git_boundary::model::digest::Digest;
use git_boundary::model::fact::Fact;
use git_boundary::model::id::{Oid, RepositoryId};
use git_boundary::model::policy::PolicyVersion;
use git_boundary::model::time::Timestamp;
use git_boundary::model::trust::TrustDocument;

use crate::vectors::cast::{self, START, Who};
use crate::vectors::gate::parts::{self, MAIN, tree};
use crate::vectors::gate::world::World;

fn commit(tree: Oid, parent: Option<Oid>) -> (Oid, Vec<u8>) {
    let parent = parent.map_or_else(String::new, |oid| format!("parent {oid}\n"));
    let who = "Ada L <ada@example.com> 1780704000 +0000";
    let raw = format!("tree {tree}\n{parent}author {who}\ncommitter {who}\n\nwork\n").into_bytes();
    (ObjectFormat::Sha1.hash_object(ObjectKind::Commit, &raw).expect("it bears no marks"), raw)
}

/// The pinned commit and the tip, each with its bytes.
pub fn commits() -> [(Oid, Vec<u8>); 2] {
    let pin = commit(tree(parts::pin()), None);
    let tip = commit(tree(parts::tip()), Some(pin.0));
    [pin, tip]
}

/// What the checker of the tip reads.
fn diff() -> Digest {
    let [(pin, _), (tip, _)] = commits();
    let diff = DiffInput { base: pin, base_tree: tree(parts::pin()), commit: tip, tree: tree(parts::tip()) };
    canonical::digest_of(&diff)
}

/// A frozen diet, over commits that have bytes.
pub fn over_real_commits(frozen: &mut Statement<DietCommitment>) {
    let [_, (tip, _)] = commits();
    frozen.subject.as_mut().expect("it has a subject").commit = tip;
    frozen.predicate.commit = tip;
    frozen.predicate.diet[0].digest = diff();
    frozen.predicate.diet_root = diet_root(&frozen.predicate.diet);
}

/// The admitted case, over commits that have bytes.
pub fn world() -> World {
    let [(pin, _), (tip, _)] = commits();
    let on = |subject: &mut Option<Subject>, oid: Oid| subject.as_mut().expect("it has a subject").commit = oid;
    let diff = diff();
    World::admitted()
        .handoff(move |it| {
            on(&mut it.subject, pin);
            it.predicate.pin.commit = pin;
        })
        .receipt(move |it| {
            on(&mut it.subject, tip);
            it.predicate.snapshot.base.oid = Some(pin);
            it.predicate.snapshot.destination.oid = Some(pin);
        })
        .proposal(move |it| {
            on(&mut it.subject, tip);
            it.predicate.bindings.source_observed = Fact::known(pin, MAIN, START.plus(3_600));
            let action = it.predicate.requested_action.as_mut().expect("it asks for an update");
            (action.new, action.old) = (tip, pin);
        })
        .commitment(over_real_commits)
        .diet(move |diet| diet[0].digest = diff)
}

/// A bundle in the making.
pub struct Made {
    /// Signed lines, the object in whose note each stands, and when.
    pub lines: Vec<(Dsse, Oid, Timestamp)>,
    /// The policy chain.
    pub policy: Vec<Dsse>,
    /// The repository.
    pub repository: RepositoryId,
    /// The trust chain.
    pub trust: Vec<Dsse>,
}

impl Made {
    /// Of a case, with a second trust version.
    pub fn of(world: &World, second: impl FnOnce(&mut TrustDocument)) -> Made {
        let (trust, policy, stored) = world.stored_lines();
        let first = trust.digest();
        let repository = RepositoryId::of(&first);
        let Statement { predicate: mut document, .. } =
            Statement::<TrustDocument>::read(&trust.payload).expect("it was signed as one");
        (document.version, document.previous, document.repository) = (2, Some(first), Some(repository));
        second(&mut document);
        let trust = vec![trust, cast::sign(&Statement { predicate: document, subject: None }, &[Who::Root])];
        let policy = serde_json::from_slice(&policy).expect("the policy of a case is good");
        let version = PolicyVersion { policy, previous: None, repository, version: 1 };
        let policy = vec![cast::sign(&Statement { predicate: version, subject: None }, &[Who::Owner])];
        let [(pin, _), (tip, _)] = commits();
        let at = |extra: &git_boundary::gate::facts::LedgerEntry| (extra.index, extra.at);
        let mut lines: Vec<_> = stored
            .into_iter()
            .map(|extra| {
                let note = if extra.note == parts::tip() { tip } else { pin };
                let (index, at) = at(&extra.entries[0]);
                (index, (extra.artifact, note, at))
            })
            .collect();
        lines.sort_by_key(|(index, _)| *index);
        Made { lines: lines.into_iter().map(|(_, line)| line).collect(), policy, repository, trust }
    }

    /// The head of the registrar's ledger over the first lines.
    pub fn head(&self, size: usize) -> TreeHead {
        self.ledger(size).0
    }

    fn ledger(&self, size: usize) -> (TreeHead, BTreeMap<String, Vec<u8>>) {
        let nothing = |_: &str| Ok::<_, Infallible>(None);
        let entries: Vec<Entry> = self.lines[..size]
            .iter()
            .map(|(artifact, note, at)| Entry::for_line(artifact.digest(), &artifact.line(), Some(*note), *at))
            .collect();
        let appended = append(&nothing, TreeHead::empty(), &entries).expect("an empty ledger takes more");
        (appended.head, appended.writes.into_iter().collect())
    }

    /// What the registrar's ledger shows, and that it goes on from an older size.
    pub fn carried(&self, registrar: Who, older: Option<u64>) -> CarriedLedger {
        let (head, tiles) = self.ledger(self.lines.len());
        let source = |path: &str| Ok::<_, Infallible>(tiles.get(path).cloned());
        let mut stored = Stored::new(&source, head).expect("it is small");
        let origin = Origin { repository: self.repository, registrar: registrar.id() };
        let sign = |bytes: &[u8]| Ok::<_, Infallible>(registrar.sign(bytes));
        let checkpoint = Checkpoint { origin, head }.sign(&registrar.key().0, sign).expect("a key in memory signs");
        let prove = |index: u64| stored.verified_entry(index).expect("it is in the ledger");
        let entries: Vec<_> = (0..head.size).map(prove).collect();
        CarriedLedger {
            checkpoint: checkpoint.to_string(),
            cosigned: Vec::new(),
            consistency: older.map(|size| stored.prove_consistency(size, head.size).expect("it is smaller")),
            entries: entries
                .into_iter()
                .map(|(entry, proof)| CarriedEntry { entry: entry.to_string(), proof })
                .collect(),
            key: None,
            registrar: registrar.id(),
        }
    }

    /// The digest of a line by its place in the ledger.
    pub fn digest(&self, index: usize) -> Digest {
        self.lines[index].0.digest()
    }

    /// The root to pin.
    pub fn root(&self) -> Digest {
        self.trust[0].digest()
    }

    /// All of it.
    pub fn bundle(&self, kind: AboutKind) -> Bundle {
        let text = |line: &Dsse| String::from_utf8(line.line()).expect("lines are text");
        let mut artifacts: Vec<(Digest, String)> =
            self.lines.iter().map(|(line, ..)| (line.digest(), text(line))).collect();
        artifacts.sort();
        let carried = |(oid, raw): &(Oid, Vec<u8>)| CarriedCommit { oid: *oid, raw: BASE64_STANDARD.encode(raw) };
        let mut carried: Vec<CarriedCommit> = commits().iter().map(carried).collect();
        carried.sort_by_key(|commit| commit.oid);
        let about = match kind {
            AboutKind::Envelope => About { artifact: Some(self.digest(2)), kind, range: None },
            AboutKind::Proof => About { artifact: Some(self.digest(4)), kind, range: None },
            // The seal stands behind the installation that it names.
            AboutKind::Session => About { artifact: Some(self.digest(1)), kind, range: None },
            AboutKind::Range => {
                let range = AboutRange { commits: vec![commits()[1].0], reference: MAIN.to_owned() };
                About { artifact: None, kind, range: Some(range) }
            }
        };
        Bundle {
            about,
            artifacts: artifacts.into_iter().map(|(_, line)| line).collect(),
            bundle: VERSION.to_owned(),
            commits: carried,
            ledgers: vec![self.carried(Who::Ci, None)],
            policy: self.policy.iter().map(text).collect(),
            repository: self.repository,
            trust: self.trust.iter().map(text).collect(),
        }
    }
}

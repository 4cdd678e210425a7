//! Attacks: somebody who may write any note, ref, path and clock, and has keys of their own. What they want is a push admitted that
//! should not be, a denial hidden, an honest push blocked, or the program stopped.

mod chains;
mod claims;
mod consumed;
mod denials;
mod equal_changes;
mod fetching;
mod floods;
mod ledgers;
mod merges;
mod misnamed;
mod names;
mod objects;
mod outboxes;
mod proposals;
mod spoilt;
mod strangers;

use std::path::PathBuf;

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::verified::sign_statement;
use git_boundary::crypto::{PrivateKey, Signer as _, key_id, write_new_key};
use git_boundary::model::boundary_proof::CheckDecision;
use git_boundary::model::envelope::Envelope;
use git_boundary::model::id::Oid;
use git_boundary::model::time::Timestamp;
use git_boundary::store::append::{Batch, NewHint, NewLine};
use git_boundary::store::hints::Hint;
use git_boundary::store::{Registrar, StoreError, append};

use crate::support::{Work, now, read};

/// A registrar that nobody listed: a fresh key, and a ref of its own that it may write as it likes.
struct Stranger<'w> {
    work: &'w Work,
    key: PrivateKey,
    file: PathBuf,
}

impl<'w> Stranger<'w> {
    fn of(work: &'w Work, name: &str) -> Self {
        let file = work.home.root().join(name);
        Stranger { work, key: write_new_key(&file, name).expect("the directory takes one more file"), file }
    }

    /// Its ref.
    fn reference(&self) -> String {
        format!("refs/notes/boundary/{}", key_id(&self.key.public_key()))
    }

    /// Enters lines about objects into its ledger, whatever they are.
    fn record(&self, lines: &[(Oid, Dsse)]) {
        self.record_at(now(), lines, &[]);
    }

    fn record_at(&self, at: Timestamp, lines: &[(Oid, Dsse)], hints: &[(Oid, Oid)]) {
        let repository = self.work.open();
        let registrar = Registrar { repository: self.work.repository_id(), signer: &self.key };
        let lines = lines.iter().map(|(oid, line)| NewLine { annotated: *oid, artifact: line.clone() }).collect();
        let hints = hints.iter().map(|(oid, hint)| NewHint { annotated: *oid, line: Hint::at(*hint).line() }).collect();
        let batch = Batch { lines, hints, ..Batch::default() };
        append(&repository, &registrar, at, "forged", |_| Ok::<_, StoreError>(batch.clone())).expect("it is entered");
    }

    /// Runs something while the clone's registrar is this one, as in a clone of its own.
    fn in_place_of_the_registrar(&self, what: impl FnOnce()) {
        let (registrar, aside) = (self.work.git_file("boundary/registrar"), self.work.home.root().join("aside"));
        std::fs::rename(&registrar, &aside).expect("the registrar's key is a file");
        std::fs::copy(&self.file, &registrar).expect("a copy keeps its mode");
        what();
        std::fs::rename(&aside, &registrar).expect("the registrar's key comes back");
    }
}

/// The last proposal noted on a revision, changed and signed anew.
fn forged(work: &Work, rev: &str, keys: &[&str], change: impl FnOnce(&mut Envelope)) -> Dsse {
    let stored = work.stored(rev, |artifact| matches!(artifact, Artifact::EvidenceEnvelope(_)));
    let Some(Artifact::EvidenceEnvelope(statement)) = stored.last().and_then(read) else {
        panic!("{rev} has a proposal to begin with");
    };
    let Statement { mut predicate, subject } = *statement;
    change(&mut predicate);
    let statement = Statement { predicate, subject };
    let mut signed = keys.iter().map(|key| sign_statement(&statement, &work.key(key)).expect("a key in memory signs"));
    let mut first = signed.next().expect("somebody signs");
    first.signatures.extend(signed.flat_map(|one| one.signatures));
    first
}

/// The artifact id of a line.
fn id(line: &Dsse) -> String {
    git_boundary::model::id::ArtifactId::of(&line.digest()).to_string()
}

/// The proof with this decision on a revision.
fn proof(work: &Work, rev: &str, decision: CheckDecision) -> Dsse {
    let is = |artifact: &Artifact| matches!(artifact, Artifact::BoundaryProof(it) if it.proven.decision == decision);
    work.stored(rev, is).pop().expect("there is one")
}

/// Checks the proposal of an id, instead of the one on `HEAD`.
fn check_proposal(work: &Work, proposal: &str, key: &str, decision: &str) {
    work.boundary(&format!("check begin {proposal} --input diff --key {key}")).ok();
    work.boundary(&format!("check decide {proposal} {decision} --key {key}")).ok();
}

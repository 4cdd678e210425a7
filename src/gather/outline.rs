//! OUTLINE: what of an artifact is counted, and how it is written down for the next process.
//!
//! It is for lists and counts. Nothing is judged by one: the gate takes artifacts whole, and those come from verified lines alone.

use std::collections::BTreeSet;

use crate::codec::artifact::Artifact;
use crate::gate::facts::Recorded;
use crate::model::boundary_proof::CheckDecision;
use crate::model::digest::Digest;
use crate::model::event::EventKind;
use crate::model::id::{KeyId, Oid};
use crate::model::key::PublicKey;
use crate::model::refusal::Code;
use crate::model::time::Timestamp;

/// One artifact, briefly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// Its name for ever.
    pub digest: Digest,
    /// What it says.
    pub gist: Gist,
    /// The object in whose note it was found first.
    pub note: Oid,
    /// Where ledgers hold it.
    pub seats: Vec<Seat>,
    /// Whose signatures verified.
    pub signers: BTreeSet<PublicKey>,
}

/// What is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gist {
    /// The gate let an update pass.
    Admitted {
        /// The ref.
        reference: String,
    },
    /// What a checker committed to reading.
    Diet {
        /// The checker.
        checker: KeyId,
    },
    /// Anything else.
    Other,
    /// A boundary proof.
    Proof {
        /// Where the diet was committed.
        anchor: String,
        /// Key id of the checker, own or foreign form.
        checker: String,
        /// The verdict.
        decision: CheckDecision,
    },
    /// The gate refused an update.
    Refused {
        /// The primary code.
        code: Code,
        /// The ref.
        reference: String,
    },
}

/// A place in a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// When, by the registrar's clock.
    pub at: Timestamp,
    /// Position in the ledger.
    pub index: u64,
    /// Whose ledger.
    pub registrar: KeyId,
}

impl Outline {
    /// Of a verified artifact.
    pub fn of(recorded: &Recorded) -> Self {
        let seat = |entry: &crate::gate::facts::LedgerEntry| Seat {
            at: entry.at,
            index: entry.index,
            registrar: entry.registrar,
        };
        Outline {
            digest: recorded.artifact.digest(),
            gist: Gist::of(recorded.artifact.value()),
            note: recorded.note,
            seats: recorded.entries.iter().map(seat).collect(),
            signers: recorded.artifact.signers().clone(),
        }
    }

    /// Appends all but the note, in which it is kept.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.digest.0);
        write_count(out, self.signers.len());
        self.signers.iter().for_each(|key| out.extend_from_slice(&key.0));
        write_count(out, self.seats.len());
        for seat in &self.seats {
            out.extend_from_slice(&seat.at.0.to_be_bytes());
            out.extend_from_slice(&seat.index.to_be_bytes());
            out.extend_from_slice(&seat.registrar.0);
        }
        self.gist.write(out);
    }

    /// Reads what [`Outline::write`] wrote at the start of `bytes`, which become the rest; `None` for anything else.
    pub fn read(note: Oid, bytes: &mut &[u8]) -> Option<Self> {
        let digest = Digest(take(bytes)?);
        let signers = (0..read_count(bytes)?).map(|_| Some(PublicKey(take(bytes)?))).collect::<Option<_>>()?;
        let seat = |bytes: &mut &[u8]| {
            let at = Timestamp(i64::from_be_bytes(take(bytes)?));
            Some(Seat { at, index: u64::from_be_bytes(take(bytes)?), registrar: KeyId(take(bytes)?) })
        };
        let seats = (0..read_count(bytes)?).map(|_| seat(bytes)).collect::<Option<_>>()?;
        Some(Outline { digest, gist: Gist::read(bytes)?, note, seats, signers })
    }
}

impl Gist {
    fn of(artifact: &Artifact) -> Self {
        match artifact {
            Artifact::BoundaryProof(proof) => Gist::Proof {
                anchor: proof.proven.anchor.clone(),
                checker: proof.proven.checker.clone(),
                decision: proof.proven.decision,
            },
            Artifact::DietCommitment(it) => Gist::Diet { checker: it.predicate.checker },
            Artifact::Event(event) => match &event.predicate.kind {
                EventKind::Admitted { candidate, .. } => Gist::Admitted { reference: candidate.reference.clone() },
                _ => Gist::Other,
            },
            Artifact::Refusal(it) => {
                Gist::Refused { code: it.predicate.primary_code, reference: it.predicate.candidate.reference.clone() }
            }
            _ => Gist::Other,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Gist::Other => out.push(0),
            Gist::Proof { anchor, checker, decision } => {
                out.push(1);
                [anchor, checker, decision.name()].iter().for_each(|text| write_text(out, text));
            }
            Gist::Diet { checker } => {
                out.push(2);
                out.extend_from_slice(&checker.0);
            }
            Gist::Admitted { reference } => {
                out.push(3);
                write_text(out, reference);
            }
            Gist::Refused { code, reference } => {
                out.push(4);
                [code.name(), reference].iter().for_each(|text| write_text(out, text));
            }
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(match take::<1>(bytes)? {
            [0] => Gist::Other,
            [1] => {
                let (anchor, checker) = (read_text(bytes)?.to_owned(), read_text(bytes)?.to_owned());
                let said = read_text(bytes)?;
                let decision = CheckDecision::ALL.into_iter().find(|one| one.name() == said)?;
                Gist::Proof { anchor, checker, decision }
            }
            [2] => Gist::Diet { checker: KeyId(take(bytes)?) },
            [3] => Gist::Admitted { reference: read_text(bytes)?.to_owned() },
            [4] => {
                let code = read_text(bytes)?.parse().ok()?;
                Gist::Refused { code, reference: read_text(bytes)?.to_owned() }
            }
            _ => return None,
        })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

/// No line has room for four thousand million of anything.
fn write_count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&(count as u32).to_be_bytes());
}

fn read_count(bytes: &mut &[u8]) -> Option<usize> {
    Some(u32::from_be_bytes(take(bytes)?) as usize)
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    write_count(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn read_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let count = read_count(bytes)?;
    let (text, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlines() -> Vec<Outline> {
        let text = || "refs/heads/main".to_owned();
        let gists = [
            Gist::Other,
            Gist::Proof { anchor: "merkle://a#1".to_owned(), checker: String::new(), decision: CheckDecision::Deny },
            Gist::Diet { checker: KeyId([5; 16]) },
            Gist::Admitted { reference: text() },
            Gist::Refused { code: Code::ALL[3], reference: text() },
        ];
        let one = |(number, gist)| Outline {
            digest: Digest([number; 32]),
            gist,
            note: Oid::from_bytes(&[9; 20]).expect("an id"),
            seats: (0..number)
                .map(|it| Seat { at: Timestamp(-7), index: it.into(), registrar: KeyId([it; 16]) })
                .collect(),
            signers: (0..number).map(|it| PublicKey([it; 32])).collect(),
        };
        (0..).zip(gists).map(one).collect()
    }

    #[test]
    fn what_is_written_is_read_as_it_was_one_after_the_other() {
        let mut bytes = Vec::new();
        outlines().iter().for_each(|one| one.write(&mut bytes));
        let mut rest = &bytes[..];
        for one in outlines() {
            assert_eq!(Outline::read(one.note, &mut rest), Some(one), "each of them");
        }
        assert!(rest.is_empty(), "and no more");
    }

    #[test]
    fn what_is_cut_off_or_of_no_kind_is_nothing() {
        for one in outlines() {
            let mut bytes = Vec::new();
            one.write(&mut bytes);
            for at in 0..bytes.len() {
                assert_eq!(Outline::read(one.note, &mut &bytes[..at]), None, "{:?} after {at} bytes", one.gist);
            }
        }
        assert_eq!(Gist::read(&mut &[5, 0, 0, 0, 0][..]), None, "no such kind");
        assert_eq!(Gist::read(&mut &[3, 0xff, 0xff, 0xff, 0xff][..]), None, "a length past the end");
    }
}

//! Makes the files: a case in which everything holds, one thing changed, and whatever says nothing about the answer left out.

use git_boundary::gate::facts::{self, Facts};
use git_boundary::model::digest::Digest;
use git_boundary::model::hex;
use git_boundary::model::refusal::Code;

use super::super::gate::world::{Extra, Part, World};
use super::super::vector::Vector;
use super::cut::Cut;
use super::file::{Answer, File};
use super::git::{Commit, Gap, Git, Pin, Proposal, Purpose, Touch, Update};

/// One code and what brings it about.
pub struct Shown {
    /// The code, which is the primary one.
    pub code: Code,
    /// All codes by rank.
    pub codes: Vec<Code>,
    /// What was changed.
    pub about: &'static str,
    /// The case in which everything holds.
    pub base: World,
    /// The one change.
    pub fault: fn(World) -> World,
    /// What is done to the file after everything was signed.
    pub spoil: fn(&mut File),
    /// What makes a file of the case, with or without the change, more than a push.
    pub frame: fn(&mut File),
    /// The proposal that is judged.
    pub judged: fn(&World) -> Option<Digest>,
}

impl Shown {
    /// A change for which just this code is given.
    pub fn new(code: Code, about: &'static str, base: World, fault: fn(World) -> World) -> Shown {
        let judged = |world: &World| Some(world.artifact(Part::Proposal).digest());
        Shown { code, codes: vec![code], about, base, fault, spoil: |_| {}, frame: |_| {}, judged }
    }

    /// The file.
    pub fn vector(&self, path: String) -> Vector {
        let mut right = file(&self.base);
        (self.frame)(&mut right);
        assert_eq!(right.answer().map(|answer| answer.says), Ok("admitted".to_owned()), "{path}, put right");
        let world = (self.fault)(self.base.clone());
        let mut file = file(&world);
        (self.frame)(&mut file);
        (self.spoil)(&mut file);
        let outcome = if self.codes == [Code::SnapshotUnavailable] { "undecided" } else { "refused" };
        let codes: Vec<&str> = self.codes.iter().map(|code| code.name()).collect();
        let envelope = (self.judged)(&world).map(|digest| digest.to_string());
        let says = format!("{outcome} {}", self.code.name());
        let expected = Answer { says, codes: codes.join(" "), envelope: envelope.unwrap_or_else(|| "none".to_owned()) };
        written(path, self.about, file, &expected)
    }
}

/// A file in which everything holds, with everything in it: what is left out of the others can be seen here.
pub fn admitted(path: String, about: &str, world: &World) -> Vector {
    let envelope = world.artifact(Part::Proposal).digest().to_string();
    whole(path, about, &file(world), &Answer { says: "admitted".to_owned(), codes: "none".to_owned(), envelope })
}

fn written(path: String, about: &str, mut file: File, expected: &Answer) -> Vector {
    assert_eq!(file.answer().as_ref(), Ok(expected), "{path}: the whole case");
    while smaller(&mut file, expected) {}
    whole(path, about, &file, expected)
}

fn whole(path: String, about: &str, file: &File, expected: &Answer) -> Vector {
    Vector::new(path, expected.says.clone(), about, file.bytes())
        .given("codes", &expected.codes)
        .given("envelope", &expected.envelope)
}

/// Leaves out what says nothing about the answer, one thing after the other; whether there was anything.
fn smaller(file: &mut File, expected: &Answer) -> bool {
    let (mut place, mut any) = (0, false);
    let mut read = file.read().expect("the whole file can be read");
    while let Some(cut) = Cut::all(file).get(place) {
        if cut.answer(file, &read).as_ref() == Ok(expected) {
            (*file, any) = (cut.made(file), true);
            read = file.read().expect("so can the smaller one");
        } else {
            place += 1;
        }
    }
    any
}

/// A case with everything in it.
pub fn file(world: &World) -> File {
    let (trust, policy, stored) = world.stored_lines();
    let facts = world.gather();
    let mut lines = Vec::new();
    for Extra { artifact, entries, note } in stored {
        for entry in entries {
            let place = format!("{note} {} {} {} ", entry.registrar, entry.index, entry.at.0);
            lines.push([place.as_bytes(), &artifact.line()[..]].concat());
        }
    }
    let git = serde_json::to_value(git(&facts)).expect("what git says is JSON");
    File { git, lines, policy: facts.policies.in_force.map(|_| policy), trust: trust.line() }
}

fn git(facts: &Facts) -> Git {
    let update = &facts.update;
    Git {
        absent: gaps(&facts.absent),
        base: facts.base.clone(),
        baselines: facts.baselines.clone(),
        behind_the_cut: facts.behind_the_cut.clone(),
        claim: None,
        commits: facts.commits.iter().map(|(oid, it)| (*oid, commit(it))).collect(),
        exact: facts.exact,
        gaps: gaps(&facts.gaps),
        malformed: facts.malformed.clone(),
        now: facts.now,
        other_handoffs: facts.other_handoffs.clone(),
        proposals: facts.proposals.iter().map(proposal).collect(),
        range: facts.range.clone(),
        registrar: facts.registrar,
        update: Update {
            fast_forward: update.fast_forward,
            new: update.new,
            old: update.old,
            purpose: match update.purpose {
                facts::Purpose::Landed => Purpose::Landed,
                facts::Purpose::Push => Purpose::Push,
                facts::Purpose::Receive => Purpose::Receive,
                facts::Purpose::Verify => Purpose::Verify,
            },
            reference: update.reference.clone(),
            tip: update.tip,
        },
    }
}

fn gaps(gaps: &[facts::Gap]) -> Vec<Gap> {
    gaps.iter().map(|gap| Gap { command: gap.command.clone(), text: gap.text.clone() }).collect()
}

fn commit(it: &facts::CommitFacts) -> Commit {
    let touch = |touch: &facts::Touch| Touch {
        operations: touch.operations.clone(),
        path: String::from_utf8(touch.path.clone()).expect("these paths are text"),
    };
    Commit {
        change_list: it.change_list,
        parents: it.parents.clone(),
        ssh_signer: it.ssh_signer.as_ref().map(|key| hex::encode(&key.0)),
        touched: it.touched.iter().map(touch).collect(),
        tree: it.tree,
    }
}

fn proposal(it: &facts::ProposalFacts) -> Proposal {
    Proposal {
        contains_old: it.contains_old,
        digest: it.digest,
        gaps: gaps(&it.gaps),
        handoff: it.handoff.as_ref().map(|pin| Pin {
            base: pin.base.clone(),
            built_on: pin.built_on,
            digest: pin.digest,
            pin_in_base: pin.pin_in_base,
            pin_known: pin.pin_known,
            tip_descends: pin.tip_descends,
        }),
        range: it.range.clone(),
        starts_at: it.starts_at,
        tip: it.tip,
    }
}

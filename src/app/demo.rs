//! `demo`: the whole story as data, and the judgement of each step. It starts nothing itself; whoever may start processes plays
//! the steps and says what was seen.

mod checkers;
mod judge;
mod people;
mod readers;
mod scope;
mod story;

pub use self::judge::{Judged, Refs, Seen};
use crate::model::refusal::Code;

/// A part of the story.
#[derive(Debug, Clone, Copy)]
pub struct Act {
    /// What it is about.
    pub title: &'static str,
    /// Its steps, each resting on those before.
    pub steps: &'static [Step],
}

/// The story.
pub const ACTS: &[Act] = &[
    Act { title: "Work is handed out, done, checked and pushed", steps: story::STEPS },
    Act { title: "What was handed out is all that may be touched", steps: scope::STEPS },
    Act { title: "Who may check, and what a decision is worth", steps: checkers::STEPS },
    Act { title: "Other keys, ended leases, people", steps: people::STEPS },
    Act { title: "Anyone with a clone and the root can verify", steps: readers::STEPS },
];

/// Who types a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The person whose repository it is.
    Owner,
    /// The agent that was handed the work, or another one.
    Agent,
    /// Whoever checks it.
    Checker,
    /// Somebody with a clone.
    Reader,
    /// Somebody who means harm.
    Intruder,
}

impl Who {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Who::Owner => "owner",
            Who::Agent => "agent",
            Who::Checker => "checker",
            Who::Reader => "reader",
            Who::Intruder => "intruder",
        }
    }
}

/// The directory a command is typed in. The remote lies beside both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The clone in which owner, agent and checker work.
    Work,
    /// Somebody else's clone.
    Reader,
}

impl Place {
    /// Both.
    pub const ALL: [Place; 2] = [Place::Work, Place::Reader];

    /// The directory's name.
    pub fn name(self) -> &'static str {
        match self {
            Place::Work => "work",
            Place::Reader => "reader",
        }
    }
}

/// The bare repository that is pushed to; it lies beside the clones.
pub const REMOTE: &str = "server.git";

/// One step: a command line for `sh`, and what must come of it.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Who types it.
    pub who: Who,
    /// Where.
    pub place: Place,
    /// Command lines that set the scene; each must end with 0.
    pub before: &'static [&'static str],
    /// The command line that the step is about.
    pub command: &'static str,
    /// A variable that later command lines use, and how the id begins that it gets from what is printed here.
    pub keep: Option<(&'static str, &'static str)>,
    /// What must come of it.
    pub should: Should,
    /// What it shows, given that it came out so.
    pub proves: &'static str,
}

/// What must come of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Should {
    /// The exit status.
    pub status: i32,
    /// The primary code of a refusal, or of an undecided answer.
    pub code: Option<Code>,
    /// What becomes of the remote's refs.
    pub remote: Remote,
}

/// What becomes of the remote's refs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remote {
    /// All of them stay as they are.
    Unchanged,
    /// Receipts, trust or policy arrive, and no branch moves.
    Receipts,
    /// This ref moves, and no other does.
    Moves(&'static str),
}

impl Step {
    /// A command in the working clone that should succeed and leave the remote as it is.
    const fn new(who: Who, command: &'static str) -> Self {
        let should = Should { status: 0, code: None, remote: Remote::Unchanged };
        Step { who, place: Place::Work, before: &[], command, keep: None, should, proves: "" }
    }

    const fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    const fn after(mut self, before: &'static [&'static str]) -> Self {
        self.before = before;
        self
    }

    const fn keeps(mut self, variable: &'static str, prefix: &'static str) -> Self {
        self.keep = Some((variable, prefix));
        self
    }

    const fn records(mut self) -> Self {
        self.should.remote = Remote::Receipts;
        self
    }

    const fn moves(mut self, reference: &'static str) -> Self {
        self.should.remote = Remote::Moves(reference);
        self
    }

    const fn refused(mut self, code: Code) -> Self {
        self.should.status = 1;
        self.should.code = Some(code);
        self
    }

    const fn undecided(mut self) -> Self {
        self.should.status = 2;
        self.should.code = Some(Code::SnapshotUnavailable);
        self
    }

    const fn ends(mut self, status: i32) -> Self {
        self.should.status = status;
        self
    }

    const fn proves(mut self, proves: &'static str) -> Self {
        self.proves = proves;
        self
    }

    /// Whether it is a push, whose refusal leaves a signed receipt.
    pub fn is_push(&self) -> bool {
        self.command.starts_with("git push ")
    }

    /// Whether it is a verification, whose answer is there for machines too.
    pub fn is_verify(&self) -> bool {
        self.command.starts_with("git boundary verify ")
    }
}

impl Should {
    /// The expectation as a sentence, made from what is compared, so that neither can drift from the other.
    pub fn sentence(&self) -> String {
        let how = match (self.status, self.code) {
            (0, None) => "succeed".to_owned(),
            (1, Some(code)) => format!("be refused with {code}"),
            (2, Some(code)) => format!("be undecided with {code}"),
            (status, _) => format!("end with exit status {status}"),
        };
        match self.remote {
            Remote::Unchanged => format!("{how}, and no ref moves at the remote"),
            Remote::Receipts => format!("{how}, and only boundary refs move at the remote"),
            Remote::Moves(reference) => format!("{how}, and only {reference} moves at the remote"),
        }
    }
}

#[cfg(test)]
mod tests;

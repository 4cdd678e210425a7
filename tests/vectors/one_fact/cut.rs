//! One thing left out of a file.

use super::file::{Answer, File, Read};
use super::places::{Place, leave_out, members};

/// What is left out.
#[derive(Debug, Clone)]
pub enum Cut {
    /// A stored line.
    Line(usize),
    /// The policy.
    Policy,
    /// Something that git says.
    Said(Place),
}

impl Cut {
    /// Everything that can be left out of a file.
    pub fn all(file: &File) -> Vec<Cut> {
        let lines = (0..file.lines.len()).map(Cut::Line);
        let policy = file.policy.iter().map(|_| Cut::Policy);
        lines.chain(policy).chain(members(&file.git).into_iter().map(Cut::Said)).collect()
    }

    /// Whether there is something in it: no answer and an empty list say as much as nothing.
    pub fn takes_something(&self, file: &File) -> bool {
        let Cut::Said(at) = self else { return true };
        let said = file.git.pointer(at).expect("it is there");
        !said.is_null()
            && !said.as_array().is_some_and(Vec::is_empty)
            && !said.as_object().is_some_and(|it| it.is_empty())
    }

    /// The file without it.
    pub fn made(&self, file: &File) -> File {
        let mut smaller = file.clone();
        match self {
            Cut::Line(place) => drop(smaller.lines.remove(*place)),
            Cut::Policy => smaller.policy = None,
            Cut::Said(at) => leave_out(&mut smaller.git, at),
        }
        smaller
    }

    /// What the gate makes of the file without it; `read` is the whole file's.
    pub fn answer(&self, file: &File, read: &Read) -> Result<Answer, String> {
        let smaller = self.made(file);
        match self {
            Cut::Said(_) => read.answer(&smaller.git),
            _ => smaller.answer(),
        }
    }
}

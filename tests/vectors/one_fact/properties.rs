//! One fact at a time: whatever is taken away from an admitted case, or is otherwise, it is admitted no more. What may be otherwise is
//! listed, with the reason; a reason that is not needed any more fails as well.

mod git;
mod lines;
mod parties;
mod said;

use std::collections::{BTreeMap, BTreeSet};

use super::file::Answer;
use super::worlds;

/// What may be otherwise, and why. A name is that of all four worlds, or goes on with those in which it holds.
type Reasons = &'static [(&'static str, &'static str)];

/// What stayed admitted, and in which worlds.
#[derive(Default)]
struct Found(BTreeMap<String, BTreeSet<&'static str>>);

impl Found {
    fn note(&mut self, world: &'static str, what: String) {
        self.0.entry(what).or_default().insert(world);
    }

    fn names(self) -> BTreeSet<String> {
        let all = worlds::all().len();
        let name = |(what, worlds): (String, BTreeSet<&str>)| {
            if worlds.len() == all { what } else { format!("{what}: {}", Vec::from_iter(worlds).join(" ")) }
        };
        self.0.into_iter().map(name).collect()
    }
}

fn is_admitted(answer: &Result<Answer, String>) -> bool {
    answer.as_ref().is_ok_and(|answer| answer.says == "admitted")
}

/// Compares what stayed admitted with what may.
#[track_caller]
fn only_these(found: Found, reasons: Reasons) {
    let found = found.names();
    let listed: BTreeSet<String> = reasons.iter().map(|(name, _)| (*name).to_owned()).collect();
    let over: Vec<&String> = found.difference(&listed).collect();
    assert!(over.is_empty(), "stays admitted, and nothing says why it may: {over:#?}");
    let needless: Vec<&String> = listed.difference(&found).collect();
    assert!(needless.is_empty(), "listed, and does not stay admitted: {needless:#?}");
}

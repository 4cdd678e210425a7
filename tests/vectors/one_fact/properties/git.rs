//! What git says.

use super::super::cut::Cut;
use super::super::make::file;
use super::super::places::others;
use super::super::worlds;
use super::{Found, is_admitted, only_these};
use crate::vectors::gate::parts::tip;

#[test]
fn what_git_says_left_out() {
    let mut found = Found::default();
    for (name, world) in worlds::all() {
        let whole = file(&world);
        let read = whole.read().expect("it can be read");
        for cut in Cut::all(&whole).into_iter().filter(|cut| cut.takes_something(&whole)) {
            if is_admitted(&cut.answer(&whole, &read)) {
                match cut {
                    Cut::Said(at) => found.note(name, plain(&at)),
                    other => found.note(name, format!("{other:?}")),
                }
            }
        }
    }
    only_these(
        found,
        &[
            ("/base/oid", "where the default branch stands says nothing of a pin, and a person's work needs none"),
            ("/commits/<tip>/parents", "the ranges were made from them"),
            ("/commits/<tip>/parents/0", "the same"),
            ("/commits/<tip>/touched", "a commit may touch nothing"),
            ("/commits/<tip>/touched/0", "the same"),
            ("/exact", "it is left out where a range may only be too long"),
            ("/proposals/0/contains_old", "asked only where the old value is not the one that the proposal saw"),
            ("/proposals/0/starts_at: person", "nobody checks a person's work, so that nobody read a diff from there"),
            ("/range", "a push may bring nothing that is not adopted already; who verifies takes that for no answer"),
            ("/range/0", "the same"),
            ("/registrar: checked person twice", "who acts matters only to an approval, which names it"),
            ("/update/fast_forward: person", "a listed person may rewrite"),
        ],
    );
}

/// A place without what is an id of these cases.
fn plain(at: &str) -> String {
    at.replace(&tip().to_string(), "<tip>")
}

#[test]
fn what_git_says_otherwise() {
    let mut found = Found::default();
    for (name, world) in worlds::all() {
        let whole = file(&world);
        let read = whole.read().expect("it can be read");
        for (at, other) in others(&whole.git) {
            let mut git = whole.git.clone();
            *git.pointer_mut(&at).expect("the place is there") = other;
            if is_admitted(&read.answer(&git)) {
                found.note(name, plain(&at));
            }
        }
    }
    only_these(
        found,
        &[
            ("/base/by", "how it is known is for people"),
            ("/base/oid", "where the default branch stands says nothing of a pin, and a person's work needs none"),
            ("/base/ref", "the same"),
            ("/commits/<tip>/parents/0", "the ranges were made from them"),
            ("/commits/<tip>/touched/0/operations/0: person", "a person has no scope"),
            ("/commits/<tip>/touched/0/path", "another path in scope, or a person's, who has none"),
            ("/exact", "it says only that a range may be too long"),
            ("/now: person", "a person has no lease"),
            ("/proposals/0/contains_old", "asked only where the old value is not the one that the proposal saw"),
            ("/proposals/0/handoff/base/by: approved checked twice", "how it is known is for people"),
            (
                "/proposals/0/handoff/base/oid: approved checked twice",
                "the base may go on where the pin is an ancestor",
            ),
            ("/proposals/0/handoff/base/ref: approved checked twice", "the pinned ref is signed in the handoff"),
            ("/registrar: checked person twice", "who acts matters only to an approval, which names it"),
            ("/update/fast_forward: person", "a listed person may rewrite"),
            ("/update/old: checked person twice", "the tip contains it, and no approval binds another"),
            ("/update/purpose", "what may be pushed stands when it is looked at afterwards"),
        ],
    );
}

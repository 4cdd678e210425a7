//! Signatures, keys and independence; and what is not there to be looked at.

use git_boundary::codec::dsse::Dsse;
use git_boundary::gate::facts::Gap;
use git_boundary::model::refusal::Code::*;

use super::super::super::cast::{START, Who};
use super::super::super::gate::parts::oid;
use super::super::file::File;
use super::super::make::Shown;
use super::{checked, handed};

pub fn shown() -> Vec<Shown> {
    vec![
        Shown {
            spoil: break_the_last,
            ..Shown::new(IdentitySignatureInvalid, "one bit of the proof's signature was changed", checked(), |world| {
                world
            })
        },
        Shown::new(IdentityKeyUntrusted, "the trust document gives the actor's key no role", handed(), |world| {
            world.trust(|document| document.keys.get_mut(&Who::Codex.id()).expect("listed").roles.clear())
        }),
        Shown::new(IdentityKeyRevoked, "the actor's key was revoked before it signed", handed(), |world| {
            world.trust(|document| {
                document.keys.get_mut(&Who::Codex.id()).expect("listed").revoked_at = Some(START);
            })
        }),
        Shown::new(IdentityNotIndependent, "the checker is in the actor's domain", checked(), |world| {
            world.trust(|document| {
                document.domains.remove("reviewers").expect("a domain");
                document.domains.get_mut("codex").expect("a domain").push(Who::Reviewer.id());
            })
        }),
        Shown::new(
            SnapshotUnavailable,
            "history is cut, so that not everything could be looked at",
            handed(),
            |world| {
                world.facts(|facts| {
                    let command = Some("git fetch --unshallow".to_owned());
                    facts.gaps.push(Gap { command, text: "history is cut".to_owned() });
                })
            },
        ),
        Shown::new(SnapshotHeadMoved, "the destination moved to what the tip does not contain", handed(), |world| {
            world.update(|update| update.old = oid(0xb7)).git(|it| it.contains_old = Some(false))
        }),
    ]
}

fn break_the_last(file: &mut File) {
    let last = file.lines.last_mut().expect("the proof is stored last");
    let start = last.iter().position(|byte| *byte == b'{').expect("a line of JSON");
    let mut artifact = Dsse::parse(&last[start..]).expect("a line");
    artifact.signatures[0].sig[0] ^= 1;
    last.truncate(start);
    last.extend_from_slice(&artifact.line());
}

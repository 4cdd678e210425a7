//! One case for every code, and the ones in which everything holds.

mod authority;
mod decided;
mod evidence;
mod identity;

use git_boundary::codec::dsse::Dsse;
use git_boundary::model::refusal::Code::{self};

use super::super::cast::{self, START, Who};
use super::super::gate::parts::{pin, tip};
use super::super::gate::world::{Extra, Part, World, entry};
use super::super::vector::Vector;

/// What is done to one stored line after it was signed.
type Spoil = fn(&mut Dsse);

fn case(name: &str, codes: &[Code], about: &str, world: World) -> Vector {
    spoiled(name, codes, about, world, None)
}

fn spoiled(name: &str, codes: &[Code], about: &str, world: World, spoil: Option<(Part, Spoil)>) -> Vector {
    let expect = match codes {
        [] => "admitted".to_owned(),
        codes => codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(" "),
    };
    let mut body = Vec::new();
    let (trust, policy, lines) = world.stored_lines();
    body.extend_from_slice(&[b"trust ", &trust.line()[..], b"\npolicy ", &policy[..], b"\n"].concat());
    for Extra { mut artifact, entries, note } in lines {
        if let Some((part, spoil)) = spoil
            && artifact.digest() == world.artifact(part).digest()
        {
            spoil(&mut artifact);
        }
        for entry in entries {
            let at = entry.at.0;
            body.extend_from_slice(format!("{note} {} {} {at} ", entry.registrar, entry.index).as_bytes());
            body.extend_from_slice(&artifact.line());
            body.push(b'\n');
        }
    }
    Vector::new(format!("cases/{name}.case"), expect, about, body)
}

pub fn vectors() -> Vec<Vector> {
    [admitted(), identity::vectors(), authority::vectors(), decided::vectors(), evidence::vectors()].concat()
}

fn admitted() -> Vec<Vector> {
    let broken_copy = World::admitted().more(|links| {
        let mut copy = cast::sign(&links.proposal.clone().expect("a proposal").1, &[Who::Codex]);
        copy.signatures[0].sig[0] ^= 1;
        vec![Extra { artifact: copy, entries: vec![entry(Who::StrangerClone, 0, START)], note: tip() }]
    });
    let moved_copy = World::admitted().more(|links| {
        let copy = cast::sign(&links.proposal.clone().expect("a proposal").1, &[Who::Codex]);
        vec![Extra { artifact: copy, entries: vec![entry(Who::StrangerClone, 0, START)], note: pin() }]
    });
    vec![
        case("admitted", &[], "nothing is wrong with it", World::admitted()),
        case("admitted-person", &[], "a listed person's own work", World::of_a_person(Who::Hotfixer)),
        case(
            "admitted-beside-a-broken-copy",
            &[],
            "somebody stored a copy of the proposal with a wrong signature",
            broken_copy,
        ),
        case(
            "admitted-beside-a-moved-copy",
            &[],
            "somebody stored a copy of the proposal on another commit",
            moved_copy,
        ),
    ]
}

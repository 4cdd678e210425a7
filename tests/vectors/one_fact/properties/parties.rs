//! Who is trusted with what.

use super::super::make::file;
use super::super::worlds;
use super::{Found, is_admitted, only_these};
use crate::vectors::cast::START;

#[test]
fn every_party_is_needed_in_its_role() {
    let mut found = Found::default();
    for (name, world) in worlds::all() {
        for who in worlds::parties(name).iter().copied() {
            let removed = world.clone().trust(move |document| {
                document.keys.remove(&who.id());
                document.domains.values_mut().for_each(|keys| keys.retain(|id| *id != who.id()));
                document.domains.retain(|_, keys| !keys.is_empty());
            });
            let roleless = world.clone().trust(move |document| {
                document.keys.get_mut(&who.id()).expect("listed").roles.clear();
            });
            let revoked = world.clone().trust(move |document| {
                document.keys.get_mut(&who.id()).expect("listed").revoked_at = Some(START);
            });
            for (how, changed) in [("removed", removed), ("without its role", roleless), ("revoked", revoked)] {
                if is_admitted(&file(&changed).answer()) {
                    found.note(name, format!("{who:?} {how}"));
                }
            }
        }
    }
    only_these(
        found,
        &[
            ("Ci revoked", "anybody's ledger will do where the rule asks for strength self"),
            ("Ci without its role", "the same"),
        ],
    );
}

//! Who signs a version, and how many it takes.

use git_boundary::model::party::Role;
use git_boundary::model::trust::{Roots, TrustDocument};

use super::super::cast::{START, Who};
use super::super::vector::Vector;
use super::{BOTH, Chain, first, nothing};

pub fn vectors() -> Vec<Vector> {
    let below = |count: u64, version: u64| {
        format!("trust version {version}: has {count} good root signatures of the 2 that version … asks for")
    };
    let seized = Chain::new().then(
        |it| {
            it.keys.insert(Who::Stranger.id(), Who::Stranger.trusted("me", &[Role::Root]));
            it.domains.insert("me".to_owned(), vec![Who::Stranger.id()]);
            it.roots = Roots { keys: vec![Who::Stranger.id()], threshold: 1 };
        },
        &[Who::Stranger],
    );
    let mut renamed = Chain::new().then(nothing, &BOTH);
    // Both signatures are one root's, the second under a name of the other.
    let again = renamed.lines[1].signatures[0].sig.clone();
    renamed.lines[1].signatures[1].sig = again;
    let revived = Chain::new()
        .then(
            |it| it.keys.get_mut(&Who::Root.id()).expect("listed").revoked_at = Some(START),
            &[Who::Owner, Who::Deputy],
        )
        .then(|it| it.keys.get_mut(&Who::Root.id()).expect("listed").revoked_at = None, &BOTH);
    let mut broken = Chain::new().then(nothing, &BOTH);
    broken.lines[1].payload[20] ^= 1;
    let mut twice = Chain::from(first(), &[Who::Owner, Who::Owner]);
    twice.lines[0].signatures[1].keyid = "key_0123456789abcdef".to_owned();
    let two_names = {
        let mut document = first();
        document.keys.get_mut(&Who::Owner.id()).expect("listed").aliases = vec!["key_0123456789abcdef".to_owned()];
        let mut chain = Chain::from(document, &[Who::Owner, Who::Owner]);
        chain.lines[0].signatures[1].keyid = "key_0123456789abcdef".to_owned();
        chain
    };
    vec![
        Chain::new().then(nothing, &[Who::Root]).vector("threshold-unmet", &below(1, 2), "one root of two"),
        Chain::from(first(), &[Who::Root]).vector(
            "threshold-unmet-in-version-1",
            &below(1, 1),
            "one root of two, at the start",
        ),
        Chain::new().then(nothing, &[Who::Root, Who::Codex, Who::Ci]).vector(
            "threshold-met-by-others",
            &below(1, 2),
            "listed keys that are no roots",
        ),
        two_names.vector("threshold-met-under-two-names", &below(1, 1), "one root signs twice, once under an alias"),
        twice.vector(
            "threshold-met-under-a-made-up-name",
            &below(1, 1),
            "one root signs twice, once under a name that nobody has",
        ),
        renamed.vector(
            "threshold-met-by-a-copied-signature",
            &below(1, 2),
            "one root's signature under another root's name",
        ),
        seized.vector("roots-seized", &below(0, 2), "a stranger makes itself the only root, and signs"),
        revived.vector("revoked-root-revives-itself", &below(1, 3), "a root that was ended signs its way back in"),
        Chain::new().then(nothing, &[Who::Stranger]).vector(
            "signed-by-a-stranger",
            "trust version 2: signed by …, which the trust document does not know",
            "good, by nobody",
        ),
        broken.vector("one-byte-changed", "trust version 2: …", "a byte of version 2"),
        Chain::from(TrustDocument { roots: Roots { threshold: 0, ..first().roots }, ..first() }, &BOTH).vector(
            "threshold-zero",
            "trust version 1: asks for 0 of 3 distinct root keys",
            "anybody could sign",
        ),
        Chain::from(TrustDocument { roots: Roots { threshold: 4, ..first().roots }, ..first() }, &BOTH).vector(
            "threshold-out-of-reach",
            "trust version 1: asks for 4 of 3 distinct root keys",
            "nobody could sign",
        ),
        Chain::from(
            TrustDocument { roots: Roots { keys: vec![Who::Root.id(), Who::Root.id()], threshold: 2 }, ..first() },
            &BOTH,
        )
        .vector("root-listed-twice", "trust version 1: asks for 2 of 1 distinct root keys", "one root, twice"),
    ]
}

//! What a version may say of keys.

use git_boundary::model::digest::Digest;
use git_boundary::model::party::Role;
use git_boundary::model::trust::TrustDocument;

use super::super::cast::Who;
use super::super::vector::Vector;
use super::{BOTH, Chain};

pub fn vectors() -> Vec<Vector> {
    let edited = |edit: fn(&mut TrustDocument)| Chain::new().then(edit, &BOTH);
    fn codex(document: &mut TrustDocument) -> &mut git_boundary::model::trust::TrustedKey {
        document.keys.get_mut(&Who::Codex.id()).expect("listed")
    }
    let point = |bytes: [u8; 32]| git_boundary::crypto::to_openssh(&git_boundary::model::key::PublicKey(bytes), "");
    let weak = move |document: &mut TrustDocument| {
        let mut neutral = [0; 32];
        neutral[0] = 1;
        codex(document).ssh = point(neutral);
    };
    let id = Who::Codex.id();
    vec![
        edited(|it| {
            it.keys.remove(&Who::Codex.id());
            it.domains.remove("codex");
            it.domains.insert("codex".to_owned(), vec![Who::CodexTwin.id(), Who::CodexClone.id()]);
        })
        .vector(
            "key-deleted",
            &format!("trust version 2: key {id} of the version before is gone or changed; …"),
            "a key is ended, never deleted",
        ),
        edited(|it| codex(it).ssh = Who::Stranger.trusted("", &[]).ssh).vector(
            "key-exchanged",
            &format!("trust version 2: …{id}…"),
            "another raw key under an old id",
        ),
        edited(|it| codex(it).ssh.push_str(" laptop")).vector(
            "key-with-another-comment",
            &format!("trust version 2: key {id} of the version before is gone or changed; …"),
            "not even its comment may change",
        ),
        edited(|it| {
            let stray = Who::Stranger.trusted("stray", &[Role::Actor]);
            it.keys.insert(Who::StrangerClone.id(), stray);
            it.domains.insert("stray".to_owned(), vec![Who::StrangerClone.id()]);
        })
        .vector(
            "key-id-of-another-key",
            &format!("trust version 2: …{}…", Who::StrangerClone.id()),
            "an id that is not this key's",
        ),
        Chain::new().then(weak, &BOTH).vector(
            "key-of-small-order",
            &format!("trust version 2: …{id}…"),
            "a key under which one signature is good for all messages",
        ),
        edited(|it| codex(it).ssh = "ssh-rsa AAAA".to_owned()).vector(
            "key-of-another-type",
            &format!("trust version 2: …{id}…"),
            "RSA",
        ),
        edited(|it| it.domains.get_mut("audit").expect("a domain").push(Who::Codex.id())).vector(
            "key-in-two-domains",
            &format!("trust version 2: key {id} is in 2 domains…"),
            "who answers for it?",
        ),
        edited(|it| it.domains.get_mut("codex").expect("a domain").push(Who::Codex.id())).vector(
            "key-twice-in-one-domain",
            &format!("trust version 2: key {id} is in 2 domains…"),
            "listed twice",
        ),
        edited(|it| it.domains.get_mut("codex").expect("a domain").retain(|id| *id != Who::Codex.id())).vector(
            "key-in-no-domain",
            &format!("trust version 2: key {id} is in 0 domains…"),
            "nobody answers for it",
        ),
        edited(|it| it.domains.get_mut("codex").expect("a domain").push(Who::Stranger.id())).vector(
            "domain-of-an-unknown-key",
            &format!("trust version 2: …{}…", Who::Stranger.id()),
            "a domain lists a key that is not there",
        ),
        edited(|it| it.roots.keys.push(Who::Stranger.id())).vector(
            "root-of-an-unknown-key",
            &format!("trust version 2: …{}…", Who::Stranger.id()),
            "a root that is not there",
        ),
        edited(|it| {
            let last = git_boundary::model::trust::LastCheckpoint { root: Digest([1; 32]), size: 3 };
            it.ledgers.insert(Who::Stranger.id(), last);
        })
        .vector(
            "ledger-of-an-unknown-key",
            &format!("trust version 2: …{}…", Who::Stranger.id()),
            "a ledger of a registrar that is not there",
        ),
        edited(|it| {
            for who in [Who::Codex, Who::Reviewer] {
                it.keys.get_mut(&who.id()).expect("listed").aliases = vec!["key_0123456789abcdef".to_owned()];
            }
        })
        .vector(
            "alias-for-two-keys",
            "trust version 2: the name \"key_0123456789abcdef\" stands for two keys",
            "whose signature would it be?",
        ),
        edited(|it| codex(it).aliases = vec![Who::Reviewer.name()]).vector(
            "alias-of-another-keys-id",
            "trust version 2: the name \"key_…\" stands for two keys",
            "the actor calls itself the checker",
        ),
    ]
}

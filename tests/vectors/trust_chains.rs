//! Chains of trust documents: what stands, and what each forgery of one is told.

use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::Statement;
use git_boundary::crypto::trust::Trust;
use git_boundary::model::digest::Digest;
use git_boundary::model::id::RepositoryId;
use git_boundary::model::party::Role;
use git_boundary::model::trust::{Roots, TrustDocument};

use super::cast::{self, START, Who};
use super::vector::{Vector, all_come_to_what_they_expect};

/// Version 1 with two roots of three, so that thresholds show.
fn first() -> TrustDocument {
    let mut document = cast::document();
    for who in [Who::Owner, Who::Deputy] {
        document.keys.get_mut(&who.id()).expect("listed").roles.push(Role::Root);
    }
    let mut keys = vec![Who::Root.id(), Who::Owner.id(), Who::Deputy.id()];
    keys.sort_unstable();
    document.roots = Roots { keys, threshold: 2 };
    document
}

fn signed(document: &TrustDocument, by: &[Who]) -> Dsse {
    cast::sign(&Statement { predicate: document.clone(), subject: None }, by)
}

/// The document that follows one.
fn after(before: &TrustDocument, line: &Dsse, repository: RepositoryId) -> TrustDocument {
    TrustDocument {
        previous: Some(line.digest()),
        repository: Some(repository),
        version: before.version + 1,
        ..before.clone()
    }
}

/// A chain under construction.
struct Chain {
    documents: Vec<TrustDocument>,
    lines: Vec<Dsse>,
}

const BOTH: [Who; 2] = [Who::Root, Who::Owner];

impl Chain {
    fn from(document: TrustDocument, by: &[Who]) -> Chain {
        Chain { lines: vec![signed(&document, by)], documents: vec![document] }
    }

    /// Version 1 as it should be.
    fn new() -> Chain {
        Chain::from(first(), &BOTH)
    }

    fn repository(&self) -> RepositoryId {
        RepositoryId::of(&self.lines[0].digest())
    }

    /// One version more, changed before it is signed.
    fn then(mut self, edit: impl FnOnce(&mut TrustDocument), by: &[Who]) -> Chain {
        let (before, line) = (&self.documents[self.documents.len() - 1], &self.lines[self.lines.len() - 1]);
        let mut document = after(before, line, self.repository());
        edit(&mut document);
        self.lines.push(signed(&document, by));
        self.documents.push(document);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| [line.line(), b"\n".to_vec()].concat()).collect()
    }

    fn vector(&self, name: &str, expect: &str, about: &str) -> Vector {
        Vector::new(format!("trust/{name}.chain"), expect, about, self.bytes()).given("pin", self.lines[0].digest())
    }
}

fn nothing(_: &mut TrustDocument) {}

pub fn vectors() -> Vec<Vector> {
    [valid(), links(), signatures(), keys()].concat()
}

fn valid() -> Vec<Vector> {
    let three = Chain::new().then(nothing, &BOTH).then(nothing, &[Who::Owner, Who::Deputy]);
    let mut with_alias = first();
    with_alias.keys.get_mut(&Who::Codex.id()).expect("listed").aliases = vec!["key_0123456789abcdef".to_owned()];
    let handed_over = Chain::new().then(
        |it| {
            // The old roots hand over to new ones: both thresholds are met.
            it.keys.insert(Who::Stranger.id(), Who::Stranger.trusted("successor", &[Role::Root]));
            it.domains.insert("successors".to_owned(), vec![Who::Stranger.id()]);
            it.roots = Roots { keys: vec![Who::Stranger.id()], threshold: 1 };
        },
        &[Who::Root, Who::Owner, Who::Stranger],
    );
    let retired = Chain::new().then(
        |it| {
            it.keys.get_mut(&Who::Root.id()).expect("listed").revoked_at = Some(START);
            it.roots.keys.retain(|id| *id != Who::Root.id());
        },
        &[Who::Root, Who::Owner, Who::Deputy],
    );
    vec![
        Chain::new().vector("valid-one-version", "version 1 with 15 keys", "nothing is wrong with it"),
        three.vector("valid-three-versions", "version 3 with 15 keys", "each signed by two roots of three"),
        Chain::from(with_alias, &BOTH).vector("valid-alias", "version 1 with 15 keys", "a foreign name for a key"),
        handed_over.vector("valid-roots-handed-over", "version 2 with 16 keys", "signed by the old and the new roots"),
        retired.vector("valid-root-retired", "version 2 with 15 keys", "a root ends itself, and is none from then on"),
        Chain::from(first(), &[Who::Root, Who::Owner, Who::Stranger]).vector(
            "valid-a-stranger-signed-too",
            "version 1 with 15 keys",
            "a signature that counts for nothing",
        ),
    ]
}

fn links() -> Vec<Vector> {
    let chain = || Chain::new();
    let other = Chain::from(TrustDocument { expires_at: Some(START), ..first() }, &BOTH);
    let fork = {
        let mut longer = chain().then(nothing, &BOTH).then(nothing, &BOTH);
        let sibling = chain().then(|it| it.expires_at = Some(START), &BOTH);
        longer.lines[1] = sibling.lines[1].clone();
        longer
    };
    let gap = {
        let mut longer = chain().then(nothing, &BOTH).then(nothing, &BOTH);
        longer.lines.remove(1);
        longer
    };
    let swapped = {
        let mut longer = chain().then(nothing, &BOTH);
        longer.lines.swap(0, 1);
        longer
    };
    let pinned = chain().lines[0].digest();
    vec![
        Vector::new("trust/empty.chain", "the trust chain is empty", "no version at all", *b"").given("pin", pinned),
        other
            .vector("version-1-not-pinned", "the trust root is …, pinned is …", "a good root of somebody else's")
            .given("pin", pinned),
        chain().then(|it| it.previous = Some(other.lines[0].digest()), &BOTH).vector(
            "previous-wrong",
            "trust version 2: follows Some(…), the version before it is Some(…)",
            "names another chain's version 1",
        ),
        chain().then(|it| it.previous = None, &BOTH).vector(
            "previous-missing",
            "trust version 2: follows None, the version before it is Some(…)",
            "names none",
        ),
        Chain::from(TrustDocument { previous: Some(Digest([1; 32])), ..first() }, &BOTH).vector(
            "version-1-with-a-previous",
            "trust version 1: follows Some(…), the version before it is None",
            "a first version that follows something",
        ),
        gap.vector("version-gap", "trust version 2: says it is version 3", "version 2 is left out"),
        swapped.vector("versions-swapped", "the trust root is …, pinned is …", "2 in front of 1").given("pin", pinned),
        fork.vector(
            "fork",
            "trust version 3: follows Some(…), the version before it is Some(…)",
            "version 2 is exchanged for a sibling that as many roots signed",
        ),
        chain().then(|it| it.version = 3, &BOTH).vector(
            "version-skipped",
            "trust version 2: says it is version 3",
            "numbered 3 and placed second",
        ),
        chain().then(|it| it.repository = Some(RepositoryId([9; 16])), &BOTH).vector(
            "repository-wrong",
            "trust version 2: is for repository Some(repo_09…), this chain is for Some(…)",
            "another repository's",
        ),
        chain().then(|it| it.repository = None, &BOTH).vector(
            "repository-missing",
            "trust version 2: is for repository None, this chain is for Some(…)",
            "no repository in version 2",
        ),
        Chain::from(TrustDocument { repository: Some(RepositoryId([9; 16])), ..first() }, &BOTH).vector(
            "version-1-with-a-repository",
            "trust version 1: is for repository Some(repo_09…), this chain is for None",
            "version 1 defines the repository and can't name it",
        ),
    ]
}

fn signatures() -> Vec<Vector> {
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

fn keys() -> Vec<Vector> {
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

#[test]
fn every_trust_chain_is_read_as_it_deserves() {
    all_come_to_what_they_expect("trust", |vector| {
        let lines: Vec<Vec<u8>> =
            vector.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect();
        match Trust::verify(&lines, vector.get("pin").parse().expect("a digest")) {
            Ok(trust) => format!("version {} with {} keys", trust.version(), trust.parties().count()),
            Err(error) => error.to_string(),
        }
    });
}

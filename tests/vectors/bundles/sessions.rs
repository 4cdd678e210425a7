//! Bundles of a session of the gateway: a whole one, and one for each thing that somebody could do to it.

use git_boundary::app::bundle::form::{About, AboutKind, Bundle};
use git_boundary::codec::canonical;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::{Predicate, Statement, Subject};
use git_boundary::crypto::to_openssh;
use git_boundary::ledger::root_of;
use git_boundary::model::digest::Digest;
use git_boundary::model::gateway::{Access, AccessRecord, Installation, Measured, SessionSeal};
use git_boundary::model::handoff::Revocation;
use git_boundary::model::trust::{LastCheckpoint, TrustDocument};

use super::attacks::{GOOD, vector};
use super::make::{Made, commits, world};
use crate::vectors::cast::{self, START, Who};
use crate::vectors::gate::parts;
use crate::vectors::vector::Vector;

/// The places of the lines in the ledger of a whole session.
const INSTALLATION: usize = 0;
const SEAL: usize = 1;
const FIRST: usize = 2;
const SECOND: usize = 3;
const LAST: usize = 4;

/// A session in the making: who signs what, and what the parts hold.
struct Scene {
    made: Made,
    /// Who signs and keeps the ledger.
    registrar: Who,
    seal: Digest,
}

fn digest(byte: u8) -> Digest {
    parts::digest(byte)
}

fn measured(role: &str, byte: u8) -> Measured {
    Measured { digest: digest(byte), name: role.to_owned(), role: role.to_owned(), size: 7 }
}

fn access(seq: u64) -> Access {
    Access {
        at: START.plus(3_600 + seq as i64),
        operation: "workspace.read_file".to_owned(),
        outcome: "ok".to_owned(),
        path: Some(format!("src/{seq}.rs")),
        request: digest(0x30),
        result: Some(digest(0x40)),
        seq,
        size: 12,
    }
}

fn root(accesses: &[Access]) -> Digest {
    Digest(root_of(accesses.iter().map(canonical::to_vec)))
}

impl Scene {
    /// An installation and a seal, in the ledger of one registrar.
    fn begun(registrar: Who, edit: impl FnOnce(&mut SessionSeal)) -> Scene {
        let mut made = Made::of(&world(), |_| {});
        made.lines.clear();
        let mut scene = Scene { made, registrar, seal: digest(0) };
        let installation = scene.put(Scene::installation(), registrar);
        let mut seal = SessionSeal {
            actor: None,
            arguments: digest(0x21),
            environment: digest(0x22),
            expires_at: START.plus(28_800),
            installation,
            registrar: registrar.id(),
            token: digest(0x23),
        };
        edit(&mut seal);
        scene.seal = scene.put(seal, registrar);
        scene
    }

    fn installation() -> Installation {
        Installation {
            adapter: "generic".to_owned(),
            actuator: "none".to_owned(),
            agent: vec![measured("launcher", 0x10)],
            catalogue: digest(0x11),
            configuration: vec![measured("mcp", 0x12)],
            gaps: Vec::new(),
            nonce: "00".to_owned(),
            policy: digest(0x13),
            runner: measured("runner", 0x14),
            shim: measured("shim", 0x15),
            version: "1".to_owned(),
            workspace: digest(0x16),
        }
    }

    /// Three calls in two parts, and the end.
    fn whole(registrar: Who) -> Scene {
        let mut scene = Scene::begun(registrar, |_| {});
        let calls: Vec<Access> = (0..3).map(access).collect();
        let first = scene.part(None, &calls[..2], root(&calls[..2]), false);
        let second = scene.part(Some(first), &calls[2..], root(&calls), false);
        scene.part(Some(second), &[], root(&calls), true);
        scene
    }

    fn signed<P: Predicate>(&self, predicate: P, by: Who) -> Dsse {
        let [(commit, _), _] = commits();
        let subject = Subject { commit, repository: self.made.repository, tree: parts::tree(parts::pin()) };
        cast::sign(&Statement { predicate, subject: Some(subject) }, &[by])
    }

    fn put<P: Predicate>(&mut self, predicate: P, by: Who) -> Digest {
        let line = self.signed(predicate, by);
        let digest = line.digest();
        let at = START.plus(3_600 + self.made.lines.len() as i64);
        self.made.lines.push((line, commits()[0].0, at));
        digest
    }

    fn part(&mut self, previous: Option<Digest>, accesses: &[Access], root: Digest, last: bool) -> Digest {
        let record = AccessRecord { accesses: accesses.to_vec(), last, previous, root, session: self.seal };
        self.put(record, self.registrar)
    }

    fn last(&self) -> Digest {
        self.made.lines.last().expect("something was put in").0.digest()
    }

    fn bundle(&self) -> Bundle {
        let mut bundle = self.made.bundle(AboutKind::Session);
        bundle.about = About { artifact: Some(self.seal), kind: AboutKind::Session, range: None };
        bundle.commits.clear();
        bundle.ledgers = vec![self.made.carried(self.registrar, None)];
        bundle
    }

    fn vector(&self, name: &str, expect: &str, about: &str) -> Vector {
        vector(&self.made, name, expect, about, self.bundle().bytes())
    }

    /// The file with something done to it.
    fn changed(&self, name: &str, expect: &str, about: &str, edit: impl FnOnce(&mut Bundle)) -> Vector {
        let mut bundle = self.bundle();
        edit(&mut bundle);
        vector(&self.made, name, expect, about, bundle.bytes())
    }

    fn drop_line(&self, bundle: &mut Bundle, index: usize) {
        let line = String::from_utf8(self.made.lines[index].0.line()).expect("it is text");
        bundle.artifacts.retain(|one| *one != line);
    }

    fn drop_all(&self, bundle: &mut Bundle, index: usize) {
        self.drop_line(bundle, index);
        bundle.ledgers[0].entries.remove(index);
    }
}

/// The bytes of a whole one and the root that it verifies from.
pub fn whole() -> (Vec<u8>, Digest) {
    let scene = Scene::whole(Who::Ci);
    (scene.bundle().bytes(), scene.made.root())
}

pub fn vectors() -> Vec<Vector> {
    [carried(), recorded(), parties()].concat()
}

/// What somebody could do to the file on its way.
fn carried() -> Vec<Vector> {
    let whole = Scene::whole(Who::Ci);
    let (bytes, _) = self::whole();
    vec![
        whole.vector("valid-session", GOOD, "nothing"),
        vector(
            &whole.made,
            "session-under-another-root",
            "refused: the trust chain: the trust root is …",
            "pinned another root",
            bytes,
        )
        .given("root", digest(9)),
        whole.changed(
            "session-access-altered",
            "refused: art_…: stands in no ledger that the bundle shows",
            "changed a path in a part",
            |bundle| {
                let line = &whole.made.lines[FIRST].0;
                let text = String::from_utf8(line.payload.clone()).expect("it is text").replace("src/1.rs", "src/7.rs");
                let altered = Dsse { payload: text.into_bytes(), ..line.clone() };
                whole.drop_line(bundle, FIRST);
                bundle.artifacts.push(String::from_utf8(altered.line()).expect("it is text"));
                bundle.artifacts.sort_by_key(|line| Dsse::parse(line.as_bytes()).expect("it is one").digest());
            },
        ),
        whole.changed(
            "session-part-dropped",
            "refused: art_…: stands in the ledger of ci (key_…) as entry 3, and its line is not here",
            "took a part out",
            |bundle| whole.drop_line(bundle, SECOND),
        ),
        whole.changed(
            "session-part-dropped-with-its-entry",
            "refused: art_…: art_… follows art_…, which is not here",
            "took a part and its entry out",
            |bundle| whole.drop_all(bundle, SECOND),
        ),
        whole.changed(
            "session-first-part-dropped-with-its-entry",
            "refused: art_…: art_… follows art_…, which is not here",
            "took the first part and its entry out",
            |bundle| whole.drop_all(bundle, FIRST),
        ),
        whole.changed(
            "session-end-dropped-with-its-entry",
            "undecided: the session is not ended: what follows call 2 is not here, or had not happened yet",
            "took the end and its entry out",
            |bundle| whole.drop_all(bundle, LAST),
        ),
        whole.changed(
            "session-installation-dropped-with-its-entry",
            "refused: art_…: the installation art_… is not here",
            "took the installation and its entry out",
            |bundle| whole.drop_all(bundle, INSTALLATION),
        ),
        whole.changed(
            "session-dropped-with-its-entry",
            "refused: art_…: is what the bundle is about, and is not here",
            "took the seal and its entry out",
            |bundle| whole.drop_all(bundle, SEAL),
        ),
        whole.changed(
            "session-that-is-a-part",
            "refused: art_…: is what the bundle is about, and is not here",
            "named a part as what it is about",
            |bundle| bundle.about.artifact = Some(whole.made.digest(FIRST)),
        ),
        whole.changed(
            "session-about-nothing",
            "refused: the file: says of what it is about more than one thing, or nothing",
            "took out what it is about",
            |bundle| bundle.about.artifact = None,
        ),
    ]
}

/// What its own registrar could record.
fn recorded() -> Vec<Vector> {
    let calls: Vec<Access> = (0..3).map(access).collect();
    let all = root(&calls);
    let begun = || Scene::begun(Who::Ci, |_| {});
    let wrong_root = {
        let mut scene = begun();
        scene.part(None, &calls, root(&calls[..2]), true);
        scene
    };
    let left_out = {
        let mut scene = begun();
        let some = [access(0), access(2)];
        scene.part(None, &some, root(&some), true);
        scene
    };
    let goes_on = {
        let mut scene = Scene::whole(Who::Ci);
        let last = scene.last();
        scene.part(Some(last), &[], all, true);
        scene
    };
    let forked = {
        let mut scene = begun();
        scene.part(None, &calls, all, true);
        scene.part(None, &calls[..1], root(&calls[..1]), true);
        scene
    };
    let with_another = {
        let mut scene = Scene::whole(Who::Ci);
        let seal = std::mem::replace(&mut scene.seal, digest(0x55));
        scene.part(None, &calls, all, true);
        scene.seal = seal;
        scene
    };
    let swapped = {
        let mut scene = begun();
        let first = scene.part(None, &calls[..2], root(&calls[..2]), false);
        let seal = std::mem::replace(&mut scene.seal, digest(0x55));
        let other = scene.part(Some(first), &calls[2..], all, false);
        scene.seal = seal;
        scene.part(Some(other), &[], all, true);
        scene
    };
    let with_a_request = {
        let mut scene = begun();
        let request = scene.signed(Revocation { reason: String::new(), target: digest(0x66) }, Who::Owner);
        let named = Access { result: Some(request.digest()), ..access(0) };
        scene.put(Revocation { reason: String::new(), target: digest(0x66) }, Who::Owner);
        let root = root(std::slice::from_ref(&named));
        scene.part(None, &[named], root, true);
        scene
    };
    let of_nothing = {
        let mut scene = begun();
        scene.part(None, &[], root(&[]), true);
        scene
    };
    vec![
        wrong_root.vector(
            "session-root-wrong",
            "refused: art_…: art_… names the root sha256:…, and the accesses have sha256:…",
            "signed another root",
        ),
        left_out.vector(
            "session-access-left-out",
            "refused: art_…: art_… has access 2 in the place of 1",
            "left a call out",
        ),
        goes_on.vector(
            "session-going-on-after-its-end",
            "refused: art_…: art_… follows the part that says that nothing does",
            "added a part after the end",
        ),
        forked.vector(
            "session-two-parts-in-one-place",
            "refused: art_…: two parts follow one another's place: art_… and art_…",
            "told it twice",
        ),
        with_another.vector(
            "session-with-a-part-of-another",
            "refused: art_…: is a part of another session, art_…",
            "added a part of another session",
        ),
        swapped.vector(
            "session-part-swapped-for-another-sessions",
            "refused: art_…: art_… follows art_…, which is not here",
            "put another session's part in the place of one",
        ),
        begun().vector(
            "session-not-begun-to-be-recorded",
            "undecided: the session is not ended: what follows its seal is not here, or had not happened yet",
            "exported it while it ran",
        ),
        with_a_request.vector("valid-session-with-what-a-call-names", GOOD, "nothing; a call commits to an artifact"),
        of_nothing.vector("valid-session-without-a-call", GOOD, "nothing"),
    ]
}

/// Whose word it is.
fn parties() -> Vec<Vector> {
    let unlisted = Scene::whole(Who::StrangerClone);
    let other_named = Scene::begun(Who::Ci, |seal| seal.registrar = Who::Watcher.id());
    let mut other_ledger = Scene::whole(Who::Ci);
    other_ledger.registrar = Who::Watcher;
    let part_by_another = {
        let mut scene = Scene::whole(Who::Ci);
        let record =
            AccessRecord { accesses: Vec::new(), last: true, previous: None, root: root(&[]), session: scene.seal };
        scene.put(record, Who::Watcher);
        scene
    };
    let installed_by_another = {
        let mut scene = Scene::begun(Who::Ci, |_| {});
        scene.made.lines.clear();
        let installation = scene.put(Scene::installation(), Who::Watcher);
        let other = Scene::begun(Who::Ci, |seal| seal.installation = installation);
        scene.made.lines.push(other.made.lines[SEAL].clone());
        scene.seal = other.seal;
        scene.part(None, &[], root(&[]), true);
        scene
    };
    let revoked = {
        let mut scene = Scene::whole(Who::Ci);
        let head = scene.made.head(SECOND);
        let ended = Made::of(&world(), move |document: &mut TrustDocument| {
            document.keys.get_mut(&Who::Ci.id()).expect("listed").revoked_at = Some(START.plus(9_000));
            document.ledgers.insert(Who::Ci.id(), LastCheckpoint { root: Digest(head.root), size: head.size });
        });
        scene.made.trust = ended.trust;
        scene
    };
    let not_listed = "undecided: strength self: the trust document does not list …key_…";
    vec![
        unlisted.changed("session-registrar-unlisted", not_listed, "kept it in a ledger of nobody's", |bundle| {
            bundle.ledgers[0].key = Some(to_openssh(&Who::StrangerClone.key(), ""));
        }),
        other_named.vector(
            "session-signed-by-another-registrar",
            "refused: art_…: is not signed by key_…, which it names as its registrar",
            "signed a session in another's name",
        ),
        other_ledger.vector(
            "session-in-another-ledger",
            "refused: art_…: stands in no ledger of key_…, which it names as its registrar",
            "entered it in another registrar's ledger",
        ),
        part_by_another.vector(
            "session-part-by-another-registrar",
            "refused: art_…: is not the word of the session's registrar, so that it is no part of its trace",
            "ended another's session",
        ),
        installed_by_another.vector(
            "session-installation-by-another-registrar",
            "refused: art_…: the installation art_… is not the word of the session's registrar key_…",
            "named another's installation",
        ),
        revoked.changed(
            "session-going-on-after-its-registrar",
            not_listed,
            "went on after the last checkpoint that is honoured",
            |bundle| bundle.ledgers = vec![revoked.made.carried(Who::Ci, Some(SECOND as u64))],
        ),
    ]
}

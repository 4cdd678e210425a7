//! Forging: notes edited by git's own plumbing, lines that are signed by real keys and that the program would never sign, and a
//! registrar that enters whatever it likes.

use std::collections::BTreeMap;

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::Dsse;
use git_boundary::codec::in_toto::{Predicate, Statement, Subject};
use git_boundary::crypto::verified::sign_statement;
use git_boundary::crypto::{PrivateKey, Signer as _, key_id, read_private_key};
use git_boundary::git::{Environment, NotesTree, Repository};
use git_boundary::ledger::entry::line_digest;
use git_boundary::ledger::{self, Checkpoint, Entry, Origin, Seen, SignedCheckpoint, TreeHead};
use git_boundary::model::id::{KeyId, Oid, RepositoryId};
use git_boundary::store::append::{Batch, NewHint, NewLine};
use git_boundary::store::hints::Hint;
use git_boundary::store::{Registrar, StoreError, append};

use super::clock::now;
use super::work::Work;

impl Work {
    /// A private key by its label.
    pub fn key(&self, label: &str) -> PrivateKey {
        read_private_key(&self.home.key_path(label)).expect("the key is there")
    }

    /// The id of a key by its label.
    pub fn key_id(&self, label: &str) -> KeyId {
        key_id(&self.key(label).public_key())
    }

    /// This clone's registrar.
    pub fn registrar(&self) -> PrivateKey {
        read_private_key(&self.git_file("boundary/registrar")).expect("the clone has a registrar")
    }

    /// Its id.
    pub fn registrar_id(&self) -> KeyId {
        key_id(&self.registrar().public_key())
    }

    /// The ref that this clone's registrar writes.
    pub fn notes_ref(&self) -> String {
        format!("refs/notes/boundary/{}", self.registrar_id())
    }

    /// The repository's id in its trust document.
    pub fn repository_id(&self) -> RepositoryId {
        let root = self.git("config boundary.trustRoot").parse().expect("the pin is a digest");
        RepositoryId::of(&root)
    }

    /// The library's view of this clone.
    pub fn open(&self) -> Repository {
        let environment = Environment::new(&self.dir, self.home.variables());
        Repository::discover(&environment).expect("the clone opens")
    }

    /// A revision as a parsed id.
    pub fn id(&self, rev: &str) -> Oid {
        self.oid(rev).parse().expect("git prints ids")
    }

    /// The subject of a statement about a revision of this repository.
    pub fn subject(&self, rev: &str) -> Subject {
        Subject { commit: self.id(rev), repository: self.repository_id(), tree: self.id(&format!("{rev}^{{tree}}")) }
    }

    /// A statement about a revision, signed by a key of this account.
    pub fn sign<P: Predicate>(&self, label: &str, rev: &str, predicate: P) -> Dsse {
        let statement = Statement { predicate, subject: Some(self.subject(rev)) };
        sign_statement(&statement, &self.key(label)).expect("a key in memory signs")
    }

    /// A statement about a revision, signed by this clone's registrar.
    pub fn sign_as_registrar<P: Predicate>(&self, rev: &str, predicate: P) -> Dsse {
        let statement = Statement { predicate, subject: Some(self.subject(rev)) };
        sign_statement(&statement, &self.registrar()).expect("a key in memory signs")
    }

    /// The lines about a revision in this clone's own notes.
    pub fn lines(&self, rev: &str) -> Vec<String> {
        let oid = self.oid(rev);
        self.note_path(&oid).map_or_else(Vec::new, |path| {
            let text = self.git(&format!("cat-file blob {}:{path}", self.notes_ref()));
            text.lines().map(str::to_owned).collect()
        })
    }

    /// The signed lines about a revision for which `wanted` holds.
    pub fn stored(&self, rev: &str, wanted: impl Fn(&Artifact) -> bool) -> Vec<Dsse> {
        let parse = |line: &String| Dsse::parse(line.as_bytes()).ok();
        let kind = |dsse: &Dsse| read(dsse).is_some_and(|artifact| wanted(&artifact));
        self.lines(rev).iter().filter_map(parse).filter(kind).collect()
    }

    /// Enters signed lines about a revision, as this clone's registrar does; gives their places in its ledger.
    pub fn record(&self, rev: &str, lines: &[Dsse]) -> Vec<u64> {
        let (repository, signer, annotated) = (self.open(), self.registrar(), self.id(rev));
        let registrar = Registrar { repository: self.repository_id(), signer: &signer };
        let new = |artifact: &Dsse| NewLine { annotated, artifact: artifact.clone() };
        let handoffs = lines.iter().any(|dsse| matches!(read(dsse), Some(Artifact::Handoff(_))));
        // Where handoffs are looked for: in the note of the empty blob.
        let directory = repository.object_format().hash_blob(b"").expect("a blob has an id");
        let hint = handoffs.then(|| NewHint { annotated: directory, line: Hint::at(annotated).line() });
        let batch =
            Batch { lines: lines.iter().map(new).collect(), hints: hint.into_iter().collect(), ..Batch::default() };
        append(&repository, &registrar, now(), "forged", |_| Ok::<_, StoreError>(batch.clone())).expect("it is entered")
    }

    /// Replaces the note of a revision by plumbing, behind the ledger's back.
    pub fn set_lines(&self, rev: &str, lines: &[String]) {
        let oid = self.oid(rev);
        let path = self.note_path(&oid).unwrap_or(oid);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.set_note_file(&self.notes_ref(), &path, Some(text.as_bytes()));
    }

    /// Puts a file into a notes tree, or takes it out, by plumbing: blob, index, tree, commit, ref.
    pub fn set_note_file(&self, reference: &str, path: &str, bytes: Option<&[u8]>) {
        let index = self.home.root().join("tmp/forged-index");
        let _ = std::fs::remove_file(&index);
        let run = |args: &[&str], stdin: &[u8]| {
            let more = [("GIT_INDEX_FILE", index.clone().into_os_string())];
            self.home.run_with(&self.dir, "git", args, stdin, &more).ok().stdout.trim_end().to_owned()
        };
        run(&["read-tree", reference], b"");
        match bytes {
            Some(bytes) => {
                let blob = run(&["hash-object", "-w", "--stdin"], bytes);
                run(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{path}")], b"");
            }
            None => drop(run(&["update-index", "--force-remove", path], b"")),
        }
        let tree = run(&["write-tree"], b"");
        let commit = run(&["commit-tree", "-p", reference, "-m", "forged", &tree], b"");
        run(&["update-ref", reference, &commit], b"");
    }

    /// Every file of a ref's tree.
    pub fn note_files(&self, reference: &str) -> Vec<String> {
        self.git(&format!("ls-tree -r --name-only {reference}")).lines().map(str::to_owned).collect()
    }

    fn note_path(&self, oid: &str) -> Option<String> {
        self.note_files(&self.notes_ref()).into_iter().find(|path| path.replace('/', "") == oid)
    }

    /// Writes this clone's ledger anew from its first entry, each line passed through `edit`, and signs it: what a registrar can do
    /// who keeps the log and lies in it. What this clone remembers of the old one is forgotten.
    pub fn rebuild_ledger(&self, mut edit: impl FnMut(&Oid, &str) -> String) {
        let (repository, signer, reference) = (self.open(), self.registrar(), self.notes_ref());
        let tip = self.id(&reference);
        let origin = Origin { repository: self.repository_id(), registrar: key_id(&signer.public_key()) };
        let mut notes = NotesTree::load(&repository, Some(&tip)).expect("the notes are readable");
        let old = entries(&mut notes);
        let mut texts: BTreeMap<Oid, Vec<String>> = BTreeMap::new();
        let mut new = Vec::new();
        for entry in old {
            let annotated = entry.annotated.expect("every line is about something");
            let lines = texts.entry(annotated).or_insert_with(|| note_lines(&mut notes, &annotated));
            let line = lines
                .iter_mut()
                .find(|line| line_digest(line.as_bytes()) == entry.line)
                .expect("every entry has its line");
            *line = edit(&annotated, line);
            let artifact = Dsse::parse(line.as_bytes()).map_or(entry.artifact, |dsse| dsse.digest());
            new.push(Entry { artifact, line: line_digest(line.as_bytes()), ..entry });
        }
        for (oid, lines) in &texts {
            notes.set(oid, format!("{}\n", lines.join("\n")).as_bytes()).expect("a note takes any text");
        }
        let nothing = |_: &str| Ok::<_, std::io::Error>(None);
        let appended = ledger::append(&nothing, TreeHead::empty(), &new).expect("entries fit an empty ledger");
        for (path, bytes) in &appended.writes {
            notes.set_file(&format!("ledger/{path}"), bytes).expect("a tile is a file");
        }
        let public = signer.public_key();
        let checkpoint = Checkpoint { origin, head: appended.head };
        let signed = checkpoint.sign(&public.0, |bytes| signer.sign(bytes)).expect("a key in memory signs");
        notes.set_file("ledger/checkpoint", signed.to_string().as_bytes()).expect("a checkpoint is a file");
        let tree = notes.write().expect("the tree is written");
        let commit = self.git(&format!("commit-tree -m rebuilt {tree}"));
        self.git(&format!("update-ref {reference} {commit}"));
        self.forget();
    }

    /// Removes what was fetched of anybody's notes, so that this clone's own ref is all there is.
    pub fn forget_fetched(&self) {
        for name in self.refs().into_keys().filter(|name| name.starts_with("refs/boundary-remote/origin/notes/")) {
            self.git(&format!("update-ref -d {name}"));
        }
    }

    /// Forgets what this clone has seen of ledgers.
    pub fn forget(&self) {
        for name in ["boundary/seen/ledgers", "boundary/cache"] {
            let _ = std::fs::remove_dir_all(self.git_file(name));
        }
    }
}

/// What a line says, whoever signed it.
pub fn read(dsse: &Dsse) -> Option<Artifact> {
    Artifact::read(&dsse.payload_type, &dsse.payload).ok()
}

fn entries(notes: &mut NotesTree<'_>) -> Vec<Entry> {
    let bytes = notes.file("ledger/checkpoint").expect("readable").expect("there is a checkpoint");
    let head = SignedCheckpoint::parse(&bytes).expect("it is one").claimed().head;
    let cell = std::cell::RefCell::new(notes);
    let source = |path: &str| cell.borrow_mut().file(&format!("ledger/{path}"));
    ledger::scan(&source, head, &Seen::default()).expect("the ledger is sound").entries
}

fn note_lines(notes: &mut NotesTree<'_>, oid: &Oid) -> Vec<String> {
    let note = notes.get(oid).expect("readable").unwrap_or_default();
    String::from_utf8(note).expect("lines are text").lines().map(str::to_owned).collect()
}

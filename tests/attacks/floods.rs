//! Much that has to be looked at in vain, in refs that anybody may push.

use std::time::{Duration, Instant};

use git_boundary::codec::artifact::Artifact;
use git_boundary::codec::dsse::{Dsse, Signature};
use git_boundary::model::id::Oid;

use super::{Stranger, forged, id};
use crate::support::{Work, World, now};

/// Far more than any of this takes, and far less than it took.
const LONG: Duration = Duration::from_secs(20);

/// Lines that cost a verification for each of their 64 signatures, if anybody makes them: none verifies, all name one key.
fn bombs(work: &Work, count: usize) -> Vec<Dsse> {
    let honest = forged(work, "HEAD", &["codex"], |_| ());
    let one = |number: usize| Dsse {
        payload: [honest.payload.clone(), vec![b' '; number + 1]].concat(),
        // Well-formed, so that it takes the whole of a verification to tell.
        signatures: vec![honest.signatures[0].clone(); 64],
        ..honest.clone()
    };
    (0..count).map(one).collect()
}

/// Puts one blob into many places of a ref's tree.
fn put(work: &Work, stranger: &Stranger<'_>, oids: &[String], note: &[u8], more: &[(String, Vec<u8>)]) {
    let index = work.home.root().join("tmp/flood-index");
    let run = |args: &[&str], stdin: &[u8]| {
        let more = [("GIT_INDEX_FILE", index.clone().into_os_string())];
        work.home.run_with(&work.dir, "git", args, stdin, &more).ok().stdout.trim_end().to_owned()
    };
    let reference = stranger.reference();
    run(&["read-tree", &reference], b"");
    let blob = run(&["hash-object", "-w", "--stdin"], note);
    let mut lines: String = oids.iter().map(|oid| format!("100644 {blob}\t{oid}\n")).collect();
    for (oid, note) in more {
        lines.push_str(&format!("100644 {}\t{oid}\n", run(&["hash-object", "-w", "--stdin"], note)));
    }
    run(&["update-index", "--add", "--index-info"], lines.as_bytes());
    let tree = run(&["write-tree"], b"");
    let commit = run(&["commit-tree", "-p", &reference, "-m", "flood", &tree], b"");
    run(&["update-ref", &reference, &commit], b"");
}

fn hints(oids: &[String]) -> Vec<u8> {
    oids.iter().flat_map(|oid| format!("{{\"hint\":\"{oid}\"}}\n").into_bytes()).collect()
}

fn quickly(what: &str, run: impl FnOnce()) {
    let start = Instant::now();
    run();
    assert!(start.elapsed() < LONG, "{what} took {:?}", start.elapsed());
}

#[test]
fn a_note_of_many_signatures_that_serves_many_objects_delays_nobody() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let stranger = Stranger::of(work, "flooder");
    stranger.record(&[(work.id("HEAD"), work.stored("HEAD", |_| true).remove(0))]);
    let note: Vec<u8> = bombs(work, 100).iter().flat_map(|bomb| [bomb.line(), b"\n".to_vec()].concat()).collect();
    let hinted: Vec<String> = (1..=300).map(|number| format!("{number:040x}")).collect();
    let mut oids = hinted.clone();
    oids.extend([work.oid("main"), work.oid("HEAD")]);
    let directory = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391".to_owned();
    put(work, &stranger, &oids, &note, &[(directory, hints(&hinted))]);
    quickly("verify", || drop(work.boundary("verify HEAD").ok()));
    quickly("push", || drop(work.push("origin agent/fix:main").accepted()));
    work.commit(&[("src/more.rs", "more\n")]);
    quickly("verify of what has no proposal", || {
        work.boundary("verify HEAD --ref main").ends_with(1).says("git boundary propose").says("set aside");
    });
    quickly("propose", || drop(work.boundary("propose --key codex").ok()));
}

#[test]
fn lines_in_a_strangers_ledger_that_verify_by_nobody_delay_nobody() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let stranger = Stranger::of(work, "flooder");
    let tip = work.id("HEAD");
    let lines: Vec<(Oid, Dsse)> = bombs(work, 400).into_iter().map(|bomb| (tip, bomb)).collect();
    stranger.record(&lines);
    quickly("verify", || drop(work.boundary("verify HEAD").ok().says("set aside")));
    quickly("push", || drop(work.push("origin agent/fix:main").accepted()));
}

#[test]
fn a_hint_of_nobody_known_is_no_reason_to_leave_out_ones_own() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    let handoff = work.stored("main", |artifact| matches!(artifact, Artifact::Handoff(_))).remove(0);
    let stranger = Stranger::of(work, "copycat");
    stranger.record(&[(work.id("main"), handoff)]);
    let own = work.notes_ref();
    let files = |reference: &str| -> Vec<(String, Vec<u8>)> {
        let text = |path: &String| work.git(&format!("cat-file blob {reference}:{path}")) + "\n";
        let hints = |path: &String| text(path).starts_with("{\"hint\"");
        let all = work.note_files(reference).into_iter().filter(|path| !path.starts_with("ledger/"));
        all.filter(hints).map(|path| (path.replace('/', ""), text(&path).into_bytes())).collect()
    };
    put(work, &stranger, &[], b"", &files(&own));
    for path in work.note_files(&own) {
        if files(&own).iter().any(|(oid, _)| *oid == path.replace('/', "")) {
            work.set_note_file(&own, &path, None);
        }
    }
    assert_eq!(files(&own), [], "only the copies are left");
    work.hand_out();
    let directory = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    assert!(files(&own).iter().any(|(oid, _)| oid == directory), "a stranger's hint may be gone tomorrow");
}

#[test]
fn the_honest_handoff_of_a_clone_that_nobody_listed_is_found_beside_a_flood() {
    let world = World::new();
    let work = &world.work;
    let honest = Stranger::of(work, "honest");
    honest.in_place_of_the_registrar(|| drop(work.hand_out()));
    work.fix();
    for number in 0..3 {
        let flooder = Stranger::of(work, &format!("flooder-{number}"));
        flooder.record_at(now(), &[], &[(work.id("main"), work.id("HEAD"))]);
        let hinted: Vec<String> = (1..=1_000).map(|hint| format!("{:040x}", number * 10_000 + hint)).collect();
        let directory = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391".to_owned();
        put(work, &flooder, &hinted, b"{}\n", &[(directory, hints(&hinted))]);
    }
    work.push("origin agent/fix").refused("context.receipt_missing").says("git boundary propose --key codex");
    work.boundary("propose --key codex").ok();
    work.push("origin agent/fix").accepted();
}

#[test]
fn of_several_signatures_by_one_key_the_first_counts_and_those_by_other_keys_do_too() {
    let world = World::new();
    let work = &world.work;
    work.boundary("trust add pal --role actor --new-key").ok();
    work.proposed_fix();
    let signed = |name: &str| forged(work, "HEAD", &["pal", "codex"], |it| it.idempotency_key = name.to_owned());
    let mut others = signed("others");
    others.signatures[0].sig = others.signatures[1].sig.clone();
    let mut twice = signed("twice");
    twice.signatures[0] = Signature { sig: twice.signatures[0].sig.clone(), ..twice.signatures[1].clone() };
    work.record("HEAD", &[others.clone(), twice.clone()]);
    work.boundary(&format!("show {}", id(&others))).ok().says("codex");
    let shown = work.boundary(&format!("show {}", id(&twice)));
    assert_ne!(shown.status, 0, "its one key was tried once: {shown}");
}

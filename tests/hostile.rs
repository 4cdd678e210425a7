//! Any bytes in any place that is read: an error that names the place and the defect, a fitting exit status, nothing written.

use std::path::Path;

use crate::support::{Ran, Refs, Work, World};

/// Bytes that nobody meant to read.
fn junk() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("nothing", Vec::new()),
        ("a newline", b"\n".to_vec()),
        ("zeroes", vec![0; 4096]),
        ("high bytes", vec![0xff; 300]),
        ("a byte order mark", "\u{feff}{}".into()),
        ("an empty object", b"{}\n".to_vec()),
        ("an array", b"[]\n".to_vec()),
        ("a number", b"1e999\n".to_vec()),
        ("half a surrogate", b"\"\\ud800\"\n".to_vec()),
        ("deep nesting", [vec![b'['; 5000], vec![b']'; 5000]].concat()),
        ("a long line", vec![b'x'; 3 << 20]),
        ("a duplicate key", b"{\"payload\":\"\",\"payload\":\"\"}\n".to_vec()),
        ("an escape sequence", b"\x1b]0;owned\x07\x1b[2J\n".to_vec()),
    ]
}

/// The command failed in an orderly way and changed nothing.
#[track_caller]
fn orderly(work: &Work, before: &Refs, what: &str, ran: &Ran) {
    assert!([1, 2, 128, 129].contains(&ran.status), "{what} ends in an orderly way: {ran}");
    assert!(!ran.said().contains("panicked"), "{what} panics nobody: {ran}");
    assert!(!ran.said().contains('\u{1b}'), "{what} reaches no terminal raw: {ran}");
    assert!(!ran.stderr.is_empty(), "{what} is said to be wrong: {ran}");
    assert_eq!(&work.refs(), before, "{what} makes nobody write: {ran}");
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("it is ours");
}

#[test]
fn any_bytes_as_a_draft() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let draft = work.boundary("prepare --key codex").ok().stdout;
    let before = work.refs();
    let mut all = junk();
    all.push(("a draft cut short", draft.as_bytes()[..draft.len() / 2].to_vec()));
    all.push(("a draft with blanks", draft.replace(':', ": ").into()));
    all.push(("a draft twice", [draft.as_bytes(), draft.as_bytes()].concat()));
    all.push(("a draft with one more field", draft.replacen("{\"_type\"", "{\"A\":1,\"_type\"", 1).into()));
    for (what, bytes) in all {
        orderly(work, &before, what, &work.boundary_given("propose - --key codex", &bytes));
        write(&work.dir.join("draft.json"), &bytes);
        let ran = work.boundary("propose draft.json --key codex");
        orderly(work, &before, what, &ran);
        assert!(ran.stderr.contains("draft"), "the error names the draft: {ran}");
    }
    // Signed by somebody else than it was prepared for.
    write(&work.dir.join("draft.json"), draft.as_bytes());
    orderly(work, &before, "another's draft", &work.boundary("propose draft.json --key reviewer-bot"));
    work.boundary("propose draft.json --key codex").ok();
    work.push("origin agent/fix").accepted();
}

#[test]
fn any_bytes_as_a_policy() {
    let world = World::new();
    let work = &world.work;
    let (before, good) = (work.refs(), work.read("boundary.toml"));
    let mut all = junk();
    all.push(("an unknown key", format!("{good}\ncolour = \"red\"\n").into()));
    all.push(("a bad glob", good.replace("refs/heads/agent/**", "refs/heads/[").into()));
    all.push(("nobody's label", good.replace("people = [", "people = [\"nobody\", ").into()));
    for (what, bytes) in all.into_iter().filter(|(what, _)| !["nothing", "a newline"].contains(what)) {
        write(&work.dir.join("boundary.toml"), &bytes);
        let ran = work.boundary("policy sign");
        orderly(work, &before, what, &ran);
        assert!(ran.stderr.contains("boundary.toml"), "the error names the file: {ran}");
    }
    for empty in ["", "\n"] {
        // It would govern nothing.
        write(&work.dir.join("boundary.toml"), empty.as_bytes());
        orderly(work, &before, "no rule at all", &work.boundary("policy sign"));
    }
}

#[test]
fn any_bytes_as_a_key_file() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let (before, path) = (work.refs(), work.home.key_path("codex"));
    for (what, bytes) in junk() {
        write(&path, &bytes);
        let ran = work.boundary("propose --key codex");
        orderly(work, &before, what, &ran);
        assert!(ran.stderr.contains("codex"), "the error names the key: {ran}");
    }
    std::fs::remove_file(&path).expect("it is ours");
    orderly(work, &before, "no file", &work.boundary("propose --key codex"));
}

#[test]
fn any_bytes_on_the_hooks_standard_input() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.fix();
    let before = work.refs();
    for (what, bytes) in junk().into_iter().filter(|(what, _)| *what != "nothing") {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        orderly(work, &before, what, &work.hook(&text));
    }
    let oid = work.head();
    for line in [
        format!("x {oid} refs/heads/agent/fix"),
        format!("x {oid} refs/heads/agent/fix {}", &oid[1..]),
        format!("x {oid} agent/fix {oid}"),
        format!("x {oid} refs/heads/agent/../main {oid}"),
    ] {
        orderly(work, &before, &line, &work.hook(&format!("{line}\n")));
    }
    // Nothing at all, and not from git: whoever stands between took the list away.
    orderly(work, &before, "nothing", &work.hook(""));
}

#[test]
fn any_bytes_in_a_ledger() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let (reference, oid) = (work.notes_ref(), work.head());
    let tip = work.oid(&reference);
    // What was fetched of it would do as well.
    work.forget_fetched();
    let line = format!("x {oid} refs/heads/main {}\n", work.oid("origin/main"));
    let files: Vec<String> =
        work.note_files(&reference).into_iter().filter(|path| path.starts_with("ledger/")).collect();
    assert!(files.len() >= 3, "checkpoint, tiles and entries: {files:?}");
    for file in files.iter().filter(|file| !file.ends_with("registrar.pub")) {
        for (what, bytes) in junk().into_iter().map(|(what, bytes)| (what, Some(bytes))).chain([("no file", None)]) {
            work.set_note_file(&reference, file, bytes.as_deref());
            work.forget();
            let before = work.refs();
            let pushed = work.later(0).hook(&line);
            assert!([1, 2, 128].contains(&pushed.status), "{what} in {file} admits nothing: {pushed}");
            let verified = work.later(0).boundary("verify HEAD --ref main");
            // Who reads all entries needs no hash tile: the signed root says whether they are the ones.
            let needless = file.contains("/tile/") && !file.contains("/tile/entries/");
            let allowed: &[i32] = if needless { &[0, 1, 2, 128] } else { &[1, 2, 128] };
            assert!(allowed.contains(&verified.status), "{what} in {file} verifies nothing: {verified}");
            assert_eq!(work.refs(), before, "{what} in {file} makes nobody write");
            work.git(&format!("update-ref {reference} {tip}"));
        }
    }
    work.forget();
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn any_bytes_in_the_chains_of_trust_and_policy() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    for name in work.refs().into_keys().filter(|name| name.starts_with("refs/boundary-remote/")) {
        work.git(&format!("update-ref -d {name}"));
    }
    for reference in ["refs/boundary/trust", "refs/boundary/policy"] {
        let tip = work.oid(reference);
        for file in ["1.json", "9.json", "readme"] {
            for (what, bytes) in junk() {
                work.set_note_file(reference, file, Some(&bytes));
                let before = work.refs();
                let ran = work.boundary("verify HEAD --ref main");
                orderly(work, &before, &format!("{what} in {file} of {reference}"), &ran);
                assert!(ran.said().contains(reference), "the error names the ref: {ran}");
                work.git(&format!("update-ref {reference} {tip}"));
            }
        }
        // Another kind of object altogether.
        let blob = work.git("hash-object -w README");
        work.git(&format!("update-ref {reference} {blob}"));
        let before = work.refs();
        orderly(work, &before, "a blob", &work.boundary("verify HEAD --ref main"));
        work.git(&format!("update-ref {reference} {tip}"));
    }
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn any_bytes_in_the_local_state() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let seen = work.git_file("boundary/seen/trust");
    let good = std::fs::read(&seen).expect("trust was seen");
    for (what, bytes) in junk() {
        write(&seen, &bytes);
        let before = work.refs();
        let ran = work.boundary("verify HEAD --ref main");
        orderly(work, &before, what, &ran);
        assert!(ran.stderr.contains("seen"), "the error names the file: {ran}");
    }
    write(&seen, &good);
    work.push("origin agent/fix:main").accepted();
}

#[test]
fn names_by_strangers_reach_no_terminal_raw() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    work.git("switch -q -c agent/fix");
    work.write("caf\u{e9}\u{202e}\u{1b}[31m", "outside\n");
    work.git("add -A -- .");
    work.git("commit -q -m odd");
    work.propose();
    let refused = work.push("origin agent/fix").refused("authority.action_out_of_scope");
    for hidden in ['\u{1b}', '\u{202e}'] {
        assert!(!refused.ran.stderr.contains(hidden), "a path is escaped before it is shown: {}", refused.ran);
    }
    for line in ["verify --json", "log --json", "show HEAD --json", "audit --json"] {
        let ran = work.boundary(line);
        assert!(!ran.said().contains('\u{1b}') && !ran.said().contains('\u{202e}'), "nor as JSON: {ran}");
    }
}

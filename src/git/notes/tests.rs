//! Notes trees against git's own notes commands.

use std::collections::BTreeMap;

use super::*;
use crate::git::testing::Sandbox;
use crate::git::{Expected, NewCommit, RefEdit, Update};
use crate::model::time::Timestamp;

const NAME: &str = "refs/notes/boundary/key";
const NOW: Timestamp = Timestamp(1_750_000_000);

/// Commits the tree and moves the ref.
fn publish(repository: &Repository, notes: &mut NotesTree<'_>) -> Oid {
    let before = repository.find_ref(NAME).unwrap();
    let tree = notes.write().unwrap();
    let new = NewCommit { tree, parents: before.as_slice(), time: NOW, message: "notes" };
    let oid = repository.write_commit(&new).unwrap();
    let expected = before.map_or(Expected::Absent, Expected::At);
    let edit = RefEdit { name: NAME.to_owned(), expected, new: Some(oid) };
    assert_eq!(repository.update_refs(&[edit], "notes", NOW).unwrap(), Update::Done);
    oid
}

fn objects(repository: &Repository, count: usize) -> Vec<Oid> {
    (0..count).map(|n| repository.write_blob(format!("object {n}").as_bytes()).unwrap()).collect()
}

fn show(sandbox: &Sandbox, oid: &Oid) -> String {
    sandbox.git(&["notes", "--ref=boundary/key", "show", &oid.hex()])
}

#[test]
fn notes_written_here_are_read_by_git_and_the_other_way_round() {
    for sandbox in [Sandbox::new(), Sandbox::init(&["--object-format=sha256"])] {
        let commit = sandbox.commit(&[("a", "1")]);
        let repository = sandbox.open();
        let mut notes = NotesTree::load(&repository, None).unwrap();
        assert_eq!(notes.get(&commit).unwrap(), None);
        notes.set(&commit, b"{\"line\":1}\n").unwrap();
        notes.set_file("ledger/checkpoint", b"size 1\n").unwrap();
        notes.set_file("ledger/tile/0/000", b"\x01").unwrap();
        publish(&repository, &mut notes);
        assert_eq!(show(&sandbox, &commit), "{\"line\":1}");
        sandbox.git(&["notes", "--ref=boundary/key", "append", "-m", "by git", &commit.hex()]);
        let tip = sandbox.rev(NAME);
        let mut notes = NotesTree::load(&repository, Some(&tip)).unwrap();
        assert_eq!(notes.get(&commit).unwrap().unwrap(), b"{\"line\":1}\n\nby git\n");
        assert_eq!(notes.file("ledger/checkpoint").unwrap().unwrap(), b"size 1\n");
        assert_eq!(notes.directory("ledger/tile").unwrap(), ["0"]);
        assert_eq!(notes.directory("ledger").unwrap(), ["checkpoint", "tile"]);
        sandbox.git(&["fsck", "--strict"]);
    }
}

#[test]
fn trees_are_equal_to_gits_as_they_grow() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let annotated = objects(&repository, 1_500);
    let source = objects(&repository, 1)[0];
    sandbox.git(&["notes", "add", "-m", "the same for all", &source.hex()]);
    sandbox.git(&["notes", "remove", "--ignore-missing", &source.hex()]);
    let text = b"the same for all\n";
    let mut notes = NotesTree::load(&repository, None).unwrap();
    let mut done = 0;
    for count in [1, 16, 60, 90, 150, 400, 1_500] {
        for oid in &annotated[done..count] {
            notes.set(oid, text).unwrap();
        }
        let own = notes.write().unwrap();
        // git writes them in one go from its own notes of one object.
        sandbox.git(&["update-ref", "-d", "refs/notes/commits"]);
        sandbox.git(&["notes", "add", "-f", "-m", "the same for all", &annotated[0].hex()]);
        let pairs: String = annotated[1..count].iter().map(|oid| format!("{} {oid}\n", annotated[0])).collect();
        if count > 1 {
            sandbox.feed(&["notes", "copy", "-f", "--stdin"], pairs);
        }
        assert_eq!(own, sandbox.rev("refs/notes/commits^{tree}"), "{count} notes");
        done = count;
    }
}

#[test]
fn a_change_costs_the_depth_of_a_path_not_the_number_of_notes() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let annotated = objects(&repository, 3_000);
    let mut notes = NotesTree::load(&repository, None).unwrap();
    for oid in &annotated {
        notes.set(oid, b"x").unwrap();
    }
    notes.set_file("ledger/checkpoint", b"1").unwrap();
    let tip = publish(&repository, &mut notes);
    sandbox.git(&["repack", "-a", "-d", "-q"]);
    let loose = || sandbox.git(&["count-objects"]).split(' ').next().unwrap().parse::<usize>().unwrap();
    let before = loose();
    let repository = sandbox.open();
    let mut notes = NotesTree::load(&repository, Some(&tip)).unwrap();
    notes.set(&annotated[7], b"changed").unwrap();
    notes.set_file("ledger/checkpoint", b"2").unwrap();
    notes.write().unwrap();
    let written = loose() - before;
    assert!(written <= 7, "{written} objects for two blobs and the trees above them");
    let tree = notes.write().unwrap();
    assert_eq!(loose() - before, written, "nothing is written twice");
    assert_eq!(repository.write_tree(repository.tree(&tree).unwrap()).unwrap(), tree);
}

/// A tree from (path, blob) pairs, in whatever shape.
fn shape(sandbox: &Sandbox, files: &[(String, Oid)]) -> Oid {
    let index = sandbox.root().join("index");
    drop(std::fs::remove_file(&index));
    let lines: String = files.iter().map(|(path, oid)| format!("100644 {oid}\t{path}\n")).collect();
    let env = [("GIT_INDEX_FILE", index.to_str().unwrap())];
    assert!(sandbox.run(&sandbox.repo, &["update-index", "--index-info"], &env, lines.as_bytes()).status.success());
    let tree = sandbox.run(&sandbox.repo, &["write-tree", "--missing-ok"], &env, b"").stdout;
    let tree = String::from_utf8(tree).unwrap().trim().to_owned();
    sandbox.commit_tree(&tree, &[], 1_750_000_000)
}

#[test]
fn every_fan_out_is_read_and_a_change_leaves_one_file() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let annotated = objects(&repository, 5);
    let blob = |text: &str| repository.write_blob(text.as_bytes()).unwrap();
    let at = |oid: &Oid, cuts: &[usize]| {
        let mut path = oid.hex();
        for cut in cuts.iter().rev() {
            path.insert(*cut, '/');
        }
        path
    };
    let files = vec![
        (at(&annotated[0], &[]), blob("flat\n")),
        (at(&annotated[1], &[2]), blob("one\n")),
        (at(&annotated[2], &[2, 4]), blob("two\n")),
        (at(&annotated[3], &[2, 4, 6]), blob("three\n")),
        (at(&annotated[4], &[2]), blob("joined\n")),
        (at(&annotated[4], &[]), blob("in order\n")),
        ("README".to_owned(), blob("not a note")),
        (format!("{}/x", &annotated[0].hex()[..2]), blob("not a note either")),
        ("zz/yy".to_owned(), blob("nor this")),
    ];
    let tip = shape(&sandbox, &files);
    sandbox.git(&["update-ref", NAME, &tip.hex()]);
    let mut notes = NotesTree::load(&repository, Some(&tip)).unwrap();
    for (oid, expected) in annotated.iter().zip(["flat\n", "one\n", "two\n", "three\n", "joined\n\nin order\n"]) {
        assert_eq!(notes.get(oid).unwrap().unwrap(), expected.as_bytes());
        assert_eq!(show(&sandbox, oid), expected.trim(), "git reads the same");
    }
    let mut found = notes.iter().unwrap();
    found.sort();
    let mut expected: Vec<(Oid, Oid)> =
        annotated[..4].iter().zip(&files).map(|(oid, (_, blob))| (*oid, *blob)).collect();
    expected.extend([(annotated[4], files[4].1), (annotated[4], files[5].1)]);
    expected.sort();
    assert_eq!(found, expected);
    for oid in &annotated {
        notes.set(oid, format!("new {oid}\n").as_bytes()).unwrap();
    }
    publish(&repository, &mut notes);
    let listed = sandbox.git(&["ls-tree", "-r", "--name-only", NAME]);
    assert_eq!(listed.lines().count(), 8, "one file a note, and what is no note stays:\n{listed}");
    for oid in &annotated {
        assert_eq!(show(&sandbox, oid), format!("new {oid}"));
    }
    sandbox.git(&["fsck", "--strict"]);
}

#[test]
fn upper_case_digits_are_the_same_note_as_git_has_it() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let annotated = objects(&repository, 1)[0];
    let blob = repository.write_blob(b"shouted\n").unwrap();
    let tip = shape(&sandbox, &[(annotated.hex().to_uppercase(), blob)]);
    sandbox.git(&["update-ref", NAME, &tip.hex()]);
    assert_eq!(show(&sandbox, &annotated), "shouted");
    let mut notes = NotesTree::load(&repository, Some(&tip)).unwrap();
    assert_eq!(notes.get(&annotated).unwrap().unwrap(), b"shouted\n");
    notes.set(&annotated, b"quiet\n").unwrap();
    publish(&repository, &mut notes);
    assert_eq!(sandbox.git(&["ls-tree", "-r", "--name-only", NAME]), annotated.hex());
}

#[test]
fn equal_files_of_one_note_are_taken_once() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let annotated = objects(&repository, 1)[0];
    let blob = repository.write_blob(b"once\n").unwrap();
    let hex = annotated.hex();
    let tip = shape(&sandbox, &[(hex.clone(), blob), (format!("{}/{}", &hex[..2], &hex[2..]), blob)]);
    sandbox.git(&["update-ref", NAME, &tip.hex()]);
    assert_eq!(show(&sandbox, &annotated), "once");
    let mut notes = NotesTree::load(&repository, Some(&tip)).unwrap();
    assert_eq!(notes.get(&annotated).unwrap().unwrap(), b"once\n");
    assert_eq!(notes.blobs(&annotated).unwrap(), [blob, blob]);
}

#[test]
fn the_ledger_survives_gits_own_notes_commands() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let annotated = objects(&repository, 200);
    let mut notes = NotesTree::load(&repository, None).unwrap();
    for oid in &annotated {
        notes.set(oid, b"line\n").unwrap();
    }
    for file in ["checkpoint", "tile/0/000", "tile/0/001.p/7", "ab/cd"] {
        notes.set_file(&format!("ledger/{file}"), file.as_bytes()).unwrap();
    }
    publish(&repository, &mut notes);
    let ledger = || sandbox.rev(&format!("{NAME}:ledger"));
    let before = ledger();
    sandbox.git(&["update-ref", "refs/notes/other", NAME]);
    sandbox.git(&["notes", "--ref=boundary/key", "add", "-f", "-m", "more", &annotated[0].hex()]);
    sandbox.git(&["notes", "--ref=other", "add", "-f", "-m", "else", &annotated[1].hex()]);
    sandbox.git(&["notes", "--ref=boundary/key", "merge", "--quiet", "other"]);
    assert_eq!(ledger(), before);
    sandbox.git(&["notes", "--ref=boundary/key", "prune"]);
    assert_eq!(ledger(), before);
    let tip = sandbox.rev(NAME);
    let mut notes = NotesTree::load(&repository, Some(&tip)).unwrap();
    assert_eq!(notes.get(&annotated[0]).unwrap().unwrap(), b"more\n");
    assert_eq!(notes.get(&annotated[1]).unwrap().unwrap(), b"else\n");
    assert_eq!(notes.file("ledger/tile/0/001.p/7").unwrap().unwrap(), b"tile/0/001.p/7");
    assert_eq!(notes.iter().unwrap().len(), 200);
    sandbox.git(&["fsck", "--strict"]);
}

#[test]
fn notes_and_files_are_removed_with_their_empty_directories() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let annotated = objects(&repository, 120);
    let mut notes = NotesTree::load(&repository, None).unwrap();
    for oid in &annotated {
        notes.set(oid, b"x").unwrap();
    }
    notes.set_file("ledger/a/b", b"1").unwrap();
    let tip = publish(&repository, &mut notes);
    let mut notes = NotesTree::load(&repository, Some(&tip)).unwrap();
    for oid in &annotated[1..] {
        assert!(notes.remove(oid).unwrap());
        assert!(!notes.remove(oid).unwrap());
        assert_eq!(notes.get(oid).unwrap(), None);
    }
    assert!(notes.remove_file("ledger/a/b").unwrap());
    assert!(!notes.remove_file("ledger/a/b").unwrap());
    publish(&repository, &mut notes);
    assert_eq!(sandbox.git(&["ls-tree", "-r", "--name-only", NAME]).lines().count(), 1);
    assert_eq!(sandbox.git(&["ls-tree", "--name-only", NAME]).lines().count(), 1);
    assert!(notes.remove(&annotated[0]).unwrap());
    assert_eq!(notes.write().unwrap(), repository.object_format().empty_tree());
}

#[test]
fn a_file_cannot_take_the_place_of_a_directory() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let mut notes = NotesTree::load(&repository, None).unwrap();
    notes.set_file("ledger/checkpoint", b"1").unwrap();
    for path in ["ledger", "ledger/checkpoint/x", "", "ledger//x", "/ledger"] {
        assert!(matches!(notes.set_file(path, b"2"), Err(NotesError::Path { .. })), "{path:?}");
    }
    assert_eq!(notes.file("ledger").unwrap(), None);
    assert_eq!(notes.file("ledger/checkpoint/x").unwrap(), None);
    assert_eq!(notes.file("ledger/checkpoint").unwrap().unwrap(), b"1");
}

#[test]
fn random_edits_agree_with_a_map_and_with_git() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let annotated = objects(&repository, 300);
    let mut truth: BTreeMap<Oid, String> = BTreeMap::new();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut roll = move |sides: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % sides as u64) as usize
    };
    let mut tip = None;
    for round in 0..6 {
        let mut notes = NotesTree::load(&repository, tip.as_ref()).unwrap();
        for _ in 0..150 {
            let oid = annotated[roll(300)];
            if roll(4) == 0 {
                assert_eq!(notes.remove(&oid).unwrap(), truth.remove(&oid).is_some());
            } else {
                let text = format!("{round} {}\n", roll(1_000));
                notes.set(&oid, text.as_bytes()).unwrap();
                truth.insert(oid, text);
            }
        }
        tip = Some(publish(&repository, &mut notes));
        let mut notes = NotesTree::load(&repository, tip.as_ref()).unwrap();
        for oid in &annotated {
            let expected = truth.get(oid).map(|text| text.clone().into_bytes());
            assert_eq!(notes.get(oid).unwrap(), expected);
        }
        let listed = sandbox.git(&["notes", "--ref=boundary/key", "list"]);
        let listed: BTreeMap<String, String> = listed
            .lines()
            .map(|line| line.split_once(' ').unwrap())
            .map(|(b, o)| (o.to_owned(), b.to_owned()))
            .collect();
        let own: BTreeMap<String, String> =
            notes.iter().unwrap().into_iter().map(|(oid, blob)| (oid.hex(), blob.hex())).collect();
        assert_eq!(own, listed);
    }
}

#[test]
fn a_malformed_notes_tree_is_an_error() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let tree = sandbox.feed(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], "junk");
    let tip = sandbox.commit_tree(&tree, &[], 1_750_000_000);
    match NotesTree::load(&repository, Some(&tip)) {
        Err(NotesError::Object(ObjectError::Malformed { .. })) => {}
        other => panic!("expected a malformed tree: {other:?}"),
    }
}

#[test]
fn an_unfinished_merge_of_notes_is_noticed() {
    let sandbox = Sandbox::new();
    let oid = sandbox.commit(&[("a", "1")]);
    assert_eq!(sandbox.open().unfinished_notes_merge().unwrap(), None);
    sandbox.git(&["notes", "--ref=ours", "add", "-m", "base"]);
    sandbox.git(&["update-ref", "refs/notes/theirs", "refs/notes/ours"]);
    sandbox.git(&["notes", "--ref=ours", "add", "-f", "-m", "ours"]);
    sandbox.git(&["notes", "--ref=theirs", "add", "-f", "-m", "theirs"]);
    let merge = sandbox.run(&sandbox.repo, &["notes", "--ref=ours", "merge", "theirs"], &[], b"");
    assert!(!merge.status.success());
    let found = sandbox.open().unfinished_notes_merge().unwrap().unwrap();
    assert_eq!(found.name.as_deref(), Some("refs/notes/ours"));
    assert_eq!(found.files, [oid.hex()]);
    sandbox.git(&["notes", "merge", "--abort"]);
    assert_eq!(sandbox.open().unfinished_notes_merge().unwrap(), None);
}

//! Against what git and gix themselves store: loose, packed, damaged, and large.

use std::fs;

use super::*;
use crate::git::object_format::to_gix;
use crate::git::objects::{ObjectError, ObjectKind};
use crate::git::testing::Sandbox;
use crate::model::id::Oid;

fn near(sandbox: &Sandbox) -> Near {
    let hash = sandbox.open().object_format().hash();
    Near::new(sandbox.repo.join(".git/objects"), hash, 1 << 20)
}

/// Every object as git itself tells it.
fn all(sandbox: &Sandbox) -> Vec<(Oid, u64)> {
    let text = sandbox.git(&["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objectsize)"]);
    let parse = |line: &str| {
        let (oid, size) = line.split_once(' ').expect("an id and a size");
        (oid.parse().expect("git prints ids"), size.parse().expect("git prints sizes"))
    };
    text.lines().map(parse).collect()
}

/// A history whose blobs and trees git stores as deltas of each other.
fn history(arguments: &[&str]) -> Sandbox {
    let sandbox = Sandbox::init(arguments);
    for number in 0..30 {
        let long: String = (0..400).map(|line| format!("line {} of file\n", line * (1 + number / 29))).collect();
        let files: Vec<(String, String)> =
            (0..40).map(|file| (format!("d/f{file}"), format!("{long}{number} {}\n", file % 3))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        sandbox.commit(&files);
    }
    sandbox
}

fn assert_reads_as_git(sandbox: &Sandbox, must_be_near: bool) {
    let (near, repository) = (near(sandbox), sandbox.open());
    for (oid, size) in all(sandbox) {
        let id = to_gix(&oid);
        if must_be_near {
            match near.read(&id, size).expect("an ordinary object is read here") {
                Read::Whole(_, bytes) => assert_eq!(bytes.len() as u64, size),
                Read::TooLarge(_) => panic!("the limit is what it has"),
            }
            if let Some(less) = size.checked_sub(1) {
                let refused = near.read(&id, less);
                assert!(matches!(refused, Some(Read::TooLarge(said)) if said == size), "nothing past a limit is read");
            }
            assert_eq!(near.size(&id), Some(size));
            assert!(near.contains(&id));
        }
        let (_, bytes) = repository.object(&oid).expect("git has it");
        assert_eq!(bytes.len() as u64, size, "an object is as long as git says");
        assert_eq!(repository.objects().size(&oid).expect("git has it"), Some(size));
        assert!(repository.contains(&oid));
    }
}

#[test]
fn loose_and_packed_objects_are_read_as_git_reads_them() {
    for arguments in [&[][..], &["--object-format=sha256"]] {
        let sandbox = history(arguments);
        assert_reads_as_git(&sandbox, true);
        sandbox.git(&["repack", "-adfq", "--depth=40", "--window=40"]);
        sandbox.git(&["prune-packed"]);
        assert_reads_as_git(&sandbox, true);
        sandbox.commit(&[("d/f1", "after the repack")]);
        sandbox.git(&["repack", "-dq"]);
        sandbox.commit(&[("d/f1", "after both")]);
        assert_reads_as_git(&sandbox, true);
    }
}

#[test]
fn offsets_past_the_32nd_bit_are_followed() {
    let sandbox = history(&[]);
    sandbox.git(&["repack", "-adfq"]);
    let pack = pack_of(&sandbox);
    fs::remove_file(pack.with_extension("idx")).expect("it was there");
    let name = pack.to_str().expect("temporary paths are text");
    sandbox.git(&["index-pack", "--index-version=2,0x40", name]);
    assert_reads_as_git(&sandbox, true);
}

#[test]
fn what_is_stored_in_an_unusual_way_is_left_to_gix() {
    let sandbox = history(&[]);
    sandbox.git(&["-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq"]);
    assert_reads_as_git(&sandbox, false);
    let pack = pack_of(&sandbox);
    fs::remove_file(pack.with_extension("idx")).expect("it was there");
    sandbox.git(&["index-pack", "--index-version=1", pack.to_str().expect("temporary paths are text")]);
    assert!(near(&sandbox).packs().is_empty(), "an index of version 1 is for gix");
    assert_reads_as_git(&sandbox, false);
}

#[test]
fn what_is_packed_after_opening_is_found_all_the_same() {
    let sandbox = history(&[]);
    sandbox.git(&["repack", "-adfq"]);
    let repository = sandbox.open();
    assert!(repository.contains(&sandbox.rev("HEAD")));
    let later = sandbox.commit(&[("later", "text")]);
    sandbox.git(&["repack", "-adfq"]);
    sandbox.git(&["prune-packed"]);
    assert_eq!(repository.commit(&later).expect("gix looks again").oid, later);
    assert!(!repository.contains(&"1234567890123456789012345678901234567890".parse().expect("an id")));
}

#[test]
fn a_damaged_loose_file_hides_no_whole_packed_copy() {
    let sandbox = Sandbox::new();
    let oid = sandbox.commit(&[("a", "1")]);
    sandbox.git(&["repack", "-aq"]);
    let path = loose::path(&sandbox.repo.join(".git/objects"), &to_gix(&oid));
    let other = loose::path(&sandbox.repo.join(".git/objects"), &to_gix(&sandbox.rev("HEAD^{tree}")));
    fs::remove_file(&path).expect("it was loose, too");
    fs::copy(other, &path).expect("another object takes its place");
    assert_eq!(sandbox.open().commit(&oid).expect("the packed copy is whole").oid, oid);
    for bytes in [&b""[..], b"x", &[0x78, 0x01, 0xff]] {
        fs::remove_file(&path).expect("it is there");
        fs::write(&path, bytes).expect("it can be written");
        assert_eq!(sandbox.open().commit(&oid).expect("the packed copy is whole").oid, oid);
    }
}

#[test]
fn a_damaged_object_without_another_copy_is_corrupt() {
    let sandbox = Sandbox::new();
    let oid = sandbox.commit(&[("a", "1")]);
    let objects = sandbox.repo.join(".git/objects");
    let [path, other] = [oid, sandbox.rev("HEAD:a")].map(|oid| loose::path(&objects, &to_gix(&oid)));
    fs::remove_file(&path).expect("it was loose");
    fs::copy(other, &path).expect("another object takes its place");
    assert!(matches!(sandbox.open().commit(&oid), Err(ObjectError::Corrupt { .. })), "its bytes hash to another id");
}

#[test]
fn objects_behind_an_alternate_are_found() {
    let sandbox = history(&[]);
    sandbox.git(&["repack", "-adfq"]);
    let head = sandbox.rev("HEAD");
    let root = sandbox.root();
    sandbox.git_in(&root, &["clone", "-q", "--shared", "repo", "clone"]);
    let environment = sandbox.environment().in_directory(root.join("clone"));
    let clone = crate::git::Repository::discover(&environment).expect("it opens");
    assert_eq!(clone.commit(&head).expect("the alternate has it").oid, head);
    assert!(clone.contains(&head));
}

#[test]
fn what_is_written_here_is_what_git_reads() {
    for arguments in [&[][..], &["--object-format=sha256"]] {
        let sandbox = Sandbox::init(arguments);
        let repository = sandbox.open();
        for length in [0, 1, 4095, 4096, 4097, 65_500, 65_534, 65_535, 65_536, 200_000] {
            for byte in [b'a', 0xc3] {
                let bytes: Vec<u8> = (0..length).map(|place: u32| byte ^ (place % 7) as u8).collect();
                let written = repository.write_blob(&bytes).expect("it can be written");
                assert_eq!(sandbox.git(&["cat-file", "-s", &written.hex()]), length.to_string());
                assert_eq!(sandbox.open().blob(&written).expect("it is there"), bytes);
                assert_eq!(sandbox.open().kind(&written).expect("it is there"), ObjectKind::Blob);
                repository.write_blob(&bytes).expect("writing it again is no error");
            }
        }
        sandbox.git(&["fsck", "--strict", "--full"]);
        let left = sandbox.git(&["count-objects", "-v"]);
        assert!(left.contains("garbage: 0"), "no temporary file is left behind: {left}");
    }
}

fn pack_of(sandbox: &Sandbox) -> PathBuf {
    let files = fs::read_dir(sandbox.repo.join(".git/objects/pack")).expect("the directory is there");
    let mut packs =
        files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|it| it == "pack"));
    packs.next().expect("it was packed")
}

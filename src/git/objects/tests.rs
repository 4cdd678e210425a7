//! Objects read and written beside git.

use super::*;
use crate::git::testing::Sandbox;
use crate::model::time::Timestamp;

fn formats() -> [Sandbox; 2] {
    [Sandbox::new(), Sandbox::init(&["--object-format=sha256"])]
}

#[test]
fn objects_are_read_loose_and_packed_and_written_as_git_would() {
    for sandbox in formats() {
        let first = sandbox.commit(&[("a", "1"), ("dir/b", "2")]);
        let second = sandbox.commit(&[("a", "3")]);
        for packed in [false, true] {
            if packed {
                sandbox.git(&["repack", "-a", "-d", "-q"]);
            }
            let repository = sandbox.open();
            let commit = repository.commit(&second).unwrap();
            assert_eq!((commit.oid, commit.parents.as_slice()), (second, [first].as_slice()));
            assert_eq!(commit.tree, sandbox.rev("HEAD^{tree}"));
            assert_eq!(commit.committer_time, 1_750_000_000);
            assert_eq!(commit.message(), b"a commit\n");
            let tree = repository.tree(&commit.tree).unwrap();
            assert_eq!(tree.iter().map(|entry| entry.name.as_slice()).collect::<Vec<_>>(), [b"a".as_slice(), b"dir"]);
            assert_eq!(repository.blob(&tree[0].oid).unwrap(), b"3");
            assert_eq!(repository.kind(&commit.tree).unwrap(), ObjectKind::Tree);
            assert!(repository.contains(&first));
            assert_eq!(repository.write_tree(tree).unwrap(), commit.tree);
        }
        let repository = sandbox.open();
        let new = NewCommit {
            tree: repository.commit(&first).unwrap().tree,
            parents: &[first, second],
            time: Timestamp(1_760_000_000),
            message: "written here",
        };
        let written = repository.write_commit(&new).unwrap();
        assert_eq!(
            sandbox.git(&["log", "-1", "--format=%P|%an <%ae> %at|%cn <%ce> %ct|%s", &written.hex()]),
            format!(
                "{first} {second}|A Tester <tester@example.com> 1760000000|A Tester <tester@example.com> 1760000000|written here"
            )
        );
        sandbox.git(&["fsck", "--strict"]);
    }
}

#[test]
fn the_empty_tree_needs_no_object() {
    for sandbox in formats() {
        let repository = sandbox.open();
        let empty = repository.object_format().empty_tree();
        assert!(!repository.contains(&empty));
        assert_eq!(repository.tree(&empty).unwrap(), []);
        assert_eq!(repository.write_tree(Vec::new()).unwrap(), empty);
    }
}

#[test]
fn an_absent_object_is_missing_and_an_id_of_the_other_format_is_told_apart() {
    let [sha1, sha256] = formats();
    let repository = sha1.open();
    let absent: Oid = "1".repeat(40).parse().unwrap();
    assert!(matches!(repository.blob(&absent), Err(ObjectError::Missing { oid, .. }) if oid == absent));
    assert!(repository.blob(&absent).unwrap_err().is_missing());
    assert!(!repository.contains(&absent));
    let longer = sha256.commit(&[("a", "1")]);
    assert!(matches!(repository.commit(&longer), Err(ObjectError::Format { .. })));
    assert!(!repository.contains(&longer));
    assert!(repository.commit(&repository.object_format().zero_oid()).unwrap_err().is_missing());
}

#[test]
fn an_object_of_another_kind_is_refused() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit(&[("a", "1")]);
    let repository = sandbox.open();
    match repository.tree(&commit) {
        Err(ObjectError::Kind { found: ObjectKind::Commit, wanted: ObjectKind::Tree, .. }) => {}
        other => panic!("a commit is no tree: {other:?}"),
    }
}

#[test]
fn bytes_that_hash_to_another_id_are_corrupt() {
    let sandbox = Sandbox::new();
    let honest: Oid = sandbox.blob("honest").parse().unwrap();
    let forged: Oid = sandbox.blob("forged").parse().unwrap();
    let path = |oid: &Oid| sandbox.repo.join(".git/objects").join(&oid.hex()[..2]).join(&oid.hex()[2..]);
    std::fs::remove_file(path(&honest)).unwrap();
    std::fs::create_dir_all(path(&honest).parent().unwrap()).unwrap();
    std::fs::copy(path(&forged), path(&honest)).unwrap();
    match sandbox.open().blob(&honest) {
        Err(ObjectError::Corrupt { oid, defect }) => {
            assert_eq!(oid, honest);
            assert!(defect.contains(&forged.hex()), "{defect}");
        }
        other => panic!("the bytes are of another object: {other:?}"),
    }
    std::fs::remove_file(path(&honest)).unwrap();
    std::fs::write(path(&honest), b"no zlib stream").unwrap();
    assert!(matches!(sandbox.open().blob(&honest), Err(ObjectError::Corrupt { .. })));
}

#[test]
fn a_commit_that_was_replaced_is_still_itself() {
    let sandbox = Sandbox::new();
    let one = sandbox.commit(&[("a", "1")]);
    let two = sandbox.commit(&[("a", "2")]);
    sandbox.git(&["replace", &two.hex(), &one.hex()]);
    assert_eq!(sandbox.open().commit(&two).unwrap().parents, [one]);
}

#[test]
fn blobs_over_a_limit_are_not_read() {
    let sandbox = Sandbox::new();
    let oid: Oid = sandbox.blob("12345").parse().unwrap();
    let repository = sandbox.open();
    assert_eq!(repository.blob_within(&oid, 5).unwrap(), b"12345");
    assert!(matches!(repository.blob_within(&oid, 4), Err(ObjectError::TooLarge { size: 5, limit: 4, .. })));
}

#[test]
fn tags_are_peeled_and_what_is_no_commit_is_none() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit(&[("a", "1")]);
    sandbox.git(&["tag", "-a", "-m", "one", "one"]);
    sandbox.git(&["tag", "-a", "-m", "two", "two", "one"]);
    sandbox.git(&["tag", "-a", "-m", "tree", "of-a-tree", "HEAD^{tree}"]);
    let repository = sandbox.open();
    assert_eq!(repository.peel_to_commit(&sandbox.rev("two")).unwrap(), Some(commit));
    assert_eq!(repository.peel_to_commit(&commit).unwrap(), Some(commit));
    assert_eq!(repository.peel_to_commit(&sandbox.rev("of-a-tree")).unwrap(), None);
    assert_eq!(repository.peel_to_commit(&sandbox.rev("HEAD:a")).unwrap(), None);
}

/// Mode, name and object, as they are to stand in a tree.
type RawEntry<'a> = (&'a str, &'a str, Oid);

/// A raw tree, past every check of git's.
fn raw_tree(sandbox: &Sandbox, entries: &[RawEntry<'_>]) -> Oid {
    let mut raw = Vec::new();
    for (mode, name, oid) in entries {
        raw.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        raw.extend_from_slice(oid.as_bytes());
    }
    sandbox.feed(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], raw).parse().unwrap()
}

#[test]
fn malformed_trees_are_refused_by_id_and_defect() {
    for sandbox in formats() {
        let blob: Oid = sandbox.blob("x").parse().unwrap();
        let zero = sandbox.open().object_format().zero_oid();
        let cases: Vec<(&str, Vec<RawEntry<'_>>)> = vec![
            ("not in order", vec![("100644", "b", blob), ("100644", "a", blob)]),
            ("not in order", vec![("40000", "a", blob), ("100644", "a.b", blob)]),
            ("twice", vec![("100644", "a", blob), ("100644", "a", blob)]),
            ("twice", vec![("100644", "a", blob), ("100644", "a.b", blob), ("40000", "a", blob)]),
            ("not allowed", vec![("100644", "", blob)]),
            ("not allowed", vec![("40000", ".", blob)]),
            ("not allowed", vec![("40000", "..", blob)]),
            ("not allowed", vec![("40000", ".git", blob)]),
            ("not allowed", vec![("40000", ".GiT", blob)]),
            ("not allowed", vec![("40000", "git~1", blob)]),
            ("not allowed", vec![("40000", ".g\u{200c}it", blob)]),
            ("not allowed", vec![("100644", "a/b", blob)]),
            ("unknown mode", vec![("100600", "a", blob)]),
            ("unknown mode", vec![("0", "a", blob)]),
            ("unknown mode", vec![("", "a", blob)]),
            ("zero id", vec![("100644", "a", zero)]),
        ];
        let repository = sandbox.open();
        for (defect, entries) in cases {
            let tree = raw_tree(&sandbox, &entries);
            match repository.tree(&tree) {
                Err(ObjectError::Malformed { oid, defect: found }) => {
                    assert_eq!(oid, tree);
                    assert!(found.contains(defect), "{entries:?}: {found}");
                }
                other => panic!("{entries:?} is malformed: {other:?}"),
            }
        }
        let cut = sandbox.feed(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], "100644 a\0short");
        assert!(matches!(repository.tree(&cut.parse().unwrap()), Err(ObjectError::Malformed { .. })));
    }
}

#[test]
fn old_spellings_of_modes_are_read() {
    let sandbox = Sandbox::new();
    let blob: Oid = sandbox.blob("x").parse().unwrap();
    let tree = raw_tree(&sandbox, &[("100664", "a", blob), ("040000", "b", blob)]);
    let modes: Vec<Mode> = sandbox.open().tree(&tree).unwrap().iter().map(|entry| entry.mode).collect();
    assert_eq!(modes, [Mode::File, Mode::Tree]);
}

#[test]
fn no_malformed_tree_is_written() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let oid = repository.write_blob(b"x").unwrap();
    let entry = |mode, name: &str| TreeEntry { mode, name: name.into(), oid };
    assert!(repository.write_tree(vec![entry(Mode::File, ".git")]).is_err());
    assert!(repository.write_tree(vec![entry(Mode::File, "a\0b")]).is_err());
    assert!(repository.write_tree(vec![entry(Mode::File, "a"), entry(Mode::Tree, "a")]).is_err());
    let mixed = vec![entry(Mode::Tree, "a"), entry(Mode::File, "a.b"), entry(Mode::File, "Z")];
    let tree = repository.write_tree(mixed).unwrap();
    let names: Vec<Vec<u8>> = repository.tree(&tree).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, [b"Z".to_vec(), b"a.b".to_vec(), b"a".to_vec()]);
}

/// A raw commit, past every check of git's.
fn raw_commit(sandbox: &Sandbox, raw: &str) -> Oid {
    sandbox.feed(&["hash-object", "-t", "commit", "-w", "--literally", "--stdin"], raw).parse().unwrap()
}

#[test]
fn commits_are_read_as_git_reads_them() {
    let sandbox = Sandbox::new();
    let first = sandbox.commit(&[("a", "1")]);
    let tree = sandbox.rev("HEAD^{tree}");
    let repository = sandbox.open();
    let late = format!("tree {tree}\nauthor A <a> 5 +0000\ncommitter B <b> 7 +0000\nparent {first}\n\nx");
    let commit = repository.commit(&raw_commit(&sandbox, &late)).unwrap();
    assert_eq!(commit.parents, [], "a parent line elsewhere is none");
    assert_eq!(commit.committer_time, 7);
    let odd = format!("tree {tree}\nauthor A <a> 5 +0000\ncommitter B > x <b> soon\n\nx");
    assert_eq!(repository.commit(&raw_commit(&sandbox, &odd)).unwrap().committer_time, 0);
    for raw in [
        "author A <a> 5 +0000\n\nx".to_owned(),
        format!("tree {}\n\nx", &tree.hex()[..39]),
        format!("tree {tree}\nparent nothing\n\nx"),
        format!("tree {tree}\nparent {}\n\nx", "0".repeat(40)),
        format!("tree {}\n\nx", tree.hex().to_uppercase()),
    ] {
        assert!(matches!(repository.commit(&raw_commit(&sandbox, &raw)), Err(ObjectError::Malformed { .. })), "{raw}");
    }
}

#[test]
fn ssh_signatures_come_with_the_bytes_that_were_signed() {
    for sandbox in formats() {
        let key = sandbox.root().join("key");
        let made =
            std::process::Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
        if !made.is_ok_and(|status| status.success()) {
            return;
        }
        let public = format!("{}.pub", key.display());
        for (name, value) in [("gpg.format", "ssh"), ("user.signingkey", &public)] {
            sandbox.git(&["config", name, value]);
        }
        sandbox.commit(&[("a", "1")]);
        sandbox.git(&["commit", "--quiet", "--allow-empty", "-S", "-m", "signed"]);
        let repository = sandbox.open();
        let commit = repository.commit(&sandbox.rev("HEAD")).unwrap();
        let (payload, signature) = commit.ssh_signature().unwrap();
        let allowed = sandbox.root().join("allowed");
        let line = format!("tester {}", std::fs::read_to_string(&public).unwrap());
        std::fs::write(&allowed, line).unwrap();
        let file = sandbox.root().join("signature");
        std::fs::write(&file, &signature).unwrap();
        let mut verify = std::process::Command::new("ssh-keygen")
            .args(["-Y", "verify", "-n", "git", "-I", "tester", "-f"])
            .arg(&allowed)
            .arg("-s")
            .arg(&file)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut verify.stdin.take().unwrap(), &payload).unwrap();
        assert!(verify.wait().unwrap().success());
        assert!(repository.commit(&sandbox.rev("HEAD~1")).unwrap().ssh_signature().is_none());
    }
}

#[test]
fn only_the_header_of_the_repositorys_own_format_is_a_signature() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("a", "1")]);
    let tree = sandbox.rev("HEAD^{tree}");
    let start = format!("tree {tree}\nauthor A <a> 5 +0000\ncommitter B <b> 7 +0000\n");
    let repository = sandbox.open();
    let of = |raw: &str| repository.commit(&raw_commit(&sandbox, raw)).unwrap().ssh_signature();
    let own = "gpgsig -----BEGIN SSH SIGNATURE-----\n own\n";
    let other = "gpgsig-sha256 -----BEGIN SSH SIGNATURE-----\n other\n";
    let end = "\ngpgsig in the message stays\n";
    let expected = Some((format!("{start}{end}").into_bytes(), b"-----BEGIN SSH SIGNATURE-----\nown\n".to_vec()));
    assert_eq!(of(&format!("{start}{own}{other}{end}")), expected);
    assert_eq!(of(&format!("{start}{other}{own}{end}")), expected);
    assert_eq!(of(&format!("{start}{other}{end}")), None);
    assert_eq!(of(&format!("{start}gpgsig -----BEGIN PGP SIGNATURE-----\n x\n{end}")), None);
    assert_eq!(of(&format!("{start}{end}")), None);
}

#[test]
fn inside_a_quarantine_pushed_objects_are_seen_and_new_ones_stay_there() {
    let sandbox = Sandbox::new();
    let known = sandbox.commit(&[("a", "1")]);
    let quarantine = sandbox.root().join("incoming: \"x\"");
    std::fs::create_dir_all(quarantine.join("pack")).unwrap();
    let main = sandbox.repo.join(".git/objects");
    let quoted = format!("\"{}\"", main.display());
    for list in [main.to_str().unwrap(), &quoted, &format!("/gone:{quoted}")] {
        let environment = sandbox
            .environment()
            .with("GIT_OBJECT_DIRECTORY", &quarantine)
            .with("GIT_ALTERNATE_OBJECT_DIRECTORIES", list)
            .with("GIT_QUARANTINE_PATH", &quarantine);
        assert!(environment.in_quarantine());
        let repository = Repository::discover(&environment).unwrap();
        assert!(repository.contains(&known), "{list}");
        let pushed = repository.write_blob(b"pushed").unwrap();
        assert_eq!(repository.blob(&pushed).unwrap(), b"pushed");
        assert_eq!(
            repository.blob(&repository.tree(&repository.commit(&known).unwrap().tree).unwrap()[0].oid).unwrap(),
            b"1"
        );
        assert!(sandbox.open().blob(&pushed).unwrap_err().is_missing(), "nothing leaves the quarantine");
    }
}

#[test]
fn alternates_of_the_object_directory_are_followed() {
    let sandbox = Sandbox::new();
    let known = sandbox.commit(&[("a", "1")]);
    sandbox.git_in(&sandbox.root(), &["clone", "--quiet", "--shared", "repo", "borrower"]);
    let borrower = sandbox.open_at(&sandbox.root().join("borrower"));
    assert_eq!(borrower.commit(&known).unwrap().oid, known);
}

#[test]
fn in_a_shared_repository_others_can_write_beside_us() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::init(&["--shared=group", "--bare"]);
    let oid = sandbox.open().write_blob(b"for the group").unwrap();
    let directory = sandbox.repo.join("objects").join(&oid.hex()[..2]);
    let mode = std::fs::metadata(&directory).unwrap().permissions().mode();
    assert_eq!(mode & 0o2070, 0o2070, "{mode:o}");
}

#[test]
fn the_committer_is_the_user_or_failing_that_a_fixed_one() {
    let sandbox = Sandbox::new();
    let who = |name: &str, email: &str| Identity { name: name.to_owned(), email: email.to_owned() };
    assert_eq!(sandbox.open().identity(), who("A Tester", "tester@example.com"));
    let environment = sandbox
        .environment()
        .with("GIT_COMMITTER_NAME", "Evil <x>\nName")
        .with("GIT_CONFIG_PARAMETERS", "'user.email'='other@example.com'");
    assert_eq!(Repository::discover(&environment).unwrap().identity(), who("Evil xName", "other@example.com"));
    let nobody = sandbox.environment().with("GIT_CONFIG_GLOBAL", "/dev/null");
    let identity = Repository::discover(&nobody).unwrap().identity();
    assert_eq!(identity, who("git-boundary", "git-boundary@localhost"));
}

#[test]
fn sorting_by_storage_keeps_every_item() {
    let sandbox = Sandbox::new();
    let mut oids: Vec<Oid> = (0..50).map(|n| sandbox.open().write_blob(format!("{n}").as_bytes()).unwrap()).collect();
    for oid in &oids[..40] {
        sandbox.git(&["tag", &format!("t{oid}"), &oid.hex()]);
    }
    sandbox.git(&["repack", "-a", "-d", "-q"]);
    let mut sorted = oids.clone();
    sandbox.open().sort_by_storage(&mut sorted, |oid| *oid);
    assert!(sorted[..10].iter().all(|oid| oids[40..].contains(oid)), "loose objects come first");
    sorted.sort();
    oids.sort();
    assert_eq!(sorted, oids);
}

//! What commits and merges touch.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::git::objects::{NewCommit, ObjectKind};
use crate::git::testing::Sandbox;
use crate::model::time::Timestamp;

use Operation::{Add, Delete, Mode as ModeChange, Modify, Submodule, Symlink};

type Files = BTreeMap<String, (Mode, Oid)>;

/// Stores the tree with these files.
fn tree_of(repository: &Repository, files: &Files) -> Oid {
    let mut entries = Vec::new();
    let mut below: BTreeMap<&str, Files> = BTreeMap::new();
    for (path, entry) in files {
        match path.split_once('/') {
            None => entries.push(TreeEntry { mode: entry.0, name: path.clone().into_bytes(), oid: entry.1 }),
            Some((name, rest)) => {
                below.entry(name).or_default().insert(rest.to_owned(), *entry);
            }
        }
    }
    for (name, files) in below {
        let oid = tree_of(repository, &files);
        entries.push(TreeEntry { mode: Mode::Tree, name: name.into(), oid });
    }
    repository.write_tree(entries).unwrap()
}

fn files(repository: &Repository, list: &[(&str, &str)]) -> Files {
    list.iter()
        .map(|(path, content)| ((*path).to_owned(), (Mode::File, repository.write_blob(content.as_bytes()).unwrap())))
        .collect()
}

fn commit(repository: &Repository, tree: Oid, parents: &[Oid]) -> Commit {
    let new = NewCommit { tree, parents, time: Timestamp(1_000), message: "made for a test" };
    repository.commit(&repository.write_commit(&new).unwrap()).unwrap()
}

/// Commits files given as (path, content).
fn commit_files(repository: &Repository, list: &[(&str, &str)], parents: &[Oid]) -> Commit {
    commit(repository, tree_of(repository, &files(repository, list)), parents)
}

fn shown(touches: Vec<Touch>) -> Vec<(String, Vec<Operation>)> {
    touches.into_iter().map(|touch| (String::from_utf8(touch.path).unwrap(), touch.operations)).collect()
}

fn touched(repository: &Repository, commit: &Commit) -> Vec<(String, Vec<Operation>)> {
    shown(repository.touched(commit, &[]).unwrap())
}

fn one(path: &str, operations: &[Operation]) -> (String, Vec<Operation>) {
    (path.to_owned(), operations.to_vec())
}

#[test]
fn a_root_commit_adds_everything() {
    let sandbox = Sandbox::new();
    let root = sandbox.commit(&[("a", "1"), ("dir/b", "2")]);
    let repository = sandbox.open();
    assert_eq!(touched(&repository, &repository.commit(&root).unwrap()), [one("a", &[Add]), one("dir/b", &[Add])]);
}

#[test]
fn an_ordinary_commit_is_compared_with_its_parent() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("same/deep", "0"), ("change", "1"), ("gone", "2"), ("run.sh", "3"), ("old name", "moved\n")]);
    std::fs::remove_file(sandbox.repo.join("gone")).unwrap();
    std::fs::rename(sandbox.repo.join("old name"), sandbox.repo.join("new name")).unwrap();
    sandbox.git(&["update-index", "--chmod=+x", "run.sh"]);
    sandbox.git(&["config", "core.fileMode", "false"]);
    std::os::unix::fs::symlink("change", sandbox.repo.join("link")).unwrap();
    let tip = sandbox.commit(&[("change", "other"), ("new", "4")]);
    let repository = sandbox.open();
    assert_eq!(
        touched(&repository, &repository.commit(&tip).unwrap()),
        [
            one("change", &[Modify]),
            one("gone", &[Delete]),
            one("link", &[Add, Symlink]),
            one("new", &[Add]),
            one("new name", &[Add]),
            one("old name", &[Delete]),
            one("run.sh", &[ModeChange]),
        ],
        "a rename touches both paths"
    );
    let empty = sandbox.commit(&[]);
    assert_eq!(touched(&repository, &repository.commit(&empty).unwrap()), []);
}

#[test]
fn kinds_of_entries_are_told_apart() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let blob = repository.write_blob(b"target").unwrap();
    let some_commit = commit_files(&repository, &[("x", "x")], &[]).oid;
    let with = |mode, oid| tree_of(&repository, &[("p".to_owned(), (mode, oid))].into());
    let cases = [
        (Mode::File, blob, Mode::Symlink, blob, vec![ModeChange, Symlink]),
        (Mode::Symlink, blob, Mode::File, blob, vec![ModeChange, Symlink]),
        (Mode::File, blob, Mode::Submodule, some_commit, vec![Modify, ModeChange, Submodule]),
        (Mode::File, blob, Mode::Executable, blob, vec![ModeChange]),
    ];
    for (old_mode, old, new_mode, new, expected) in cases {
        let first = commit(&repository, with(old_mode, old), &[]);
        let second = commit(&repository, with(new_mode, new), &[first.oid]);
        assert_eq!(touched(&repository, &second), [one("p", &expected)]);
    }
    let link = commit(&repository, with(Mode::Symlink, blob), &[]);
    let gone = commit(&repository, repository.object_format().empty_tree(), &[link.oid]);
    assert_eq!(touched(&repository, &gone), [one("p", &[Delete, Symlink])]);
}

#[test]
fn a_file_that_becomes_a_directory_touches_both() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let first = commit_files(&repository, &[("a", "1"), ("a.b", "2")], &[]);
    let second = commit_files(&repository, &[("a/c", "1"), ("a.b", "2")], &[first.oid]);
    assert_eq!(touched(&repository, &second), [one("a", &[Delete]), one("a/c", &[Add])]);
}

#[test]
fn change_lists_agree_with_git_and_are_sorted_by_path() {
    let sandbox = Sandbox::new();
    let first = sandbox.commit(&[("a.b", "1"), ("a/c", "2"), ("a0", "3"), ("keep", "4"), ("z/y/x", "5")]);
    std::fs::remove_dir_all(sandbox.repo.join("a")).unwrap();
    let second = sandbox.commit(&[("a.b", "1x"), ("a", "now a file"), ("z/y/w", "6")]);
    let repository = sandbox.open();
    let tree = |oid: &Oid| repository.commit(oid).unwrap().tree;
    let changes = repository.change_list(&tree(&first), &tree(&second)).unwrap();
    let side = |entry: Option<(Mode, Oid)>| {
        entry.map_or(("000000".to_owned(), "0".repeat(40)), |(mode, oid)| (mode.octal().to_owned(), oid.hex()))
    };
    let own: Vec<String> = changes
        .iter()
        .map(|change| {
            let ((old_mode, old), (new_mode, new)) = (side(change.old), side(change.new));
            format!(":{old_mode} {new_mode} {old} {new} {}", String::from_utf8_lossy(&change.path))
        })
        .collect();
    let listed = sandbox.git(&["diff-tree", "-r", "--no-renames", &first.hex(), &second.hex()]);
    let mut listed: Vec<String> = listed
        .lines()
        .map(|line| {
            let (meta, path) = line.split_once('\t').unwrap();
            format!("{} {path}", meta.rsplit_once(' ').unwrap().0)
        })
        .collect();
    listed.sort_by_key(|line| line.rsplit_once(' ').map(|(_, path)| path.to_owned()));
    assert_eq!(own, listed);
    assert_eq!(repository.change_list(&tree(&first), &tree(&first)).unwrap(), []);
}

/// base and two sides that each change a file of their own.
fn fork(repository: &Repository) -> [Commit; 3] {
    let base = commit_files(repository, &[("ours", "0"), ("theirs", "0"), ("both", "0"), ("dir/x", "0")], &[]);
    let ours = commit_files(repository, &[("ours", "1"), ("theirs", "0"), ("both", "1"), ("dir/x", "0")], &[base.oid]);
    let theirs =
        commit_files(repository, &[("ours", "0"), ("theirs", "1"), ("both", "1"), ("dir/x", "1")], &[base.oid]);
    [base, ours, theirs]
}

#[test]
fn a_merge_without_a_judgement_touches_nothing() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let [_, ours, theirs] = fork(&repository);
    let merged = [("ours", "1"), ("theirs", "1"), ("both", "1"), ("dir/x", "1")];
    let merge = commit_files(&repository, &merged, &[ours.oid, theirs.oid]);
    assert_eq!(touched(&repository, &merge), []);
    let turned = commit_files(&repository, &merged, &[theirs.oid, ours.oid]);
    assert_eq!(touched(&repository, &turned), [], "the order of parents says nothing");
}

#[test]
fn an_evil_merge_touches_what_no_parent_has() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let [_, ours, theirs] = fork(&repository);
    let merged = [("ours", "evil"), ("theirs", "1"), ("both", "1"), ("dir/x", "1"), ("dir/added", "evil")];
    let merge = commit_files(&repository, &merged, &[ours.oid, theirs.oid]);
    assert_eq!(touched(&repository, &merge), [one("dir/added", &[Add]), one("ours", &[Modify])]);
}

#[test]
fn merging_with_strategy_ours_touches_what_it_throws_away() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("kept", "0"), ("dropped", "0")]);
    sandbox.git(&["switch", "--quiet", "-c", "side"]);
    sandbox.commit(&[("dropped", "1"), ("dir/new", "1")]);
    sandbox.git(&["switch", "--quiet", "main"]);
    sandbox.commit(&[("kept", "1")]);
    sandbox.git(&["merge", "--quiet", "-s", "ours", "-m", "ours", "side"]);
    let repository = sandbox.open();
    let merge = repository.commit(&sandbox.rev("HEAD")).unwrap();
    assert_eq!(
        touched(&repository, &merge),
        [one("dir/new", &[Delete]), one("dropped", &[Modify])],
        "taking one side's old content over the other's change is a judgement"
    );
}

#[test]
fn a_resolved_conflict_is_touched_whichever_side_won() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let base = commit_files(&repository, &[("f", "0")], &[]);
    let ours = commit_files(&repository, &[("f", "ours")], &[base.oid]);
    let theirs = commit_files(&repository, &[("f", "theirs")], &[base.oid]);
    let deleted = commit_files(&repository, &[], &[base.oid]);
    for content in ["ours", "theirs", "mixed"] {
        let merge = commit_files(&repository, &[("f", content)], &[ours.oid, theirs.oid]);
        assert_eq!(touched(&repository, &merge), [one("f", &[Modify])], "{content}");
        let elsewhere = commit(&repository, merge.tree, &[]);
        let preferred = repository.touched(&merge, &[elsewhere.oid]).unwrap();
        assert_eq!(shown(preferred).len(), 1, "a conflict over one base stays a judgement");
    }
    let merge = commit_files(&repository, &[("f", "ours")], &[ours.oid, deleted.oid]);
    assert_eq!(touched(&repository, &merge), [one("f", &[Add])]);
    let merge = commit_files(&repository, &[("f", "new")], &[ours.oid, deleted.oid]);
    assert_eq!(
        touched(&repository, &merge),
        [one("f", &[Add, Modify])],
        "it adds to one parent and modifies the other"
    );
}

#[test]
fn an_octopus_takes_each_parents_own_change() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("base", "0")]);
    for name in ["one", "two", "three"] {
        sandbox.git(&["switch", "--quiet", "-c", name, "main"]);
        sandbox.commit(&[(name, name)]);
    }
    sandbox.git(&["switch", "--quiet", "main"]);
    sandbox.commit(&[("main", "main")]);
    sandbox.git(&["merge", "--quiet", "-m", "octopus", "one", "two", "three"]);
    let repository = sandbox.open();
    let merge = repository.commit(&sandbox.rev("HEAD")).unwrap();
    assert_eq!(merge.parents.len(), 4);
    assert_eq!(touched(&repository, &merge), []);
    let evil = commit_files(&repository, &[("base", "evil")], &merge.parents);
    assert_eq!(touched(&repository, &evil).len(), 5);
}

#[test]
fn a_merge_of_more_parents_than_anybody_makes_is_refused() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let parent = commit_files(&repository, &[("a", "1")], &[]);
    let many = commit(&repository, parent.tree, &vec![parent.oid; MOST_PARENTS + 1]);
    assert!(matches!(repository.touched(&many, &[]), Err(DiffError::TooManyParents { .. })));
    let most = commit(&repository, parent.tree, &vec![parent.oid; MOST_PARENTS]);
    assert_eq!(touched(&repository, &most), []);
}

#[test]
fn unrelated_histories_merge_over_nothing() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let one_side = commit_files(&repository, &[("a", "1"), ("both", "x")], &[]);
    let other = commit_files(&repository, &[("b", "1"), ("both", "x")], &[]);
    let merge = commit_files(&repository, &[("a", "1"), ("b", "1"), ("both", "x")], &[one_side.oid, other.oid]);
    assert_eq!(touched(&repository, &merge), []);
    let lost = commit_files(&repository, &[("a", "1"), ("both", "x")], &[one_side.oid, other.oid]);
    assert_eq!(touched(&repository, &lost), [one("b", &[Delete])]);
}

#[test]
fn where_merge_bases_disagree_only_the_preferred_entry_is_innocent() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let root = commit_files(&repository, &[("f", "0")], &[]);
    let base_one = commit_files(&repository, &[("f", "1")], &[root.oid]);
    let base_two = commit_files(&repository, &[("f", "2")], &[root.oid]);
    let ours = commit_files(&repository, &[("f", "1")], &[base_one.oid, base_two.oid]);
    let theirs = commit_files(&repository, &[("f", "2")], &[base_two.oid, base_one.oid]);
    let merge = commit_files(&repository, &[("f", "1")], &[ours.oid, theirs.oid]);
    assert_eq!(shown(repository.touched(&merge, &[]).unwrap()), [one("f", &[Modify])]);
    assert_eq!(shown(repository.touched(&merge, &[theirs.oid]).unwrap()), [one("f", &[Modify])]);
    assert_eq!(shown(repository.touched(&merge, &[theirs.oid, ours.oid]).unwrap()), []);
    let evil = commit_files(&repository, &[("f", "evil")], &[ours.oid, theirs.oid]);
    let after = commit_files(&repository, &[("f", "evil")], &[evil.oid]);
    for holds_the_merge in [evil.oid, after.oid] {
        let touched = repository.touched(&evil, &[holds_the_merge]).unwrap();
        assert_eq!(shown(touched), [one("f", &[Modify])], "a judgement is not made innocent by having been merged");
    }
}

#[test]
fn random_merges_agree_with_the_definition_path_by_path() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let blobs: Vec<Oid> = (0..3).map(|n| repository.write_blob(format!("{n}").as_bytes()).unwrap()).collect();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut roll = move |sides: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % sides
    };
    let paths = ["a", "b/c", "b/d", "e/f/g", "e/f/h", "e/i"];
    for round in 0..100 {
        let mut make = |from: Option<&Files>| -> Files {
            paths
                .iter()
                .filter_map(|path| {
                    let inherited = from.and_then(|files| files.get(*path)).copied();
                    let entry = match roll(6) {
                        0 => None,
                        1 => Some((Mode::File, blobs[roll(3) as usize])),
                        2 if from.is_none() => Some((Mode::Executable, blobs[0])),
                        _ => inherited.or((from.is_none()).then_some((Mode::File, blobs[0]))),
                    };
                    entry.map(|entry| ((*path).to_owned(), entry))
                })
                .collect()
        };
        let bases: Vec<Files> = (0..1 + round % 2).map(|_| make(None)).collect();
        let parents: Vec<Files> = (0..2 + round % 3 / 2).map(|_| make(Some(&bases[0]))).collect();
        let merge = make(Some(&parents[0]));
        let store = |files: &Files| tree_of(&repository, files);
        // A root of its own for each, so that equal trees are still different commits.
        let salt = |n: usize| files(&repository, &[("salt", &format!("{round} {n}"))]);
        let base_oids: Vec<Oid> = bases
            .iter()
            .enumerate()
            .map(|(n, files)| {
                let root = commit(&repository, store(&salt(n)), &[]).oid;
                commit(&repository, store(files), &[root]).oid
            })
            .collect();
        let parent_oids: Vec<Oid> = parents
            .iter()
            .enumerate()
            .map(|(n, files)| {
                let salt = commit(&repository, store(&salt(10 + n)), &base_oids).oid;
                commit(&repository, store(files), &[salt]).oid
            })
            .collect();
        let tip = commit(&repository, store(&merge), &parent_oids);
        let found: BTreeSet<String> = touched(&repository, &tip).into_iter().map(|(path, _)| path).collect();
        let expected: BTreeSet<String> = paths
            .iter()
            .filter(|path| {
                let at = |files: &Files| files.get(**path).copied();
                let results: BTreeSet<Option<Option<(Mode, Oid)>>> = bases
                    .iter()
                    .map(|base| {
                        let changed: BTreeSet<_> = parents.iter().map(at).filter(|entry| *entry != at(base)).collect();
                        match changed.len() {
                            0 => Some(at(base)),
                            1 => changed.first().copied(),
                            _ => None,
                        }
                    })
                    .collect();
                results != BTreeSet::from([Some(at(&merge))])
            })
            .map(|path| (*path).to_owned())
            .collect();
        assert_eq!(found, expected, "round {round}");
    }
}

#[test]
fn nests_without_end_are_refused_not_followed() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let nest = |depth: usize| {
        let blob = repository.write_blob(b"x").unwrap();
        let mut inner = TreeEntry { mode: Mode::File, name: b"d".to_vec(), oid: blob };
        for _ in 1..depth {
            let oid = repository.write_tree(vec![inner]).unwrap();
            inner = TreeEntry { mode: Mode::Tree, name: b"d".to_vec(), oid };
        }
        repository.write_tree(vec![inner]).unwrap()
    };
    let deep = commit(&repository, nest(DEEPEST), &[]);
    assert_eq!(repository.touched(&deep, &[]).unwrap().len(), 1);
    let deeper = commit(&repository, nest(DEEPEST + 1), &[]);
    assert!(matches!(repository.touched(&deeper, &[]), Err(DiffError::TooDeep { .. })));
    let merge = commit(&repository, nest(DEEPEST + 1), &[deep.oid, commit(&repository, nest(3), &[]).oid]);
    assert!(matches!(repository.touched(&merge, &[]), Err(DiffError::TooDeep { .. })));
}

#[test]
fn a_few_trees_that_hold_billions_of_paths_are_refused() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    let mut oid = repository.write_blob(b"boom").unwrap();
    let mut mode = Mode::File;
    for _ in 0..10 {
        let entries = (0..10).map(|n| TreeEntry { mode, name: format!("{n}").into_bytes(), oid }).collect();
        oid = repository.write_tree(entries).unwrap();
        mode = Mode::Tree;
    }
    assert_eq!(repository.kind(&oid).unwrap(), ObjectKind::Tree);
    let bomb = commit(&repository, oid, &[]);
    assert!(matches!(repository.touched(&bomb, &[]), Err(DiffError::TooManyPaths)));
}

//! Refs read and written, also by several writers.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::git::testing::Sandbox;
use crate::git::{Environment, NewCommit};
use crate::model::time::Timestamp;

const NOW: Timestamp = Timestamp(1_750_000_000);

fn set(name: &str, expected: Expected, new: Option<Oid>) -> RefEdit {
    RefEdit { name: name.to_owned(), expected, new }
}

/// Every test that must hold for both kinds of ref stores.
fn stores() -> Vec<Sandbox> {
    let reftable = Sandbox::new();
    let supported = reftable
        .run(&reftable.root(), &["init", "--quiet", "--ref-format=reftable", "tables"], &[], b"")
        .status
        .success();
    let mut stores = vec![Sandbox::new(), Sandbox::init(&["--object-format=sha256"])];
    if supported {
        stores.push(Sandbox::init(&["--ref-format=reftable"]));
    }
    stores
}

#[test]
fn reftable_is_noticed_and_left_to_git() {
    let sandbox = Sandbox::new();
    assert!(!sandbox.open().refs_by_git());
    let output = sandbox.run(&sandbox.root(), &["init", "--quiet", "--ref-format=reftable", "tables"], &[], b"");
    if output.status.success() {
        assert!(sandbox.open_at(&sandbox.root().join("tables")).refs_by_git());
    }
}

#[test]
fn refs_are_found_loose_and_packed() {
    for sandbox in stores() {
        let first = sandbox.commit(&[("a", "1")]);
        sandbox.git(&["tag", "-a", "-m", "annotated", "v1"]);
        sandbox.git(&["branch", "feature/deep"]);
        for packed in [false, true] {
            if packed {
                sandbox.git(&["pack-refs", "--all"]);
            }
            let repository = sandbox.open();
            assert_eq!(repository.find_ref("refs/heads/main").unwrap(), Some(first));
            assert_eq!(repository.find_ref("HEAD").unwrap(), Some(first));
            let tag = repository.find_ref("refs/tags/v1").unwrap().unwrap();
            assert_eq!(tag, sandbox.rev("refs/tags/v1"), "a tag is not peeled");
            assert_eq!(repository.peel_to_commit(&tag).unwrap(), Some(first));
            assert_eq!(repository.find_ref("refs/heads/none").unwrap(), None);
            assert_eq!(repository.find_ref("refs/main").unwrap(), None, "a full name is not searched for elsewhere");
            assert_eq!(repository.find_ref("refs/heads/feature").unwrap(), None);
            let names: Vec<String> =
                repository.refs_under("refs/heads/").unwrap().into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["refs/heads/feature/deep", "refs/heads/main"]);
            assert_eq!(repository.refs_under("refs/notes/boundary/").unwrap(), []);
            assert_eq!(repository.refs_under("refs/").unwrap().len(), 3);
        }
    }
}

#[test]
fn names_that_git_refuses_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("a", "1")]);
    let repository = sandbox.open();
    for name in
        ["main", "refs/heads/../../config", "refs/heads/a..b", "refs/heads/x.lock", "refs/heads/ ", "refs/heads/", ""]
    {
        assert!(matches!(repository.find_ref(name), Err(RefError::Name { .. })), "{name:?}");
        assert!(!is_full_ref_name(name));
        let edit = set(name, Expected::Absent, Some(sandbox.rev("HEAD")));
        assert!(matches!(repository.update_refs(&[edit], "m", NOW), Err(RefError::Name { .. })), "{name:?}");
    }
    assert!(matches!(repository.refs_under("refs/heads"), Err(RefError::Name { .. })));
}

#[test]
fn an_unreadable_ref_is_not_an_absent_one() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("a", "1")]);
    std::fs::write(sandbox.repo.join(".git/refs/heads/broken"), "no id\n").unwrap();
    std::fs::write(sandbox.repo.join(".git/refs/heads/ring"), "ref: refs/heads/ring\n").unwrap();
    let repository = sandbox.open();
    assert!(matches!(repository.find_ref("refs/heads/broken"), Err(RefError::Unreadable { .. })));
    assert!(matches!(repository.refs_under("refs/heads/"), Err(RefError::Unreadable { .. })));
    assert!(matches!(repository.find_ref("refs/heads/ring"), Err(RefError::Symbolic { .. })));
}

#[test]
fn head_is_on_a_branch_before_and_after_its_first_commit_or_detached() {
    for sandbox in stores() {
        let name = "refs/heads/main".to_owned();
        assert_eq!(sandbox.open().head().unwrap(), Head::Branch { name: name.clone(), oid: None });
        assert_eq!(sandbox.open().find_ref("HEAD").unwrap(), None);
        let oid = sandbox.commit(&[("a", "1")]);
        assert_eq!(sandbox.open().head().unwrap(), Head::Branch { name, oid: Some(oid) });
        sandbox.git(&["checkout", "--quiet", "--detach"]);
        assert_eq!(sandbox.open().head().unwrap(), Head::Detached(oid));
    }
}

#[test]
fn the_default_branch_of_a_remote_is_known_where_it_was_seen() {
    for sandbox in stores() {
        sandbox.commit(&[("a", "1")]);
        let repository = sandbox.open();
        assert_eq!(repository.remote_head("origin").unwrap(), None);
        sandbox.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
        sandbox.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
        let repository = sandbox.open();
        assert_eq!(repository.remote_head("origin").unwrap().as_deref(), Some("refs/remotes/origin/trunk"));
        assert_eq!(repository.full_ref_name("origin").unwrap().as_deref(), Some("refs/remotes/origin/trunk"));
    }
}

#[test]
fn a_change_is_made_only_from_what_was_expected() {
    for sandbox in stores() {
        let (one, two) = (sandbox.commit(&[("a", "1")]), sandbox.commit(&[("a", "2")]));
        let repository = sandbox.open();
        let name = "refs/notes/boundary/key";
        let update = |expected, new| repository.update_refs(&[set(name, expected, new)], "by a test", NOW).unwrap();
        assert_eq!(update(Expected::At(one), Some(two)), Update::Raced);
        assert_eq!(repository.find_ref(name).unwrap(), None);
        assert_eq!(update(Expected::Absent, Some(one)), Update::Done);
        assert_eq!(update(Expected::Absent, Some(two)), Update::Raced);
        assert_eq!(update(Expected::At(two), Some(two)), Update::Raced);
        assert_eq!(update(Expected::At(one), Some(two)), Update::Done);
        sandbox.git(&["pack-refs", "--all"]);
        assert_eq!(update(Expected::At(one), Some(one)), Update::Raced, "packed refs count");
        assert_eq!(update(Expected::At(two), Some(one)), Update::Done);
        let log = sandbox.git(&["reflog", "show", "--format=%gs %gn %gd", "--date=unix", name]);
        assert_eq!(log.lines().next(), Some("by a test A Tester notes/boundary/key@{1750000000}"));
        assert_eq!(update(Expected::At(two), None), Update::Raced);
        assert_eq!(update(Expected::At(one), None), Update::Done);
        assert_eq!(repository.find_ref(name).unwrap(), None);
        assert_eq!(update(Expected::Absent, None), Update::Done);
    }
}

#[test]
fn several_refs_change_together_or_not_at_all() {
    for sandbox in stores() {
        let (one, two) = (sandbox.commit(&[("a", "1")]), sandbox.commit(&[("a", "2")]));
        let repository = sandbox.open();
        let edits = [
            set("refs/boundary/trust", Expected::Absent, Some(one)),
            set("refs/boundary/policy", Expected::At(one), Some(two)),
        ];
        assert_eq!(repository.update_refs(&edits, "m", NOW).unwrap(), Update::Raced);
        assert_eq!(repository.find_ref("refs/boundary/trust").unwrap(), None);
        let edits = [edits[0].clone(), set("refs/boundary/policy", Expected::Absent, Some(two))];
        assert_eq!(repository.update_refs(&edits, "m", NOW).unwrap(), Update::Done);
        assert_eq!(repository.refs_under("refs/boundary/").unwrap().len(), 2);
    }
}

#[test]
fn a_ref_in_the_way_is_named() {
    for sandbox in stores() {
        let one = sandbox.commit(&[("a", "1")]);
        sandbox.git(&["update-ref", "refs/notes/boundary", "HEAD"]);
        let repository = sandbox.open();
        let edit = set("refs/notes/boundary/key", Expected::Absent, Some(one));
        match repository.update_refs(std::slice::from_ref(&edit), "m", NOW) {
            Err(RefError::Blocked { blocking, .. }) => assert_eq!(blocking, "refs/notes/boundary"),
            other => panic!("expected it to be blocked: {other:?}"),
        }
        sandbox.git(&["pack-refs", "--all"]);
        assert!(
            matches!(sandbox.open().update_refs(&[edit], "m", NOW), Err(RefError::Blocked { .. })),
            "a packed ref blocks, too"
        );
        let below = set("refs/heads", Expected::Absent, Some(one));
        assert!(sandbox.open().update_refs(&[below], "m", NOW).is_err());
        let above = set("refs/notes", Expected::Absent, Some(one));
        match sandbox.open().update_refs(&[above], "m", NOW) {
            Err(RefError::Blocked { blocking, .. }) => assert_eq!(blocking, "refs/notes/boundary"),
            other => panic!("expected it to be blocked: {other:?}"),
        }
    }
}

#[test]
fn symbolic_refs_are_not_changed_behind_their_back() {
    for sandbox in stores() {
        let (one, two) = (sandbox.commit(&[("a", "1")]), sandbox.commit(&[("a", "2")]));
        sandbox.git(&["update-ref", "refs/heads/real", &one.hex()]);
        sandbox.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/real"]);
        let repository = sandbox.open();
        let edit = set("refs/heads/alias", Expected::At(one), Some(two));
        match repository.update_refs(&[edit], "m", NOW) {
            Err(RefError::Symbolic { .. }) => assert_eq!(repository.find_ref("refs/heads/real").unwrap(), Some(one)),
            other => panic!("expected a refusal: {other:?}"),
        }
    }
}

#[test]
fn a_lock_that_is_held_counts_as_raced() {
    let sandbox = Sandbox::new();
    let one = sandbox.commit(&[("a", "1")]);
    let repository = sandbox.open();
    std::fs::create_dir_all(sandbox.repo.join(".git/refs/notes")).unwrap();
    std::fs::write(sandbox.repo.join(".git/refs/notes/x.lock"), "").unwrap();
    let edit = set("refs/notes/x", Expected::Absent, Some(one));
    assert_eq!(repository.update_refs(std::slice::from_ref(&edit), "m", NOW).unwrap(), Update::Raced);
    std::fs::remove_file(sandbox.repo.join(".git/refs/notes/x.lock")).unwrap();
    assert_eq!(repository.update_refs(&[edit], "m", NOW).unwrap(), Update::Done);
}

#[test]
fn a_reference_transaction_hook_runs_and_may_say_no() {
    let sandbox = Sandbox::new();
    let one = sandbox.commit(&[("a", "1")]);
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\ncat >/dev/null\n[ \"$1\" != prepared ]\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&hook, mode).unwrap();
    let edit = set("refs/notes/x", Expected::Absent, Some(one));
    match sandbox.open().update_refs(&[edit], "m", NOW) {
        Err(RefError::Write { .. }) => assert_eq!(sandbox.open().find_ref("refs/notes/x").unwrap(), None),
        other => panic!("the hook said no: {other:?}"),
    }
}

#[test]
fn a_shared_repository_leaves_file_modes_to_git() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::init(&["--shared=group"]);
    let one = sandbox.commit(&[("a", "1")]);
    let edit = set("refs/notes/boundary/key", Expected::Absent, Some(one));
    assert_eq!(sandbox.open().update_refs(&[edit], "m", NOW).unwrap(), Update::Done);
    let mode = std::fs::metadata(sandbox.repo.join(".git/refs/notes/boundary")).unwrap().permissions().mode();
    assert_eq!(mode & 0o2070, 0o2070, "{mode:o}");
}

#[test]
fn the_users_choice_of_reflogs_is_kept() {
    let sandbox = Sandbox::new();
    let one = sandbox.commit(&[("a", "1")]);
    sandbox.git(&["config", "--unset", "core.logAllRefUpdates"]);
    sandbox.git(&["config", "--global", "core.logAllRefUpdates", "false"]);
    let edit = set("refs/notes/x", Expected::Absent, Some(one));
    assert_eq!(sandbox.open().update_refs(&[edit], "m", NOW).unwrap(), Update::Done);
    assert!(!sandbox.repo.join(".git/logs/refs/notes/x").exists());
}

#[test]
fn forty_writers_at_once_keep_all_they_wrote() {
    for sandbox in stores() {
        let base = sandbox.commit(&[("a", "1")]);
        let tree = sandbox.open().commit(&base).unwrap().tree;
        let (name, environment) = ("refs/notes/boundary/key", sandbox.environment());
        let raced = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for writer in 0..40 {
                let (environment, raced): (&Environment, _) = (&environment, &raced);
                scope.spawn(move || {
                    let repository = Repository::discover(environment).unwrap();
                    retry::<_, RefError>(name, || {
                        let now = repository.find_ref(name)?;
                        let message = format!("writer {writer}");
                        let new = NewCommit { tree, parents: now.as_slice(), time: NOW, message: &message };
                        let edit = RefEdit {
                            name: name.to_owned(),
                            expected: now.map_or(Expected::Absent, Expected::At),
                            new: Some(repository.write_commit(&new)?),
                        };
                        let update = repository.update_refs(&[edit], &message, NOW)?;
                        raced.fetch_add(usize::from(update == Update::Raced), Ordering::Relaxed);
                        Ok((update == Update::Done).then_some(()))
                    })
                    .unwrap();
                });
            }
        });
        let log = sandbox.git(&["log", "--format=%s", name]);
        let mut subjects: Vec<&str> = log.lines().collect();
        subjects.sort_unstable();
        subjects.dedup();
        assert_eq!(subjects.len(), 40, "{} attempts were raced", raced.load(Ordering::Relaxed));
    }
}

#[test]
fn retrying_ends_with_an_error_that_names_the_ref() {
    let mut attempts = 0;
    let result = retry::<(), RefError>("refs/notes/x", || {
        attempts += 1;
        if attempts == 5 { Err(RefError::Unknown { rev: "stop".to_owned() }) } else { Ok(None) }
    });
    assert!(matches!(result, Err(RefError::Unknown { .. })), "an error ends it at once");
    assert_eq!(retry::<_, RefError>("refs/notes/x", || Ok(Some(7))).unwrap(), 7);
}

#[test]
fn revisions_name_commits() {
    for sandbox in stores() {
        let (one, two) = (sandbox.commit(&[("a", "1")]), sandbox.commit(&[("a", "2")]));
        sandbox.git(&["tag", "-a", "-m", "annotated", "v1", &one.hex()]);
        sandbox.git(&["update-ref", "refs/remotes/origin/main", &one.hex()]);
        sandbox.git(&["config", "remote.origin.url", "nowhere"]);
        sandbox.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
        sandbox.git(&["config", "branch.main.remote", "origin"]);
        sandbox.git(&["config", "branch.main.merge", "refs/heads/main"]);
        let repository = sandbox.open();
        for (rev, expected) in [
            ("HEAD", two),
            ("@", two),
            ("main", two),
            ("refs/heads/main", two),
            ("heads/main", two),
            ("origin/main", one),
            ("HEAD~0", two),
            ("HEAD~1", one),
            ("main^", one),
            ("v1", one),
            ("v1^{}", one),
            ("@{upstream}", one),
            (two.hex().as_str(), two),
            (&two.hex()[..10], two),
        ] {
            assert_eq!(repository.resolve_commit(rev).unwrap(), expected, "{rev}");
        }
        let tree = repository.commit(&one).unwrap().tree.hex();
        for rev in ["nothing", "HEAD~9", "", "-x", "--all", "HEAD\nmain", &tree, &"1".repeat(one.hex().len()), "HEAD:a"]
        {
            assert!(matches!(repository.resolve_commit(rev), Err(RefError::Unknown { .. })), "{rev:?}");
        }
        assert_eq!(repository.resolve_range("v1..main").unwrap(), Some((one, two)));
        assert_eq!(repository.resolve_range("origin/main..").unwrap(), Some((one, two)));
        assert_eq!(repository.resolve_range("main").unwrap(), None);
        assert_eq!(RangeEnds::split("a...b"), None);
    }
}

#[test]
fn a_name_that_may_be_several_refs_is_refused() {
    for sandbox in stores() {
        let (one, two) = (sandbox.commit(&[("a", "1")]), sandbox.commit(&[("a", "2")]));
        sandbox.git(&["tag", "main", &one.hex()]);
        let repository = sandbox.open();
        match repository.resolve_commit("main") {
            Err(RefError::Ambiguous { candidates, .. }) => {
                assert_eq!(candidates, ["refs/tags/main", "refs/heads/main"]);
            }
            other => panic!("git would take the tag: {other:?}"),
        }
        assert!(matches!(repository.resolve_commit("main~1"), Err(RefError::Ambiguous { .. })));
        assert!(matches!(repository.full_ref_name("main"), Err(RefError::Ambiguous { .. })));
        assert_eq!(repository.resolve_commit("heads/main").unwrap(), two);
    }
}

#[test]
fn an_abbreviation_of_several_commits_is_ambiguous() {
    let sandbox = Sandbox::new();
    let base = sandbox.commit(&[("a", "1")]);
    let tree = sandbox.open().commit(&base).unwrap().tree;
    let repository = sandbox.open();
    let mut seen = std::collections::HashMap::new();
    let prefix = (0..)
        .find_map(|n| {
            let message = format!("{n}");
            let new = NewCommit { tree, parents: &[], time: NOW, message: &message };
            let prefix = repository.write_commit(&new).unwrap().hex()[..4].to_owned();
            seen.insert(prefix.clone(), ()).map(|()| prefix)
        })
        .unwrap();
    match sandbox.open().resolve_commit(&prefix) {
        Err(RefError::Ambiguous { candidates, .. }) => assert!(candidates.is_empty()),
        other => panic!("two commits begin with {prefix}: {other:?}"),
    }
}

#[test]
fn revisions_name_refs() {
    for sandbox in stores() {
        sandbox.commit(&[("a", "1")]);
        sandbox.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
        sandbox.git(&["tag", "v1"]);
        let repository = sandbox.open();
        for (rev, expected) in [
            ("HEAD", Some("refs/heads/main")),
            ("main", Some("refs/heads/main")),
            ("origin/topic", Some("refs/remotes/origin/topic")),
            ("refs/heads/main", Some("refs/heads/main")),
            ("v1", Some("refs/tags/v1")),
            ("main~0", None),
            ("nothing", None),
        ] {
            assert_eq!(repository.full_ref_name(rev).unwrap().as_deref(), expected, "{rev}");
        }
        sandbox.git(&["checkout", "--quiet", "--detach"]);
        assert_eq!(sandbox.open().full_ref_name("HEAD").unwrap(), None);
    }
}

#[test]
fn a_linked_worktree_has_its_own_head_and_shares_the_rest() {
    for sandbox in stores() {
        let one = sandbox.commit(&[("a", "1")]);
        sandbox.git(&["worktree", "add", "--quiet", "../linked", "-b", "side"]);
        let linked = sandbox.open_at(&sandbox.root().join("linked"));
        assert_eq!(linked.head().unwrap(), Head::Branch { name: "refs/heads/side".to_owned(), oid: Some(one) });
        let edit = set("refs/boundary/trust", Expected::Absent, Some(one));
        assert_eq!(linked.update_refs(&[edit], "m", NOW).unwrap(), Update::Done);
        assert_eq!(sandbox.open().find_ref("refs/boundary/trust").unwrap(), Some(one));
        assert_eq!(sandbox.rev("refs/boundary/trust"), one);
    }
}

#[test]
fn replace_refs_do_not_change_what_a_revision_is() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.commit(&[("a", "1")]), sandbox.commit(&[("a", "2")]));
    let other = sandbox.commit_tree(&sandbox.git(&["rev-parse", "HEAD^{tree}"]), &[], 5);
    sandbox.git(&["replace", &two.hex(), &other.hex()]);
    assert_eq!(sandbox.open().resolve_commit("HEAD~1").unwrap(), one);
}

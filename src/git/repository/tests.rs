//! Which repositories are opened, and which are not.

use super::*;
use crate::git::ObjectFormat;
use crate::git::testing::Sandbox;

#[test]
fn a_checkout_is_found_from_below() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("deep/er/file", "x")]);
    let repository = sandbox.open_at(&sandbox.repo.join("deep/er"));
    assert_eq!(repository.git_dir(), sandbox.repo.join(".git"));
    assert_eq!(repository.common_dir(), repository.git_dir());
    assert_eq!(repository.work_tree(), Some(sandbox.repo.as_path()));
    assert!(!repository.is_bare() && !repository.is_shallow() && !repository.is_partial());
    assert_eq!(repository.object_format(), ObjectFormat::Sha1);
}

#[test]
fn outside_of_any_repository_is_an_error_that_names_the_place() {
    let sandbox = Sandbox::new();
    let outside = sandbox.root().join("home");
    match Repository::discover(&sandbox.environment().in_directory(&outside)) {
        Err(OpenError::NotFound { path }) => assert_eq!(path, outside),
        other => panic!("expected nothing to be found: {other:?}"),
    }
}

#[test]
fn a_linked_worktree_shares_the_common_directory() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("a", "1")]);
    sandbox.git(&["worktree", "add", "--quiet", "../linked", "-b", "side"]);
    let linked = sandbox.root().join("linked");
    let repository = sandbox.open_at(&linked);
    assert_eq!(repository.common_dir(), sandbox.repo.join(".git"));
    assert_ne!(repository.git_dir(), repository.common_dir());
    assert_eq!(repository.work_tree(), Some(linked.as_path()));
    // As a hook in a linked worktree sees it.
    let git_dir = repository.git_dir().to_path_buf();
    let hook = Repository::discover(&sandbox.environment().in_directory(&linked).with("GIT_DIR", &git_dir)).unwrap();
    assert_eq!((hook.git_dir(), hook.work_tree()), (git_dir.as_path(), Some(linked.as_path())));
}

#[test]
fn a_bare_repository_has_no_checkout() {
    let sandbox = Sandbox::init(&["--bare"]);
    let repository = sandbox.open();
    assert!(repository.is_bare());
    assert_eq!(repository.git_dir(), sandbox.repo);
    let hook = Repository::discover(&sandbox.environment().with("GIT_DIR", ".")).unwrap();
    assert!(hook.is_bare(), "pre-receive runs with GIT_DIR=. in the repository");
    assert_eq!(hook.git_dir(), sandbox.repo);
}

#[test]
fn a_bare_repository_that_was_stumbled_upon_is_refused_when_so_configured() {
    let sandbox = Sandbox::init(&["--bare"]);
    let explicit = sandbox.environment().with("GIT_CONFIG_PARAMETERS", "'safe.barerepository'='explicit'");
    assert!(matches!(Repository::discover(&explicit), Err(OpenError::BareRefused { .. })));
    assert!(Repository::discover(&explicit.with("GIT_DIR", ".")).is_ok());
    sandbox.git(&["config", "safe.bareRepository", "explicit"]);
    assert!(Repository::discover(&sandbox.environment()).is_ok(), "a repository has no say in whether it is safe");
}

#[test]
fn a_separate_git_directory_is_followed() {
    let sandbox = Sandbox::init(&["--separate-git-dir", "elsewhere"]);
    let repository = sandbox.open();
    assert_eq!(repository.git_dir(), sandbox.root().join("elsewhere"));
    assert_eq!(repository.work_tree(), Some(sandbox.repo.as_path()));
}

#[test]
fn git_dir_and_work_tree_of_the_environment_win() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("a", "1")]);
    let elsewhere = sandbox.root().join("home");
    let environment = sandbox
        .environment()
        .in_directory(&elsewhere)
        .with("GIT_DIR", sandbox.repo.join(".git"))
        .with("GIT_WORK_TREE", &sandbox.repo);
    let repository = Repository::discover(&environment).unwrap();
    assert_eq!(repository.work_tree(), Some(sandbox.repo.as_path()));
    assert!(matches!(
        Repository::discover(&sandbox.environment().with("GIT_DIR", "/nowhere")),
        Err(OpenError::NotFound { .. })
    ));
}

#[test]
fn a_repository_of_somebody_else_is_refused_until_it_is_listed() {
    let sandbox = Sandbox::new();
    let dot_git = sandbox.repo.join(".git");
    if std::os::unix::fs::chown(&dot_git, Some(12345), None).is_err() {
        // Only root can give directories away; the matching of safe.directory is tested for everybody.
        return;
    }
    match Repository::discover(&sandbox.environment()) {
        Err(err @ OpenError::Untrusted { .. }) => {
            let text = err.to_string();
            let command = format!("git config --global --add safe.directory '{}'", sandbox.repo.display());
            assert!(text.contains(&command), "{text}");
        }
        other => panic!("expected a refusal: {other:?}"),
    }
    sandbox.git_in(&sandbox.root(), &["config", "--global", "safe.directory", sandbox.repo.to_str().unwrap()]);
    assert!(Repository::discover(&sandbox.environment()).is_ok());
}

#[test]
fn a_ceiling_is_looked_below_and_not_into() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("deep/er/file", "x")]);
    let at = |from: &str, ceiling: &Path| {
        let environment = sandbox.environment().in_directory(sandbox.repo.join(from));
        let here = Repository::discover(&environment.with("GIT_CEILING_DIRECTORIES", ceiling)).is_ok();
        let ceiling = ceiling.to_str().unwrap();
        let args = ["rev-parse", "--git-dir"];
        let git = sandbox.run(&sandbox.repo.join(from), &args, &[("GIT_CEILING_DIRECTORIES", ceiling)], b"");
        assert_eq!(here, git.status.success(), "as git does from {from:?} below {ceiling}");
        here
    };
    assert!(!at("deep", &sandbox.repo));
    assert!(!at("deep/er", &sandbox.repo.join("deep")));
    assert!(at("deep", &sandbox.repo.join("deep")), "the current directory is no ceiling");
    assert!(at("", &sandbox.repo));
    assert!(at("deep", &sandbox.root()));
}

#[test]
fn a_sha256_repository_has_longer_ids() {
    let sandbox = Sandbox::init(&["--object-format=sha256"]);
    let format = sandbox.open().object_format();
    assert_eq!(format, ObjectFormat::Sha256);
    assert_eq!(format.zero_oid().hex(), "0".repeat(64));
    assert_eq!(format.empty_tree().hex(), sandbox.feed(&["hash-object", "-t", "tree", "--stdin"], ""));
    assert_eq!(format.hash_blob(b"hi\n").unwrap().hex(), sandbox.feed(&["hash-object", "--stdin"], "hi\n"));
}

#[test]
fn formats_of_the_future_are_refused_by_name() {
    let sandbox = Sandbox::new();
    sandbox.git(&["config", "core.repositoryFormatVersion", "1"]);
    sandbox.git(&["config", "extensions.quantumRefs", "true"]);
    match Repository::discover(&sandbox.environment()) {
        Err(OpenError::Format { defect, .. }) => assert!(defect.contains("quantumrefs"), "{defect}"),
        other => panic!("expected a refusal: {other:?}"),
    }
    let sandbox = Sandbox::new();
    sandbox.git(&["config", "extensions.refStorage", "reftable"]);
    assert!(
        matches!(Repository::discover(&sandbox.environment()), Err(OpenError::Format { .. })),
        "an extension that version 0 does not have must not be skipped over"
    );
}

#[test]
fn a_shallow_clone_says_so() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("a", "1")]);
    sandbox.commit(&[("a", "2")]);
    let url = format!("file://{}", sandbox.repo.display());
    sandbox.git_in(&sandbox.root(), &["clone", "--quiet", "--depth=1", &url, "shallow"]);
    let repository = sandbox.open_at(&sandbox.root().join("shallow"));
    assert!(repository.is_shallow());
    assert!(repository.is_shallow_edge(&sandbox.rev("HEAD")));
}

#[test]
fn a_partial_clone_says_so() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("a", "1")]);
    sandbox.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", sandbox.repo.display());
    sandbox.git_in(&sandbox.root(), &["clone", "--quiet", "--no-checkout", "--filter=blob:none", &url, "partial"]);
    let repository = sandbox.open_at(&sandbox.root().join("partial"));
    assert!(repository.is_partial());
    let blob = sandbox.rev("HEAD:a");
    match repository.blob(&blob) {
        Err(crate::git::ObjectError::Missing { oid, promisor: true, shallow: false }) => assert_eq!(oid, blob),
        other => panic!("a promised blob is missing, and is not fetched: {other:?}"),
    }
}

#[test]
fn inside_a_real_push_the_quarantine_is_seen_through() {
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::PermissionsExt;
    let server = Sandbox::init(&["--bare"]);
    let (signals, hook) = (server.root().join("signals"), server.repo.join("hooks/pre-receive"));
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::create_dir(&signals).unwrap();
    // The hook hands out its environment and waits until it was looked at.
    let script = format!(
        "#!/bin/sh\ncat >/dev/null\nenv -0 >{0}/env\ntouch {0}/ready\n\
         n=0; while [ ! -e {0}/go ] && [ $n -lt 3000 ]; do sleep 0.01; n=$((n+1)); done\n",
        signals.display()
    );
    std::fs::write(&hook, script).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let client = Sandbox::new();
    let pushed = client.commit(&[("a", "1")]);
    let url = server.repo.to_str().unwrap().to_owned();
    std::thread::scope(|scope| {
        let push = scope.spawn(|| client.git(&["push", "--quiet", &url, "main"]));
        while !signals.join("ready").exists() && !push.is_finished() {
            std::thread::yield_now();
        }
        let variables = std::fs::read(signals.join("env")).unwrap();
        let variables = variables.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).map(|entry| {
            let cut = entry.iter().position(|byte| *byte == b'=').unwrap();
            let text = |bytes: &[u8]| std::ffi::OsString::from_vec(bytes.to_vec());
            (text(&entry[..cut]), text(&entry[cut + 1..]))
        });
        let environment = Environment::new(&server.repo, variables);
        assert_eq!(environment.var("GIT_DIR").unwrap(), ".");
        let inside = Repository::discover(&environment).unwrap();
        assert_eq!(inside.commit(&pushed).unwrap().parents, []);
        assert_eq!(inside.range(&[pushed], &[], 10).unwrap().commits.len(), 1);
        let edit = crate::git::RefEdit {
            name: "refs/notes/x".to_owned(),
            expected: crate::git::Expected::Absent,
            new: Some(pushed),
        };
        match inside.update_refs(&[edit], "m", crate::model::time::Timestamp(1)) {
            Err(crate::git::RefError::Quarantine { .. }) => {}
            other => panic!("a ref to a pushed object must wait: {other:?}"),
        }
        let outside = Repository::discover(&environment.outside_quarantine()).unwrap();
        assert!(!outside.contains(&pushed));
        std::fs::write(signals.join("go"), "").unwrap();
        push.join().unwrap();
        assert!(outside.contains(&pushed), "accepted, it is there for everybody");
    });
}

#[test]
fn a_clone_of_an_opened_repository_goes_to_another_thread() {
    let sandbox = Sandbox::new();
    let oid = sandbox.commit(&[("a", "1")]);
    let repository = sandbox.open();
    let clone = repository.clone();
    let read = std::thread::spawn(move || clone.commit(&oid).unwrap().oid).join().unwrap();
    assert_eq!(read, repository.commit(&oid).unwrap().oid);
}

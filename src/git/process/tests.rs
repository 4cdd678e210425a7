//! The git that is started: its environment, its prompts, its pushes.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::*;
use crate::git::Environment;
use crate::git::testing::Sandbox;

/// A repository with a bare remote `origin` beside it.
fn with_remote() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git_in(&sandbox.root(), &["init", "--quiet", "--bare", "remote.git"]);
    sandbox.git(&["remote", "add", "origin", "../remote.git"]);
    sandbox.commit(&[("a", "1")]);
    sandbox
}

fn hook(path: &Path, script: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn specs(list: &[&str]) -> Vec<String> {
    list.iter().map(|spec| (*spec).to_owned()).collect()
}

fn statuses(pushed: &Pushed) -> Vec<(&str, &PushStatus)> {
    pushed.refs.iter().map(|found| (found.name.as_str(), &found.status)).collect()
}

#[test]
fn a_failing_git_says_which_command_and_why() {
    let sandbox = Sandbox::new();
    match sandbox.open().git(["rev-parse", "--verify", "nothing"]).run() {
        Err(ProcessError::Failed { command, message, .. }) => {
            assert_eq!(command, "git rev-parse --verify nothing");
            assert!(message.contains("single revision"), "{message}");
        }
        other => panic!("expected a failure: {other:?}"),
    }
    let environment = sandbox.environment().with("PATH", "/nowhere");
    let repository = Repository::discover(&environment).unwrap();
    assert!(matches!(repository.git(["version"]).run(), Err(ProcessError::Start { .. })));
}

#[test]
fn large_input_and_output_do_not_block_each_other() {
    let sandbox = Sandbox::new();
    let oid = sandbox.commit(&[("a", "1")]);
    let input = format!("{oid}\n").repeat(50_000).into_bytes();
    let output = sandbox.open().git(["cat-file", "--batch-check"]).input(input).run().unwrap();
    assert_eq!(output.iter().filter(|byte| **byte == b'\n').count(), 50_000);
}

#[test]
fn a_push_reports_every_ref() {
    let sandbox = with_remote();
    sandbox.git(&["tag", "v1"]);
    let repository = sandbox.open();
    let all = specs(&["refs/heads/main", "refs/tags/v1"]);
    let pushed = repository.push("origin", &all, &PushOptions::default()).unwrap();
    assert!(pushed.is_done());
    assert_eq!(statuses(&pushed), [("refs/heads/main", &PushStatus::Done), ("refs/tags/v1", &PushStatus::Done)]);
    let pushed = repository.push("origin", &all, &PushOptions::default()).unwrap();
    assert!(pushed.refs.iter().all(|found| found.status == PushStatus::UpToDate));
    let pushed = repository.push("origin", &specs(&[":refs/tags/v1"]), &PushOptions::default()).unwrap();
    assert_eq!(statuses(&pushed), [("refs/tags/v1", &PushStatus::Done)]);
}

#[test]
fn rejections_are_told_apart() {
    let sandbox = with_remote();
    let first = sandbox.rev("HEAD");
    let repository = sandbox.open();
    let main = specs(&["refs/heads/main"]);
    repository.push("origin", &main, &PushOptions::default()).unwrap();
    // Somebody else moves the branch on.
    sandbox.git_in(&sandbox.root(), &["clone", "--quiet", "remote.git", "other"]);
    let other = sandbox.root().join("other");
    sandbox.git_in(&other, &["commit", "--quiet", "--allow-empty", "-m", "theirs"]);
    sandbox.git_in(&other, &["push", "--quiet"]);
    let mine = sandbox.commit(&[("a", "mine")]);
    let pushed = repository.push("origin", &main, &PushOptions::default()).unwrap();
    assert_eq!(statuses(&pushed), [("refs/heads/main", &PushStatus::Behind)], "fetch first");
    sandbox.git(&["fetch", "--quiet"]);
    let pushed = repository.push("origin", &main, &PushOptions::default()).unwrap();
    assert_eq!(statuses(&pushed), [("refs/heads/main", &PushStatus::Behind)], "non-fast-forward");
    let lease = PushOptions { leases: vec![("refs/heads/main".to_owned(), Some(first))], ..Default::default() };
    let pushed = repository.push("origin", &main, &lease).unwrap();
    assert_eq!(statuses(&pushed), [("refs/heads/main", &PushStatus::Stale)]);
    let absent = PushOptions { leases: vec![("refs/heads/main".to_owned(), None)], ..Default::default() };
    assert_eq!(
        statuses(&repository.push("origin", &main, &absent).unwrap()),
        [("refs/heads/main", &PushStatus::Stale)]
    );
    let both = specs(&["refs/heads/main", "refs/heads/main:refs/heads/new"]);
    let atomic = PushOptions { atomic: true, ..Default::default() };
    let pushed = repository.push("origin", &both, &atomic).unwrap();
    assert_eq!(
        statuses(&pushed),
        [("refs/heads/main", &PushStatus::Behind), ("refs/heads/new", &PushStatus::NotAtomic)]
    );
    let theirs = sandbox.rev("refs/remotes/origin/main");
    let lease = PushOptions { leases: vec![("refs/heads/main".to_owned(), Some(theirs))], ..Default::default() };
    assert!(repository.push("origin", &main, &lease).unwrap().is_done(), "the lease holds");
    assert_eq!(sandbox.git_in(&sandbox.root().join("remote.git"), &["rev-parse", "main"]), mine.hex());
}

#[test]
fn a_ref_that_is_locked_at_the_server_is_raced() {
    let sandbox = with_remote();
    let remote = sandbox.root().join("remote.git");
    std::fs::write(remote.join("refs/heads/main.lock"), "").unwrap();
    let pushed = sandbox.open().push("origin", &specs(&["refs/heads/main"]), &PushOptions::default()).unwrap();
    assert_eq!(statuses(&pushed), [("refs/heads/main", &PushStatus::Raced)], "{}", pushed.messages);
}

#[test]
fn hooks_that_say_no_are_told_from_servers_that_cannot_be_reached() {
    let sandbox = with_remote();
    let main = specs(&["refs/heads/main"]);
    let server = sandbox.root().join("remote.git/hooks/pre-receive");
    hook(&server, "echo 'refused: no.reason' >&2; exit 1");
    let pushed = sandbox.open().push("origin", &main, &PushOptions::default()).unwrap();
    match statuses(&pushed).as_slice() {
        [("refs/heads/main", PushStatus::Refused(reason))] => assert_eq!(*reason, "pre-receive hook declined"),
        other => panic!("expected a refusal: {other:?}"),
    }
    assert!(pushed.messages.contains("refused: no.reason"), "what the server printed is kept");
    std::fs::remove_file(server).unwrap();
    let client = sandbox.repo.join(".git/hooks/pre-push");
    hook(&client, "echo 'not from here' >&2; exit 1");
    match sandbox.open().push("origin", &main, &PushOptions::default()) {
        Err(RemoteError::Stopped { message, .. }) => assert!(message.contains("not from here")),
        other => panic!("expected it to be stopped: {other:?}"),
    }
    let unverified = PushOptions { no_verify: true, ..Default::default() };
    assert!(sandbox.open().push("origin", &main, &unverified).unwrap().is_done());
    assert!(matches!(sandbox.open().push("nobody", &main, &unverified), Err(RemoteError::Absent { .. })));
    std::fs::remove_dir_all(sandbox.root().join("remote.git")).unwrap();
    assert!(matches!(sandbox.open().push("origin", &main, &unverified), Err(RemoteError::Unreachable { .. })));
    assert!(matches!(sandbox.open().fetch("origin", &[], Prompt::Never), Err(RemoteError::Unreachable { .. })));
    assert!(matches!(sandbox.open().ls_remote("origin", &[], Prompt::Never), Err(RemoteError::Unreachable { .. })));
}

#[test]
fn missing_credentials_are_their_own_answer_and_nothing_waits_for_a_person() {
    let sandbox = with_remote();
    let ssh = sandbox.root().join("fake-ssh");
    hook(&ssh, "echo 'git@example.com: Permission denied (publickey).' >&2; exit 255");
    let environment: Environment = sandbox.environment().with("GIT_SSH_COMMAND", &ssh);
    let repository = Repository::discover(&environment).unwrap();
    match repository.ls_remote("git@example.com:x.git", &[], Prompt::Never) {
        Err(RemoteError::Unauthorized { .. }) => {}
        other => panic!("expected missing credentials: {other:?}"),
    }
}

#[test]
fn fetching_wildcards_of_absent_refs_is_no_error_and_explicit_ones_are() {
    let sandbox = with_remote();
    let repository = sandbox.open();
    repository.push("origin", &specs(&["refs/heads/main:refs/notes/boundary/key"]), &PushOptions::default()).unwrap();
    let wanted = "+refs/notes/boundary/*:refs/boundary-remote/origin/notes/*";
    repository
        .fetch("origin", &specs(&[wanted, "+refs/boundary/trust*:refs/boundary-remote/origin/trust*"]), Prompt::Never)
        .unwrap();
    assert_eq!(repository.find_ref("refs/boundary-remote/origin/notes/key").unwrap(), Some(sandbox.rev("HEAD")));
    assert!(!sandbox.repo.join(".git/FETCH_HEAD").exists());
    match repository.fetch("origin", &specs(&["refs/heads/none:refs/heads/none"]), Prompt::Never) {
        Err(RemoteError::AbsentRef { .. }) => {}
        other => panic!("expected an absent ref: {other:?}"),
    }
}

#[test]
fn the_refs_of_a_remote_are_listed() {
    let sandbox = with_remote();
    let repository = sandbox.open();
    assert_eq!(repository.ls_remote("origin", &[], Prompt::Never).unwrap(), RemoteRefs::default());
    sandbox.git(&["tag", "-a", "-m", "x", "v1"]);
    repository.push("origin", &specs(&["main", "v1"]), &PushOptions::default()).unwrap();
    let found = repository.ls_remote("origin", &[], Prompt::Never).unwrap();
    assert_eq!(found.head.as_deref(), Some("refs/heads/main"));
    assert_eq!(
        found.refs,
        [("refs/heads/main".to_owned(), sandbox.rev("main")), ("refs/tags/v1".to_owned(), sandbox.rev("v1"))]
    );
    let only = repository.ls_remote("origin", &["refs/heads/*"], Prompt::Never).unwrap();
    assert_eq!(only.refs.len(), 1);
}

#[test]
fn remotes_are_known_by_name_and_address() {
    let sandbox = with_remote();
    sandbox.git(&["remote", "add", "backup", "short:x"]);
    sandbox.git(&["config", "url.https://example.com/.insteadOf", "short:"]);
    let repository = sandbox.open();
    assert_eq!(repository.remotes(), ["backup", "origin"]);
    assert_eq!(repository.remote_url("backup").unwrap().as_deref(), Some("https://example.com/x"));
    assert_eq!(repository.remote_url("nobody").unwrap(), None);
}

#[test]
fn a_clean_checkout_is_made_and_removed() {
    let sandbox = Sandbox::new();
    let first = sandbox.commit(&[("a", "1")]);
    sandbox.commit(&[("a", "2")]);
    let repository = sandbox.open();
    let path = sandbox.root().join("clean");
    repository.worktree_add_detached(&path, &first).unwrap();
    assert_eq!(std::fs::read_to_string(path.join("a")).unwrap(), "1");
    std::fs::write(path.join("left over"), "x").unwrap();
    repository.worktree_remove(&path).unwrap();
    assert!(!path.exists());
    assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
    assert!(repository.worktree_remove(&path).is_err());
}

#[test]
fn no_hook_changes_a_clean_checkout() {
    let sandbox = Sandbox::new();
    let first = sandbox.commit(&[("a", "1")]);
    let hook = sandbox.repo.join(".git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nrm -f a\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = sandbox.root().join("clean");
    sandbox.open().worktree_add_detached(&path, &first).unwrap();
    assert!(path.join("a").exists(), "what a checker reads is the commit, whatever hooks there are");
}

#[test]
fn hooks_are_where_git_looks_for_them() {
    let sandbox = Sandbox::new();
    sandbox.commit(&[("deep/a", "1")]);
    let common = sandbox.repo.join(".git/hooks");
    assert_eq!(sandbox.open().hooks_dir().unwrap(), common);
    sandbox.git(&["worktree", "add", "--quiet", "../linked", "-b", "side"]);
    let linked = sandbox.open_at(&sandbox.root().join("linked"));
    assert_eq!(linked.hooks_dir().unwrap().canonicalize().unwrap(), common);
    sandbox.git(&["config", "core.hooksPath", ".husky"]);
    let below = sandbox.open_at(&sandbox.repo.join("deep"));
    assert_eq!(below.hooks_dir().unwrap(), sandbox.repo.join(".husky"));
    let environment = sandbox.environment().in_directory(sandbox.repo.join("deep")).with("GIT_DIR", "../.git");
    let explicit = Repository::discover(&environment.with("GIT_WORK_TREE", "..")).unwrap();
    assert_eq!(explicit.hooks_dir().unwrap(), sandbox.repo.join(".husky"));
    let bare = Sandbox::init(&["--bare"]);
    assert_eq!(bare.open().hooks_dir().unwrap(), bare.repo.join("hooks"));
}

//! Where git looks: installed there, or refused with what to do.

use super::*;

fn set(yard: &Yard, scope: &str, value: &str) {
    yard.sandbox.git(&["config", scope, "core.hooksPath", value]);
}

#[test]
fn a_hooks_directory_that_is_missing_is_made() {
    let yard = Yard::new();
    std::fs::remove_dir_all(yard.sandbox.repo.join(".git/hooks")).expect("it was there");
    assert_eq!(yard.state(), HookState::NotInstalled);
    let remedy = yard.status().hooks[0].remedy.clone();
    assert_eq!(remedy.as_deref(), Some("git would not run git-boundary: run `git boundary hook install`"));
    yard.installed();
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
}

#[test]
fn a_push_from_a_linked_worktree_runs_the_hooks_of_the_repository() {
    let yard = Yard::new();
    let linked = yard.sandbox.root().join("linked");
    yard.sandbox.git(&["worktree", "add", "--quiet", &linked.display().to_string()]);
    yard.script(&yard.hook(), &yard.recorder("theirs"));
    let installed = install(&at(&yard.sandbox, &linked), &yard.options(false)).expect("it can be installed");
    assert_eq!(installed.hooks[0].path, yard.hook());
    yard.ends("theirs", 1);
    assert!(!yard.push_in(&linked, &["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
    assert_eq!(yard.status().worktrees.len(), 0, "all worktrees look in the same place");
}

#[test]
fn a_path_inside_the_repository_directory_is_installed_to() {
    for value in [".git/my-hooks", "~/../repo/.git/my-hooks"] {
        let yard = Yard::new();
        set(&yard, "--local", value);
        assert!(yard.installed().path.ends_with(".git/my-hooks/pre-push"));
        assert!(yard.push(&["main:a"]).status.success());
        assert_eq!(yard.ran(), ["ours"], "{value}");
        assert_eq!(yard.state(), HookState::Installed);
    }
}

#[test]
fn from_a_subdirectory_a_relative_path_means_the_same() {
    let yard = Yard::new();
    set(&yard, "--local", ".git/my-hooks");
    yard.sandbox.write("sub/x", "");
    let repo = at(&yard.sandbox, &yard.sandbox.repo.join("sub"));
    install(&repo, &yard.options(false)).expect("it can be installed");
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
}

#[test]
fn hooks_that_are_part_of_the_checkout_are_not_written_to_and_the_line_is_named() {
    let yard = Yard::new();
    let hook = yard.sandbox.repo.join(".githooks/pre-push");
    yard.script(&hook, "#!/bin/sh\nnpm test\n");
    yard.sandbox.commit(&[]);
    for scope in ["--local", "--global"] {
        set(&yard, scope, ".githooks");
        let Err(InstallError::Shared { path, line }) = yard.install() else { panic!("it must be refused") };
        assert_eq!(path, hook);
        assert_eq!(line, "git-boundary hook run pre-push \"$@\" || exit 1");
        assert_eq!(yard.sandbox.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn a_line_added_by_hand_is_taken_for_an_installation() {
    let yard = Yard::new();
    let hook = yard.sandbox.repo.join(".githooks/pre-push");
    set(&yard, "--local", ".githooks");
    yard.script(&hook, "#!/bin/sh\ngit-boundary hook run pre-push \"$@\" || exit 1\nnpm test\n");
    let before = std::fs::read(&hook).expect("it is there");
    assert_eq!(yard.installed().how, How::ByHand);
    assert_eq!(yard.state(), HookState::ByHand);
    assert_eq!(yard.uninstall().by_hand, std::slice::from_ref(&hook));
    assert_eq!(std::fs::read(&hook).expect("it is there"), before);
    yard.installed();
    yard.script(&hook, "#!/bin/sh\nnpm test\n");
    assert_eq!(yard.state(), HookState::Overwritten);
    let remedy = yard.status().hooks[0].remedy.clone().expect("there is one");
    assert!(remedy.contains("hook run pre-push \"$@\" || exit 1"), "{remedy}");
}

#[test]
fn a_line_behind_one_that_reads_is_doubted_and_a_better_one_named() {
    let yard = Yard::new();
    let hook = yard.sandbox.repo.join(".githooks/pre-push");
    set(&yard, "--local", ".githooks");
    yard.script(&hook, "#!/bin/sh\ngit lfs pre-push \"$@\"\ngit boundary hook run pre-push \"$@\"\n");
    assert_eq!(yard.state(), HookState::AfterOthers);
    let Err(InstallError::Shared { line, .. }) = yard.install() else { panic!("it must be refused") };
    yard.script(&hook, &format!("#!/bin/sh\n{line}\n{}", yard.recorder("lfs")));
    assert_eq!(yard.state(), HookState::ByHand);
    let path = std::env::join_paths(
        std::iter::once(yard.binary.parent().expect("it has one").to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .expect("they can be joined");
    let path = path.to_str().expect("it is text");
    let push = ["push", "--quiet", "origin", "main:a"];
    assert!(yard.sandbox.run(&yard.sandbox.repo, &push, &[("PATH", path)], b"").status.success());
    assert_eq!((yard.input("ours"), yard.input("lfs")), (yard.line("a"), yard.line("a")));
    yard.ends("ours", 1);
    let push = ["push", "--quiet", "origin", "main:b"];
    assert!(!yard.sandbox.run(&yard.sandbox.repo, &push, &[("PATH", path)], b"").status.success());
    assert!(!yard.has("b"));
}

#[test]
fn the_shipped_shim_in_a_shared_directory_needs_no_more() {
    let yard = Yard::new();
    set(&yard, "--local", ".githooks");
    yard.script(&yard.sandbox.repo.join(".githooks/pre-push"), super::shim::shipped(HookName::PrePush));
    assert_eq!(yard.state(), HookState::BinaryMissing, "it is not on PATH here");
    assert_eq!(yard.installed().how, How::ByHand);
    let push = yard.push(&["main:a"]);
    assert!(message(&push).contains("refused: "), "{}", message(&push));
    assert!(!yard.has("a"));
}

#[test]
fn a_directory_that_git_ignores_is_a_private_one() {
    let yard = Yard::new();
    yard.sandbox.commit(&[(".gitignore", "/private\n")]);
    std::fs::create_dir(yard.sandbox.repo.join("private")).expect("it can be made");
    set(&yard, "--local", "private");
    yard.installed();
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
    yard.uninstall();
    yard.script(&yard.sandbox.repo.join("private/pre-push"), "#!/usr/bin/awk -f\nBEGIN { exit 0 }\n");
    assert!(
        matches!(yard.install(), Err(InstallError::NoPlaceBeside { .. })),
        "nothing is kept among checked-out files"
    );
}

#[test]
fn a_directory_for_all_repositories_is_not_written_to_and_the_command_is_named() {
    let yard = Yard::new();
    let everywhere = yard.sandbox.root().join("everywhere");
    std::fs::create_dir(&everywhere).expect("it can be made");
    set(&yard, "--global", &everywhere.display().to_string());
    let Err(InstallError::Elsewhere { command, because, directory, .. }) = yard.install() else {
        panic!("it must be refused")
    };
    assert_eq!((because.as_str(), &directory), ("core.hooksPath in global configuration", &everywhere));
    assert_eq!(std::fs::read_dir(&everywhere).expect("it can be read").count(), 0);
    let done = yard.sandbox.run(&yard.sandbox.repo, &["-c", &format!("alias.go=!{command}"), "go"], &[], b"");
    assert!(done.status.success(), "the command can be run as it stands: {}", message(&done));
    yard.installed();
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
}

#[test]
fn hooks_that_git_no_longer_looks_at_are_taken_out_as_well() {
    let yard = Yard::new();
    yard.script(&yard.hook(), "#!/usr/bin/awk -f\nBEGIN { exit 0 }\n");
    let before = yard.snapshot();
    yard.installed();
    set(&yard, "--local", "/dev/null");
    yard.uninstall();
    yard.sandbox.git(&["config", "--unset", "core.hooksPath"]);
    assert_eq!(yard.snapshot(), before);
}

#[test]
fn hooks_that_are_switched_off_are_said_to_be() {
    let yard = Yard::new();
    yard.installed();
    for value in ["/dev/null", ""] {
        set(&yard, "--local", value);
        let Err(InstallError::Elsewhere { command, .. }) = yard.install() else { panic!("{value:?} must be refused") };
        assert_eq!(command, "git config --local --unset-all core.hooksPath");
        assert_eq!(yard.state(), HookState::Overwritten, "git would not run ours");
        assert!(yard.status().hooks[0].remedy.as_ref().is_some_and(|remedy| remedy.contains(&command)));
    }
}

#[cfg(unix)]
#[test]
fn a_hooks_directory_that_leads_into_the_checkout_counts_as_shared() {
    let yard = Yard::new();
    yard.script(&yard.sandbox.repo.join("tools/hooks/other"), "#!/bin/sh\n");
    yard.sandbox.commit(&[]);
    std::fs::remove_dir_all(yard.sandbox.repo.join(".git/hooks")).expect("it was there");
    std::os::unix::fs::symlink("../tools/hooks", yard.sandbox.repo.join(".git/hooks")).expect("it can be linked");
    assert!(matches!(yard.install(), Err(InstallError::Shared { .. })));
    assert_eq!(yard.sandbox.git(&["status", "--porcelain"]), "");
}

#[cfg(unix)]
#[test]
fn a_hooks_directory_that_leads_out_of_the_repository_is_not_written_to() {
    let yard = Yard::new();
    let everywhere = yard.sandbox.root().join("everywhere");
    std::fs::create_dir(&everywhere).expect("it can be made");
    std::fs::remove_dir_all(yard.sandbox.repo.join(".git/hooks")).expect("it was there");
    std::os::unix::fs::symlink(&everywhere, yard.sandbox.repo.join(".git/hooks")).expect("it can be linked");
    let Err(InstallError::Elsewhere { command, because, .. }) = yard.install() else { panic!("it must be refused") };
    assert_eq!(because, "a link");
    let done = yard.sandbox.run(&yard.sandbox.repo, &["-c", &format!("alias.go=!{command}"), "go"], &[], b"");
    assert!(done.status.success(), "the command can be run as it stands: {}", message(&done));
    yard.installed();
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
    assert_eq!(std::fs::read_dir(&everywhere).expect("it can be read").count(), 0);
}

#[test]
fn hooks_that_a_newer_git_would_pass_over_are_noticed() {
    let yard = Yard::new();
    yard.installed();
    yard.sandbox.git(&["config", "hook.pre-push.enabled", "false"]);
    assert_eq!(yard.state(), HookState::SwitchedOff);
    assert_eq!(yard.status().gaps().count(), 1);
}

#[test]
fn a_relative_path_is_seen_from_every_worktree() {
    let yard = Yard::new();
    yard.sandbox.commit(&[(".gitignore", "/private\n")]);
    std::fs::create_dir(yard.sandbox.repo.join("private")).expect("it can be made");
    set(&yard, "--local", "private");
    yard.installed();
    let linked = yard.sandbox.root().join("linked");
    yard.sandbox.git(&["worktree", "add", "--quiet", &linked.display().to_string()]);
    let status = yard.status();
    assert_eq!(status.hooks[0].state, HookState::Installed);
    let [there] = &status.worktrees[..] else { panic!("there is one more worktree") };
    assert_eq!((there.worktree.as_path(), there.hooks[0].state), (linked.as_path(), HookState::Overwritten));
    assert_eq!(status.gaps().count(), 1, "a push from there would pass unseen");
    assert!(yard.push_in(&linked, &["main:a"]).status.success());
    assert_eq!(yard.ran(), [""; 0]);
    let refused = install(&at(&yard.sandbox, &linked), &yard.options(false));
    assert!(matches!(refused, Err(InstallError::Missing { .. })), "{refused:?}");
}

#[test]
fn a_worktree_inside_a_bare_repository_is_no_part_of_it() {
    let yard = Yard::new();
    let bare = yard.sandbox.root().join("bare.git");
    let main = bare.join("main");
    yard.sandbox.git(&["clone", "--quiet", "--bare", ".", &bare.display().to_string()]);
    yard.sandbox.git_in(&bare, &["worktree", "add", "--quiet", "main", "main"]);
    yard.sandbox.git_in(&bare, &["config", "core.hooksPath", ".githooks"]);
    yard.script(&main.join(".githooks/other"), "#!/bin/sh\n");
    let refused = install(&at(&yard.sandbox, &main), &yard.options(false));
    assert!(matches!(refused, Err(InstallError::Shared { .. })), "{refused:?}");
    yard.sandbox.git_in(&bare, &["config", "--unset", "core.hooksPath"]);
    let installed = install(&at(&yard.sandbox, &main), &yard.options(false)).expect("it can be installed");
    assert_eq!(installed.hooks[0].path, bare.join("hooks/pre-push"));
}

#[test]
fn what_is_no_file_or_no_directory_is_named() {
    let yard = Yard::new();
    std::fs::create_dir(yard.hook()).expect("it can be made");
    assert!(matches!(yard.install(), Err(InstallError::Kind { expected: "file", .. })));
    assert_eq!(yard.state(), HookState::NotAFile);
    set(&yard, "--local", ".git/config");
    assert!(matches!(yard.install(), Err(InstallError::Kind { expected: "directory", .. })));
}

#[cfg(unix)]
#[test]
fn a_directory_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let yard = Yard::new();
    let hooks = yard.sandbox.repo.join(".git/hooks");
    std::fs::set_permissions(&hooks, PermissionsExt::from_mode(0o555)).expect("it is ours");
    // The system lets its root write everywhere.
    let may_write = std::fs::write(hooks.join("probe"), "").is_ok();
    match yard.install() {
        Ok(_) => assert!(may_write),
        Err(InstallError::File { action: "write", path, .. }) => assert!(!may_write && path == yard.hook()),
        Err(other) => panic!("{other}"),
    }
    std::fs::set_permissions(&hooks, PermissionsExt::from_mode(0o755)).expect("it is ours");
}

#[cfg(unix)]
#[test]
fn a_shared_repository_gets_hooks_its_group_can_change() {
    let yard = Yard::new();
    yard.sandbox.git(&["config", "core.sharedRepository", "group"]);
    yard.installed();
    let Found::File(script) = Found::at(&yard.hook()).expect("it can be read") else { panic!("it is a file") };
    assert_eq!(script.mode, 0o775);
}

#[test]
fn a_submodule_has_hooks_of_its_own() {
    let yard = Yard::new();
    let remote = yard.remote().display().to_string();
    assert!(yard.push(&["main"]).status.success());
    yard.sandbox.git(&["submodule", "--quiet", "add", &remote, "sub"]);
    let sub = yard.sandbox.repo.join("sub");
    let installed = install(&at(&yard.sandbox, &sub), &yard.options(false)).expect("it can be installed");
    assert_eq!(installed.hooks[0].path, yard.sandbox.repo.join(".git/modules/sub/hooks/pre-push"));
    assert!(yard.push_in(&sub, &["HEAD:refs/heads/x"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
}

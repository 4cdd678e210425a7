//! Files of the shapes that hook managers write, and what happens when they write them anew.

use super::*;

const HUSKY_STUB: &str = "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"";
const HUSKY_RUN: &str = "#!/usr/bin/env sh\nn=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n\
                         [ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n";

/// What `husky` does on every installation of packages.
fn husky(yard: &Yard) {
    let folder = yard.sandbox.repo.join(".husky/_");
    yard.sandbox.git(&["config", "core.hooksPath", ".husky/_"]);
    std::fs::create_dir_all(&folder).expect("it can be made");
    std::fs::write(folder.join(".gitignore"), "*").expect("it can be written");
    std::fs::write(folder.join("h"), HUSKY_RUN).expect("it can be written");
    yard.script(&folder.join("pre-push"), HUSKY_STUB);
}

#[test]
fn husky_runs_its_hook_after_ours_and_both_have_the_list() {
    let yard = Yard::new();
    husky(&yard);
    let theirs = yard.sandbox.repo.join(".husky/pre-push");
    yard.script(&theirs, &yard.recorder("theirs"));
    yard.sandbox.commit(&[]);
    let hook = yard.installed();
    assert_eq!((hook.how, hook.manager), (How::Ahead, Some(Manager::Husky)));
    let caution = hook.caution.expect("it will be written anew");
    assert!(
        caution.ends_with("first in .husky/pre-push: git-boundary hook run pre-push \"$@\" || exit 1"),
        "{caution}"
    );
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
    assert_eq!((yard.input("ours"), yard.input("theirs")), (yard.line("a"), yard.line("a")));
    assert_eq!(yard.sandbox.git(&["status", "--porcelain"]), "", "nothing that is shared has changed");
    yard.ends("theirs", 1);
    assert!(!yard.push(&["main:b"]).status.success());
}

#[test]
fn husky_that_wrote_its_folder_anew_is_noticed() {
    let yard = Yard::new();
    husky(&yard);
    yard.installed();
    assert_eq!(yard.state(), HookState::Installed);
    husky(&yard);
    let status = yard.status();
    assert_eq!((status.hooks[0].state, status.hooks[0].manager), (HookState::Overwritten, Some(Manager::Husky)));
    let remedy = status.hooks[0].remedy.clone().expect("there is one");
    assert_eq!(remedy, "husky has written its hook anew: run `git boundary hook install` again");
    assert!(yard.installed().changed);
    assert_eq!(yard.state(), HookState::Installed);
    yard.uninstall();
    assert_eq!(std::fs::read_to_string(yard.sandbox.repo.join(".husky/_/pre-push")).expect("it is there"), HUSKY_STUB);
}

#[test]
fn a_line_in_huskys_own_hook_lasts() {
    let yard = Yard::new();
    husky(&yard);
    yard.script(&yard.sandbox.repo.join(".husky/pre-push"), "git boundary hook run pre-push \"$@\"\nnpm test\n");
    assert_eq!(yard.installed().how, How::ByHand);
    husky(&yard);
    assert_eq!(yard.state(), HookState::ByHand);
    yard.script(&yard.sandbox.repo.join(".husky/pre-push"), "cat\ngit boundary hook run pre-push \"$@\"\nnpm test\n");
    assert_eq!(yard.state(), HookState::AfterOthers);
    assert_eq!(yard.installed().how, How::Ahead, "where we may write, ours goes first");
}

#[test]
fn husky_that_has_not_run_yet_is_named() {
    let yard = Yard::new();
    yard.sandbox.git(&["config", "core.hooksPath", ".husky/_"]);
    let refused = yard.install().expect_err("there is no folder yet");
    assert!(matches!(refused, InstallError::Missing { manager: Some(Manager::Husky), .. }), "{refused}");
    assert!(refused.to_string().contains("run husky first"));
    assert!(!yard.sandbox.repo.join(".husky").exists(), "a folder made here would be shared by the next commit");
}

#[test]
fn huskys_older_shape_is_a_shared_directory() {
    let yard = Yard::new();
    yard.sandbox.git(&["config", "core.hooksPath", ".husky"]);
    yard.script(
        &yard.sandbox.repo.join(".husky/pre-push"),
        "#!/bin/sh\n. \"$(dirname -- \"$0\")/_/husky.sh\"\nnpm test\n",
    );
    assert!(matches!(yard.install(), Err(InstallError::Shared { .. })));
}

/// What `lefthook install` does: another's file goes out of the way, its own is written anew.
fn lefthook(yard: &Yard) {
    let hook = std::fs::read_to_string(yard.hook()).unwrap_or_default();
    if !hook.is_empty() && !hook.contains("LEFTHOOK") {
        std::fs::rename(yard.hook(), yard.hook().with_file_name("pre-push.old")).expect("it can be moved");
    }
    let body = yard.recorder("theirs");
    yard.script(&yard.hook(), &body.replacen('\n', "\nif [ \"$LEFTHOOK\" = \"0\" ]; then\n  exit 0\nfi\n", 1));
}

#[test]
fn lefthook_runs_after_ours_and_even_when_it_is_switched_off_ours_runs() {
    let yard = Yard::new();
    lefthook(&yard);
    assert_eq!((yard.installed().how, yard.installed().manager), (How::Ahead, Some(Manager::Lefthook)));
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
    assert_eq!(yard.input("theirs"), yard.line("a"));
    let push = ["push", "--quiet", "origin", "main:b"];
    assert!(yard.sandbox.run(&yard.sandbox.repo, &push, &[("LEFTHOOK", "0")], b"").status.success());
    assert_eq!(yard.ran(), ["ours"]);
}

#[test]
fn lefthook_that_wrote_its_file_anew_is_noticed_and_mended() {
    let yard = Yard::new();
    lefthook(&yard);
    let before = yard.snapshot();
    yard.installed();
    lefthook(&yard);
    assert_eq!(yard.state(), HookState::Overwritten);
    assert!(yard.status().gaps().next().is_some_and(|hook| hook.manager == Some(Manager::Lefthook)));
    yard.installed();
    assert_eq!(yard.state(), HookState::Installed);
    yard.uninstall();
    assert_eq!(yard.snapshot(), before);
}

#[test]
fn our_file_that_lefthook_put_aside_goes_with_the_rest() {
    let yard = Yard::new();
    yard.installed();
    lefthook(&yard);
    assert_eq!(yard.state(), HookState::Overwritten);
    yard.installed();
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
    yard.uninstall();
    assert!(!yard.hook().with_file_name("pre-push.old").exists());
}

/// What `pre-commit install` does: another's file becomes the legacy one, which runs first with the whole list.
fn pre_commit(yard: &Yard) {
    let hook = std::fs::read_to_string(yard.hook()).unwrap_or_default();
    let legacy = yard.hook().with_file_name("pre-push.legacy");
    if !hook.is_empty() && !hook.contains("generated by pre-commit") {
        std::fs::rename(yard.hook(), &legacy).expect("it can be moved");
    }
    let input = yard.log("pre-commit.input");
    let body = format!(
        "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\nHERE=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\n\
         legacy=\"$HERE/pre-push.legacy\"; cat >'{input}'; status=0\n\
         [ ! -x \"$legacy\" ] || PRE_COMMIT_RUNNING_LEGACY=1 \"$legacy\" \"$@\" <'{input}' || status=$?\nexit $status\n",
        input = input.display()
    );
    yard.script(&yard.hook(), &body);
}

#[test]
fn pre_commit_runs_ours_as_its_legacy_hook_and_keeps_it() {
    let yard = Yard::new();
    pre_commit(&yard);
    let before = yard.snapshot();
    let hook = yard.installed();
    assert!(hook.path.ends_with("pre-push.legacy"));
    assert_eq!((hook.how, hook.manager, hook.caution), (How::Own, Some(Manager::PreCommit), None));
    assert!(!yard.installed().changed);
    pre_commit(&yard);
    assert_eq!(yard.state(), HookState::Installed, "writing its file anew keeps ours");
    assert!(yard.push(&["main:a", "main:b"]).status.success());
    assert_eq!(yard.input("ours"), yard.line("a") + &yard.line("b"));
    yard.ends("ours", 1);
    assert!(!yard.push(&["main:c"]).status.success());
    yard.uninstall();
    assert_eq!(yard.snapshot(), before);
}

#[test]
fn pre_commit_over_our_file_keeps_it_running() {
    let yard = Yard::new();
    yard.installed();
    pre_commit(&yard);
    assert_eq!(yard.state(), HookState::Installed);
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
    assert!(!yard.installed().changed);
    yard.uninstall();
    assert!(!yard.hook().with_file_name("pre-push.legacy").exists());
}

#[test]
fn a_legacy_hook_that_pre_commit_had_already_still_runs() {
    let yard = Yard::new();
    yard.script(&yard.hook(), &yard.recorder("theirs"));
    pre_commit(&yard);
    let before = yard.snapshot();
    assert_eq!(yard.installed().how, How::Ahead);
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
    assert_eq!(yard.input("theirs"), yard.line("a"));
    yard.uninstall();
    assert_eq!(yard.snapshot(), before);
}

#[test]
fn pre_commit_told_to_forget_the_legacy_hook_is_noticed() {
    let yard = Yard::new();
    pre_commit(&yard);
    yard.installed();
    std::fs::remove_file(yard.hook().with_file_name("pre-push.legacy")).expect("it was there");
    assert_eq!(yard.state(), HookState::Overwritten);
}

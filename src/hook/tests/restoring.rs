//! Twice is once, and taking out gives everything back.

use super::*;

/// Every way in which something can be there before.
fn befores() -> Vec<(&'static str, u32, &'static [u8])> {
    vec![
        ("nothing", 0, b""),
        ("a shell script", 0o755, b"#!/bin/sh\necho hi\n"),
        ("one for its owner alone", 0o700, b"#!/bin/bash -e\necho hi"),
        ("only a first line", 0o755, b"#!/bin/sh"),
        ("only a first line and its end", 0o755, b"#!/bin/sh\n"),
        ("an empty file", 0o755, b""),
        ("no interpreter", 0o775, b"echo hi\n\n"),
        ("another language", 0o755, b"#!/usr/bin/env python3\nprint(1)\n"),
        ("a compiled program", 0o711, b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe"),
        ("not executable", 0o640, b"#!/bin/sh\necho hi\n"),
        ("other line ends", 0o755, b"#!/bin/sh\r\necho hi\r\n"),
    ]
}

#[test]
fn taking_out_gives_back_every_byte_and_mode_whatever_was_there() {
    for (what, mode, content) in befores() {
        let yard = Yard::new();
        if mode != 0 {
            write(&yard.hook(), content, mode).expect("it can be written");
        }
        let before = yard.snapshot();
        assert!(yard.installed().changed, "{what}");
        assert_eq!(yard.state(), HookState::Installed, "{what}");
        let once = yard.snapshot();
        assert!(!yard.installed().changed, "{what}");
        assert_eq!(yard.snapshot(), once, "{what}: a second time must change nothing");
        yard.uninstall();
        assert_eq!(yard.snapshot(), before, "{what}");
        yard.uninstall();
        assert_eq!(yard.snapshot(), before, "{what}: nothing is taken out twice");
    }
}

#[test]
fn lines_added_to_our_file_stay_when_ours_go() {
    let yard = Yard::new();
    yard.installed();
    let ours = std::fs::read_to_string(yard.hook()).expect("it is text");
    yard.script(&yard.hook(), &(ours + "npm test\n"));
    yard.uninstall();
    assert_eq!(std::fs::read_to_string(yard.hook()).expect("it is there"), "#!/bin/sh\nnpm test\n");
}

#[test]
fn a_file_that_would_lose_lines_is_not_taken_out() {
    let yard = Yard::new();
    yard.script(&yard.hook(), "#!/usr/bin/awk -f\nBEGIN { exit 0 }\n");
    yard.installed();
    let ours = std::fs::read_to_string(yard.hook()).expect("it is text");
    yard.script(&yard.hook(), &(ours.clone() + "npm test\n"));
    assert!(matches!(uninstall(&yard.sandbox.open()), Err(InstallError::Edited { .. })));
    assert_eq!(std::fs::read_to_string(yard.hook()).expect("it is there"), ours + "npm test\n");
}

#[test]
fn a_new_path_of_the_binary_is_recorded_in_place() {
    let yard = Yard::new();
    yard.script(&yard.hook(), "#!/bin/sh\necho hi\n");
    yard.installed();
    let moved = yard.sandbox.root().join("moved/git-boundary");
    yard.script(&moved, "#!/bin/sh\nexit 0\n");
    std::fs::remove_file(&yard.binary).expect("it was there");
    assert_eq!(yard.state(), HookState::BinaryMissing);
    let options = InstallOptions { server: false, binary: moved.clone() };
    assert!(install(&yard.sandbox.open(), &options).expect("it can be installed").hooks[0].changed);
    assert_eq!(yard.status().hooks[0].recorded, Some(moved));
    yard.uninstall();
    assert_eq!(std::fs::read(yard.hook()).expect("it is there"), b"#!/bin/sh\necho hi\n");
}

#[test]
fn lines_put_before_ours_are_noticed_and_put_behind_again() {
    let yard = Yard::new();
    yard.installed();
    let ours = std::fs::read_to_string(yard.hook()).expect("it is text");
    yard.script(&yard.hook(), &ours.replacen('\n', "\ncat >/dev/null\n", 1));
    assert_eq!(yard.state(), HookState::AfterOthers);
    assert!(yard.status().gaps().next().is_some_and(|hook| hook.remedy.is_some()));
    assert!(yard.installed().changed);
    assert_eq!(yard.state(), HookState::Installed);
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.input("ours"), yard.line("a"));
}

#[test]
fn a_hook_that_lost_its_mode_is_noticed_and_gets_it_back() {
    let yard = Yard::new();
    yard.installed();
    let content = std::fs::read(yard.hook()).expect("it is there");
    write(&yard.hook(), &content, 0o644).expect("it can be written");
    assert_eq!(yard.state(), HookState::NotExecutable);
    yard.installed();
    assert_eq!(yard.state(), HookState::Installed);
}

#[test]
fn lines_in_pieces_are_left_to_people() {
    let yard = Yard::new();
    yard.installed();
    let ours = std::fs::read_to_string(yard.hook()).expect("it is text");
    let torn = &ours[..ours.len() / 2];
    yard.script(&yard.hook(), torn);
    assert_eq!(yard.state(), HookState::Torn);
    assert!(matches!(yard.install(), Err(InstallError::Torn { .. })));
    assert!(matches!(uninstall(&yard.sandbox.open()), Err(InstallError::Torn { .. })));
    assert_eq!(std::fs::read_to_string(yard.hook()).expect("it is there"), torn);
}

#[test]
fn a_kill_between_keeping_and_writing_loses_nothing() {
    let yard = Yard::new();
    yard.script(&yard.hook(), "#!/usr/bin/awk -f\nBEGIN { exit 0 }\n");
    let kept = yard.sandbox.repo.join(".git/hooks.boundary-next/pre-push");
    std::fs::create_dir(kept.parent().expect("it has one")).expect("it can be made");
    std::fs::hard_link(yard.hook(), &kept).expect("it can be linked");
    assert!(yard.push(&["main:a"]).status.success(), "the old hook stands");
    assert_eq!(yard.installed().how, How::Beside);
    yard.uninstall();
    assert_eq!(std::fs::read_to_string(yard.hook()).expect("it is there"), "#!/usr/bin/awk -f\nBEGIN { exit 0 }\n");
}

#[test]
fn a_hook_that_is_kept_already_is_never_written_over() {
    let yard = Yard::new();
    yard.script(&yard.hook(), "#!/usr/bin/awk -f\nBEGIN { exit 0 }\n");
    yard.installed();
    yard.script(&yard.hook(), "#!/usr/bin/awk -f\nBEGIN { exit 1 }\n");
    let before = yard.snapshot();
    assert!(matches!(yard.install(), Err(InstallError::Taken { .. })));
    assert_eq!(yard.snapshot(), before);
}

#[test]
fn a_kept_hook_that_is_gone_is_noticed() {
    let yard = Yard::new();
    yard.script(&yard.hook(), "#!/usr/bin/awk -f\nBEGIN { exit 0 }\n");
    yard.installed();
    std::fs::remove_dir_all(yard.sandbox.repo.join(".git/hooks.boundary-next")).expect("it was there");
    assert_eq!(yard.state(), HookState::KeptMissing);
    yard.uninstall();
    assert!(!yard.hook().exists());
}

#[test]
fn a_repository_that_moved_still_runs_both() {
    let mut yard = Yard::new();
    yard.script(&yard.hook(), "#!/usr/bin/awk -f\nBEGIN { exit 7 }\n");
    yard.installed();
    let moved = yard.sandbox.root().join("moved");
    std::fs::rename(&yard.sandbox.repo, &moved).expect("it can be moved");
    yard.sandbox.repo = moved;
    assert!(!yard.push(&["main:a"]).status.success(), "the kept hook is found from where the hook is");
    assert_eq!(yard.ran(), ["ours"]);
}

#[test]
fn only_a_binary_that_hooks_can_start_is_recorded() {
    let yard = Yard::new();
    for binary in ["git-boundary", "/nowhere/git-boundary", "/"] {
        let options = InstallOptions { server: false, binary: binary.into() };
        assert!(matches!(install(&yard.sandbox.open(), &options), Err(InstallError::Binary { .. })), "{binary}");
    }
    assert!(!yard.hook().exists());
}

#[test]
fn a_status_can_be_given_to_machines() {
    let yard = Yard::new();
    yard.installed();
    let json = serde_json::to_value(yard.status()).expect("it is plain");
    assert_eq!(json["hooks"][0]["name"], "pre-push");
    assert_eq!(json["hooks"][0]["state"], "installed");
    assert_eq!(json["hooks"][0]["wanted"], true);
    assert_eq!(json["hooks"][1]["state"], "not_installed");
    assert_eq!(yard.status().gaps().count(), 0);
}

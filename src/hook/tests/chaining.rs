//! Ours and theirs: both run, both are given the whole list, either can refuse.

use super::*;

#[test]
fn a_push_is_handed_to_the_binary_with_all_that_git_says() {
    let yard = Yard::new();
    assert_eq!(yard.installed().how, How::Own);
    assert!(yard.push(&["main:a", "main:b"]).status.success());
    let args = yard.args("ours");
    assert_eq!(args[0], "pre-push", "the shim says who it is");
    assert_eq!(args[2..], ["hook", "run", "pre-push", "origin", &yard.remote().display().to_string()]);
    assert_eq!(yard.input("ours"), yard.line("a") + &yard.line("b"));
    assert!(yard.has("a") && yard.has("b"));
}

#[test]
fn any_status_but_zero_refuses_the_push() {
    let yard = Yard::new();
    yard.installed();
    for status in [1, 2, 128, 255] {
        yard.ends("ours", status);
        assert!(!yard.push(&["main:a"]).status.success());
        assert!(!yard.has("a"), "status {status} let the push pass");
    }
}

#[test]
fn an_up_to_date_push_is_an_empty_list_for_both() {
    let yard = Yard::new();
    yard.script(&yard.hook(), &yard.recorder("theirs"));
    yard.installed();
    assert!(yard.push(&["main:a"]).status.success());
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!((yard.input("ours"), yard.input("theirs")), (String::new(), String::new()));
}

#[test]
fn a_shell_hook_that_was_there_runs_after_ours_with_the_same_list() {
    let yard = Yard::new();
    yard.script(&yard.hook(), &yard.recorder("theirs"));
    assert_eq!(yard.installed().how, How::Ahead);
    assert!(yard.push(&["main:a", "main:b"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
    assert_eq!(yard.input("theirs"), yard.line("a") + &yard.line("b"));
    let args = yard.args("theirs");
    assert_eq!(args[0], "", "the variable is for ours alone");
    assert!(args[1].ends_with(".git/hooks/pre-push"), "a script keeps its own name: {}", args[1]);
    assert_eq!(args[2..], ["origin", &yard.remote().display().to_string()]);
}

#[test]
fn either_of_them_can_refuse_and_theirs_does_not_run_after_our_refusal() {
    let yard = Yard::new();
    yard.script(&yard.hook(), &yard.recorder("theirs"));
    yard.installed();
    yard.ends("theirs", 1);
    assert!(!yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
    yard.ends("theirs", 0);
    yard.ends("ours", 1);
    assert!(!yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
    assert!(!yard.has("a"));
}

#[test]
fn a_hook_in_another_language_is_kept_beside_and_runs_with_the_same_list() {
    let yard = Yard::new();
    let (log, args) = (yard.log("theirs.input"), yard.log("theirs.args"));
    let awk = format!(
        "#!/usr/bin/awk -f\nBEGIN {{ print ARGV[1] > \"{}\"; while ((getline line < \"/dev/stdin\") > 0) print line > \"{}\"; exit 0 }}\n",
        args.display(),
        log.display()
    );
    yard.script(&yard.hook(), &awk);
    assert_eq!(yard.installed().how, How::Beside);
    assert!(yard.push(&["main:a", "main:b"]).status.success());
    assert_eq!(yard.input("theirs"), yard.line("a") + &yard.line("b"));
    assert_eq!(yard.args("theirs"), ["origin"]);
    yard.script(&yard.sandbox.repo.join(".git/hooks.boundary-next/pre-push"), "#!/usr/bin/awk -f\nBEGIN { exit 3 }\n");
    assert!(!yard.push(&["main:c"]).status.success(), "its refusal refuses");
    assert!(!yard.has("c"));
}

#[test]
fn a_compiled_hook_runs_and_refuses() {
    let yard = Yard::new();
    let program = ["/usr/bin/false", "/bin/false"].into_iter().find(|path| Path::new(path).exists());
    std::fs::copy(program.expect("every system has it"), yard.hook()).expect("it can be copied");
    assert_eq!(yard.installed().how, How::Beside);
    assert!(!yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
}

#[test]
fn a_hook_without_interpreter_still_runs_as_git_runs_it() {
    let yard = Yard::new();
    let recorder = yard.recorder("theirs");
    yard.script(&yard.hook(), recorder.strip_prefix("#!/bin/sh\n").expect("it begins so"));
    assert_eq!(yard.installed().how, How::Ahead);
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
}

#[test]
fn a_hook_that_git_ignored_goes_on_being_ignored() {
    let yard = Yard::new();
    write(&yard.hook(), yard.recorder("theirs").as_bytes(), 0o644).expect("it can be written");
    assert_eq!(yard.installed().how, How::Beside);
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours"]);
    assert_eq!(yard.state(), HookState::Installed);
}

#[cfg(unix)]
#[test]
fn a_linked_hook_runs_and_what_it_leads_to_is_not_written() {
    let yard = Yard::new();
    let tracked = yard.sandbox.repo.join("scripts/pre-push.sh");
    yard.script(&tracked, &yard.recorder("theirs"));
    yard.sandbox.commit(&[]);
    std::os::unix::fs::symlink("../../scripts/pre-push.sh", yard.hook()).expect("it can be linked");
    assert_eq!(yard.installed().how, How::Beside);
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
    assert_eq!(yard.input("theirs"), yard.line("a"));
    assert_eq!(yard.sandbox.git(&["status", "--porcelain"]), "");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_kept_and_ignored() {
    let yard = Yard::new();
    std::os::unix::fs::symlink("../../gone", yard.hook()).expect("it can be linked");
    assert_eq!(yard.installed().how, How::Beside);
    assert!(yard.push(&["main:a"]).status.success());
    yard.uninstall();
    assert_eq!(std::fs::read_link(yard.hook()).expect("it is a link again"), Path::new("../../gone"));
}

#[test]
fn lines_that_somebody_adds_later_run_with_the_whole_list() {
    let yard = Yard::new();
    yard.installed();
    let ours = std::fs::read_to_string(yard.hook()).expect("it is text");
    yard.script(&yard.hook(), &(ours + &yard.recorder("theirs")));
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "theirs"]);
    assert_eq!(yard.input("theirs"), yard.line("a"));
    assert_eq!(yard.state(), HookState::Installed);
}

#[test]
fn git_lfs_beside_us_is_given_its_list() {
    let yard = Yard::new();
    let lfs = yard.sandbox.root().join("bin/git-lfs");
    yard.script(&lfs, &yard.recorder("lfs"));
    let hook = format!(
        "#!/bin/sh\ncommand -v git-lfs >/dev/null 2>&1 || {{ echo >&2 \"no git-lfs\"; exit 2; }}\n'{}' pre-push \"$@\"\n",
        lfs.display()
    );
    let hook = hook.replace("command -v git-lfs", &format!("command -v '{}'", lfs.display()));
    yard.script(&yard.hook(), &hook);
    assert_eq!(yard.installed().manager, Some(Manager::GitLfs));
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.input("lfs"), yard.line("a"));
    assert_eq!(yard.args("lfs")[2..4], ["pre-push", "origin"]);
}

#[test]
fn a_list_longer_than_a_pipe_reaches_both_whole() {
    let yard = Yard::new();
    yard.script(&yard.hook(), &yard.recorder("theirs"));
    yard.installed();
    let main = yard.sandbox.rev("main");
    let many: String = (0..1500).map(|number| format!("create refs/heads/many/{number:04} {main}\n")).collect();
    yard.sandbox.feed(&["update-ref", "--stdin"], many);
    assert!(yard.push(&["refs/heads/many/*:refs/heads/many/*"]).status.success());
    let ours = yard.input("ours");
    assert_eq!(ours.lines().count(), 1500);
    assert_eq!(ours, yard.input("theirs"));
    assert_eq!(read_push_lines(ours.as_bytes()).expect("git wrote them").len(), 1500);
}

#[test]
fn a_long_list_that_ours_does_not_read_breaks_no_pipe() {
    let yard = Yard::new();
    yard.script(&yard.binary, "#!/bin/sh\nexit 0\n");
    yard.script(&yard.hook(), &yard.recorder("theirs"));
    yard.installed();
    let main = yard.sandbox.rev("main");
    let many: String = (0..1500).map(|number| format!("create refs/heads/many/{number:04} {main}\n")).collect();
    yard.sandbox.feed(&["update-ref", "--stdin"], many);
    assert!(yard.push(&["refs/heads/many/*:refs/heads/many/*"]).status.success());
    assert_eq!(yard.input("theirs").lines().count(), 1500);
}

#[test]
fn a_repository_of_another_hash_and_ref_store_is_no_different() {
    let yard = Yard::init(&["--object-format=sha256", "--ref-format=reftable"]);
    yard.installed();
    assert!(yard.push(&["main:a"]).status.success());
    let lines = read_push_lines(yard.input("ours").as_bytes()).expect("git wrote them");
    assert!(lines[0].is_creation());
    assert_eq!(lines[0].new, yard.sandbox.rev("main"));
}

#[test]
fn ordinary_oddities_of_pushes_can_be_read() {
    let yard = Yard::new();
    yard.installed();
    yard.sandbox.commit(&[("a", "2\n")]);
    yard.sandbox.git(&["tag", "v1"]);
    assert!(yard.push(&["HEAD~0:refs/heads/x", "HEAD@{0 days ago}:refs/heads/y", "v1"]).status.success());
    let lines = read_push_lines(yard.input("ours").as_bytes()).expect("git wrote them");
    let locals: Vec<&str> = lines.iter().map(|line| line.local_ref.as_str()).collect();
    assert_eq!(locals, ["HEAD~0", "HEAD@{0 days ago}", "refs/tags/v1"]);
    assert!(yard.push(&[":refs/heads/x"]).status.success());
    let lines = read_push_lines(yard.input("ours").as_bytes()).expect("git wrote them");
    assert_eq!(lines[0].local_ref, "(delete)");
    assert!(lines[0].is_deletion() && !lines[0].is_creation());
}

//! What a server's hooks do, and hooks without a binary.

use super::*;

/// A directory with only these programs in it, to be a PATH.
#[cfg(unix)]
fn path_of(yard: &Yard, programs: &[&str]) -> String {
    let directory = yard.sandbox.root().join("few");
    std::fs::create_dir(&directory).expect("it can be made");
    for program in programs {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .map(|directory| directory.join(program))
            .find(|path| path.is_file());
        let found = found.expect("every system has it");
        std::os::unix::fs::symlink(found, directory.join(program)).expect("it can be linked");
    }
    directory.display().to_string()
}

fn server(yard: &Yard) -> Installed {
    install(&at(&yard.sandbox, &yard.remote()), &yard.options(true)).expect("it can be installed")
}

fn received(yard: &Yard, branch: &str) -> String {
    format!("{} {} refs/heads/{branch}\n", "0".repeat(40), yard.sandbox.rev("main"))
}

#[test]
fn a_bare_server_judges_what_it_receives_and_notes_it_afterwards() {
    let yard = Yard::new();
    let installed = server(&yard);
    assert_eq!(installed.hooks.iter().map(|hook| hook.name).collect::<Vec<_>>(), HookName::of(true));
    let status = status(&at(&yard.sandbox, &yard.remote())).expect("it can be looked at");
    let states: Vec<HookState> = status.hooks.iter().map(|hook| hook.state).collect();
    assert_eq!(states, [HookState::NotInstalled, HookState::Installed, HookState::Installed]);
    assert!(yard.push(&["main:a", "main:b"]).status.success());
    assert_eq!(yard.ran(), ["ours", "ours"]);
    assert_eq!(yard.args("ours")[2..], ["hook", "run", "post-receive"]);
    assert_eq!(yard.input("ours"), received(&yard, "a") + &received(&yard, "b"));
    let lines = read_receive_lines(yard.input("ours").as_bytes()).expect("git wrote them");
    assert_eq!((lines.len(), lines[0].ref_name.as_str()), (2, "refs/heads/a"));
    assert!(yard.push(&["--no-verify", ":a"]).status.success());
    assert!(read_receive_lines(yard.input("ours").as_bytes()).expect("git wrote them")[0].is_deletion());
}

#[test]
fn a_server_that_refuses_keeps_its_refs_and_the_client_reads_why() {
    let yard = Yard::new();
    server(&yard);
    let refuses = "#!/bin/sh\ncat >/dev/null\necho 'refused: source.handoff_missing' >&2\nexit 1\n";
    yard.script(&yard.binary, refuses);
    let push = yard.push(&["main:a"]);
    assert!(!push.status.success() && !yard.has("a"));
    assert!(message(&push).contains("refused: source.handoff_missing"));
}

#[test]
fn hooks_that_a_server_had_run_with_the_same_list() {
    let yard = Yard::new();
    for name in ["pre-receive", "post-receive"] {
        yard.script(&yard.remote().join("hooks").join(name), &yard.recorder(name));
    }
    let before = yard.snapshot();
    server(&yard);
    assert!(yard.push(&["main:a"]).status.success());
    assert_eq!(yard.ran(), ["ours", "pre-receive", "ours", "post-receive"]);
    assert_eq!(yard.input("pre-receive"), received(&yard, "a"));
    assert_eq!(yard.input("post-receive"), received(&yard, "a"));
    assert!(yard.push(&[":a"]).status.success());
    uninstall(&at(&yard.sandbox, &yard.remote())).expect("they can be taken out");
    assert_eq!(yard.snapshot(), before);
}

#[test]
fn after_the_refs_moved_our_failure_does_not_keep_others_from_their_work() {
    let yard = Yard::new();
    yard.script(&yard.remote().join("hooks/post-receive"), &yard.recorder("deploy"));
    server(&yard);
    let fails = "#!/bin/sh\ncat >/dev/null\n[ \"$3\" = pre-receive ]\n";
    yard.script(&yard.binary, fails);
    let push = yard.push(&["main:a"]);
    assert!(push.status.success() && yard.has("a"));
    assert!(message(&push).contains("work receipts are not written yet"), "{}", message(&push));
    assert_eq!(yard.input("deploy"), received(&yard, "a"));
}

#[cfg(unix)]
#[test]
fn a_client_without_the_binary_refuses_and_says_what_to_do() {
    let yard = Yard::new();
    yard.installed();
    std::fs::remove_file(&yard.binary).expect("it was there");
    let path = path_of(&yard, &["git", "sh", "cat"]);
    let push = ["push", "--quiet", "origin", "main:a"];
    let output = yard.sandbox.run(&yard.sandbox.repo, &push, &[("PATH", &path)], b"");
    assert!(!output.status.success() && !yard.has("a"));
    let message = message(&output);
    assert!(message.contains("refused: git-boundary is neither at"), "{message}");
    assert!(message.contains(&yard.binary.display().to_string()), "{message}");
    assert!(message.contains(&path) && message.contains("cargo install git-boundary"), "{message}");
}

#[cfg(unix)]
#[test]
fn without_the_binary_a_long_list_is_drained_all_the_same() {
    let yard = Yard::new();
    yard.installed();
    std::fs::remove_file(&yard.binary).expect("it was there");
    let main = yard.sandbox.rev("main");
    let many: String = (0..1500).map(|number| format!("create refs/heads/many/{number:04} {main}\n")).collect();
    yard.sandbox.feed(&["update-ref", "--stdin"], many);
    let path = path_of(&yard, &["git", "sh", "cat"]);
    let push = ["push", "--quiet", "origin", "refs/heads/many/*:refs/heads/many/*"];
    let output = yard.sandbox.run(&yard.sandbox.repo, &push, &[("PATH", &path)], b"");
    assert_eq!(output.status.code(), Some(1), "git ends by itself and not by a broken pipe");
    assert!(!yard.has("many/0000"));
}

#[cfg(unix)]
#[test]
fn a_short_path_of_a_window_program_is_no_hindrance() {
    let yard = Yard::new();
    yard.installed();
    let path = path_of(&yard, &["git", "sh", "cat"]);
    let push = ["push", "--quiet", "origin", "main:a"];
    assert!(yard.sandbox.run(&yard.sandbox.repo, &push, &[("PATH", &path)], b"").status.success());
    assert_eq!(yard.ran(), ["ours"]);
}

#[cfg(unix)]
#[test]
fn a_binary_that_moved_is_found_on_path_and_the_status_says_so() {
    let yard = Yard::new();
    yard.installed();
    let moved = yard.sandbox.root().join("bin");
    std::fs::create_dir(&moved).expect("it can be made");
    std::fs::rename(&yard.binary, moved.join("git-boundary")).expect("it can be moved");
    let path = format!("{}:{}", moved.display(), std::env::var("PATH").expect("it is text"));
    let environment = yard.sandbox.environment().with("PATH", path.clone());
    let repo = Repository::discover(&environment).expect("it opens");
    assert_eq!(status(&repo).expect("it can be looked at").hooks[0].state, HookState::BinaryMoved);
    let push = ["push", "--quiet", "origin", "main:a"];
    assert!(yard.sandbox.run(&yard.sandbox.repo, &push, &[("PATH", &path)], b"").status.success());
    assert_eq!(yard.ran(), ["ours"]);
}

#[test]
fn a_server_without_the_binary_refuses_and_keeps_its_paths_to_itself() {
    let yard = Yard::new();
    server(&yard);
    std::fs::remove_file(&yard.binary).expect("it was there");
    let push = yard.push(&["main:a"]);
    assert!(!push.status.success() && !yard.has("a"));
    let message = message(&push);
    assert!(message.contains("refused: this server has lost its git-boundary"), "{message}");
    assert!(!message.contains(&yard.binary.display().to_string()), "{message}");
}

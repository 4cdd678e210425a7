//! The shims as the shells there are read them.

use std::io::Write;
use std::process::{Command, Stdio};

use super::*;

/// Every shell of this machine that a hook's first line could name, with the switches scripts set there.
fn shells() -> Vec<Vec<&'static str>> {
    let known = ["sh", "dash", "bash", "zsh", "ksh", "mksh"];
    let there = |name: &&str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|directory| directory.join(name).is_file())
    };
    known.into_iter().filter(there).flat_map(|name| [vec![name], vec![name, "-eu"]]).collect()
}

fn run(yard: &Yard, shell: &[&str], hook: &Path, input: &str) -> bool {
    let mut child = Command::new(shell[0])
        .args(&shell[1..])
        .arg(hook)
        .args(["origin", "a b"])
        .env_clear()
        .envs(yard.sandbox.variables())
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it is there");
    let mut stdin = child.stdin.take().expect("it was piped");
    stdin.write_all(input.as_bytes()).expect("all of it is read");
    drop(stdin);
    child.wait().expect("it ends").success()
}

#[test]
fn every_shell_gives_both_the_same_bytes() {
    let yard = Yard::new();
    let hook = yard.hook();
    let line = "refs/heads/$x `y` \\n 'z \"w  1111 refs/heads/a 0000\n";
    let inputs = [String::new(), line.to_owned(), line.repeat(2), line.repeat(3), line.repeat(1300)];
    for name in HookName::ALL {
        yard.script(&hook, &yard.recorder("theirs"));
        let block = super::shim::render(name, &super::shim::Variant::Within, Some(&yard.binary), "hooks");
        let content = super::edit::insert(&std::fs::read(&hook).expect("it is there"), &block);
        write(&hook, &content, 0o755).expect("it can be written");
        for shell in shells() {
            for input in &inputs {
                assert!(run(&yard, &shell, &hook, input), "{shell:?} {name}");
                assert_eq!(&yard.input("ours"), input, "{shell:?} {name}");
                assert_eq!(&yard.input("theirs"), input, "{shell:?} {name}");
                assert_eq!(yard.args("ours")[2..], ["hook", "run", name.as_str(), "origin", "a b"]);
                assert_eq!(yard.args("theirs")[2..], ["origin", "a b"]);
            }
        }
    }
}

#[test]
fn a_last_line_without_an_end_is_not_lost() {
    let yard = Yard::new();
    yard.installed();
    for shell in shells() {
        for input in ["one", "one\ntwo", "one\ntwo\nthree"] {
            assert!(run(&yard, &shell, &yard.hook(), input), "{shell:?}");
            assert_eq!(yard.input("ours"), format!("{input}\n"), "{shell:?}: a ref that is not seen is not judged");
        }
    }
}

#[test]
fn every_shell_ends_with_our_refusal() {
    let yard = Yard::new();
    yard.script(&yard.hook(), &yard.recorder("theirs"));
    yard.installed();
    yard.ends("ours", 2);
    for shell in shells() {
        assert!(!run(&yard, &shell, &yard.hook(), "one\n"), "{shell:?}");
        assert_eq!(yard.ran(), ["ours"], "{shell:?}");
    }
}

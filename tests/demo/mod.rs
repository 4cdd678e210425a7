//! `git boundary demo`, as somebody runs it who has nothing set up, or everything set up wrongly.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The program in a world of its own, where the user's git configuration can't be read and points elsewhere.
fn demo(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_git-boundary"));
    command.arg("demo").env_clear().current_dir(home).stdin(Stdio::null());
    fs::create_dir_all(home.join("tmp")).expect("a directory");
    fs::write(home.join(".gitconfig"), "[this is no configuration\n").expect("a file");
    command
        .env("PATH", std::env::var_os("PATH").expect("PATH is set"))
        .env("HOME", home)
        .env("TMPDIR", home.join("tmp"))
        .env("GIT_CONFIG_GLOBAL", home.join(".gitconfig"))
        .env("GIT_DIR", home.join("no-repository"))
        .env("GIT_AUTHOR_NAME", "Somebody Else")
        .env("SSH_AUTH_SOCK", home.join("no-agent"));
    command
}

fn left_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .expect("the directory is there")
        .map(|entry| entry.expect("it is readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn every_step_does_what_it_should_and_nothing_of_the_users_is_read_or_changed() {
    let home = tempfile::tempdir().expect("a directory");
    let out = demo(home.path()).args(["--json", "--keep"]).output().expect("it runs");
    let text = String::from_utf8(out.stdout).expect("it is UTF-8");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let (end, steps) = lines.split_last().expect("it says how it ended");
    let wrong: Vec<&Value> = steps.iter().filter(|step| step["ok"] != true).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!((&end["ok"], end["steps"].as_u64()), (&Value::Bool(true), Some(steps.len() as u64)));
    let codes: std::collections::BTreeSet<&str> =
        steps.iter().filter_map(|step| step["should"]["code"].as_str()).collect();
    assert!(codes.len() >= 13, "the story has many refusals: {codes:?}");
    let kept = Path::new(end["left"].as_str().expect("it was kept"));
    assert!(kept.starts_with(home.path()) && kept.join("server.git/HEAD").exists(), "{kept:?}");
    assert!(kept.join("home/.config/git-boundary/keys/ada").exists(), "keys are made in the story's own home");
    assert_eq!(left_in(home.path()), [".gitconfig", "tmp"], "nothing else was written");
    assert_eq!(fs::read_to_string(home.path().join(".gitconfig")).expect("it is there"), "[this is no configuration\n");
}

#[test]
fn a_reader_that_goes_away_ends_it_and_nothing_is_left() {
    let home = tempfile::tempdir().expect("a directory");
    let mut child = demo(home.path()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut first = [0; 3];
    child.stdout.take().expect("it is piped").read_exact(&mut first).expect("it begins");
    assert_eq!(&first, b"== ");
    assert_eq!(child.wait().expect("it ends").code(), Some(141));
    assert_eq!(left_in(&home.path().join("tmp")), Vec::<String>::new());
}

#[test]
fn without_git_it_is_fatal_and_says_what_it_needs() {
    let home = tempfile::tempdir().expect("a directory");
    let out = demo(home.path()).env("PATH", home.path()).output().expect("it runs");
    assert_eq!(out.status.code(), Some(128));
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(stderr.starts_with("error: cannot run git") && stderr.contains("hint: "), "{stderr}");
    assert_eq!(left_in(&home.path().join("tmp")), Vec::<String>::new());
}

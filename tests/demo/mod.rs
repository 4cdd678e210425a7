//! `git boundary demo`, as somebody runs it who has nothing set up, or everything set up wrongly.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
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
fn a_reader_that_goes_away_after_one_step_has_read_all_about_it_and_nothing_is_left() {
    let home = tempfile::tempdir().expect("a directory");
    let mut child = demo(home.path()).stdout(Stdio::piped()).spawn().expect("it runs");
    let reader = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut shown: Vec<String> = Vec::new();
    for line in reader.lines() {
        shown.push(line.expect("it is text"));
        if shown.last().is_some_and(|line| line.starts_with("   proves  ")) {
            break;
        }
    }
    let [title, _, who, .., command, should, did, proves] = shown.as_slice() else { panic!("{shown:#?}") };
    assert!(title.starts_with("== ") && who == "1. owner, in work", "{shown:#?}");
    assert!(command == "   $ git push -q origin main" && proves.ends_with(": git does what git does"), "{shown:#?}");
    assert_eq!(should, "   should  succeed, and only refs/heads/main moves at the remote");
    assert_eq!(did, "   did     ok: exit status 0; moved at the remote: refs/heads/main");
    assert_eq!(child.wait().expect("it ends").code(), Some(141));
    assert_eq!(left_in(&home.path().join("tmp")), Vec::<String>::new());
}

#[test]
fn a_step_that_goes_wrong_ends_it_with_1_and_leaves_the_place_as_it_is() {
    let home = tempfile::tempdir().expect("a directory");
    let programs = home.path().join("programs");
    fs::create_dir(&programs).expect("a directory");
    fs::write(programs.join("mkdir"), "#!/bin/sh\nexit 7\n").expect("a file");
    fs::set_permissions(programs.join("mkdir"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let inherited = std::env::var("PATH").expect("PATH is set");
    let path = format!("{}:{inherited}", programs.display());
    let out = demo(home.path()).env("PATH", path).output().expect("it runs");
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("WRONG: the scene could not be set: mkdir src"), "{text}");
    let left = text.lines().last().and_then(|line| line.strip_prefix("The repositories are left in "));
    assert!(left.is_some_and(|left| Path::new(left).join("work/.git").exists()), "{text}");
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

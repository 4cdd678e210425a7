//! Asking, with a real terminal (by script), without one (by setsid), and through askpass programs.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::termios::{LocalModes, tcgetattr};

use super::{Home, run, run_with, text_of};
use crate::crypto::{Asker, AskpassRequire, KeyEnvironment, PassphraseError, PrivateKeyFile, Signer as _};

const PROMPT: &str = "Enter passphrase for a test: ";
/// Set for a run of this test binary that is to ask; holds the file for what came of it.
const REPORT: &str = "BOUNDARY_TEST_ASK_REPORT";

fn environment(require: Option<&str>, program: Option<&Path>, display: bool) -> KeyEnvironment {
    let require = require.map(OsString::from);
    KeyEnvironment::read(&|name| match name {
        "SSH_ASKPASS" => program.map(OsString::from),
        "SSH_ASKPASS_REQUIRE" => require.clone(),
        "DISPLAY" => display.then(|| ":0".into()),
        _ => None,
    })
}

/// Runs by itself it has nothing to do; run again by the tests below, in a terminal or out of one, it asks.
#[test]
fn asked_in_a_process_of_its_own() {
    let Some(report) = env::var_os(REPORT) else { return };
    let echo = || {
        let tty = File::open("/dev/tty").ok()?;
        let modes = tcgetattr(tty).ok()?.local_modes;
        Some(modes.contains(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG))
    };
    let before = echo();
    let answer = match Asker::from_environment(&KeyEnvironment::from_process()).ask(PROMPT) {
        Ok(secret) => format!("answer {}", String::from_utf8_lossy(secret.as_bytes())),
        Err(error) => format!("error {error:?}"),
    };
    std::fs::write(report, format!("{answer}; echo {before:?} then {:?}", echo())).expect("a report can be written");
}

fn ask_again(wrapper: &mut Command, report: &Path) -> Command {
    let mut command = Command::new(wrapper.get_program());
    for name in ["SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "DISPLAY", "WAYLAND_DISPLAY", "GIT_TERMINAL_PROMPT"] {
        command.env_remove(name);
    }
    command.args(wrapper.get_args()).env(REPORT, report).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// What was shown in a terminal in which `keys` were typed once the prompt was there, and the report.
fn typed(keys: &[u8]) -> (String, String) {
    let home = Home::new();
    let report = home.at("report");
    let me = env::current_exe().expect("the test binary has a path");
    let inner =
        format!("'{}' --exact crypto::tests::passphrase::asked_in_a_process_of_its_own --nocapture", me.display());
    let mut child = ask_again(Command::new("script").args(["-qec", &inner, "/dev/null"]), &report)
        .spawn()
        .expect("script is installed (package bsdutils)");
    let mut input = child.stdin.take().expect("its input is piped");
    let mut output = child.stdout.take().expect("its output is piped");
    let (mut shown, mut chunk, mut sent) = (Vec::new(), [0; 4096], false);
    loop {
        let count = output.read(&mut chunk).expect("it can be read");
        if count == 0 {
            break;
        }
        shown.extend_from_slice(&chunk[..count]);
        if !sent && String::from_utf8_lossy(&shown).contains(PROMPT) {
            input.write_all(keys).expect("it can be typed at");
            sent = true;
        }
    }
    child.wait().expect("it ends");
    (String::from_utf8_lossy(&shown).into_owned(), text_of(&report))
}

#[test]
fn a_passphrase_typed_in_a_terminal_is_read_and_never_shown() {
    let (shown, report) = typed(b"s3cret word\r");
    assert_eq!(report, "answer s3cret word; echo Some(true) then Some(true)");
    assert!(shown.contains(PROMPT) && !shown.contains("s3cret"), "{shown}");
}

#[test]
fn backspace_takes_a_character_and_control_u_the_line() {
    let (_, report) = typed("forget this\x15pä\x7f\x7fsö\x08e\n".as_bytes());
    assert!(report.starts_with("answer se;"), "{report}");
}

#[test]
fn control_c_interrupts_and_the_echo_comes_back() {
    let (shown, report) = typed(b"half\x03");
    assert_eq!(report, "error Interrupted; echo Some(true) then Some(true)");
    assert!(!shown.contains("half"), "{shown}");
}

#[test]
fn an_empty_line_or_end_of_input_is_no_passphrase() {
    for keys in [&b"\n"[..], b"\x04"] {
        let (_, report) = typed(keys);
        assert!(report.starts_with("error NotGiven;"), "{report}");
    }
}

#[test]
fn a_line_beyond_what_ssh_reads_is_refused() {
    let (_, report) = typed(&[&[b'x'; 1100][..], b"\n"].concat());
    assert!(report.starts_with("error TooLong; echo Some(true) then Some(true)"), "{report}");
}

/// This test binary, asking, in a session without a terminal.
fn without_terminal(report: &Path) -> Command {
    let me = env::current_exe().expect("the test binary has a path");
    let mut wrapper = Command::new("setsid");
    wrapper.arg("-w").arg(me).args(["--exact", "crypto::tests::passphrase::asked_in_a_process_of_its_own"]);
    ask_again(&mut wrapper, report)
}

#[test]
fn without_terminal_and_askpass_the_error_says_so() {
    let home = Home::new();
    let report = home.at("report");
    let ran = run(&mut without_terminal(&report));
    assert!(ran.status.success(), "{ran:?}");
    let report = text_of(&report);
    assert!(report.contains("NoWayToAsk") && report.contains("there is no terminal"), "{report}");
    assert!(report.contains("SSH_ASKPASS is not set"), "{report}");
}

#[test]
fn an_askpass_program_does_not_get_what_git_wrote_for_the_hook() {
    let home = Home::new();
    let report = home.at("report");
    let program = home.script("askpass", "cat\necho from the user\n");
    let mut asking = without_terminal(&report);
    asking.env("SSH_ASKPASS", program).env("SSH_ASKPASS_REQUIRE", "force");
    let ran = run_with(&mut asking, b"refs/heads/main 1234 refs/heads/main 5678\n");
    assert!(ran.status.success(), "{ran:?}");
    assert!(text_of(&report).starts_with("answer from the user;"), "{}", text_of(&report));
}

#[test]
fn forced_askpass_without_a_program_does_not_fall_back_to_the_terminal() {
    let error = Asker::from_environment(&environment(Some("force"), None, true)).ask(PROMPT).expect_err("no way");
    assert!(error.to_string().contains("the terminal may not be used, and SSH_ASKPASS is not set"), "{error}");
}

#[test]
fn a_forced_askpass_program_gives_the_passphrase_and_gets_the_prompt() {
    let home = Home::new();
    let seen = home.at("seen");
    let program = home.script("askpass", &format!("echo \"$1\" > '{}'\nprintf 'pass word\\r\\n'\n", seen.display()));
    for (require, display) in [("force", false), ("FORCE", true), ("prefer", true)] {
        let asker = Asker::from_environment(&environment(Some(require), Some(&program), display));
        let secret = asker.ask(PROMPT).expect("it answers");
        assert_eq!(secret.as_bytes(), b"pass word", "{require}");
        assert_eq!(text_of(&seen), format!("{PROMPT}\n"));
    }
}

#[test]
fn askpass_is_left_alone_where_ssh_would_leave_it_alone() {
    let home = Home::new();
    let program = home.script("askpass", "echo asked\n");
    for (require, display, why) in [
        (Some("never"), true, "never forbids"),
        (Some("prefer"), false, "only with a display"),
        (None, false, "only with a display"),
        (Some("nonsense"), false, "only with a display"),
    ] {
        let environment = KeyEnvironment { terminal_prompt_off: true, ..environment(require, Some(&program), display) };
        let error = Asker::from_environment(&environment).ask(PROMPT).expect_err("nobody may be asked");
        assert!(matches!(error, PassphraseError::NoWayToAsk { .. }), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
    let with_display = KeyEnvironment { terminal_prompt_off: true, ..environment(None, Some(&program), true) };
    let secret = Asker::from_environment(&with_display).ask(PROMPT).expect("with a display it is the second choice");
    assert_eq!(secret.as_bytes(), b"asked");
}

#[test]
fn an_askpass_program_that_fails_is_named() {
    let home = Home::new();
    let cancelled = home.script("cancelled", "echo secret\nexit 1\n");
    let empty = home.script("empty", "echo\n");
    let endless = home.script("endless", "exec yes no newline | tr -d '\\n'\n");
    let ask = |program: &Path| Asker::from_environment(&environment(Some("force"), Some(program), false)).ask(PROMPT);
    let error = ask(&cancelled).expect_err("a failure is no answer, whatever it printed");
    assert!(
        matches!(error, PassphraseError::AskpassRefused { .. }) && error.to_string().contains("cancelled"),
        "{error}"
    );
    assert!(matches!(ask(&empty), Err(PassphraseError::NotGiven)));
    assert!(ask(&endless).is_err(), "an endless answer ends");
    let error = ask(&home.at("missing")).expect_err("it is not there");
    assert!(matches!(error, PassphraseError::Askpass { .. }) && error.to_string().contains("missing"), "{error}");
}

#[test]
fn git_terminal_prompt_and_silence_keep_off_the_terminal() {
    for (word, off) in [("0", true), ("false", true), ("No", true), ("1", false), ("true", false)] {
        let read = KeyEnvironment::read(&|name| (name == "GIT_TERMINAL_PROMPT").then(|| word.into()));
        assert_eq!(read.terminal_prompt_off, off, "{word}");
    }
    let error = Asker::silent().ask(PROMPT).expect_err("it never asks");
    assert!(error.to_string().contains("switched off"), "{error}");
    assert_eq!(AskpassRequire::from_word("Prefer"), Some(AskpassRequire::Prefer));
}

#[test]
fn a_key_file_is_unlocked_through_askpass_at_the_second_try() {
    let home = Home::new();
    let file = PrivateKeyFile::open(&home.ssh_keygen("id", "ed25519", super::PASSPHRASE)).expect("it opens");
    let once = home.at("once");
    let script = format!(
        "if test -e '{0}'; then echo '{1}'; else touch '{0}'; echo wrong; fi\n",
        once.display(),
        super::PASSPHRASE
    );
    let program = home.script("askpass", &script);
    let asker = Asker::from_environment(&environment(Some("force"), Some(&program), false));
    let key = file.unlock(&mut |prompt| asker.ask(prompt)).expect("the second answer is right");
    assert_eq!(key.public_key(), file.public_key());
}

//! The man page against the parser.

use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use clap::CommandFactory as _;

use super::{finds_man, install_man, man_page};
use crate::cli::args::Args;
use crate::cli::exit::Exit;
use crate::git::Environment;

fn text() -> String {
    String::from_utf8(man_page()).expect("a man page is text")
}

#[test]
fn the_page_has_every_command_and_every_option() {
    fn look(command: &clap::Command, page: &str) {
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            if !sub.has_subcommands() {
                let name = sub.get_bin_name().expect("a built command has one").to_owned();
                assert!(page.contains(&format!(".SS \"{name}\"")), "{name}");
            }
            for long in sub.get_arguments().filter_map(clap::Arg::get_long).filter(|long| *long != "help") {
                assert!(page.replace("\\-", "-").contains(&format!("--{long}")), "--{long}");
            }
            look(sub, page);
        }
    }
    let mut command = Args::command();
    command.build();
    look(&command, &text());
}

#[test]
fn the_page_says_every_exit_status() {
    let page = text();
    let after = page.split(".SH \"EXIT STATUS\"").nth(1).expect("the section is there");
    let section = after.split(".SH").next().expect("a split has a first part");
    for exit in [Exit::Ok, Exit::Refused, Exit::Undecided, Exit::Fatal, Exit::Usage, Exit::ClosedPipe] {
        assert!(section.contains(&format!("\\fB{}\\fR\n", exit.code())), "{exit:?} is missing from:\n{section}");
    }
}

#[test]
fn the_page_is_the_same_each_time_and_formats_without_a_warning() {
    assert_eq!(man_page(), man_page());
    let mut groff = Command::new("groff");
    groff.args(["-man", "-Tutf8", "-Kutf8", "-ww", "-z"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut groff = match groff.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => panic!("{error}"),
    };
    groff.stdin.take().expect("a pipe was asked for").write_all(&man_page()).expect("groff reads it");
    let output = groff.wait_with_output().expect("groff ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn it_is_installed_in_the_users_own_manual_and_again_without_harm() {
    let home = tempfile::tempdir().expect("a directory can be made");
    let environment = Environment::new(home.path(), [("HOME".into(), home.path().into())]);
    let path = install_man(&environment).expect("the home can be written");
    assert_eq!(path, home.path().join(".local/share/man/man1/git-boundary.1"));
    assert_eq!(std::fs::read(&path).expect("it was installed"), man_page());
    assert_eq!(install_man(&environment).expect("the home can be written"), path);
    let data = home.path().join("data");
    let path = install_man(&environment.with("XDG_DATA_HOME", &data)).expect("it can be made there");
    assert!(path.starts_with(&data), "{path:?}");
}

#[test]
fn without_a_home_there_is_no_place_for_it() {
    let error = install_man(&Environment::new("/", [("XDG_DATA_HOME".into(), "relative".into())])).unwrap_err();
    assert_eq!(error.exit, Exit::Fatal);
}

#[test]
fn where_man_is_not_there_no_page_is_found() {
    assert!(!finds_man(&Environment::new("/", [("PATH".into(), "/nonexistent".into())])));
}

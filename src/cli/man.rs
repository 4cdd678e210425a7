//! The man page git-boundary(1), made from the same definitions as the parser, since git shows it for `git boundary --help`.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use clap::{Arg, Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use super::args::Args;
use super::error::CliError;
use crate::git::Environment;
use crate::store::layout;

/// The page, in roff.
pub fn man_page() -> Vec<u8> {
    let mut command = Args::command();
    command.build();
    let mut page = Vec::new();
    render(&command, &mut page).expect("a vector takes all bytes");
    page
}

/// Whether `man git-boundary`, and with it `git boundary --help`, finds a page in this environment.
pub fn finds_man(environment: &Environment) -> bool {
    let mut man = Process::new("man");
    man.args(["-w", "git-boundary"]).env_clear().envs(environment.variables()).current_dir(environment.cwd());
    man.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Puts the page where man will look: beside a program in `…/bin` that PATH names, man searches `…/share/man`; failing that, in the
/// user's own manual.
///
/// # Errors
/// As [`install_man`].
pub fn install_where_found(environment: &Environment, program: &Path) -> Result<PathBuf, CliError> {
    let on_path = |bin: &Path| {
        let path = environment.var("PATH").unwrap_or_default();
        bin.file_name().is_some_and(|name| name == "bin") && std::env::split_paths(path).any(|one| one == bin)
    };
    let beside =
        program.parent().filter(|bin| on_path(bin)).and_then(Path::parent).map(|top| top.join("share/man/man1"));
    if let Some(dir) = beside {
        let path = dir.join("git-boundary.1");
        if write(&dir, &path).is_ok() {
            return Ok(path);
        }
    }
    install_man(environment)
}

/// Puts the page into the user's own manual, `$XDG_DATA_HOME/man/man1/git-boundary.1`, and says where that is. Whether man then looks
/// there is for [`finds_man`] to say.
///
/// # Errors
/// No home, or a directory that can't be written.
pub fn install_man(environment: &Environment) -> Result<PathBuf, CliError> {
    let absolute = |name| environment.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    let data =
        data.ok_or_else(|| CliError::fatal("no place for the man page: neither XDG_DATA_HOME nor HOME is set"))?;
    let dir = data.join("man").join("man1");
    let path = dir.join("git-boundary.1");
    write(&dir, &path).map_err(|error| CliError::fatal(format!("cannot write the man page {path:?}: {error}")))?;
    Ok(path)
}

/// Whole or not at all: a reader may be looking.
fn write(dir: &Path, path: &Path) -> io::Result<()> {
    let page = man_page();
    if fs::read(path).is_ok_and(|there| there == page) {
        return Ok(());
    }
    fs::create_dir_all(dir)?;
    let mut file = tempfile::Builder::new().permissions(readable()).tempfile_in(dir)?;
    file.write_all(&page)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn readable() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o644)
}

fn render(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let source = concat!("git-boundary ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).title("GIT-BOUNDARY").section("1").source(source).manual("git-boundary manual");
    man.render_title(page)?;
    let mut roff = Roff::new();
    section(&mut roff, "NAME");
    roff.text([roman("git-boundary - "), roman(about(command).to_lowercase())]);
    section(&mut roff, "SYNOPSIS");
    roff.text([
        bold("git boundary"),
        roman(" [--json] [-C "),
        italic("dir"),
        roman("] "),
        italic("command"),
        roman(" …"),
    ]);
    section(&mut roff, "DESCRIPTION");
    for paragraph in DESCRIPTION {
        roff.control("PP", []).text([roman(*paragraph)]);
    }
    section(&mut roff, "OPTIONS");
    options(&mut roff, command.get_arguments());
    section(&mut roff, "COMMANDS");
    leaves(&mut roff, command);
    list(&mut roff, "EXIT STATUS", EXIT_STATUS);
    list(&mut roff, "FILES", FILES);
    list(&mut roff, "REFS", &refs());
    list(&mut roff, "CONFIGURATION", CONFIGURATION);
    list(&mut roff, "ENVIRONMENT", ENVIRONMENT);
    section(&mut roff, "SEE ALSO");
    roff.text([roman("git-notes(1), git-push(1), githooks(5), ssh-keygen(1), and "), bold("git boundary manual")]);
    roff.to_writer(page)
}

fn section(roff: &mut Roff, title: &str) {
    roff.control("SH", [title]);
}

/// Every command that does something, in the order of the help.
fn leaves(roff: &mut Roff, command: &Command) {
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help" && !sub.is_hide_set()) {
        if sub.has_subcommands() {
            leaves(roff, sub);
            continue;
        }
        let usage = sub.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage:").trim();
        let name = sub.get_bin_name().unwrap_or_else(|| sub.get_name());
        roff.control("SS", [name]);
        roff.text([bold(usage)]);
        roff.control("PP", []).text([roman(about(sub)), roman(".")]);
        options(roff, sub.get_arguments().filter(|arg| !arg.is_global_set()));
        if let Some(after) = sub.get_after_help() {
            roff.control("PP", []).control("nf", []);
            for line in after.to_string().lines() {
                roff.text([roman(line)]);
            }
            roff.control("fi", []);
        }
    }
}

fn options<'a>(roff: &mut Roff, args: impl Iterator<Item = &'a Arg>) {
    for arg in args.filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str())) {
        roff.control("TP", []);
        roff.text(heading(arg));
        let mut help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let words: Vec<String> = arg.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
        if arg.get_action().takes_values() && !words.is_empty() {
            help.push_str(&format!(": {}", words.join(", ")));
        }
        roff.text([roman(help), roman(".")]);
    }
}

fn heading(arg: &Arg) -> Vec<Inline> {
    let names = arg.get_value_names().map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    let value = names.filter(|_| arg.get_action().takes_values()).map(|name| italic(format!("<{name}>")));
    let flag = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => Some(format!("-{short}, --{long}")),
        (Some(short), None) => Some(format!("-{short}")),
        (None, Some(long)) => Some(format!("--{long}")),
        (None, None) => None,
    };
    match (flag, value) {
        (Some(flag), Some(value)) => vec![bold(flag), roman(" "), value],
        (Some(flag), None) => vec![bold(flag)],
        (None, Some(value)) => vec![value],
        (None, None) => vec![roman(arg.get_id().as_str())],
    }
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn list<A: AsRef<str>, B: AsRef<str>>(roff: &mut Roff, title: &str, entries: &[(A, B)]) {
    section(roff, title);
    for (term, text) in entries {
        roff.control("TP", []).text([bold(term.as_ref())]).text([roman(text.as_ref())]);
    }
}

const DESCRIPTION: &[&str] = &[
    "A person hands out work at an exact commit, to one key, within a scope and a time. An actor, often a coding agent, does the \
     work and signs a proposal. An independent checker commits to what it will read, reads it, and signs what it decided. git push \
     refuses what is stale, out of scope or unreceipted, and anyone with a clone and the pinned trust root can verify it later.",
    "Everything signed is kept in the repository, under git notes and refs of its own, and travels with fetch and push.",
];

const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Done, verified or admitted."),
    ("1", "Refused, or not verified."),
    ("2", "Undecided: something needed to judge is not here."),
    ("128", "It could not be done: no repository, an unreadable key, output that could not be written."),
    ("129", "The command line is not one."),
    ("141", "It went well, and the reader of the output went away first."),
];

const FILES: &[(&str, &str)] = &[
    ("$XDG_CONFIG_HOME/git-boundary/keys/", "OpenSSH keys by label; ~/.config is used where the variable is not set."),
    ("boundary.toml", "The rules as people write them, compiled and signed by 'git boundary policy sign'."),
    ("$GIT_COMMON_DIR/boundary/registrar", "The key with which this clone signs what it records."),
    ("$GIT_COMMON_DIR/boundary/trust-root", "The pinned root once more: it and boundary.trustRoot must agree."),
    (
        "$GIT_COMMON_DIR/boundary/seen/",
        "The highest trust, policy and checkpoints seen, so that nothing can go back unnoticed.",
    ),
    ("$GIT_COMMON_DIR/boundary/cache/", "May be deleted at any time."),
];

fn refs() -> Vec<(String, String)> {
    let (notes, trust, policy, remote) = (layout::NOTES, layout::TRUST, layout::POLICY, layout::REMOTE);
    vec![
        (
            format!("{notes}<registrar>"),
            "The notes of one registrar, and in their tree under ledger/ its Merkle log and signed checkpoint."
                .to_owned(),
        ),
        (trust.to_owned(), "The trust document, one commit a version.".to_owned()),
        (policy.to_owned(), "The policy, one commit a version.".to_owned()),
        (format!("{remote}<remote>/"), "What was fetched of the above.".to_owned()),
        (format!("{}<remote>/", layout::INCOMING), "What sync fetched and has not looked at yet.".to_owned()),
    ]
}

const CONFIGURATION: &[(&str, &str)] = &[
    ("boundary.ownerKey", "The key that owner commands sign with; user.signingkey is used where it is not set."),
    ("boundary.checkerKey", "The key that checks sign with."),
    ("boundary.evidenceKey", "The key that evidence and contradictions are signed with; there is no other default."),
    ("boundary.actorKey", "The key that proposals are signed with; there is no other default."),
    ("boundary.trustRoot", "The digest of trust version 1 that is accepted here."),
    ("boundary.registrarKey", "A file with the registrar's key, for pipelines whose clones last for one run."),
    ("boundary.publish", "manual to push nothing after writing."),
    ("boundary.observe", "remote to ask the remote where its refs stand."),
    ("boundary.remote", "The remote that is the other side, where git's own choice is not it."),
    ("boundary.accept", "none to take no proposals in this repository."),
    (
        "boundary.messagePrefix",
        "What the subject of commits in the refs above begins with, instead of 'chore(boundary): '.",
    ),
    ("boundary.pushOption", "true to send the idempotency key as a push option with 'push'."),
    ("boundary.hook", "The hooks that were installed; written by 'git boundary hook install'."),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("SSH_AUTH_SOCK", "The ssh-agent that is asked for signatures."),
    ("SSH_ASKPASS, SSH_ASKPASS_REQUIRE", "How a passphrase is asked for without a terminal, as ssh does it."),
    (
        "NO_COLOR, CLICOLOR, CLICOLOR_FORCE",
        "Whether output is coloured. No variable selects trust, policy or the time.",
    ),
];

#[cfg(test)]
#[path = "man_tests.rs"]
mod tests;

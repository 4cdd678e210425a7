//! Completion scripts, read by the shells that are here.

use std::collections::BTreeSet;
use std::io;
use std::process::{Command, Output};

use super::script;
use crate::cli::args::manual::Shell;

/// Runs `shell` on `args`; `None` where that shell is not on this machine.
fn shell(shell: &str, args: &[&str]) -> Option<Output> {
    match Command::new(shell).args(args).env("HOME", std::env::temp_dir()).env_remove("XDG_CONFIG_HOME").output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => panic!("{shell}: {error}"),
    }
}

fn written(shell: Shell) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("script");
    std::fs::write(&path, script(shell)).expect("the directory is writable");
    let path = path.to_str().expect("temporary names are UTF-8").to_owned();
    (dir, path)
}

#[test]
fn every_shell_that_is_here_reads_its_script() {
    for kind in Shell::ALL {
        let (_dir, path) = written(kind);
        if let Some(output) = shell(kind.name(), &["-n", &path]) {
            assert!(output.status.success(), "{}: {}", kind.name(), String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn bash_defines_every_part_that_it_looks_up() {
    let script = script(Shell::Bash);
    let looked_up: BTreeSet<&str> =
        script.lines().filter_map(|line| line.trim().strip_prefix("cmd=\"")?.strip_suffix('"')).collect();
    let defined: BTreeSet<&str> =
        script.lines().filter_map(|line| line.strip_prefix("        ")?.strip_suffix(')')).collect();
    assert!(looked_up.len() > 40, "{looked_up:?}");
    for name in looked_up.iter().filter(|name| !name.is_empty()) {
        assert!(defined.contains(name), "nothing completes inside {name}");
    }
}

/// What bash offers for the last of `words`.
fn offered_by_bash(words: &[&str]) -> Option<String> {
    let (_dir, path) = written(Shell::Bash);
    let quoted = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    // For `git` the variables are those that git's completion sets before it calls _git_boundary.
    let ask = format!(
        "source {path}; words=({quoted}); cword=$((${{#words[@]}} - 1)); cur=${{words[cword]}}; prev=${{words[cword - 1]}}
         if [[ ${{words[0]}} == git ]]; then _git_boundary
         else COMP_WORDS=(\"${{words[@]}}\"); COMP_CWORD=$cword; _gitboundary git-boundary \"$cur\" \"$prev\"; fi
         echo \"${{COMPREPLY[*]}}\""
    );
    let output = shell("bash", &["--norc", "-c", &ask])?;
    Some(String::from_utf8(output.stdout).expect("shells print text").trim_end().to_owned())
}

#[test]
fn bash_completes_both_spellings_of_the_command() {
    for (words, expected) in [
        (&["git-boundary", "hando"][..], "handoff"),
        (&["git-boundary", "handoff", "cr"], "create"),
        (&["git-boundary", "handoff", "create", "--operation", "m"], "modify mode"),
        (&["git", "boundary", "tru"], "trust"),
        (&["git", "boundary", "trust", "add", "codex", "--role", "ch"], "checker"),
        (&["git", "-C", "/tmp", "boundary", "hook", "unin"], "uninstall"),
        (&["git", "boundary", "check", "decide", "al"], "allow"),
        (&["git", "boundary", "manual", "ref"], "refusals"),
    ] {
        if let Some(offered) = offered_by_bash(words) {
            assert_eq!(offered, expected, "{words:?}");
        }
    }
}

#[test]
fn fish_completes_both_spellings_of_the_command() {
    let (_dir, path) = written(Shell::Fish);
    for (line, expected) in [
        ("git-boundary handoff cr", "create"),
        ("git-boundary trust add x --role ch", "checker"),
        ("git-boundary check decide al", "allow"),
        ("git boundary tru", "trust"),
        ("git boundary handoff ren", "renew"),
        ("git boundary manual ref", "refusals"),
    ] {
        let Some(output) = shell("fish", &["-c", &format!("source {path}; complete -C '{line}'")]) else {
            return;
        };
        let offered = String::from_utf8(output.stdout).expect("shells print text");
        let words: Vec<&str> = offered.lines().filter_map(|line| line.split('\t').next()).collect();
        assert_eq!(words, [expected], "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn zsh_gets_no_unescaped_colon_inside_a_field() {
    // _arguments splits at colons, so a colon in a value's name would make an action of what follows it.
    for line in script(Shell::Zsh).lines().filter(|line| line.starts_with("'--") || line.starts_with("'*--")) {
        let Some((_, spec)) = line.split_once(']') else { continue };
        let colons = spec.replace("\\:", "").matches(':').count();
        assert!(colons == 0 || colons == 2, "{line}");
    }
}

//! `git boundary completions`: scripts that complete `git-boundary` and `git boundary` alike.

use clap::{Arg, Command, CommandFactory as _};
use clap_complete::{Generator, Shell as Generate};

use super::args::Args;
use super::args::manual::{Completions, Shell};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;

pub(super) fn run(args: &Completions, context: &Context) -> Result<Exit, CliError> {
    context.deliver(script(args.shell).as_bytes())
}

fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => bash(),
        Shell::Zsh => generated(Generate::Zsh, "git-boundary"),
        Shell::Fish => generated(Generate::Fish, "git-boundary") + &fish_words() + FISH_TAIL,
    }
}

/// The bash generator gives the command's parts one name where it looks for them and another where it defines them when the name has a
/// hyphen, so it gets a name without one; and git's own completion needs a function to call.
fn bash() -> String {
    let script = generated(Generate::Bash, BASH_NAME);
    // What is after the function registers it under the stand-in name.
    let end = script.rfind("\n}\n").map_or(script.len(), |at| at + "\n}\n".len());
    format!("{}{BASH_TAIL}", &script[..end])
}

const BASH_NAME: &str = "gitboundary";

const BASH_TAIL: &str = r#"
# git's own completion calls this for `git boundary`, with its idea of the words.
_git_boundary() {
    local at=1
    while [[ $at -lt $cword && "${words[$at]}" != boundary ]]; do
        at=$((at + 1))
    done
    local -a COMP_WORDS=(git-boundary "${words[@]:$((at + 1))}")
    local COMP_CWORD=$((cword - at))
    # git adds its spaces itself; these words want them from bash.
    compopt +o nospace 2>/dev/null
    _gitboundary git-boundary "$cur" "$prev"
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _gitboundary -o nosort -o bashdefault -o default git-boundary
else
    complete -F _gitboundary -o bashdefault -o default git-boundary
fi
"#;

/// Newer fish does this of its own accord for every `git-…` on the path; 3.6 means to and fails.
const FISH_TAIL: &str = r#"
function __fish_git_boundary_behind_git
    set -l words (commandline -opc)
    set -l at (contains -i -- boundary $words); or return
    set -l rest (string escape -- $words[(math $at + 1)..])
    complete -C "git-boundary $rest "(commandline -ct)
end
complete -c git -f -n "__fish_git_using_command boundary" -a "(__fish_git_boundary_behind_git)"
"#;

/// The fish generator knows the words of options only; these are those of `check decide <decision>` and its like.
fn fish_words() -> String {
    let mut lines = String::new();
    let command = Args::command();
    for outer in command.get_subcommands() {
        fish_line(&format!("__fish_git_boundary_using_subcommand {}", outer.get_name()), outer, &mut lines);
        for inner in outer.get_subcommands() {
            let (outer, name) = (outer.get_name(), inner.get_name());
            let inside =
                format!("__fish_git_boundary_using_subcommand {outer}; and __fish_seen_subcommand_from {name}");
            fish_line(&inside, inner, &mut lines);
        }
    }
    lines
}

fn fish_line(condition: &str, command: &Command, lines: &mut String) {
    let possible = command.get_positionals().flat_map(Arg::get_possible_values);
    let words: Vec<String> = possible.map(|word| word.get_name().to_owned()).collect();
    if !words.is_empty() {
        lines.push_str(&format!("complete -c git-boundary -n \"{condition}\" -f -a \"{}\"\n", words.join(" ")));
    }
}

fn generated(shell: impl Generator, name: &str) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), name, &mut script);
    String::from_utf8(script).expect("the help that scripts repeat is UTF-8")
}

#[cfg(test)]
#[path = "completions_tests.rs"]
mod tests;

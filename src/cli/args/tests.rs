//! The command line as it is parsed.

use std::time::Duration;

use clap::{CommandFactory as _, Parser as _};

use super::check::Check;
use super::handoff::Handoff;
use super::hook::Hook;
use super::input::InputSource;
use super::trust::Trust;
use super::{Args, Command};
use crate::hook::HookName;
use crate::model::boundary_proof::CheckDecision;
use crate::model::operation::{Grant, Operation, RefOperation};
use crate::model::party::Role;

fn parse(line: &[&str]) -> Args {
    Args::try_parse_from(std::iter::once("git-boundary").chain(line.iter().copied())).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_definitions_hold_together() {
    Args::command().debug_assert();
}

#[test]
fn every_command_says_what_it_does_in_one_sentence_and_most_show_an_example() {
    fn look(command: &clap::Command, bare: &mut Vec<String>) {
        for sub in command.get_subcommands() {
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(!about.is_empty() && !about.ends_with('.'), "{}: {about:?}", sub.get_name());
            if !sub.has_subcommands() && sub.get_after_help().is_none() {
                bare.push(sub.get_name().to_owned());
            }
            for arg in sub.get_arguments() {
                assert!(arg.get_help().is_some(), "{} {} explains nothing", sub.get_name(), arg.get_id());
            }
            look(sub, bare);
        }
    }
    let mut bare = Vec::new();
    look(&Args::command(), &mut bare);
    assert_eq!(bare, ["run"], "only what git calls, and nobody types, has no example");
}

#[test]
fn the_example_of_every_command_parses() {
    fn look(command: &clap::Command, seen: &mut usize) {
        for sub in command.get_subcommands() {
            let after = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in after.lines().filter_map(|line| line.strip_prefix("  git boundary ")) {
                let line = line.split(" > ").next().unwrap_or_default().replace("6d1f…", &"0".repeat(64));
                // No example has a quote inside quotes, so this is all of the shell's grammar that is needed.
                let mut words = Vec::new();
                for (place, part) in line.split('\'').enumerate() {
                    match place % 2 {
                        0 => words.extend(part.split_whitespace()),
                        _ => words.push(part),
                    }
                }
                parse(&words);
                *seen += 1;
            }
            look(sub, seen);
        }
    }
    let mut seen = 0;
    look(&Args::command(), &mut seen);
    assert!(seen >= 30, "{seen}");
}

#[test]
fn the_story_as_typed_by_hand_parses() {
    for line in [
        "init",
        "trust add codex --role actor --new-key",
        "handoff create --to codex --path src/**",
        "propose --key codex",
        "check run --input diff --input test_result=report.json --key reviewer-bot -- sh -c exit",
        "verify origin/main",
    ] {
        parse(&line.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn what_follows_two_dashes_is_the_checkers_command_and_nothing_else() {
    let args = parse(&["check", "run", "HEAD", "--input", "diff", "--", "prog", "--json", "--key", "x", "--"]);
    let Command::Check(Check::Run(run)) = args.command else { panic!("check run") };
    assert_eq!(run.command, ["prog", "--json", "--key", "x", "--"]);
    assert_eq!(run.proposal.as_deref(), Some("HEAD"));
    assert!(!args.global.json && run.signing.key.is_none());
}

#[test]
fn a_decision_may_stand_alone_or_after_a_proposal() {
    for (line, proposal) in
        [(&["check", "decide", "deny"][..], None), (&["check", "decide", "deny", "deny"], Some("deny"))]
    {
        let Command::Check(Check::Decide(args)) = parse(line).command else { panic!("check decide") };
        assert_eq!((args.proposal.as_deref(), args.decision), (proposal, CheckDecision::Deny));
    }
}

#[test]
fn inputs_keep_their_order_and_do_not_swallow_the_proposal() {
    let Command::Check(Check::Begin(args)) =
        parse(&["check", "begin", "--input", "diff", "HEAD~1", "--input", "a=b"]).command
    else {
        panic!("check begin")
    };
    assert_eq!(args.proposal.as_deref(), Some("HEAD~1"));
    let classes: Vec<_> = args.diet.inputs.iter().map(|input| input.class.as_str()).collect();
    assert_eq!(classes, ["diff", "a"]);
    assert_eq!(args.diet.inputs[0].source, InputSource::Derived);
}

#[test]
fn what_git_passes_to_a_hook_is_never_taken_for_an_option() {
    let args = parse(&["hook", "run", "pre-push", "--json", "-C", "--help", "url"]);
    let Command::Hook(Hook::Run(run)) = args.command else { panic!("hook run") };
    assert_eq!(run.parts(), Ok((HookName::PrePush, ["--json", "-C", "--help", "url"].map(Into::into).to_vec())));
    assert!(!args.global.json && args.global.directories.is_empty());
}

#[test]
fn paths_and_refs_may_come_one_by_one_or_together() {
    for line in [&["--path", "a", "--path", "b"][..], &["--path", "a", "b"]] {
        let line: Vec<_> = ["handoff", "create", "--to", "k", "--ttl", "1h30m"].iter().chain(line).copied().collect();
        let Command::Handoff(Handoff::Create(args)) = parse(&line).command else { panic!("handoff create") };
        assert_eq!(args.paths, ["a", "b"]);
        assert_eq!(args.ttl, Some(Duration::from_secs(5400)));
    }
}

#[test]
fn roles_and_operations_come_one_by_one_or_with_commas() {
    for line in [&["--role", "actor,checker"][..], &["--role", "actor", "--role", "checker"]] {
        let line: Vec<_> = ["trust", "add", "k"].iter().chain(line).copied().collect();
        let Command::Trust(Trust::Add(args)) = parse(&line).command else { panic!("trust add") };
        assert_eq!(args.roles, [Role::Actor, Role::Checker]);
    }
    let line = ["handoff", "create", "--to", "k", "--path", "a", "--operation", "add,delete-ref"];
    let Command::Handoff(Handoff::Create(args)) = parse(&line).command else { panic!("handoff create") };
    assert_eq!(args.operations, [Grant::File(Operation::Add), Grant::Ref(RefOperation::Delete)]);
}

#[test]
fn the_options_that_count_everywhere_may_stand_anywhere() {
    for line in [&["--json", "-C", "d", "audit"][..], &["audit", "--json", "-C", "d"], &["-C", "d", "audit", "--json"]]
    {
        let args = parse(line);
        assert!(args.global.json && args.global.directories == ["d"], "{line:?}");
    }
}

#[test]
fn what_git_calls_a_hook_with_is_read_as_the_parser_would() {
    let lines: [&[&str]; 6] = [
        &["hook", "run", "pre-push", "origin", "https://example.org/x"],
        &["hook", "run", "pre-push", "--json", "-C"],
        &["hook", "run", "pre-push"],
        &["hook", "run", "pre-push", "--", "a b", ""],
        &["hook", "run", "no-such-hook", "x"],
        &["hook", "run", "pre-push", "--help"],
    ];
    for line in lines {
        let words: Vec<_> = std::iter::once("git-boundary").chain(line.iter().copied()).map(Into::into).collect();
        let short = Args::of_hook(&words).expect("git calls hooks so");
        assert_eq!(format!("{short:?}"), format!("{:?}", parse(line)), "{line:?}");
    }
    let others: [&[&str]; 7] = [
        &["hook", "run"],
        &["hook", "run", "--help"],
        &["hook", "run", ""],
        &["hook", "status"],
        &["--json", "hook", "run", "pre-push"],
        &["hook", "--json", "run", "pre-push"],
        &["hook", "run", "-C", "x", "pre-push"],
    ];
    for line in others {
        let words: Vec<_> = std::iter::once("git-boundary").chain(line.iter().copied()).map(Into::into).collect();
        assert!(Args::of_hook(&words).is_none(), "{line:?} is for the parser");
    }
}

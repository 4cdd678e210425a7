//! Enum, files, manual and next steps say the same: no code is missing in any of them, and none of them knows another one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use git_boundary::cli::command_line;
use git_boundary::gate::next::usual_command;
use git_boundary::manual::Page;
use git_boundary::model::refusal::{Check, Code};

use super::super::vector::{Vector, root};
use super::cut::Cut;
use super::file::{Answer, File};

/// The cases of the source document by name, each with its code.
const HOSTILE: [(&str, Code); 3] = [
    ("completion-on-a-work-receipt-alone", Code::EvidenceCompletionUnsupported),
    ("handoff-stale-checkout-left", Code::SourceHandoffStale),
    ("lease-for-another-repository", Code::AuthorityActionOutOfScope),
];

/// Every file below `fixtures/gate`, by path.
fn files() -> BTreeMap<String, Vector> {
    let mut found = BTreeMap::new();
    below(&root().join("gate"), &mut found);
    found
}

fn below(directory: &Path, found: &mut BTreeMap<String, Vector>) {
    for entry in fs::read_dir(directory).expect("the directory is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            below(&path, found);
        } else {
            let name = path.strip_prefix(root()).expect("below fixtures").to_str().expect("text");
            found.insert(name.to_owned(), Vector::parse(name, &fs::read(&path).expect("it can be read")));
        }
    }
}

fn path(code: Code) -> String {
    let (check, reason) = code.name().split_once('.').expect("a code is a check and a reason");
    assert!(check.parse::<Check>().is_ok_and(|it| it == code.check()), "{code}: its directory is its check");
    format!("gate/{check}/{reason}.case")
}

#[test]
fn every_code_has_its_file_and_no_file_is_over() {
    let there: BTreeSet<String> = files().into_keys().collect();
    let codes = Code::ALL.into_iter().map(path);
    let hostile = HOSTILE.iter().map(|(name, _)| format!("gate/hostile/{name}.case"));
    let wanted: BTreeSet<String> = codes.chain(hostile).chain(["gate/admitted.case".to_owned()]).collect();
    assert_eq!(there, wanted, "none is missing, and none is over");
}

fn file(vector: &Vector) -> File {
    File::parse(&vector.body).unwrap_or_else(|error| panic!("{}: {error}", vector.path))
}

fn expected(vector: &Vector) -> Answer {
    Answer {
        says: vector.expect.clone(),
        codes: vector.get("codes").to_owned(),
        envelope: vector.get("envelope").to_owned(),
    }
}

#[test]
fn every_file_comes_to_its_code_its_codes_and_its_envelope() {
    for vector in files().into_values() {
        assert_eq!(file(&vector).answer(), Ok(expected(&vector)), "{} ({})", vector.path, vector.about);
    }
}

#[test]
fn every_file_is_about_its_code() {
    let files = files();
    let shows = |path: &str, code: Code| {
        let outcome = if code == Code::SnapshotUnavailable { "undecided" } else { "refused" };
        assert_eq!(files[path].expect, format!("{outcome} {code}"), "{path}: its primary code is its name");
        assert_eq!(files[path].get("codes"), code.name(), "{path}: the smallest case has no other");
    };
    Code::ALL.into_iter().for_each(|code| shows(&path(code), code));
    HOSTILE.iter().for_each(|(name, code)| shows(&format!("gate/hostile/{name}.case"), *code));
    assert_eq!(files["gate/admitted.case"].expect, "admitted", "and one has none");
}

#[test]
fn nothing_in_a_file_could_be_left_out() {
    for vector in files().into_values().filter(|vector| vector.expect != "admitted") {
        let expected = Ok(expected(&vector));
        let whole = file(&vector);
        let read = whole.read().expect("it can be read");
        for cut in Cut::all(&whole) {
            assert_ne!(cut.answer(&whole, &read), expected, "{}: without {cut:?} the answer is the same", vector.path);
        }
    }
}

#[test]
fn the_page_has_every_code_once_by_rank_with_what_is_safe() {
    let text = Page::Refusals.text();
    let sections: Vec<&str> = text.split("\n## ").skip(1).collect();
    let heads: Vec<String> =
        sections.iter().map(|section| section.lines().next().expect("a head").to_owned()).collect();
    let wanted: Vec<String> = Code::ALL.iter().map(|code| format!("{}. {code}", code.rank())).collect();
    assert_eq!(heads, wanted, "every code once, by rank, and no other");
    for (code, section) in Code::ALL.into_iter().zip(sections) {
        let safe = format!("What is safe: {}", code.safe_next_action());
        assert!(section.lines().any(|line| line == safe), "{code}: its sentence stands in its own section");
    }
}

#[test]
fn no_page_names_a_code_that_there_is_not() {
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    for page in Page::ALL {
        let text = page.text();
        let words = text.split(|letter: char| !(letter.is_ascii_lowercase() || letter == '_' || letter == '.'));
        for word in words.map(|word| word.trim_matches('.')) {
            let Some((check, reason)) = word.split_once('.') else { continue };
            if check.parse::<Check>().is_ok() && is_word(reason) && reason.len() > 4 {
                assert!(word.parse::<Code>().is_ok(), "{page:?} names {word}");
            }
        }
    }
}

#[test]
fn every_code_has_a_sentence_of_its_own_and_a_command() {
    let mut said: BTreeMap<&str, Code> = BTreeMap::new();
    let commands = command_line();
    for code in Code::ALL {
        let safe = code.safe_next_action();
        assert!(safe.ends_with('.') && safe.split(' ').count() > 3, "{code}: {safe:?} is a sentence");
        assert_eq!(said.insert(safe, code), None, "{code}: its sentence is its own");
        let command = usual_command(code, "refs/heads/main");
        let words: Vec<&str> = command.split(' ').collect();
        match words[..] {
            ["git", "boundary", ours, ..] => {
                assert!(commands.find_subcommand(ours).is_some(), "{code}: there is no `git boundary {ours}`");
            }
            ["git", "fetch" | "rebase", ..] => {}
            _ => panic!("{code}: {command:?} is no command"),
        }
    }
}

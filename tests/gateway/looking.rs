//! What an agent gets to see.

use serde_json::json;

use super::{Gate, refusal, text};

#[test]
fn an_agent_lists_reads_and_searches_and_the_ledger_has_each_call() {
    let gate = Gate::set_up();
    gate.work().commit(&[("src/a.rs", "fn needle() {}\n"), ("docs/b.md", "needle here\n")]);
    let answers = gate.calls(&[
        ("list_files", json!({})),
        ("read_file", json!({ "path": "src/a.rs" })),
        ("search_text", json!({ "text": "needle" })),
        ("search_text", json!({ "text": "needle", "path": "docs" })),
    ]);
    assert!(
        text(&answers[0]).contains("docs/b.md\t12\n") && text(&answers[0]).contains("src/a.rs\t15\n"),
        "with sizes"
    );
    assert_eq!(text(&answers[1]), "fn needle() {}\n", "exactly as it is");
    let about = answers[1]["content"][1]["text"].as_str().unwrap_or_default();
    assert!(about.starts_with("sha256:") && about.ends_with(" 15 bytes"), "what it is, apart from it: {about}");
    assert!(text(&answers[2]).contains("src/a.rs:1:4: fn needle() {}"), "path, line, column: {}", text(&answers[2]));
    assert!(!text(&answers[3]).contains("src/a.rs"), "below a directory only");
    let trace = gate.trace();
    let calls: Vec<_> =
        trace["accesses"].as_array().expect("calls are recorded").iter().map(|one| one["operation"].as_str()).collect();
    let expected = ["workspace.list_files", "workspace.read_file", "workspace.search_text", "workspace.search_text"];
    assert_eq!(calls, expected.map(Some), "each call, in order");
    assert_eq!((trace["end"].as_str(), trace["faults"].as_array().map(Vec::len)), (Some("closed"), Some(0)), "whole");
    let all = gate.work().sh("git log --format= -p --all; git notes --ref=$(git for-each-ref --format='%(refname)' refs/notes/boundary | head -1) show HEAD || true").stdout;
    assert!(!all.contains("bmVlZGxl"), "no content in the ledger, in no encoding");
}

#[test]
fn what_leads_out_of_the_workspace_is_refused_with_a_word_of_its_own() {
    let gate = Gate::set_up();
    let work = gate.work();
    work.sh("echo secret > ../outside; mkdir -p d sub; ln -s ../outside link; ln -s .. up; ln d/../README.md hard || ln ../outside hard; mkfifo pipe; printf '\\377' > latin; echo TOKEN=1 > .env").ok();
    let cases = [
        ("../outside", "parent_directory"),
        ("/etc/passwd", "absolute"),
        ("link", "symlink"),
        ("up/outside", "symlink"),
        ("hard", "hard_link"),
        ("pipe", "fifo"),
        ("latin", "not_utf8"),
        (".git/config", "dot_git"),
        (".GIT/config", "dot_git"),
        ("sub/../d", "parent_directory"),
        ("d", "directory"),
        (".env", "policy_denied"),
        ("nothing", "not_found"),
        ("a\\b", "backslash"),
        ("", "empty"),
    ];
    let calls: Vec<_> = cases.iter().map(|(path, _)| ("read_file", json!({ "path": path }))).collect();
    let answers = gate.calls(&calls);
    for ((path, word), answer) in cases.iter().zip(&answers) {
        assert_eq!(refusal(answer), *word, "{path}: {answer}");
        assert!(!text(answer).contains("secret") && !text(answer).contains("TOKEN"), "nothing is told of it");
    }
    let trace = gate.trace();
    let words: Vec<_> =
        trace["accesses"].as_array().expect("recorded").iter().map(|one| one["outcome"].as_str()).collect();
    assert_eq!(words, cases.map(|(_, word)| Some(word)), "refusals are recorded as well");
}

#[test]
fn arguments_that_a_schema_does_not_name_are_refused() {
    let gate = Gate::set_up();
    let answers = gate.calls(&[
        ("read_file", json!({ "path": "README.md", "also": "/etc/passwd" })),
        ("read_file", json!({})),
        ("read_file", json!({ "path": ["README.md"] })),
        ("list_files", json!({ "depth": 3 })),
        ("search_text", json!({ "text": "a", "regex": true })),
        ("search_text", json!({ "text": "" })),
        ("run_shell", json!({ "command": "id" })),
        ("write_file", json!({ "path": "a", "text": "b" })),
    ]);
    let words: Vec<&str> = answers.iter().map(refusal).collect();
    let expected = ["invalid_arguments"; 6].into_iter().chain(["unknown_tool"; 2]).collect::<Vec<_>>();
    assert_eq!(words, expected, "closed schemas: {answers:?}");
}

#[test]
fn files_that_the_policy_keeps_back_are_neither_listed_nor_searched() {
    let gate = Gate::new();
    gate.work().write("../p.toml", "read = [\":/\", \":!keep/**\"]\n");
    gate.setup("--policy ../p.toml").ok();
    gate.work().commit(&[("keep/a", "needle\n"), ("Keep2/a", "needle\n"), ("open", "needle\n")]);
    gate.work().sh("mkdir -p KEEP && echo needle > KEEP/b").ok();
    let answers = gate.calls(&[("list_files", json!({})), ("search_text", json!({ "text": "needle" }))]);
    for answer in &answers {
        assert!(
            text(answer).contains("open") && text(answer).contains("Keep2/a"),
            "what is granted is there: {answer}"
        );
        assert!(!text(answer).contains("keep/a") && !text(answer).contains("KEEP/b"), "in no spelling: {answer}");
        assert!(text(answer).contains("policy_denied"), "and it is said that something was left out: {answer}");
    }
}

//! How a job's answer is printed, and that strangers' text stays text in each form.

use serde_json::Value;

use super::Job;
use crate::support::World;

/// A job that fails, of a world with a branch whose commit nobody proposed.
fn failing() -> (World, String) {
    let world = World::new();
    let work = &world.work;
    let before = work.head();
    work.commit(&[("README", "past the hook\n")]);
    work.git("push -q --no-verify origin main");
    (world, before)
}

fn job(world: &World, before: &str) -> Job {
    Job::push(world, "job", "refs/heads/main", (before, &world.work.head()))
}

#[test]
fn on_github_an_annotation_stands_behind_text_in_which_no_command_is_read() {
    let (world, before) = failing();
    let ran = job(&world, &before).verify("").ends_with(1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let token = lines[0].strip_prefix("::stop-commands::").expect("no command is read before");
    assert!(token.len() >= 32, "nobody guesses the word that ends that: {ran}");
    let end = format!("::{token}::");
    let ends = lines.iter().position(|line| *line == end).expect("commands are read again");
    let (text, commands) = lines.split_at(ends + 1);
    assert!(text.iter().any(|line| line.contains("not verified")), "{ran}");
    let titled = |code: &str| {
        let start = format!("::error title=git boundary%3A {code}::");
        commands.iter().filter(|line| line.starts_with(&start)).count()
    };
    assert_eq!(
        (titled("context.receipt_missing"), titled("source.handoff_missing"), commands.len()),
        (1, 1, 2),
        "{ran}"
    );
    let again = job_again(&world, &before).verify("").stdout;
    assert!(!again.contains(token), "the word is another one every time");
}

fn job_again(world: &World, before: &str) -> Job {
    Job::push(world, "again", "refs/heads/main", (before, &world.work.head()))
}

#[test]
fn annotations_are_printed_where_github_reads_them_or_they_are_asked_for() {
    let (world, before) = failing();
    let job = job(&world, &before);
    for words in ["--json", "--format json", "--format human", "--format sarif"] {
        job.verify(words).ends_with(1).never_says("::error").never_says("::stop-commands");
    }
    let gitlab = Job::gitlab(&world, "gitlab", "main", (&before, &world.work.head()));
    gitlab.verify("").ends_with(1).never_says("::error");
    gitlab.verify("--format github").ends_with(1).says("::error title=");
}

#[test]
fn the_sarif_log_has_what_its_schema_requires() {
    let (world, before) = failing();
    let ran = job(&world, &before).verify("--format sarif").ends_with(1);
    let log = ran.json();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|schema| schema.contains("sarif-schema-2.1.0")));
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "git-boundary");
    let rules = driver["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), 38, "one for each code");
    for rule in rules {
        assert!(rule["id"].is_string() && rule["shortDescription"]["text"].is_string(), "{rule}");
        assert!(
            ["none", "note", "warning", "error"]
                .contains(&rule["defaultConfiguration"]["level"].as_str().unwrap_or(""))
        );
    }
    assert_eq!(runs[0]["invocations"][0]["executionSuccessful"], true);
    let results = runs[0]["results"].as_array().expect("results");
    let codes: Vec<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    assert_eq!(
        codes,
        ["context.receipt_missing", "source.handoff_missing"],
        "against the commit, and against the whole: {ran}"
    );
    let result = &results[0];
    let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("it is small");
    assert_eq!(rules[index]["id"], result["ruleId"], "the index leads to the rule");
    assert!(result["message"]["text"].as_str().is_some_and(|text| text.contains("needs a proposal")), "{ran}");
    let place = &result["locations"][0]["logicalLocations"][0];
    assert_eq!(place["fullyQualifiedName"], format!("commit/{}", world.work.head()));
    assert!(result["partialFingerprints"].as_object().is_some_and(|prints| prints.values().all(Value::is_string)));
}

#[test]
fn a_verified_log_has_no_results_and_an_undecided_one_has_a_warning() {
    let world = World::new();
    let work = &world.work;
    let verified = work.boundary("verify origin/main --format sarif").ok().json();
    assert_eq!(verified["runs"][0]["results"], Value::Array(Vec::new()));
    let undecided = work.boundary("verify origin/main..origin/main --format sarif").ends_with(2).json();
    let result = &undecided["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"snapshot.unavailable".into(), &"warning".into()));
}

#[test]
fn output_that_is_not_taken_is_no_success() {
    let world = World::new();
    for format in ["human", "json", "sarif", "github"] {
        let ran = world.work.sh(&format!("git boundary verify origin/main --format {format} >/dev/full"));
        assert_ne!(ran.status, 0, "{ran}");
    }
}

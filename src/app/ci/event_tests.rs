//! What forges say of their jobs, and what strangers make them say.

use std::collections::BTreeMap;

use super::{Event, Forge, Variables, What, read};
use crate::app::{AppError, Failure};

const OLD: &str = "1111111111111111111111111111111111111111";
const NEW: &str = "2222222222222222222222222222222222222222";
const MADE_UP: &str = "3333333333333333333333333333333333333333";
const ZERO: &str = "0000000000000000000000000000000000000000";

fn of(variables: &[(&str, &str)], event: &str) -> Result<Event, AppError> {
    let all: BTreeMap<&str, &str> = variables.iter().copied().collect();
    let get = |name: &str| all.get(name).filter(|value| !value.is_empty()).map(|value| (*value).to_owned());
    let event = || if event.is_empty() { Err("it is not set".to_owned()) } else { Ok(event.as_bytes().to_vec()) };
    read(&Variables { get: &get, event: &event })
}

fn github(name: &str, event: &str) -> Result<Event, AppError> {
    let variables = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", name),
        ("GITHUB_SHA", MADE_UP),
        ("GITHUB_REF", "refs/pull/7/merge"),
    ];
    of(&variables, event)
}

fn push(reference: &str, before: &str) -> String {
    format!(r#"{{"ref":{},"before":"{before}","after":"{NEW}"}}"#, serde_json::Value::from(reference))
}

fn request(base: &str) -> String {
    let base = serde_json::Value::from(base);
    format!(r#"{{"pull_request":{{"base":{{"ref":{base},"sha":"{OLD}"}},"head":{{"ref":"x","sha":"{NEW}"}}}}}}"#)
}

fn is(event: Result<Event, AppError>, forge: Forge, what: What, reference: &str, old: Option<&str>) {
    let event = event.expect("it says what happened");
    let expected = Event {
        forge: Some(forge),
        what,
        reference: reference.to_owned(),
        old: old.map(|old| old.parse().expect("an id")),
        new: NEW.parse().expect("an id"),
    };
    assert_eq!(event, expected);
}

fn refused(event: Result<Event, AppError>) {
    let error = event.expect_err("nothing is guessed");
    assert_eq!(error.failure(), Failure::Usage, "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("--ref")), "the way out is named: {error}");
}

#[test]
fn a_push_is_judged_from_before_to_after() {
    is(github("push", &push("refs/heads/main", OLD)), Forge::GitHub, What::Push, "refs/heads/main", Some(OLD));
    is(github("push", &push("refs/tags/v1", ZERO)), Forge::GitHub, What::Push, "refs/tags/v1", Some(ZERO));
}

#[test]
fn of_a_pull_request_its_own_commit_is_judged_and_not_the_merge_that_the_forge_made_up() {
    for name in ["pull_request", "pull_request_target"] {
        is(github(name, &request("main")), Forge::GitHub, What::Request, "refs/heads/main", Some(OLD));
    }
}

#[test]
fn a_queued_merge_is_judged_by_the_branch_that_it_is_queued_for() {
    let event = format!(
        r#"{{"merge_group":{{"base_ref":"refs/heads/main","base_sha":"{OLD}","head_ref":"refs/heads/gh-readonly-queue/main/x","head_sha":"{NEW}"}}}}"#
    );
    is(github("merge_group", &event), Forge::GitHub, What::Queue, "refs/heads/main", Some(OLD));
}

#[test]
fn a_job_that_a_clock_started_judges_the_branch_as_it_is() {
    let variables = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", "schedule"),
        ("GITHUB_SHA", NEW),
        ("GITHUB_REF", "refs/heads/main"),
    ];
    is(of(&variables, "{}"), Forge::GitHub, What::Started, "refs/heads/main", None);
    let variables = [
        ("GITLAB_CI", "true"),
        ("CI_PIPELINE_SOURCE", "schedule"),
        ("CI_COMMIT_SHA", NEW),
        ("CI_COMMIT_BEFORE_SHA", ZERO),
        ("CI_COMMIT_BRANCH", "main"),
    ];
    is(of(&variables, ""), Forge::GitLab, What::Started, "refs/heads/main", None);
}

#[test]
fn forges_that_set_githubs_variables_too_are_told_from_it() {
    for (name, forge) in [("FORGEJO_ACTIONS", Forge::Forgejo), ("GITEA_ACTIONS", Forge::Gitea)] {
        let variables = [(name, "true"), ("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", "push")];
        is(of(&variables, &push("refs/heads/main", OLD)), forge, What::Push, "refs/heads/main", Some(OLD));
    }
}

#[test]
fn gitlab_names_branch_tag_and_merge_request_in_variables() {
    let base = [("GITLAB_CI", "true"), ("CI_PIPELINE_SOURCE", "push"), ("CI_COMMIT_SHA", NEW)];
    let with = |more: &[(&'static str, &'static str)]| of(&[&base[..], more].concat(), "");
    let main = with(&[("CI_COMMIT_BRANCH", "main"), ("CI_COMMIT_BEFORE_SHA", OLD)]);
    is(main, Forge::GitLab, What::Push, "refs/heads/main", Some(OLD));
    let tag = with(&[("CI_COMMIT_TAG", "v1"), ("CI_COMMIT_BEFORE_SHA", ZERO)]);
    is(tag, Forge::GitLab, What::Push, "refs/tags/v1", Some(ZERO));
    refused(with(&[("CI_COMMIT_BEFORE_SHA", OLD)]));
    let request = [
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", OLD),
        ("CI_COMMIT_BEFORE_SHA", ZERO),
    ];
    is(with(&request), Forge::GitLab, What::Request, "refs/heads/main", Some(OLD));
    // In a pipeline for merged results the commit is made up.
    let merged = [
        &[("GITLAB_CI", "true"), ("CI_COMMIT_SHA", MADE_UP), ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", NEW)][..],
        &request[..],
    ];
    is(of(&merged.concat(), ""), Forge::GitLab, What::Request, "refs/heads/main", Some(OLD));
}

#[test]
fn a_branch_that_is_called_like_a_full_ref_is_that_branch_and_no_other() {
    let full = "refs/heads/refs/heads/agent/x";
    is(github("pull_request", &request("refs/heads/agent/x")), Forge::GitHub, What::Request, full, Some(OLD));
}

#[test]
fn names_that_git_would_not_take_and_ids_that_are_none_are_refused() {
    for name in ["main", "refs/heads/a b", "refs/heads/-x..y", "refs/heads/x\n", "refs/heads/$(id)~", "", "HEAD"] {
        refused(github("push", &push(name, OLD)));
    }
    for before in ["", "main", "--upload-pack=x", "HEAD"] {
        refused(github("push", &push("refs/heads/main", before)));
    }
    for event in ["", "{", "[]", "null", r#"{"ref":7}"#] {
        refused(github("push", event));
        refused(github("pull_request", event));
    }
}

#[test]
fn elsewhere_nothing_is_guessed_and_what_was_looked_for_is_told() {
    for variables in [&[][..], &[("CI", "true")], &[("GITHUB_ACTIONS", "false")], &[("GITLAB_CI", "")]] {
        let error = of(variables, "").expect_err("it is the job of no known forge");
        assert_eq!(error.failure(), Failure::Usage);
        for name in ["GITHUB_ACTIONS", "GITLAB_CI", "FORGEJO_ACTIONS", "GITEA_ACTIONS"] {
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}

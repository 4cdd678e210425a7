//! The README's workflows, their scripts run as they stand by the shell of a job.

use super::{Job, ZERO};
use crate::support::{Ran, World};

/// The commands of a workflow in the README, in order; the one that installs us is left out, since we are.
fn scripts(file: &str) -> Vec<String> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("it is there");
    let section = page.split("\n## ").find(|section| section.starts_with("In CI\n")).expect("the section is there");
    let start = format!("```yaml\n# {file}\n");
    let block = section.split(&start).nth(1).and_then(|rest| rest.split("\n```").next()).expect("the block is there");
    let mut found: Vec<String> = Vec::new();
    let mut block_of: Option<usize> = None;
    let mut listed = false;
    for line in block.lines() {
        let indent = line.len() - line.trim_start().len();
        let words = line.trim_start();
        if let Some(outer) = block_of {
            if indent > outer {
                let script = found.last_mut().expect("the block began with one");
                script.push_str(words);
                script.push('\n');
                continue;
            }
            block_of = None;
        }
        let entry = words.strip_prefix("- ").unwrap_or(words);
        if let Some(run) = entry.strip_prefix("run: ") {
            found.push(if run == "|" { String::new() } else { run.to_owned() });
            block_of = (run == "|").then_some(indent);
        } else if listed && words.starts_with("- ") {
            found.push(entry.to_owned());
        }
        listed = words == "script:" || (listed && words.starts_with("- "));
    }
    let install =
        found.iter().position(|script| script.starts_with("cargo install ")).expect("it installs the program");
    found.remove(install);
    found
}

/// A proven fix on `main`; gives what that was at before and is at now.
fn landed() -> (World, String, String) {
    let world = World::new();
    let before = world.work.head();
    world.work.proven_fix();
    world.work.push("origin agent/fix:main").accepted();
    let after = world.work.head();
    (world, before, after)
}

/// One commit more that was pushed past the hook.
fn pushed_past(world: &World) -> String {
    let after = world.work.commit(&[("README", "past the hook\n")]);
    world.work.git("push -q --no-verify origin HEAD:main");
    after
}

#[track_caller]
fn run(world: &World, job: Job, script: &str, version: &str) -> Ran {
    let temporary = world.root().join("tmp");
    let key = std::fs::read_to_string(world.home.key_path("ci")).unwrap_or_default();
    let job = job
        .with("BOUNDARY_ROOT", &world.trust_root())
        .with("BOUNDARY_VERSION", version)
        .with("BOUNDARY_REGISTRAR", key.trim_end())
        .with("RUNNER_TEMP", temporary.to_str().expect("temporary paths are text"));
    // As runners do: the first command that fails ends the script.
    job.sh(&format!("set -e\n{script}"))
}

#[test]
fn the_readmes_workflow_for_github_judges_and_mints() {
    let scripts = scripts(".github/workflows/boundary.yml");
    let [verify, receipt] = scripts.as_slice() else { panic!("two steps of ours: {scripts:?}") };
    let (world, before, after) = landed();
    let added = world.work.boundary("trust add ci --role registrar --domain ci --new-key --json").ok().json();
    let version = added["version"].to_string();
    let run = |job, script| run(&world, job, script, &version);
    let job = |name| Job::push(&world, name, "refs/heads/main", (&before, &after));
    run(job("job"), verify).ok().says("verified");
    run(job("receipt"), receipt).ok().says("WORK RECEIPT");
    let request = Job::request(&world, "request", ("main", &before), &after);
    run(request, verify).ok().says("to be merged into");
    let bad = pushed_past(&world);
    for (name, script) in [("bad", verify), ("unreceipted", receipt)] {
        let job = Job::push(&world, name, "refs/heads/main", (&after, &bad));
        run(job, script).ends_with(1).says("::error title=").says("context.receipt_missing");
    }
}

#[test]
fn the_readmes_workflow_for_gitlab_judges() {
    let scripts = scripts(".gitlab-ci.yml");
    let [verify] = scripts.as_slice() else { panic!("one line of ours: {scripts:?}") };
    let (world, before, after) = landed();
    let run = |job| run(&world, job, verify, "3");
    run(Job::gitlab(&world, "job", "main", (&before, &after))).ok().says("verified");
    run(Job::gitlab(&world, "first", "main", (ZERO, &after))).ok().says("verified");
    let request = Job::gitlab(&world, "request", "ignored", (ZERO, &after))
        .with("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main")
        .with("CI_MERGE_REQUEST_DIFF_BASE_SHA", &before);
    run(request).ok().says("to be merged into");
    let bad = pushed_past(&world);
    run(Job::gitlab(&world, "bad", "main", (&after, &bad))).ends_with(1).says("receipt_missing");
}

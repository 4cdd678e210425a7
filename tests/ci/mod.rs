//! Jobs of forges: shallow checkouts with the variables that a forge sets, and nothing else of anybody's.

mod examples;
mod formats;
mod judging;
mod receipts;

use std::ffi::OsString;

use crate::support::{Ran, Work, World};

const ZERO: &str = "0000000000000000000000000000000000000000";

/// A runner's fresh checkout, and the variables of its job.
pub struct Job {
    pub checkout: Work,
    variables: Vec<(&'static str, OsString)>,
    trust: String,
}

impl Job {
    /// As `actions/checkout` makes it: one commit deep, one branch.
    #[track_caller]
    pub fn actions(world: &World, name: &str, commit: &str, branch: &str) -> Self {
        let checkout = empty(world, name);
        checkout.git(&format!("fetch -q --no-tags --depth=1 origin +{commit}:refs/remotes/origin/{branch}"));
        checkout.git(&format!("checkout -q -B {branch} refs/remotes/origin/{branch}"));
        let trust = format!("--trust-root {} --min-trust-version 3", world.trust_root());
        Job { checkout, variables: Vec::new(), trust }
    }

    /// The job of a push on GitHub.
    #[track_caller]
    pub fn push(world: &World, name: &str, reference: &str, (before, after): (&str, &str)) -> Self {
        let branch = reference.rsplit('/').next().expect("a ref has a name");
        let event = serde_json::json!({ "ref": reference, "before": before, "after": after });
        Job::actions(world, name, after, branch).on_github("push", reference, after, &event)
    }

    /// The job of a pull request on GitHub, in a checkout of the merge that the forge made up.
    #[track_caller]
    pub fn request(world: &World, name: &str, base: (&str, &str), head: &str) -> Self {
        let work = &world.work;
        let tree = work.oid(&format!("{head}^{{tree}}"));
        let made_up = work.git(&format!("commit-tree -p {} -p {head} -m made-up {tree}", base.1));
        work.git(&format!("push -q --no-verify --force origin {made_up}:refs/pull/1/merge {head}:refs/pull/1/head"));
        let event = serde_json::json!({ "pull_request": {
            "base": { "ref": base.0, "sha": base.1 }, "head": { "ref": "$(touch pwned)", "sha": head },
        } });
        Job::actions(world, name, &made_up, "made-up").on_github("pull_request", "refs/pull/1/merge", &made_up, &event)
    }

    /// The job of a push on GitLab: twenty commits deep, no branch checked out.
    #[track_caller]
    pub fn gitlab(world: &World, name: &str, branch: &str, (before, after): (&str, &str)) -> Self {
        let checkout = empty(world, name);
        checkout.git(&format!("fetch -q --no-tags --depth=20 origin +{after}:refs/pipelines/1"));
        checkout.git(&format!("checkout -q --detach {after}"));
        let trust = format!("--trust-root {} --min-trust-version 3", world.trust_root());
        let job = Job { checkout, variables: Vec::new(), trust };
        job.with("GITLAB_CI", "true")
            .with("CI_PIPELINE_SOURCE", "push")
            .with("CI_COMMIT_SHA", after)
            .with("CI_COMMIT_BEFORE_SHA", before)
            .with("CI_COMMIT_BRANCH", branch)
    }

    pub fn on_github(self, name: &str, reference: &str, sha: &str, event: &serde_json::Value) -> Self {
        let path = self.checkout.git_file("event.json");
        std::fs::write(&path, event.to_string()).expect("the checkout is writable");
        let path = path.to_str().expect("temporary paths are text").to_owned();
        self.with("GITHUB_ACTIONS", "true")
            .with("GITHUB_EVENT_NAME", name)
            .with("GITHUB_EVENT_PATH", &path)
            .with("GITHUB_REF", reference)
            .with("GITHUB_SHA", sha)
    }

    /// With one more variable.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// `git boundary verify --ci …` with the world's trust named.
    #[track_caller]
    pub fn verify(&self, words: &str) -> Ran {
        self.boundary(&format!("verify --ci {} {words}", self.trust))
    }

    /// Any command of ours, in the job.
    #[track_caller]
    pub fn boundary(&self, line: &str) -> Ran {
        self.sh(&format!("git boundary {line}"))
    }

    /// A line of the job's script.
    #[track_caller]
    pub fn sh(&self, line: &str) -> Ran {
        let work = &self.checkout;
        Ran { what: line.to_owned(), ..work.home.run_with(&work.dir, "sh", &["-c", line], b"", &self.variables) }
    }
}

#[track_caller]
fn empty(world: &World, name: &str) -> Work {
    let dir = world.root().join(name);
    world.home.run(&world.root(), "git", &["init", "-q", name], b"").ok();
    let checkout = Work::at(dir, world.home.clone(), world.server.dir.clone());
    // An address: from a bare path git would take all there is, whatever depth is asked for.
    checkout.git(&format!("remote add origin file://{}", world.server.dir.display()));
    checkout
}

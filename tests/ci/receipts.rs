//! A pipeline as registrar: its key comes from a file, its clones last for one run, and its ledger is one all the same.

use std::path::PathBuf;

use super::Job;
use crate::support::{Work, World};

/// A world whose pipeline has a listed registrar; gives the file with its key.
fn with_registrar() -> (World, PathBuf) {
    let world = World::new();
    world.work.boundary("trust add ci --role registrar --domain ci --new-key").ok();
    let key = world.home.key_path("ci");
    (world, key)
}

/// A proven fix lands on `main`; gives the job of that push.
#[track_caller]
fn land(world: &World, branch: &str, name: &str) -> Job {
    let work = &world.work;
    work.git("switch -q main");
    work.hand_out();
    work.git(&format!("switch -q -c agent/{branch}"));
    work.commit(&[(&format!("src/{branch}.rs"), "work\n")]);
    work.propose();
    work.check("allow");
    let before = work.oid("origin/main");
    work.push(&format!("origin agent/{branch}:main")).accepted();
    let after = work.head();
    work.git(&format!("branch -q -f main {after}"));
    Job::push(world, name, "refs/heads/main", (&before, &after))
}

fn receipt(job: &Job, key: &std::path::Path) -> String {
    let ran = job.verify(&format!("--receipt --key {} --json", key.display())).ok();
    let json = ran.json();
    assert_eq!(json["verdict"], "verified", "{ran}");
    let receipts = json["work_receipts"]["receipts"].as_array().expect("a list");
    assert_eq!(receipts.len(), 1, "one for the proposal that landed: {ran}");
    receipts[0]["id"].as_str().expect("an id").to_owned()
}

/// Asserts that everybody who fetches finds one whole ledger of the pipeline's registrar.
#[track_caller]
fn sound(world: &World, work: &Work) {
    work.git("fetch -q");
    work.boundary("verify origin/main").ok();
    let registrar = world.work.key_id("ci");
    let ran = work.boundary("doctor").never_says("parts from").never_says("rolled back");
    let ran = ran.never_says("does not extend").never_says("second settlement");
    assert!(work.refs().contains_key(&format!("refs/boundary-remote/origin/notes/{registrar}")), "{ran}");
}

fn entries(work: &Work, registrar: &str) -> usize {
    let reference = format!("refs/boundary-remote/origin/notes/{registrar}");
    let checkpoint = work.git(&format!("cat-file blob {reference}:ledger/checkpoint"));
    checkpoint.lines().nth(1).and_then(|size| size.parse().ok()).expect("a checkpoint says its size")
}

#[test]
fn the_receipt_of_a_pipeline_stands_behind_a_claim_of_completion() {
    let (world, key) = with_registrar();
    let work = &world.work;
    let job = land(&world, "fix", "job");
    let id = receipt(&job, &key);
    sound(&world, work);
    work.boundary("trust add tests --role evidence --domain tests --new-key").ok();
    let shown = work.boundary(&format!("show {id}")).ok();
    shown.says("complete").says("refs/heads/main");
    let xml = work.dir.join("junit.xml");
    std::fs::write(
        &xml,
        "<testsuites><testsuite name=\"t\" tests=\"1\" failures=\"0\"><testcase name=\"a\"/></testsuite></testsuites>",
    )
    .expect("the clone is writable");
    work.boundary(&format!("evidence add {} --for {id} --key tests", xml.display())).ok();
    let claimed = work.boundary("propose --completion --key codex --json").ok().json();
    let claim = claimed["id"].as_str().expect("an id");
    work.boundary(&format!("submit {claim}")).ok().says("admitted");
}

#[test]
fn the_same_job_run_again_records_nothing_new() {
    let (world, key) = with_registrar();
    let job = land(&world, "fix", "job");
    let first = receipt(&job, &key);
    let work = &world.work;
    work.git("fetch -q");
    let (registrar, size) = (work.key_id("ci").to_string(), entries(work, &work.key_id("ci").to_string()));
    assert_eq!(receipt(&job, &key), first, "in the same clone");
    let again = Job::push(&world, "again", "refs/heads/main", (&work.oid("origin/main~1"), &work.oid("origin/main")));
    assert_eq!(receipt(&again, &key), first, "and in a new one");
    work.git("fetch -q");
    assert_eq!(entries(work, &registrar), size, "nothing was entered twice");
    sound(&world, work);
}

#[test]
fn two_runs_in_two_new_clones_go_on_with_one_ledger() {
    let (world, key) = with_registrar();
    let work = &world.work;
    let registrar = work.key_id("ci").to_string();
    let first = receipt(&land(&world, "one", "first"), &key);
    work.git("fetch -q");
    let size = entries(work, &registrar);
    let second = receipt(&land(&world, "two", "second"), &key);
    assert_ne!(first, second);
    work.git("fetch -q");
    assert_eq!(entries(work, &registrar), 2 * size, "the second run went on from where the first one ended");
    sound(&world, work);
    let fresh = world.joined("fresh");
    sound(&world, &fresh);
    fresh.boundary(&format!("show {first}")).ok();
    fresh.boundary(&format!("show {second}")).ok();
}

#[test]
fn an_older_ledger_that_somebody_pushed_under_another_name_is_not_gone_on_with() {
    let (world, key) = with_registrar();
    let work = &world.work;
    receipt(&land(&world, "one", "first"), &key);
    let registrar = work.key_id("ci").to_string();
    let older = world.server.refs()[&format!("refs/notes/boundary/{registrar}")].clone();
    receipt(&land(&world, "two", "second"), &key);
    for place in ["aa", "zz"] {
        world.server.git(&format!("update-ref refs/notes/boundary/{place}/notes/{registrar} {older}"));
    }
    receipt(&land(&world, "three", "third"), &key);
    sound(&world, work);
}

#[test]
fn of_runs_at_the_same_moment_none_loses_anything() {
    let (world, key) = with_registrar();
    let work = &world.work;
    let jobs: Vec<Job> =
        ["one", "two", "three"].iter().map(|name| land(&world, name, &format!("job-{name}"))).collect();
    let trust = format!("--trust-root {} --min-trust-version 3", world.trust_root());
    let mut script = String::new();
    for (place, job) in jobs.iter().enumerate() {
        let event = job.checkout.git_file("event.json");
        script.push_str(&format!(
            "(cd {} && GITHUB_ACTIONS=true GITHUB_EVENT_NAME=push GITHUB_EVENT_PATH={} git boundary verify --ci {trust} \
             --receipt --key {} >out 2>&1; echo $? >../status-{place}) &\n",
            job.checkout.dir.display(),
            event.display(),
            key.display()
        ));
    }
    work.sh(&format!("{script}wait")).ok();
    for (place, job) in jobs.iter().enumerate() {
        let status = std::fs::read_to_string(world.root().join(format!("status-{place}"))).expect("it ended");
        assert_eq!(status.trim(), "0", "{}", job.checkout.read("out"));
    }
    work.git("fetch -q");
    assert_eq!(entries(work, &work.key_id("ci").to_string()), 9, "admission, settlement and receipt of each");
    sound(&world, work);
}

#[test]
fn a_key_that_others_may_read_or_nobody_listed_mints_nothing() {
    let (world, key) = with_registrar();
    let job = land(&world, "fix", "job");
    job.sh(&format!("cp {} loose && chmod 644 loose", key.display())).ok();
    job.verify("--receipt --key loose").ends_with(128).says("loose");
    job.verify("--receipt --key absent").ends_with(128).says("absent");
    job.verify("--receipt").ends_with(129).says("--key <file>");
    assert!(!job.checkout.git_file("boundary/registrar").exists(), "no key is made up in a clone that is thrown away");
    world.work.boundary("key new stranger").ok();
    let stranger = world.home.key_path("stranger");
    job.verify(&format!("--receipt --key {}", stranger.display()))
        .ends_with(128)
        .says("not listed as registrar")
        .says("git boundary trust add");
    let refs = world.work.remote_refs();
    let ci = world.work.key_id("ci");
    assert!(!refs.contains_key(&format!("refs/notes/boundary/{ci}")), "nothing was recorded: {refs:?}");
}

#[test]
fn the_key_may_be_named_in_gits_configuration() {
    let (world, key) = with_registrar();
    let job = land(&world, "fix", "job");
    job.checkout.git(&format!("config boundary.registrarKey {}", key.display()));
    job.verify("--receipt").ok().says("recorded");
    sound(&world, &world.work);
}

#[test]
fn what_did_not_happen_is_not_receipted() {
    let (world, key) = with_registrar();
    let work = &world.work;
    let key = key.display();
    let job = land(&world, "fix", "job");
    // Somebody put the branch back meanwhile.
    work.git("push -q --no-verify --force origin origin/main~1:main");
    job.verify(&format!("--receipt --key {key}")).ok().says("no work receipts").says("by now");
    work.git("push -q --no-verify --force origin main");
    work.git("switch -q main");
    let before = work.head();
    let bad = work.commit(&[("README", "past the hook\n")]);
    work.git("push -q --no-verify origin main");
    let refused = Job::push(&world, "refused", "refs/heads/main", (&before, &bad));
    refused.verify(&format!("--receipt --key {key}")).ends_with(1).says("no work receipts");
    let ci = work.key_id("ci");
    assert!(!work.remote_refs().contains_key(&format!("refs/notes/boundary/{ci}")), "nothing was recorded");
}

#[test]
fn a_pipeline_with_nothing_to_receipt_still_shows_that_it_has_a_ledger() {
    let (world, key) = with_registrar();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix:main").accepted();
    let before = work.head();
    // A merge that touches nothing needs no proposal, and has none.
    let after = work.git("commit-tree -p HEAD -p HEAD~1 -m merged HEAD^{tree}");
    work.git(&format!("push -q --no-verify origin {after}:main"));
    let empty = Job::push(&world, "job", "refs/heads/main", (&before, &after));
    empty.verify(&format!("--receipt --key {}", key.display())).ok().says("no work receipts");
    let ci = work.key_id("ci");
    assert!(work.remote_refs().contains_key(&format!("refs/notes/boundary/{ci}")), "readers need not wonder");
}

#[test]
fn a_job_without_a_move_asks_for_no_key() {
    let (world, _) = with_registrar();
    let work = &world.work;
    let base = work.head();
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    let job = Job::request(&world, "job", ("main", &base), &work.head());
    job.verify("--receipt").ok().says("no ref was moved");
}

#[test]
fn receipts_that_the_remote_does_not_take_are_no_success() {
    let (world, key) = with_registrar();
    let job = land(&world, "fix", "job");
    let hook = world.server.dir.join("hooks/update");
    std::fs::create_dir_all(hook.parent().expect("it lies in a directory")).expect("the server is writable");
    std::fs::write(&hook, "#!/bin/sh\ncase $1 in refs/notes/*) echo no; exit 1;; esac\n")
        .expect("the server is writable");
    world.work.sh(&format!("chmod +x {}", hook.display())).ok();
    job.verify(&format!("--receipt --key {}", key.display())).ends_with(128).says("did not take them");
    std::fs::remove_file(hook).expect("it is there");
    receipt(&job, &key);
    sound(&world, &world.work);
}

#[test]
fn a_merge_by_the_forge_receipts_the_proposal_that_it_brought() {
    let (world, key) = with_registrar();
    let work = &world.work;
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.git("switch -q main");
    let before = work.commit(&[("README", "news\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.git("merge -q --no-ff -m merged agent/fix");
    work.git("push -q --no-verify origin main");
    let job = Job::push(&world, "job", "refs/heads/main", (&before, &work.head()));
    let id = receipt(&job, &key);
    work.git("fetch -q");
    work.boundary(&format!("show {id}")).ok().says("complete");
    sound(&world, work);
}

#[test]
fn a_squash_that_counts_as_an_equal_change_is_verified_and_gets_no_work_receipt() {
    let (world, key) = with_registrar();
    let work = &world.work;
    work.policy(&[("equality = \"commit\"", "equality = \"change\"")]);
    work.proven_fix();
    work.push("origin agent/fix").accepted();
    work.git("switch -q main");
    let before = work.commit(&[("README", "news\n")]);
    work.boundary("propose --key ada-l").ok();
    work.push("origin main").accepted();
    work.git("merge -q --squash agent/fix");
    work.git("commit -q -m squashed");
    work.git("push -q --no-verify origin main");
    let job = Job::push(&world, "job", "refs/heads/main", (&before, &work.head()));
    let ran = job.verify(&format!("--receipt --key {} --json", key.display())).ok();
    let minted = &ran.json()["work_receipts"];
    assert_eq!(minted["receipts"], serde_json::json!([]), "what was proposed did not land itself: {ran}");
    assert_eq!(minted["elsewhere"].as_array().map(Vec::len), Some(1), "and that is said: {ran}");
}

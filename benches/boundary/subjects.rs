//! What is measured, and against what.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use git_boundary::codec::canonical;
use git_boundary::codec::in_toto::{Statement, Subject};
use git_boundary::crypto::verified::sign_statement;
use git_boundary::gate::facts::{Facts, Purpose};
use git_boundary::gate::judge::judge;
use git_boundary::gather::base::Side;
use git_boundary::gather::notes::Noted;
use git_boundary::gather::{Session, SessionOptions, UpdateRequest, facts_for};
use git_boundary::model::handoff::Revocation;
use git_boundary::model::id::Oid;
use git_boundary::store::append::{Batch, NewLine};
use git_boundary::store::{LocalState, Registrar, StoreError, append};

use super::candidates::{Candidate, Candidates};
use super::history::Size;
use super::receipts::MAIN;
use super::repository::{Site, now};
use super::trial::{Trials, process, timed};

/// Starting a process.
pub fn start<'a>(trials: &mut Trials<'a>, site: &'a Site) {
    let source = site.world.path("empty.rs");
    let empty = site.world.path("empty");
    fs::write(&source, "fn main() {}\n").expect("target/ can be written");
    let built = Command::new("rustc").args(["-O", "-o"]).arg(&empty).arg(&source).status();
    assert!(built.is_ok_and(|status| status.success()), "rustc is on the path");
    trials.add("empty Rust binary", move |_| process(site.world.command(&empty, &site.dir), "", 0));
    trials.add("git-boundary --version", move |_| process(ours(site, &["--version"]), "", 0));
}

/// The hook before a push of five commits.
pub fn hooks<'a>(
    trials: &mut Trials<'a>,
    large: &'a Site,
    in_large: &'a Candidates,
    small: &'a Site,
    in_small: &'a Candidates,
    count: usize,
) {
    let script = large.world.path("empty-hook");
    fs::write(&script, "#!/bin/sh\nexit 0\n").expect("target/ can be written");
    make_executable(&script);
    let line = to_branch(&in_large.proven[0], &in_large.zero);
    trials.add("empty sh hook", move |_| {
        let mut command = large.world.command(&script, &large.dir);
        command.args(["origin", "../server.git"]);
        process(command, &line, 0)
    });
    let branch = move |one: &Candidate, all: &Candidates| to_branch(one, &all.zero);
    let main = move |one: &Candidate, all: &Candidates| to_main(one, &all.main);
    trials.add("hook, agent branch", move |at| hook(large, &branch(&in_large.proven[at], in_large)));
    trials.add("hook, agent branch, small repository", move |at| hook(small, &branch(&in_small.proven[at], in_small)));
    trials.add("hook, main", move |at| hook(large, &main(&in_large.proven[count + at], in_large)));
    trials.add("hook, main, small repository", move |at| hook(small, &main(&in_small.proven[count + at], in_small)));
    trials.add("hook, main, again", move |at| hook(large, &main(&in_large.proven[count + at], in_large)));
    trials.add("hook, main, nothing cached", move |at| {
        fs::remove_dir_all(large.dir.join(".git/boundary/cache")).ok();
        hook(large, &main(&in_large.proven[2 * count + at], in_large))
    });
    trials.add("hook, refused", move |at| {
        process(hook_command(large), &main(&in_large.bare[2 * count + at], in_large), 1)
    });
}

/// A decision about a proposal of twenty commits: as a process, with all that it writes, and the gate alone.
pub fn submit<'a>(trials: &mut Trials<'a>, site: &'a Site, long: &'a Candidates) {
    trials.add("submit --no-publish, 20 commits", move |at| {
        process(ours(site, &["submit", &long.proven[at].branch, "--no-publish"]), "", 0)
    });
    let facts = facts(site, &long.proven[0], long);
    assert!(facts.update.tip.is_some(), "the update is there to be judged");
    trials.add("gate alone, 20 commits", move |_| timed(|| judge(&facts)));
}

/// What the gate is given about the push of a branch of one's own.
fn facts(site: &Site, one: &Candidate, all: &Candidates) -> Facts {
    let repository = site.world.open(&site.dir);
    let session = Session::open(&repository, now(), &SessionOptions::default()).expect("the copy is sound");
    let request = UpdateRequest {
        exact: false,
        new: one.tip,
        old: all.zero,
        purpose: Purpose::Push,
        reference: one.branch.clone(),
        side: Side { remote: Some("origin".to_owned()), known: Vec::new() },
    };
    facts_for(&session, &Noted::default(), &request).expect("all of it is here")
}

/// One new commit at the tip.
pub fn verify<'a>(trials: &mut Trials<'a>, site: &'a Site) {
    let world = &site.world;
    let key = world.key_file("ada");
    let signers = world.path("allowed-signers");
    let public = fs::read_to_string(key.with_extension("pub")).expect("the key has a public half");
    fs::write(&signers, format!("ada@example.com {public}")).expect("target/ can be written");
    world.git(&site.dir, &["config", "gpg.format", "ssh"]);
    world.git(&site.dir, &["config", "gpg.ssh.allowedSignersFile", &signers.display().to_string()]);
    let sign = format!("-S{}", key.display());
    let tree = format!("{MAIN}^{{tree}}");
    let signed = world.git(&site.dir, &["commit-tree", &sign, "-p", MAIN, "-m", "signed", &tree]);
    trials.add("git verify-commit", move |_| {
        let mut command = site.world.command("git", &site.dir);
        command.args(["verify-commit", &signed]);
        process(command, "", 0)
    });
    trials.add("verify HEAD~1..HEAD", move |_| process(ours(site, &["verify", "HEAD~1..HEAD"]), "", 0));
}

/// One receipt.
pub fn record<'a>(trials: &mut Trials<'a>, site: &'a Site, waiting: &'a Candidates) {
    let world = &site.world;
    let listed = world.git(&site.dir, &["for-each-ref", "--format=%(refname)", "refs/notes/boundary/"]);
    let own = listed.lines().next().expect("set-up made a registrar").to_owned();
    // As many notes as ours, so that git has the same tree to change.
    world.git(&site.dir, &["update-ref", "refs/notes/bench", &own]);
    let text = "x".repeat(1400);
    let free = world.git(&site.dir, &["rev-list", "--max-count=400", "--reverse", MAIN, "--", "src/d01"]);
    let free: Vec<String> = free.lines().map(str::to_owned).collect();
    trials.add("git notes add", move |at| {
        let mut command = site.world.command("git", &site.dir);
        command.args(["notes", "--ref=bench", "add", "-f", "-m", &text, &free[at % free.len()]]);
        process(command, "", 0)
    });
    trials.add("propose --no-publish", move |at| {
        let one = &waiting.bare[at];
        let args = ["propose", "--no-publish", "--key", "codex", "--ref", &one.branch, "--at", &one.branch];
        process(ours(site, &args), "", 0)
    });
    let quiet: Vec<Oid> = site
        .world
        .git(&site.dir, &["rev-list", "--max-count=400", "--skip=60", "--reverse", MAIN, "--", "src/d02"])
        .lines()
        .map(|oid| oid.parse().expect("git prints ids"))
        .collect();
    trials.add("append in the library", move |at| append_one(site, quiet[at % quiet.len()], at));
}

/// A line that nobody waits for, in an open repository.
fn append_one(site: &Site, commit: Oid, at: usize) -> Duration {
    let repository = site.world.open(&site.dir);
    let signer = LocalState::of(&repository).registrar().expect("set-up made a registrar");
    let text = site.world.git(&site.dir, &["config", "boundary.trustRoot"]);
    let root = text.parse().expect("set-up pinned a digest");
    let id = git_boundary::model::id::RepositoryId::of(&root);
    let tree = repository.commit(&commit).expect("it is here").tree;
    let predicate = Revocation { reason: format!("number {at}"), target: canonical::sha256(text.as_bytes()) };
    let about = Subject { commit, repository: id, tree };
    let artifact = sign_statement(&Statement { predicate, subject: Some(about) }, &*signer).expect("it signs");
    let batch = Batch { lines: vec![NewLine { annotated: commit, artifact }], hints: Vec::new(), files: Vec::new() };
    let registrar = Registrar { repository: id, signer: &*signer };
    timed(|| {
        append(&repository, &registrar, now(), "receipt", |_| Ok::<_, StoreError>(batch.clone())).expect("written")
    })
}

/// All of history, once: what each commit costs must not depend on how many there are.
pub fn whole_history(sites: &[(&Site, Size)]) {
    println!("\nverify main, all receipted history:");
    for (site, size) in sites {
        let started = Instant::now();
        let time = process(ours(site, &["verify", "main", "--json"]), "", 0).min(started.elapsed());
        let each = time.as_secs_f64() * 1e6 / size.pushes as f64;
        println!(
            "  {:>7} commits, {:>6} pushes  {:>9.1} ms  {each:>7.1} us a push",
            size.commits,
            size.pushes,
            time.as_secs_f64() * 1000.0
        );
    }
}

fn ours(site: &Site, args: &[&str]) -> Command {
    let mut command = site.world.command(&site.world.binary, &site.dir);
    command.args(args);
    command
}

fn hook_command(site: &Site) -> Command {
    ours(site, &["hook", "run", "pre-push", "origin", "../server.git"])
}

fn hook(site: &Site, line: &str) -> Duration {
    process(hook_command(site), line, 0)
}

fn to_branch(one: &Candidate, zero: &Oid) -> String {
    format!("{0} {1} {0} {zero}\n", one.branch, one.tip)
}

fn to_main(one: &Candidate, main: &Oid) -> String {
    format!("{} {} {MAIN} {main}\n", one.branch, one.tip)
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("an own file's mode can be set");
}

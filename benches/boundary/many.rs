//! A hundred thousand receipts, each verified: for the first time and again, on one processor and on all, against what git does with as
//! many commits and with the same notes.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::history::Size;
use super::receipts::MAIN;
use super::repository::{Site, site};
use super::trial::{Trials, process};

/// Six receipts a push, and a handoff for every fourth.
const SIZE: Size = Size { commits: 100_000, pushes: 16_000 };
const RECEIPTS: f64 = 100_000.0;
const SIGNED: usize = 1_000;

/// Builds what is needed, measures and prints.
pub fn run(target: &Path, binary: &Path, repetitions: usize) {
    let site = site(target, binary, SIZE);
    let commits = sign_commits(&site);
    let notes = list_notes(&site);
    let (site, commits, notes) = (&site, &commits, &notes);
    let mut trials = Trials::default();
    trials.add("git log --show-signature", move |_| {
        let mut command = site.world.command("git", &site.dir);
        command.args(["log", "--show-signature", &format!("--max-count={SIGNED}"), commits]);
        process(command, "", 0)
    });
    trials.add("git cat-file --batch", move |_| cat_file(site, notes, "--batch"));
    trials.add("git cat-file --batch --buffer", move |_| cat_file(site, notes, "--batch --buffer"));
    for (name, args) in [("audit", ["audit", "--json"].as_slice()), ("verify main", &["verify", MAIN, "--json"])] {
        for (processors, on_one) in [("one processor", true), ("all processors", false)] {
            trials.add(name_of(name, "nothing cached", processors), move |_| {
                fs::remove_dir_all(site.dir.join(".git/boundary/cache")).ok();
                ours(site, on_one, args)
            });
            trials.add(name_of(name, "first", processors), move |_| {
                for remembered in ["verified", "notes"] {
                    fs::remove_file(site.dir.join(".git/boundary/cache").join(remembered)).ok();
                }
                ours(site, on_one, args)
            });
            trials.add(name_of(name, "again", processors), move |_| ours(site, on_one, args));
        }
    }
    trials.run(repetitions);
    print(&trials, repetitions);
}

fn name_of(command: &str, when: &str, processors: &str) -> &'static str {
    format!("{command}, {when}, {processors}").leak()
}

fn print(trials: &Trials<'_>, repetitions: usize) {
    let least = |name: &str| trials.quantile(name, 0.0);
    println!("\n{RECEIPTS} receipts, milliseconds, {repetitions} repetitions      least   median");
    for name in trials.names() {
        println!("  {name:<44} {:>9.1} {:>9.1}", least(name), trials.median(name));
    }
    println!("\nratios of the least");
    let per_commit = least("git log --show-signature") / SIGNED as f64;
    let audit = |when: &str, processors: &str| least(name_of("audit", when, processors));
    let verify = |when: &str, processors: &str| least(name_of("verify main", when, processors));
    for processors in ["one processor", "all processors"] {
        let log = per_commit / (audit("first", processors) / RECEIPTS);
        tell(&format!("a commit of git log / a receipt, {processors}"), log, "at least 50", log >= 50.0);
        for way in ["git cat-file --batch", "git cat-file --batch --buffer"] {
            let ratio = audit("first", processors) / least(way);
            tell(&format!("audit / {way}, {processors}"), ratio, "at most 1.6", ratio <= 1.6);
        }
        for (name, first, again) in [
            ("audit", audit("first", processors), audit("again", processors)),
            ("verify main", verify("first", processors), verify("again", processors)),
        ] {
            let ratio = first / again;
            tell(&format!("{name}: first / again, {processors}"), ratio, "at least 10", ratio >= 10.0);
        }
    }
}

fn tell(what: &str, ratio: f64, target: &str, holds: bool) {
    println!("  {what:<66} {ratio:>7.2}  {target:<11}  {}", if holds { "holds" } else { "MISSED" });
}

fn ours(site: &Site, on_one: bool, args: &[&str]) -> Duration {
    let mut command = if on_one {
        let mut command = site.world.command("taskset", &site.dir);
        command.args(["-c", "0"]).arg(&site.world.binary);
        command
    } else {
        site.world.command(&site.world.binary, &site.dir)
    };
    command.args(args);
    process(command, "", 0)
}

fn cat_file(site: &Site, list: &Path, how: &str) -> Duration {
    let mut command: Command = site.world.command("sh", &site.dir);
    command.args(["-c", &format!("git cat-file {how} < '{}' > /dev/null", list.display())]);
    process(command, "", 0)
}

/// The blobs of all notes, as git lists them.
fn list_notes(site: &Site) -> std::path::PathBuf {
    let listed = site.world.git(&site.dir, &["for-each-ref", "--format=%(refname)", "refs/notes/boundary/"]);
    let own = listed.lines().next().expect("set-up made a registrar");
    let tree = site.world.git(&site.dir, &["ls-tree", "-r", own]);
    let notes = tree.lines().filter(|line| !line.contains("\tledger/"));
    let ids: Vec<&str> = notes.filter_map(|line| line.split([' ', '\t']).nth(2)).collect();
    let path = site.world.path("notes-list");
    fs::write(&path, ids.join("\n") + "\n").expect("the directory can be written");
    path
}

/// So many commits in a row, each with an SSH signature.
fn sign_commits(site: &Site) -> String {
    let (world, dir) = (&site.world, &site.dir);
    let key = world.key_file("ada");
    let public = fs::read_to_string(key.with_extension("pub")).expect("the key has a public half");
    let signers = world.path("allowed-signers");
    fs::write(&signers, format!("ada@example.com {public}")).expect("the directory can be written");
    world.git(dir, &["config", "gpg.format", "ssh"]);
    world.git(dir, &["config", "gpg.ssh.allowedSignersFile", &signers.display().to_string()]);
    let (sign, tree) = (format!("-S{}", key.display()), format!("{MAIN}^{{tree}}"));
    let mut tip = world.git(dir, &["rev-parse", MAIN]);
    for number in 0..SIGNED {
        tip = world.git(dir, &["commit-tree", &sign, "-p", &tip, "-m", &format!("signed {number}"), &tree]);
    }
    tip
}

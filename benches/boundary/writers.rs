//! Many clones that write and send receipts to one remote at the same moment: whether anything is lost, and what the races cost.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use super::world::World;

/// What one clone's syncs told.
#[derive(Default)]
struct Told {
    /// Syncs by how many attempts they took.
    attempts: BTreeMap<u64, u64>,
    /// Syncs that gave up, and were typed again.
    again: u64,
}

/// Runs `clones` clones with `receipts` receipts each and prints the table. Panics where a receipt is lost.
pub fn run(target: &Path, binary: &Path, clones: usize, receipts: usize) {
    let root = target.join(format!("boundary-bench-writers-{}", std::process::id()));
    let world = World::at(root.clone(), binary.to_owned());
    let owner = world.path("owner");
    set_up(&world, &owner);
    let trust_root = world.git(&owner, &["config", "boundary.trustRoot"]);
    let dirs: Vec<PathBuf> = (0..clones).map(|number| world.path(&format!("clone-{number}"))).collect();
    for dir in &dirs {
        join(&world, dir, &trust_root);
    }
    let before = size(&world.path("server.git"));
    let started = Instant::now();
    let told: Vec<Told> = thread::scope(|scope| {
        let running: Vec<_> = dirs.iter().map(|dir| scope.spawn(|| write(&world, dir, receipts))).collect();
        running.into_iter().map(|one| one.join().expect("every writer ends")).collect()
    });
    let wall = started.elapsed();
    let bytes = size(&world.path("server.git")) - before;
    let wanted = (clones * receipts) as u64;
    let fresh = world.path("fresh");
    join(&world, &fresh, &trust_root);
    world.git(&fresh, &["fetch", "-q"]);
    let (entries, lines) = (entries(&world, &fresh, &owner), lines(&world, &fresh, &owner));
    world.git(&world.path("server.git"), &["fsck", "--strict", "--no-dangling"]);
    let mut attempts: BTreeMap<u64, u64> = BTreeMap::new();
    for (number, count) in told.iter().flat_map(|one| &one.attempts) {
        *attempts.entry(*number).or_default() += count;
    }
    let syncs: u64 = attempts.values().sum();
    println!("\n{clones} clones, each writes and syncs {receipts} receipts against one bare remote at once");
    println!("  wall time                        {:>9.1} s", wall.as_secs_f64());
    println!("  a receipt, written and synced    {:>9.1} ms", wall.as_secs_f64() * 1000.0 / wanted as f64);
    println!(
        "  bytes that the remote grew by    {bytes:>9}   {:.1} kB a receipt",
        bytes as f64 / 1000.0 / wanted as f64
    );
    println!("  ledger entries in a fresh clone  {entries:>9}   of {wanted}");
    println!("  lines in a fresh clone           {lines:>9}   of {wanted}");
    println!("  syncs that took so many attempts");
    for (number, count) in &attempts {
        println!("    {number:>3}  {count:>6}  {:>5.1} %", *count as f64 * 100.0 / syncs as f64);
    }
    println!("  syncs that gave up and were typed again {:>2}", told.iter().map(|one| one.again).sum::<u64>());
    assert_eq!((entries, lines), (wanted, wanted), "nothing is lost");
    fs::remove_dir_all(&root).ok();
}

fn set_up(world: &World, owner: &Path) {
    fs::create_dir_all(owner).expect("a directory can be made");
    world.git(owner, &["init", "-q", "--bare", "../server.git"]);
    world.git(owner, &["init", "-q"]);
    world.git(owner, &["remote", "add", "origin", "../server.git"]);
    fs::create_dir_all(owner.join("src")).expect("a directory can be made");
    fs::write(owner.join("src/main.rs"), "fn main() {}\n").expect("the work tree can be written");
    world.git(owner, &["add", "."]);
    world.git(owner, &["commit", "-q", "-m", "first"]);
    world.git(owner, &["push", "-q", "--no-verify", "-u", "origin", "main"]);
    ok(world, owner, &["init"]);
    ok(world, owner, &["trust", "add", "codex", "--role", "actor", "--new-key"]);
    ok(world, owner, &["trust", "add", "reviewer-bot", "--role", "checker", "--new-key"]);
    ok(world, owner, &["handoff", "create", "--to", "codex", "--path", "src/**"]);
    world.git(owner, &["switch", "-q", "-c", "agent/fix"]);
    fs::write(owner.join("src/main.rs"), "fn main() { run() }\n").expect("the work tree can be written");
    world.git(owner, &["commit", "-q", "-a", "-m", "fix"]);
    ok(world, owner, &["propose", "--key", "codex"]);
    world.git(owner, &["push", "-q", "--no-verify", "origin", "agent/fix"]);
    ok(world, owner, &["sync"]);
}

fn join(world: &World, dir: &Path, trust_root: &str) {
    let remote = format!("file://{}", world.path("server.git").display());
    world.git(&world.path(""), &["clone", "-q", &remote, &dir.display().to_string()]);
    ok(world, dir, &["init", "--join", "--trust-root", trust_root]);
    world.git(dir, &["fetch", "-q"]);
}

/// Writes a receipt and sends it, again and again.
fn write(world: &World, dir: &Path, receipts: usize) -> Told {
    let mut told = Told::default();
    for _ in 0..receipts {
        ok(world, dir, &["check", "begin", "origin/agent/fix", "--input", "diff", "--key", "reviewer-bot"]);
        loop {
            let output = ours(world, dir, &["sync", "--json"]);
            let answer: Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|_| panic!("sync: {}", String::from_utf8_lossy(&output.stderr)));
            let attempts = answer["attempts"].as_u64().expect("sync tells its attempts");
            *told.attempts.entry(attempts).or_default() += 1;
            match answer["published"]["state"].as_str() {
                Some("sent") => break,
                Some("failed") => told.again += 1,
                other => panic!("sync ended with {other:?}: {answer}"),
            }
        }
    }
    told
}

/// Ledger entries of the clones' registrars, which is all but the owner's.
fn entries(world: &World, fresh: &Path, owner: &Path) -> u64 {
    let output = ok(world, fresh, &["audit", "--json"]);
    let audit: Value = serde_json::from_slice(&output.stdout).expect("audit prints JSON");
    let own = registrar(world, owner);
    let ledgers = audit["ledgers"].as_array().expect("a list of ledgers");
    let others = ledgers.iter().filter(|one| !one["ref"].as_str().is_some_and(|name| name.ends_with(&own)));
    others.filter_map(|one| one["entries"].as_u64()).sum()
}

/// Signed lines of the same registrars, counted in what git itself reads.
fn lines(world: &World, fresh: &Path, owner: &Path) -> u64 {
    let own = registrar(world, owner);
    let listed = world.git(fresh, &["for-each-ref", "--format=%(refname)", "refs/boundary-remote/origin/notes/"]);
    let mut count = 0;
    for reference in listed.lines().filter(|name| !name.ends_with(&own)) {
        for note in world.git(fresh, &["ls-tree", "-r", reference]).lines().filter(|line| !line.contains("\tledger/")) {
            let blob = note.split([' ', '\t']).nth(2).expect("mode, kind and id");
            let text = world.git(fresh, &["cat-file", "blob", blob]);
            count += text.lines().filter(|line| line.contains("\"payloadType\"")).count() as u64;
        }
    }
    count
}

fn registrar(world: &World, dir: &Path) -> String {
    let name = world.git(dir, &["for-each-ref", "--format=%(refname)", "refs/notes/boundary/"]);
    name.rsplit('/').next().expect("a ref has a last part").to_owned()
}

fn ok(world: &World, dir: &Path, args: &[&str]) -> Output {
    let output = ours(world, dir, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn ours(world: &World, dir: &Path, args: &[&str]) -> Output {
    world.command(&world.binary, dir).args(args).output().expect("the program is there")
}

/// Bytes of all files below.
fn size(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).expect("the directory can be listed").flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => size(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

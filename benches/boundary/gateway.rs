//! The gateway's tools against the filesystem server of the Model Context Protocol's own people: one client, both servers in one run, calls
//! in turn. Ours runs as an agent's would: set up, launched, with its journal and its ledger.

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::trial::Trials;
use super::world::World;

/// The release that the published ratios were measured against.
const RELEASE: &str = "2026.8.31";
/// Bytes of the file that is read.
const SIZE: usize = 64 << 10;
/// Files that are listed.
const FILES: usize = 10_000;
/// Directories that hold them, where they do not lie in one.
const DIRECTORIES: usize = 100;

/// What stands for the agent: it starts the server that it was told of, between two pipes that the client holds.
const RELAY: &str = r#"#!/bin/sh
config=$1
value() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$config"; }
session=$(sed -n 's/.*"--session","\([0-9a-z]*\)".*/\1/p' "$config")
export GIT_BOUNDARY_GATEWAY_TOKEN="$(value GIT_BOUNDARY_GATEWAY_TOKEN)" HOME="$(value HOME)" GIT_CONFIG_NOSYSTEM=1
for name in XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME GIT_CONFIG_GLOBAL; do
  text=$(value $name)
  if [ -n "$text" ]; then export $name="$text"; fi
done
exec "$(value command)" -C "$PWD" gateway serve generic --session "$session" < "$2" > "$3"
"#;

struct Claim {
    ours: &'static str,
    theirs: &'static str,
    at_least: Option<f64>,
}

const READ: &str = "read_file, 64 KiB";
const FLAT: &str = "list_files, 10,000 in one directory";
const TREE: &str = "list_files, 10,000 in 100 directories";
const THEIR_READ: &str = "their read_text_file, 64 KiB";
const THEIR_NAMES: &str = "their list_directory, names without sizes";
const THEIR_SIZES: &str = "their list_directory_with_sizes";
const THEIR_TREE: &str = "their directory_tree, names without sizes";

const CLAIMS: [Claim; 4] = [
    Claim { ours: READ, theirs: THEIR_READ, at_least: Some(2.0) },
    Claim { ours: FLAT, theirs: THEIR_SIZES, at_least: Some(2.0) },
    Claim { ours: TREE, theirs: THEIR_TREE, at_least: Some(2.0) },
    // Less work than ours: nothing is asked of any file, neither what it is nor its size.
    Claim { ours: FLAT, theirs: THEIR_NAMES, at_least: None },
];

/// A client of the protocol: a line is sent, a line comes back. The same for both servers.
struct Client {
    next: u64,
    reading: BufReader<Box<dyn Read>>,
    writing: Box<dyn Write>,
}

impl Client {
    fn new(writing: impl Write + 'static, reading: impl Read + 'static) -> Self {
        let mut client = Client {
            next: 0,
            reading: BufReader::with_capacity(1 << 16, Box::new(reading)),
            writing: Box::new(writing),
        };
        let about = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "git-boundary-bench", "version": "0" } });
        client.ask("initialize", &about);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        self.writing.write_all(line.as_bytes()).expect("the server reads");
        self.writing.flush().expect("the server reads");
    }

    /// Sends a request and gives the line that answers it, and how long that took.
    fn ask(&mut self, method: &str, params: &Value) -> (Duration, Value) {
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        let mut line = Vec::with_capacity(2 << 20);
        let started = Instant::now();
        self.send(&request);
        loop {
            line.clear();
            let count = self.reading.read_until(b'\n', &mut line).expect("the server answers");
            let time = started.elapsed();
            assert!(count > 0, "the server ended");
            // It is looked at when the clock has stopped.
            let answer: Value = serde_json::from_slice(&line).expect("an answer is JSON");
            if answer["id"] == self.next {
                return (time, answer);
            }
        }
    }

    /// Calls a tool; `right` looks at the text of the answer.
    fn call(&mut self, tool: &str, arguments: Value, right: impl FnOnce(&str) -> bool) -> Duration {
        let (time, answer) = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        let failed = answer["result"]["isError"] == true || !right(text);
        assert!(!failed, "{tool}: {}", answer.to_string().chars().take(2000).collect::<String>());
        time
    }
}

/// Runs both and prints times and ratios. `theirs` is the program file of their server.
pub fn run(target: &Path, binary: &Path, theirs: &Path, repetitions: usize) {
    assert_eq!(release(theirs), RELEASE, "npm install @modelcontextprotocol/server-filesystem@{RELEASE}");
    let root = target.join(format!("boundary-bench-gateway-{}", std::process::id()));
    let world = World::at(root.clone(), binary.to_owned());
    let work = world.path("work");
    let text = set_up(&world, &work);
    let node = world.command("node", &work).arg("--version").output().expect("node is on the path");
    println!("their server {RELEASE} on node {}", String::from_utf8_lossy(&node.stdout).trim());
    let (ours, launch) = launch(&world, &work);
    let (theirs, mut child) = start(&world, &work, theirs);
    let at = |name: &str| work.join(name).display().to_string();
    let (file, flat, tree) = (at("read.txt"), at("flat"), at("tree"));
    let lines = |wanted: usize| move |text: &str| text.lines().count() == wanted;
    let mut trials = Trials::of(Vec::new());
    trials.add(READ, |_| ours.borrow_mut().call("read_file", json!({ "path": "read.txt" }), |it| it == text));
    trials.add(THEIR_READ, |_| theirs.borrow_mut().call("read_text_file", json!({ "path": file }), |it| it == text));
    trials.add(FLAT, |_| ours.borrow_mut().call("list_files", json!({ "path": "flat" }), lines(FILES)));
    trials.add(THEIR_SIZES, |_| {
        // An empty line and two of totals.
        theirs.borrow_mut().call("list_directory_with_sizes", json!({ "path": flat }), lines(FILES + 3))
    });
    trials.add(THEIR_NAMES, |_| theirs.borrow_mut().call("list_directory", json!({ "path": flat }), lines(FILES)));
    trials.add(TREE, |_| ours.borrow_mut().call("list_files", json!({ "path": "tree" }), lines(FILES)));
    trials.add(THEIR_TREE, |_| {
        let all = FILES + DIRECTORIES;
        let right = |it: &str| it.lines().filter(|line| line.contains("\"name\": ")).count() == all;
        theirs.borrow_mut().call("directory_tree", json!({ "path": tree }), right)
    });
    trials.run(repetitions);
    println!("milliseconds, {repetitions} repetitions in turn            median      10%      90%");
    for name in trials.names() {
        let [low, high] = [0.1, 0.9].map(|at| trials.quantile(name, at));
        println!("  {name:<44} {:>8.3} {low:>8.3} {high:>8.3}", trials.median(name));
    }
    println!("\nhow many times as fast, by medians");
    for claim in CLAIMS {
        let ratio = trials.median(claim.theirs) / trials.median(claim.ours);
        let target = claim.at_least.map_or_else(String::new, |limit| {
            format!("at least {limit:.1}  {}", if ratio >= limit { "holds" } else { "MISSED" })
        });
        println!("  {:<38} against {:<44} {ratio:>6.2}  {target}", claim.ours, claim.theirs);
    }
    drop(trials);
    launch.ended.store(true, Ordering::SeqCst);
    drop((ours, theirs));
    child.wait().expect("their server ends with its client");
    launch.waiting.join().expect("the launch ends with its client");
    recorded(&world, &work, 3 * (repetitions + 1));
    fs::remove_dir_all(&root).ok();
}

/// The release of their server, from the manifest above its program.
fn release(program: &Path) -> String {
    let manifest = program.ancestors().map(|dir| dir.join("package.json")).find(|file| file.is_file());
    let manifest = manifest.expect("--filesystem-server names dist/index.js of an installed package");
    let text = fs::read_to_string(&manifest).expect("it can be read");
    let manifest: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(manifest["name"], "@modelcontextprotocol/server-filesystem", "it is their server");
    manifest["version"].as_str().unwrap_or_default().to_owned()
}

/// A repository with what is read and listed; gives the text of the file.
fn set_up(world: &World, work: &Path) -> String {
    let mut text: String = (0..)
        .map(line)
        .scan(0, |bytes, line| {
            *bytes += line.len();
            (*bytes < SIZE + 100).then_some(line)
        })
        .collect();
    text.truncate(SIZE);
    fs::create_dir_all(work.join("flat")).expect("a directory can be made");
    fs::write(work.join("read.txt"), &text).expect("a file can be written");
    for number in 0..FILES {
        let name = format!("module_{number:05}.rs");
        fs::write(work.join("flat").join(&name), line(number)).expect("a file can be written");
        let dir = work.join("tree").join(format!("part_{:03}", number % DIRECTORIES));
        fs::create_dir_all(&dir).expect("a directory can be made");
        fs::write(dir.join(&name), line(number)).expect("a file can be written");
    }
    world.git(work, &["init", "-q"]);
    world.git(work, &["add", "read.txt"]);
    world.git(work, &["commit", "-q", "-m", "first"]);
    ours(world, work, &["init"]);
    text
}

fn line(number: usize) -> String {
    format!("    let value_{number} = compute(\"input {number}\", {number})?; // as the table says\n")
}

fn ours(world: &World, work: &Path, args: &[&str]) -> String {
    let output = world.command(&world.binary, work).args(args).output().expect("the program is there");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A launch of ours that runs.
struct Launch {
    /// That it may end.
    ended: Arc<AtomicBool>,
    waiting: std::thread::JoinHandle<()>,
}

/// Sets the relay up, launches it, and speaks to the server that it starts.
fn launch(world: &World, work: &Path) -> (RefCell<Client>, Launch) {
    let (relay, to, from) = (world.path("relay"), world.path("to"), world.path("from"));
    fs::write(&relay, RELAY).expect("a file can be written");
    let (relay, to, from) = (word(&relay), word(&to), word(&from));
    run_tool(world, work, "chmod", &["+x", &relay]);
    run_tool(world, work, "mkfifo", &[&to, &from]);
    let words = ["gateway", "setup", "generic", "--program", &relay, "--argument", "{mcp}", "--argument", &to];
    ours(world, work, &[&words[..], &["--argument", &from]].concat());
    let mut command = world.command(&world.binary, work);
    command.args(["gateway", "launch", "generic"]).stdout(Stdio::null()).stderr(Stdio::inherit());
    let mut child = command.spawn().expect("the program is there");
    let ended = Arc::new(AtomicBool::new(false));
    let expected = Arc::clone(&ended);
    let waiting = std::thread::spawn(move || {
        let status = child.wait().expect("a launch can be waited for");
        if !status.success() || !expected.load(Ordering::SeqCst) {
            // The client would wait for ever.
            eprintln!("the launch ended with {status}");
            std::process::exit(1);
        }
    });
    let open = |path: &str, write: bool| -> File {
        OpenOptions::new().read(!write).write(write).open(path).expect("the pipe is there")
    };
    (RefCell::new(Client::new(open(&to, true), open(&from, false))), Launch { ended, waiting })
}

fn word(path: &Path) -> String {
    path.to_str().expect("paths under target/ are text").to_owned()
}

fn run_tool(world: &World, work: &Path, program: &str, args: &[&str]) {
    let status = world.command(program, work).args(args).status().expect("it is on the path");
    assert!(status.success(), "{program} {args:?}");
}

/// Starts their server for the same directory.
fn start(world: &World, work: &Path, program: &Path) -> (RefCell<Client>, Child) {
    let program: PathBuf = program.canonicalize().expect("--filesystem-server names a file");
    let mut command = world.command("node", work);
    command.arg(program).arg(work).stdin(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("node is on the path");
    let (to, from) = (child.stdin.take().expect("it is piped"), child.stdout.take().expect("it is piped"));
    (RefCell::new(Client::new(to, from)), child)
}

/// That every call of ours was recorded: what is measured is the real thing.
fn recorded(world: &World, work: &Path, calls: usize) {
    let all = ours(world, work, &["gateway", "trace", "--json"]);
    let session: Value = serde_json::from_str(all.lines().next().expect("a session")).expect("it is JSON");
    let id = session["id"].as_str().expect("it has an id");
    let trace = ours(world, work, &["gateway", "trace", id, "--json"]);
    let trace: Value = serde_json::from_str(&trace).expect("it is JSON");
    assert_eq!(trace["accesses"].as_array().map(Vec::len), Some(calls), "each call is in the ledger");
    assert_eq!(trace["end"], "closed", "and the session is ended");
    println!("\n{calls} calls in the ledger, root {}", trace["root"].as_str().unwrap_or_default());
}

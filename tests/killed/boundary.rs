//! Where a command is killed: at the entry of a system call by which it changes something, or, where nobody may trace, at a moment.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Ran, Work};

/// What changes files, starts processes, or waits for one. (What only brings to the disk what is written changes nothing for others.)
const CALLS: &str = "write,pwrite64,writev,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,mkdir,mkdirat,\
                     ftruncate,truncate,clone,clone3,fork,vfork,wait4";
/// Moments of a sweep.
const MOMENTS: u32 = 48;

/// A command line with what it is given to read.
#[derive(Debug, Clone, Copy)]
pub struct Line<'l> {
    /// The words.
    pub words: &'l str,
    /// Standard input.
    pub stdin: &'l [u8],
}

/// A place to be killed at.
#[derive(Debug)]
pub enum Boundary {
    /// Before the call of that name is made for the so-manieth time.
    Call(String, usize),
    /// So long after the start.
    Moment(Duration),
}

impl Boundary {
    /// Every one of a command. The clone it is tried in is used up.
    pub fn all(work: &Work, line: Line<'_>) -> Vec<Self> {
        if can_trace() { Self::calls(work, line) } else { Self::moments(work, line) }
    }

    fn calls(work: &Work, line: Line<'_>) -> Vec<Self> {
        let trace = work.home.root().join("tmp/calls");
        let path = trace.to_str().expect("temporary paths are text");
        let options = ["-qq", "-e", "signal=none", "-e", &format!("trace={CALLS}"), "-o", path];
        let ran = traced(work, &options, line);
        assert!(ran.status == 0 || ran.status == 2, "it does its work while it is traced: {ran}");
        let (mut times, mut found) = (BTreeMap::new(), Vec::new());
        let text = fs::read_to_string(&trace).expect("strace wrote it");
        for (name, rest) in text.lines().filter_map(|call| call.split_once('(')) {
            let time = times.entry(name).or_insert(0);
            *time += 1;
            // What is only said changes nothing, and has its turn in the list of the same calls all the same.
            if !(name.starts_with("write") && (rest.starts_with("1,") || rest.starts_with("2,"))) {
                found.push(Boundary::Call(name.to_owned(), *time));
            }
        }
        found
    }

    fn moments(work: &Work, line: Line<'_>) -> Vec<Self> {
        eprintln!(
            "strace may not trace here: `{}` is killed at {MOMENTS} moments instead of at every call",
            line.words
        );
        let started = Instant::now();
        let ran = run(work, line, None);
        assert!(ran.status == 0 || ran.status == 2, "{ran}");
        let step = started.elapsed() / MOMENTS;
        (0..MOMENTS).map(|moment| Boundary::Moment(step * moment)).collect()
    }

    /// Runs the command up to here.
    pub fn kill(&self, work: &Work, line: Line<'_>) {
        match self {
            Boundary::Call(call, time) => {
                let inject = format!("inject={call}:signal=SIGKILL:when={time}");
                traced(work, &["-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject], line);
            }
            Boundary::Moment(after) => drop(run(work, line, Some(*after))),
        }
    }
}

impl std::fmt::Display for Boundary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Boundary::Call(call, time) => write!(f, "{call} {time}"),
            Boundary::Moment(after) => write!(f, "{after:?}"),
        }
    }
}

/// Whether processes may be traced here. That strace is not there at all is an error, since nothing but an installation is missing.
fn can_trace() -> bool {
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    tried.expect("these tests need strace: apt-get install strace").success()
}

/// Runs the built program under `strace`, with what it is to do about system calls.
fn traced(work: &Work, options: &[&str], line: Line<'_>) -> Ran {
    let mut all: Vec<&str> = options.to_vec();
    all.push("git-boundary");
    all.extend(line.words.split_ascii_whitespace());
    work.home.run(&work.dir, "strace", &all, line.stdin)
}

/// Runs it to its end, or kills it after a time. What it started goes on, as it does after a kill by hand.
fn run(work: &Work, line: Line<'_>, kill_after: Option<Duration>) -> Ran {
    let words: Vec<&str> = line.words.split_ascii_whitespace().collect();
    let Some(after) = kill_after else { return work.home.run(&work.dir, "git-boundary", &words, line.stdin) };
    let input = work.home.root().join("tmp/stdin");
    fs::write(&input, line.stdin).expect("the account is writable");
    let mut command = work.home.command(&work.dir, "git-boundary");
    command.args(&words).stdin(fs::File::open(&input).expect("it was written"));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    std::thread::sleep(after);
    child.kill().expect("a child can be killed");
    let status = child.wait().expect("it ends").code().unwrap_or(-1);
    Ran { what: line.words.to_owned(), status, stdout: String::new(), stderr: String::new() }
}

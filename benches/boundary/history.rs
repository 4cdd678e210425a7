//! Commits by the hundred thousand, through `git fast-import`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use git_boundary::model::id::Oid;

use super::world::World;

/// Commits of one push.
pub const COMMITS_A_PUSH: usize = 5;
/// Pushes under one handoff; the last of each group is merged, the others land by fast-forward.
pub const PUSHES_A_HANDOFF: usize = 4;
const DIRECTORIES: usize = 64;
const FILES: usize = 16;

/// How large a repository is.
#[derive(Clone, Copy)]
pub struct Size {
    /// Commits on the default branch, all told.
    pub commits: usize,
    /// Receipted pushes among them.
    pub pushes: usize,
}

/// A receipted push, by the marks of its commits.
#[derive(Clone, Copy)]
pub struct Push {
    /// Where the handoff is pinned.
    pub pin: usize,
    /// Where the default branch stood.
    pub before: usize,
    /// What the agent made.
    pub tip: usize,
    /// What landed: the tip, or its merge.
    pub landed: usize,
}

/// The stream for `git fast-import`, and what it holds.
pub struct History {
    stream: String,
    marks: usize,
    touched: usize,
    /// The commit that an owner adopts.
    pub baseline: usize,
    /// In order.
    pub pushes: Vec<Push>,
}

impl History {
    /// Adopted commits first, then the pushes; the last push is of one commit.
    pub fn plan(size: Size, start: i64, seconds_a_push: i64) -> Self {
        let merges = size.pushes / PUSHES_A_HANDOFF;
        let adopted = size.commits - (size.pushes - 1) * COMMITS_A_PUSH - 1 - merges;
        let mut history =
            History { stream: String::new(), marks: 0, touched: 0, baseline: adopted, pushes: Vec::new() };
        let mut main = 0;
        for number in 0..adopted {
            let time = start - 60 * (adopted - number) as i64;
            main = history.commit("main", &[main], time, 1);
        }
        let mut pin = main;
        for number in 0..size.pushes {
            let time = start + seconds_a_push * number as i64;
            let place = number % PUSHES_A_HANDOFF;
            if place == 0 {
                pin = main;
            }
            let last = number + 1 == size.pushes;
            let merged = place + 1 == PUSHES_A_HANDOFF && !last;
            let before = main;
            let mut tip = if merged { pin } else { main };
            let first_file = history.touched;
            for _ in 0..if last { 1 } else { COMMITS_A_PUSH } {
                tip = history.commit(if merged { "side" } else { "main" }, &[tip], time - 60, 1);
            }
            main = tip;
            if merged {
                history.touched = first_file;
                main = history.commit("main", &[before, tip], time, COMMITS_A_PUSH);
            }
            history.pushes.push(Push { pin, before, tip, landed: main });
        }
        history
    }

    /// Branches of so many commits each from one commit, by the marks of their tips.
    pub fn branches(from: &Oid, names: &[String], commits: usize, start: i64) -> (Self, Vec<usize>) {
        let mut history = History { stream: String::new(), marks: 0, touched: 0, baseline: 0, pushes: Vec::new() };
        let tips = names
            .iter()
            .map(|name| {
                let mut tip = 0;
                for number in 0..commits {
                    if number == 0 {
                        writeln!(history.stream, "reset refs/heads/{name}\nfrom {from}\n").expect("memory is enough");
                    }
                    tip = history.commit(name, &[tip], start, 1);
                }
                tip
            })
            .collect();
        (history, tips)
    }

    fn commit(&mut self, branch: &str, parents: &[usize], time: i64, files: usize) -> usize {
        self.marks += 1;
        let message = format!("change {}", self.marks);
        let out = &mut self.stream;
        let mut line = |text: String| {
            out.push_str(&text);
            out.push('\n');
        };
        line(format!("commit refs/heads/{branch}\nmark :{}", self.marks));
        line(format!("committer Ada <ada@example.com> {time} +0000\ndata {}\n{message}", message.len()));
        for (place, parent) in parents.iter().enumerate().filter(|(_, parent)| **parent > 0) {
            line(format!("{} :{parent}", if place == 0 { "from" } else { "merge" }));
        }
        let all = if self.marks == 1 && parents == [0] && branch == "main" { DIRECTORIES * FILES } else { files };
        for _ in 0..all {
            self.touched += 1;
            let (directory, file) = (self.touched % DIRECTORIES, self.touched / DIRECTORIES % FILES);
            // The same number gives the same bytes, so that a merge repeats exactly what its side did.
            let content = format!("line {}\n", self.touched);
            line(format!("M 100644 inline src/d{directory:02}/f{file:02}\ndata {}\n{content}", content.len()));
        }
        self.marks
    }

    /// Imports it and gives the commit of each mark.
    pub fn import(&self, world: &World, dir: &Path, unpacked: bool) -> HashMap<usize, Oid> {
        let marks = dir.join(".git/bench-marks");
        let export = format!("--export-marks={}", marks.display());
        let limit = format!("fastimport.unpackLimit={}", if unpacked { 1_000_000 } else { 0 });
        world.git_with(dir, &["-c", &limit, "fast-import", "--quiet", "--force", &export], self.stream.as_bytes());
        let text = std::fs::read_to_string(&marks).expect("git wrote the marks");
        text.lines()
            .map(|line| {
                let (mark, oid) = line.trim_start_matches(':').split_once(' ').expect("a mark and an id");
                (mark.parse().expect("marks are numbers"), oid.parse().expect("git writes ids"))
            })
            .collect()
    }
}

//! Commits that no git would make.

use crate::support::{Work, World};

/// A commit of these bytes, whatever they are, on top of `HEAD`.
fn literal(work: &Work, change: impl Fn(String) -> String) -> String {
    let text = work.git("cat-file commit HEAD");
    let parent = format!("parent {}\n", work.head());
    let (tree, rest) = text.split_once('\n').expect("a commit has a tree");
    let rest = rest.split_once("author").expect("a commit has an author").1;
    let text = change(format!("{tree}\n{parent}author{rest}\n"));
    let args = ["hash-object", "-t", "commit", "-w", "--literally", "--stdin"];
    work.home.run(&work.dir, "git", &args, text.as_bytes()).ok().stdout.trim().to_owned()
}

#[test]
fn a_commit_that_is_malformed_is_an_answer_and_no_accident() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let now = work.git("log -1 --format=%ct");
    for (what, from, to) in [
        ("a clock past all clocks", now.as_str(), "9223372036854775807"),
        ("a clock past 64 bits", now.as_str(), "99999999999999999999"),
        ("a clock before 1970", now.as_str(), "-5"),
        ("no clock", now.as_str(), ""),
        ("a zone that is none", "+0000", "+99999999"),
        ("nobody", "Ada L <ada@example.com>", ""),
        ("a tree that is none", "tree ", "tree 0"),
        ("a parent twice", "author", "author x\nauthor"),
        ("a header of another kind", "author", "parent 1234\nauthor"),
        ("an encoding", "\n\n", "\nencoding \u{1b}[2J\n\n"),
    ] {
        let bad = literal(work, |text| text.replacen(from, to, 9));
        let line = format!("x {bad} refs/heads/main {}\n", work.oid("origin/main"));
        let judged = work.hook(&line);
        assert!([1, 2, 128].contains(&judged.status), "{what}: {judged}");
        judged.never_says("internal error");
    }
}

#[test]
fn a_malformed_tree_is_refused() {
    let world = World::new();
    let work = &world.work;
    work.proven_fix();
    let blob = work.id("HEAD:README");
    let entry = |name: &str| [b"100644 ", name.as_bytes(), b"\0", blob.as_bytes()].concat();
    for (what, names) in [
        ("unsorted", vec!["src", "README"]),
        ("twice", vec!["README", "README"]),
        ("dot git", vec![".git"]),
        ("a slash", vec!["a/b"]),
        ("nothing", vec![""]),
    ] {
        let bytes: Vec<u8> = names.into_iter().flat_map(entry).collect();
        let args = ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"];
        let tree = work.home.run(&work.dir, "git", &args, &bytes).ok().stdout;
        let bad = work.git(&format!("commit-tree -p HEAD -m bad {}", tree.trim()));
        let judged = work.hook(&format!("x {bad} refs/heads/main {}\n", work.oid("origin/main")));
        assert_eq!(judged.status, 1, "{what}: {judged}");
        work.boundary(&format!("verify {bad} --ref main")).ends_with(1).says("can't be told");
    }
}

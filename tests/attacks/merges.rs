//! Merges whose bases disagree.

use crate::support::{Work, World};

/// A commit with the tree of `main` but for `src/main.rs`.
fn commit(work: &Work, parents: &[&str], text: &str) -> String {
    let blob = work.home.run(&work.dir, "git", &["hash-object", "-w", "--stdin"], text.as_bytes()).ok().stdout;
    let line = format!("100644 blob {}\tmain.rs\n", blob.trim_end());
    let src = work.home.run(&work.dir, "git", &["mktree"], line.as_bytes()).ok().stdout;
    let listed = work.git("ls-tree main").replace(&work.oid("main:src"), src.trim_end());
    let tree = work.home.run(&work.dir, "git", &["mktree"], format!("{listed}\n").as_bytes()).ok().stdout;
    let parents: String = parents.iter().map(|parent| format!(" -p {parent}")).collect();
    work.git(&format!("commit-tree -m made{parents} {}", tree.trim_end()))
}

fn proven(work: &Work, branch: &str, commit: &str) {
    work.git(&format!("switch -q -C {branch} {commit}"));
    work.propose();
    work.check("allow");
}

/// Two commits of one file, each merged with the other, each side keeping its own.
fn criss_cross(work: &Work) -> (String, String) {
    let main = work.oid("main");
    let (one, other) = (commit(work, &[&main], "one\n"), commit(work, &[&main], "other\n"));
    (commit(work, &[&one, &other], "one\n"), commit(work, &[&other, &one], "other\n"))
}

#[test]
fn a_merge_is_not_made_innocent_by_its_own_content() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    let (one, other) = criss_cross(work);
    proven(work, "agent/one", &one);
    proven(work, "agent/other", &other);
    let evil = commit(work, &[&one, &other], "evil\n");
    work.git(&format!("switch -q -C agent/evil {evil}"));
    work.push("origin agent/evil:main").refused("context.receipt_missing");
    work.git("push -q --no-verify origin agent/evil:main");
    work.boundary("verify origin/main").ends_with(1).says("context.receipt_missing");
}

#[test]
fn a_merge_that_kept_what_the_destination_had_is_verified_by_who_admitted_it() {
    let world = World::new();
    let work = &world.work;
    work.hand_out();
    let (one, other) = criss_cross(work);
    proven(work, "agent/one", &one);
    work.push("origin agent/one:main").accepted();
    proven(work, "agent/other", &other);
    let kept = commit(work, &[&one, &other], "one\n");
    work.git(&format!("switch -q -C agent/merged {kept}"));
    work.push("origin agent/merged:main").accepted();
    work.boundary("verify origin/main").ok();
}

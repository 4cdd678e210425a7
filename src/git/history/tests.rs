//! Ranges and ancestry against git itself.

use std::collections::{BTreeSet, HashMap};

use super::*;
use crate::git::testing::Sandbox;

/// A history given as (time, parents by index); the commits in the same order.
fn build(sandbox: &Sandbox, history: &[(i64, Vec<usize>)]) -> Vec<Oid> {
    let mut stream = String::from("feature done\n");
    for (index, (time, parents)) in history.iter().enumerate() {
        stream.push_str(&format!("commit refs/heads/c{index}\nmark :{}\n", index + 1));
        let text = format!("commit {index}");
        stream.push_str(&format!("committer A <a@b> {time} +0000\ndata {}\n{text}\n", text.len()));
        for (position, parent) in parents.iter().enumerate() {
            stream.push_str(&format!("{} :{}\n", if position == 0 { "from" } else { "merge" }, parent + 1));
        }
        stream.push('\n');
    }
    stream.push_str("done\n");
    sandbox.feed(&["fast-import", "--quiet", "--export-marks=marks"], stream);
    let marks = std::fs::read_to_string(sandbox.repo.join("marks")).unwrap();
    let by_mark: HashMap<usize, Oid> = marks
        .lines()
        .map(|line| {
            let (mark, oid) = line[1..].split_once(' ').unwrap();
            (mark.parse::<usize>().unwrap(), oid.parse().unwrap())
        })
        .collect();
    (1..=history.len()).map(|mark| by_mark[&mark]).collect()
}

fn linear(times: impl IntoIterator<Item = i64>) -> Vec<(i64, Vec<usize>)> {
    times.into_iter().enumerate().map(|(index, time)| (time, index.checked_sub(1).into_iter().collect())).collect()
}

/// The truth, from the definition.
struct Oracle {
    reach: Vec<BTreeSet<usize>>,
}

impl Oracle {
    fn new(history: &[(i64, Vec<usize>)]) -> Self {
        let mut reach: Vec<BTreeSet<usize>> = Vec::new();
        for (index, (_, parents)) in history.iter().enumerate() {
            let mut own: BTreeSet<usize> = [index].into();
            for parent in parents {
                own.extend(reach[*parent].iter().copied());
            }
            reach.push(own);
        }
        Oracle { reach }
    }

    fn bases(&self, a: usize, b: usize) -> BTreeSet<usize> {
        let common: BTreeSet<usize> = self.reach[a].intersection(&self.reach[b]).copied().collect();
        let best = |one: &usize| !common.iter().any(|other| other != one && self.reach[*other].contains(one));
        common.iter().copied().filter(best).collect()
    }
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn random_history(dice: &mut Dice, len: usize, skew: bool) -> Vec<(i64, Vec<usize>)> {
    (0..len)
        .map(|index| {
            let count = if index == 0 || dice.roll(12) == 0 {
                0
            } else {
                1 + usize::from(dice.roll(3) == 0) + usize::from(dice.roll(9) == 0)
            };
            let mut parents: Vec<usize> =
                (0..count).map(|_| index - 1 - dice.roll(index.min(6) as u64) as usize).collect();
            parents.sort_unstable();
            parents.dedup();
            let time = if skew { 1_000 + dice.roll(2_000_000) as i64 } else { 1_000_000 + index as i64 * 60 };
            (time, parents)
        })
        .collect()
}

#[test]
fn random_histories_with_broken_clocks_give_exact_answers() {
    for seed in 1..=15_u64 {
        let sandbox = Sandbox::new();
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let history = random_history(&mut dice, 40, seed % 3 != 0);
        let oids = build(&sandbox, &history);
        let oracle = Oracle::new(&history);
        let repository = sandbox.open();
        for _ in 0..40 {
            let mut pick = || dice.roll(history.len() as u64) as usize;
            let (a, b, c) = (pick(), pick(), pick());
            let context = format!("seed {seed}: {a} {b} {c}");
            assert_eq!(
                repository.is_ancestor(&oids[a], &oids[b]).unwrap(),
                oracle.reach[b].contains(&a),
                "is_ancestor, {context}"
            );
            let expected: BTreeSet<Oid> = oracle.bases(a, b).into_iter().map(|index| oids[index]).collect();
            let bases: BTreeSet<Oid> = repository.merge_bases(&oids[a], &oids[b]).unwrap().into_iter().collect();
            assert_eq!(bases, expected, "merge_bases, {context}");
            let wanted: BTreeSet<Oid> = oracle.reach[a]
                .iter()
                .filter(|index| !oracle.reach[b].contains(index) && !oracle.reach[c].contains(index))
                .map(|index| oids[*index])
                .collect();
            let range = repository.range(&[oids[a]], &[oids[b], oids[c]], 100).unwrap();
            let found: BTreeSet<Oid> = range.commits.iter().map(|commit| commit.oid).collect();
            assert_eq!(found, wanted, "range, {context}");
            assert!(range.exact, "small histories are looked at whole, {context}");
            assert_order(&range);
        }
    }
}

fn assert_order(range: &Range) {
    let position: HashMap<Oid, usize> =
        range.commits.iter().enumerate().map(|(index, commit)| (commit.oid, index)).collect();
    for commit in &range.commits {
        for parent in &commit.parents {
            match position.get(parent) {
                Some(after) => assert!(*after > position[&commit.oid], "children come before parents"),
                None => assert!(range.boundary.contains(parent), "what lies behind the range is its boundary"),
            }
        }
    }
    assert!(range.boundary.iter().all(|oid| !position.contains_key(oid)));
}

#[test]
fn with_honest_clocks_git_agrees() {
    let sandbox = Sandbox::new();
    let mut dice = Dice(77);
    let history = random_history(&mut dice, 120, false);
    let oids = build(&sandbox, &history);
    let repository = sandbox.open();
    for _ in 0..30 {
        let (a, b) = (oids[dice.roll(120) as usize], oids[dice.roll(120) as usize]);
        let listed = sandbox.git(&["rev-list", &a.hex(), &format!("^{b}")]);
        let listed: BTreeSet<Oid> = listed.lines().map(|line| line.parse().unwrap()).collect();
        let range = repository.range(&[a], &[b], 200).unwrap();
        assert_eq!(range.commits.iter().map(|commit| commit.oid).collect::<BTreeSet<_>>(), listed);
        let output = sandbox.run(&sandbox.repo, &["merge-base", "--all", &a.hex(), &b.hex()], &[], b"");
        let bases: BTreeSet<Oid> =
            String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(repository.merge_bases(&a, &b).unwrap().into_iter().collect::<BTreeSet<_>>(), bases);
    }
}

#[test]
fn a_short_range_on_a_long_history_reads_only_its_surroundings() {
    let sandbox = Sandbox::new();
    let mut history = linear((0..3_000).map(|index| 1_000_000 + index * 60));
    history.push((1_000_000 + 3_000 * 60, vec![2_990]));
    let oids = build(&sandbox, &history);
    let repository = sandbox.open();
    let range = repository.range(&[oids[3_000]], &[oids[2_999]], 10).unwrap();
    assert_eq!(range.commits.len(), 1);
    assert_eq!(range.boundary, [oids[2_990]]);
    assert!(range.exact);
    assert!(repository.is_ancestor(&oids[2_980], &oids[2_999]).unwrap());
    assert!(!repository.is_ancestor(&oids[3_000], &oids[2_999]).unwrap());
    assert_eq!(repository.merge_bases(&oids[3_000], &oids[2_999]).unwrap(), [oids[2_990]]);
    let read = repository.link_cache().borrow().len();
    assert!(read < 100, "{read} commits were read for a distance of ten");
}

#[test]
fn a_hidden_history_with_a_clock_in_the_past_still_hides() {
    // 2,000 rebased commits that keep old dates, on top of a recent one that a new branch also starts from.
    let sandbox = Sandbox::new();
    let mut history = linear((0..50).map(|index| 2_000_000_000 + index * 60));
    for index in 0..2_000 {
        history.push((500_000_000 + index * 60, vec![49 + index as usize]));
    }
    let hidden = history.len() - 1;
    history.push((2_000_100_000, vec![49]));
    let oids = build(&sandbox, &history);
    let repository = sandbox.open();
    let tip = oids[hidden + 1];
    let exact = repository.range_exact(&[tip], &[oids[hidden]], 1_000).unwrap();
    assert_eq!(exact.commits.iter().map(|commit| commit.oid).collect::<Vec<_>>(), [tip]);
    assert!(exact.exact);
    let fast = repository.range(&[tip], &[oids[hidden]], 1_000).unwrap();
    assert!(fast.exact == (fast.commits.len() == 1), "a range that is too long does not claim to be exact");
    let tight = repository.range(&[tip], &[oids[hidden]], 10).unwrap();
    assert_eq!(tight.commits.len(), 1, "over its budget a range is looked at exactly before it is given up");
    assert!(repository.is_ancestor(&oids[0], &oids[hidden]).unwrap());
    assert_eq!(repository.merge_bases(&tip, &oids[hidden]).unwrap(), [oids[49]]);
}

#[test]
fn a_clock_in_the_future_is_noticed() {
    let sandbox = Sandbox::new();
    let mut history = linear((0..2_000).map(|index| 1_000_000 + index * 60));
    history[5].0 = 4_000_000_000;
    history.push((3_999_999_999, vec![5]));
    let oids = build(&sandbox, &history);
    let range = sandbox.open().range(&[oids[2_000]], &[oids[1_999]], 100).unwrap();
    assert_eq!(range.commits.iter().map(|commit| commit.oid).collect::<Vec<_>>(), [oids[2_000]]);
}

#[test]
fn too_many_commits_are_over_budget() {
    let sandbox = Sandbox::new();
    let oids = build(&sandbox, &linear((0..20).map(|index| 1_000 + index)));
    let repository = sandbox.open();
    assert!(matches!(repository.range(&[oids[19]], &[oids[4]], 14), Err(HistoryError::OverBudget { budget: 14 })));
    assert_eq!(repository.range(&[oids[19]], &[oids[4]], 15).unwrap().commits.len(), 15);
    assert_eq!(repository.range(&[oids[4]], &[oids[19]], 15).unwrap().commits, []);
    assert_eq!(repository.range(&[oids[19]], &[], 20).unwrap().commits.len(), 20);
}

#[test]
fn criss_cross_merges_have_several_bases_and_unrelated_histories_none() {
    let sandbox = Sandbox::new();
    let history = vec![
        (1, vec![]),
        (2, vec![0]),
        (3, vec![0]),
        (4, vec![1, 2]),
        (5, vec![1, 2]),
        (6, vec![]),
        (7, vec![3, 4, 5]),
    ];
    let oids = build(&sandbox, &history);
    let repository = sandbox.open();
    let mut both = vec![oids[1], oids[2]];
    both.sort();
    assert_eq!(repository.merge_bases(&oids[3], &oids[4]).unwrap(), both);
    assert_eq!(repository.merge_bases(&oids[3], &oids[5]).unwrap(), []);
    assert_eq!(repository.merge_bases(&oids[3], &oids[3]).unwrap(), [oids[3]]);
    assert_eq!(repository.merge_bases_of_all(&[oids[3], oids[4], oids[1]]).unwrap(), [oids[1]]);
    assert_eq!(repository.merge_bases_of_all(&[oids[3], oids[4], oids[5]]).unwrap(), []);
}

#[test]
fn replace_refs_and_grafts_do_not_change_history() {
    let sandbox = Sandbox::new();
    let oids = build(&sandbox, &linear((0..4).map(|index| 1_000 + index)));
    sandbox.git(&["replace", &oids[3].hex(), &oids[0].hex()]);
    std::fs::write(sandbox.repo.join(".git/info/grafts"), format!("{}\n", oids[2])).unwrap();
    sandbox.git(&["commit-graph", "write", "--reachable"]);
    let repository = sandbox.open();
    assert_eq!(repository.commit(&oids[3]).unwrap().parents, [oids[2]]);
    assert!(repository.is_ancestor(&oids[0], &oids[3]).unwrap());
    assert_eq!(repository.range(&[oids[3]], &[oids[0]], 10).unwrap().commits.len(), 3);
}

#[test]
fn a_shallow_edge_within_the_range_is_undecided_and_one_behind_it_is_not() {
    let sandbox = Sandbox::new();
    let oids = build(&sandbox, &linear((0..6).map(|index| 1_000 + index)));
    sandbox.git(&["branch", "-f", "main", &oids[5].hex()]);
    let url = format!("file://{}", sandbox.repo.display());
    sandbox.git_in(&sandbox.root(), &["clone", "--quiet", "--depth=3", "--branch=main", &url, "shallow"]);
    let repository = sandbox.open_at(&sandbox.root().join("shallow"));
    let edge = oids[3];
    let range = repository.range(&[oids[5]], &[edge], 10).unwrap();
    assert_eq!(range.commits.len(), 2, "history that is cut behind the hidden commit does not matter");
    assert!(range.exact, "what is proved by the commits that are here needs no others");
    match repository.range(&[oids[5]], &[], 10) {
        Err(HistoryError::ShallowEdge { oid }) => assert_eq!(oid, edge),
        other => panic!("expected a shallow edge: {other:?}"),
    }
    assert!(
        matches!(repository.range(&[oids[5]], &[oids[0]], 10), Err(HistoryError::Missing { oid }) if oid == oids[0])
    );
    assert!(repository.is_ancestor(&edge, &oids[5]).unwrap());
    assert!(matches!(repository.is_ancestor(&oids[0], &oids[5]), Err(HistoryError::Missing { .. })));
    assert_eq!(repository.merge_bases(&oids[4], &oids[5]).unwrap(), [oids[4]]);
}

#[test]
fn an_ancestor_question_that_the_cut_hides_is_undecided() {
    let sandbox = Sandbox::new();
    // 0-1-2-3 and a side commit 4 on 1; of the side only the tip is fetched.
    let oids = build(&sandbox, &[(1, vec![]), (2, vec![0]), (3, vec![1]), (4, vec![2]), (5, vec![1])]);
    let url = format!("file://{}", sandbox.repo.display());
    let clone = sandbox.root().join("shallow");
    sandbox.git_in(&sandbox.root(), &["clone", "--quiet", "--depth=1", "--branch=c3", &url, "shallow"]);
    sandbox.git_in(&clone, &["fetch", "--quiet", "--depth=1", "origin", "c4"]);
    let repository = sandbox.open_at(&clone);
    assert!(matches!(repository.is_ancestor(&oids[4], &oids[3]), Err(HistoryError::ShallowEdge { .. })));
    assert!(matches!(repository.merge_bases(&oids[4], &oids[3]), Err(HistoryError::ShallowEdge { .. })));
}

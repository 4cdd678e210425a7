//! Baselines: an owner adopts what a commit reaches, and nothing else.

use git_boundary::model::handoff::Baseline;
use git_boundary::store::hints::Hint;

use crate::support::{Ran, Work, World};

/// A world whose adopted history has three commits, the middle one tagged.
fn adopted() -> World {
    let world = World::untouched();
    let work = &world.work;
    work.commit(&[("README", "second\n")]);
    work.git("tag v1");
    work.commit(&[("README", "third\n")]);
    work.git("push -q origin main v1");
    work.boundary("init").ok();
    work.boundary("trust add codex --role actor --new-key").ok();
    world
}

fn commits(ran: &Ran) -> Vec<(String, String)> {
    let json = ran.json();
    let word = |commit: &serde_json::Value, name: &str| commit[name].as_str().expect("a word").to_owned();
    let all = json["commits"].as_array().expect("a list").iter();
    all.map(|commit| (word(commit, "oid"), word(commit, "status"))).collect()
}

#[test]
fn history_below_a_baseline_is_adopted_with_it() {
    let world = adopted();
    let work = &world.work;
    for rev in ["main~1", "main~2", "v1", "main~2..main~1"] {
        let ran = work.boundary(&format!("verify --json {rev} --ref main")).ok();
        let tip = work.oid(rev.rsplit("..").next().expect("a range has an end"));
        assert_eq!(commits(&ran), [(tip, "baseline".to_owned())], "{ran}");
    }
    world.joined("second").boundary("verify origin/main~1").ok().says("baseline");
    // Nothing to judge is still nothing judged.
    work.boundary("verify main..main~1").ends_with(2).says("empty");
    work.boundary("verify v1..v1 --ref main").ends_with(2).says("empty");
}

#[test]
fn what_stands_beside_or_above_a_baseline_is_not_adopted_with_it() {
    let world = adopted();
    let work = &world.work;
    let above = work.commit(&[("README", "fourth\n")]);
    let ran = work.boundary("verify --json main").ends_with(1);
    assert_eq!(commits(&ran)[0], (above, "refused".to_owned()), "{ran}");
    work.git("switch -q -c side v1");
    let beside = work.commit(&[("README", "another third\n")]);
    let ran = work.boundary("verify --json side --ref main").ends_with(1);
    assert_eq!(commits(&ran), [(beside.clone(), "refused".to_owned())], "the side commit alone: {ran}");
    // Merged history brings its baselines, and nothing that they do not reach.
    work.git("merge -q -s ours -m merged main");
    let ran = work.boundary("verify --json side --ref main").ends_with(1);
    assert!(commits(&ran).contains(&(beside, "refused".to_owned())), "{ran}");
}

#[test]
fn a_baseline_by_anybody_else_adopts_nothing_below_it() {
    let world = adopted();
    let work = &world.work;
    work.git("switch -q --orphan other");
    work.commit(&[("other", "history\n")]);
    work.commit(&[("other", "more\n")]);
    let baseline = Baseline { commit: work.id("other"), reference: "refs/heads/other".to_owned() };
    work.record("other", &[work.sign("codex", "other", baseline.clone())]);
    hint_at_baseline(work, "other");
    work.boundary("verify other~1 --ref main").ends_with(1);
    work.boundary("baseline other").ok();
    work.boundary("verify other~1 --ref main").ok();
    // An owner's own, noted on another commit than it names.
    work.git("switch -q --orphan third");
    work.commit(&[("third", "history\n")]);
    work.commit(&[("third", "more\n")]);
    work.record("third", &[work.sign("ada-l", "third", baseline)]);
    hint_at_baseline(work, "third");
    work.boundary("verify third~1 --ref main").ends_with(1);
}

#[test]
fn a_hint_that_is_gone_covers_nothing_more() {
    let world = adopted();
    let work = &world.work;
    work.set_lines(&work.empty_tree(), &[]);
    assert_ne!(work.boundary("verify main~1").status, 0, "nobody can find the baseline");
    work.boundary("verify main").ok().says("baseline");
}

#[test]
fn an_old_commit_may_be_pushed_to_a_new_governed_branch() {
    let world = adopted();
    let work = &world.work;
    // Nothing is adopted by name, so that only the baseline speaks for it.
    work.policy(&[("adopts = [\"refs/heads/main\"]", "adopts = []")]);
    work.push("origin v1:refs/heads/agent/old").accepted();
}

impl Work {
    fn empty_tree(&self) -> String {
        self.git("hash-object -t tree /dev/null")
    }
}

/// What leads to a baseline is unsigned: anybody may write it.
fn hint_at_baseline(work: &Work, rev: &str) {
    let place = work.empty_tree();
    let mut lines = work.lines(&place);
    lines.push(String::from_utf8(Hint::at(work.id(rev)).line()).expect("hints are text"));
    work.set_lines(&place, &lines);
}

/// A second walk asks for every baseline there is, at the price of all history; who pushes onto what is known never pays it.
#[test]
fn a_push_onto_known_history_is_looked_at_once() {
    use git_boundary::app::remote::side;
    use git_boundary::gate::facts::Purpose;
    use git_boundary::gather::notes::Noted;
    use git_boundary::gather::{Session, SessionOptions, UpdateRequest, facts_for};

    let world = World::new();
    let work = &world.work;
    work.commit(&[("src/main.rs", "unproposed\n")]);
    let repository = work.open();
    let session = Session::open(&repository, crate::support::now(), &SessionOptions::default()).expect("it is sound");
    let request = UpdateRequest {
        exact: false,
        new: work.id("HEAD"),
        old: work.id("origin/main"),
        purpose: Purpose::Push,
        reference: "refs/heads/main".to_owned(),
        side: side(&repository).expect("there is one remote"),
    };
    let facts = facts_for(&session, &Noted::default(), &request).expect("it is gathered");
    assert!(facts.exact, "the answer is final after one walk");
}

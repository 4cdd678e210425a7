//! Work that waits to be pushed: each repetition gets a branch of its own, as in life, and finds the ledger longer by what the one
//! before left in it.

use git_boundary::gather::{Session, SessionOptions};
use git_boundary::model::id::Oid;

use super::history::{COMMITS_A_PUSH, History};
use super::receipts::{MAIN, Office, Work};
use super::repository::{Site, now};

/// Commits of a long proposal.
const COMMITS_OF_A_LONG_ONE: usize = 20;

/// Branches ahead of the default branch.
pub struct Candidates {
    /// Where the default branch stands.
    pub main: Oid,
    /// A new ref's old value.
    pub zero: Oid,
    /// With a proposal and a proof.
    pub proven: Vec<Candidate>,
    /// Without receipts.
    pub bare: Vec<Candidate>,
}

/// One branch.
pub struct Candidate {
    /// Its name in full.
    pub branch: String,
    /// Its tip.
    pub tip: Oid,
}

impl Candidates {
    /// Makes `count` of each kind under one handoff, of five commits each.
    pub fn make(site: &Site, count: usize) -> Self {
        Self::of(site, "waiting", (count, count), COMMITS_A_PUSH)
    }

    /// Makes `count` of twenty commits each, all of them proven.
    pub fn long(site: &Site, count: usize) -> Self {
        Self::of(site, "long", (count, 0), COMMITS_OF_A_LONG_ONE)
    }

    fn of(site: &Site, word: &str, (proven, bare): (usize, usize), commits: usize) -> Self {
        let main: Oid = site.world.git(&site.dir, &["rev-parse", MAIN]).parse().expect("git prints an id");
        let names: Vec<String> = (0..proven + bare).map(|number| format!("agent/{word}-{number}")).collect();
        let at = now();
        let (history, marks) = History::branches(&main, &names, commits, at.0);
        let oids = history.import(&site.world, &site.dir, true);
        let mut all: Vec<Candidate> = names
            .iter()
            .zip(marks)
            .map(|(name, mark)| Candidate { branch: format!("refs/heads/{name}"), tip: oids[&mark] })
            .collect();
        let bare = all.split_off(proven);
        let repository = site.world.open(&site.dir);
        let session = Session::open(&repository, at, &SessionOptions::default()).expect("the copy is sound");
        let mut office = Office::open(&site.world, &session);
        let given = office.hand_out(main, at, 8 * 3600);
        for one in &all {
            let proposed = office.propose(&given, &Work { branch: &one.branch, before: main, tip: one.tip, at });
            office.check(&proposed, at);
        }
        office.write(at);
        Candidates { main, zero: repository.object_format().zero_oid(), proven: all, bare }
    }
}

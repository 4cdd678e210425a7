//! What most tests do first, and what they do with every refusal.

use std::collections::BTreeMap;

use git_boundary::crypto::{key_id, read_public_key};

use super::ran::Ran;
use super::work::Work;

impl Work {
    /// Hands `src/**` to `codex`, pinned to `HEAD` of the current branch; gives the handoff's id.
    #[track_caller]
    pub fn hand_out(&self) -> String {
        self.hand_out_with("--to codex --path src/**")
    }

    /// `handoff create` with these words; gives the handoff's id.
    #[track_caller]
    pub fn hand_out_with(&self, words: &str) -> String {
        let created = self.boundary(&format!("handoff create --json {words}")).ok();
        created.json()["id"].as_str().expect("a handoff has an id").to_owned()
    }

    /// A new branch `agent/fix` with one commit inside the scope of [`Work::hand_out`].
    #[track_caller]
    pub fn fix(&self) -> String {
        self.git("switch -q -c agent/fix");
        self.commit(&[("src/main.rs", "fn main() { work() }\n")])
    }

    /// Proposes `HEAD` as `codex`; gives the proposal's id.
    #[track_caller]
    pub fn propose(&self) -> String {
        let proposed = self.boundary("propose --key codex --json").ok();
        proposed.json()["id"].as_str().expect("a proposal has an id").to_owned()
    }

    /// Checks the proposal on `HEAD` as `reviewer-bot`, with the diet that the starter policy wants.
    #[track_caller]
    pub fn check(&self, decision: &str) {
        self.check_by("reviewer-bot", decision);
    }

    /// The same by another key.
    #[track_caller]
    pub fn check_by(&self, key: &str, decision: &str) {
        self.check_reading(key, "--input diff", decision);
    }

    /// The same with another diet.
    #[track_caller]
    pub fn check_reading(&self, key: &str, inputs: &str, decision: &str) {
        self.boundary(&format!("check begin {inputs} --key {key}")).ok();
        self.boundary(&format!("check decide {decision} --key {key}")).ok();
    }

    /// Handed out, and a file changed on which machines act: an owner has to approve it.
    #[track_caller]
    pub fn automation(&self) {
        self.hand_out_with("--to codex --path **");
        self.git("switch -q -c agent/fix");
        self.write("Makefile", "all:\n\ttrue\n");
        self.git("add Makefile");
        self.git("commit -q -m make");
    }

    /// The same, and proposed.
    #[track_caller]
    pub fn proposed_automation(&self) {
        self.automation();
        self.propose();
    }

    /// Handed out, fixed, proposed: ready for a push of `agent/fix`.
    #[track_caller]
    pub fn proposed_fix(&self) {
        self.hand_out();
        self.fix();
        self.propose();
    }

    /// The same, and allowed by a checker: ready for a push to `main`.
    #[track_caller]
    pub fn proven_fix(&self) {
        self.proposed_fix();
        self.check("allow");
    }

    /// Changes words of `boundary.toml` and puts it in force.
    #[track_caller]
    pub fn policy(&self, changes: &[(&str, &str)]) {
        let mut text = self.read("boundary.toml");
        for (from, to) in changes {
            assert!(text.contains(from), "the starter policy says {from:?}");
            text = text.replace(from, to);
        }
        self.write("boundary.toml", &text);
        self.boundary("policy sign").ok();
    }

    /// Types every command that was printed, as it stands, and asserts that the owner signed nothing by it.
    ///
    /// Anything may follow such lines, an agent that does what it is told foremost.
    #[track_caller]
    pub fn follow(&self, ran: &Ran) {
        let before = self.signed_by_owner();
        for command in ran.commands() {
            let followed = self.sh(&command);
            let after = self.signed_by_owner();
            assert_eq!(before, after, "`{command}` signs nothing as the owner: {followed}\nwhich was printed by {ran}");
        }
    }

    /// How many records there are on `HEAD` whose summaries begin with each of these words.
    #[track_caller]
    pub fn summaries<const N: usize>(&self, words: [&str; N]) -> [usize; N] {
        let shown = self.boundary("show HEAD --json").ok().json();
        let records = shown["records"].as_array().expect("a list");
        let summaries: Vec<&str> = records.iter().filter_map(|one| one["summary"].as_str()).collect();
        words.map(|word| summaries.iter().filter(|it| it.starts_with(word)).count())
    }

    /// How many signatures of the owner stand in each boundary ref of this clone.
    pub fn signed_by_owner(&self) -> BTreeMap<String, usize> {
        let key = read_public_key(&self.home.key_path("ada-l.pub")).expect("the owner's key is there");
        let id = key_id(&key).to_string();
        let refs = self.refs().into_iter().filter(|(name, _)| name.contains("boundary"));
        refs.map(|(name, oid)| {
            let found = self.try_git(&format!("grep -h -o -a -e \"keyid\":\"{id}\" {oid}"));
            (name, found.stdout.lines().count())
        })
        .collect()
    }
}

impl super::Push {
    /// Follows what a refusal printed; see [`Work::follow`].
    #[track_caller]
    pub fn followed_in(self, work: &Work) -> Self {
        work.follow(&self.ran);
        self
    }
}

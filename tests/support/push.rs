//! A finished push: what git said, what our hook ended with, and what became of the remote.

use std::path::Path;

use serde_json::Value;

use super::ran::Ran;
use super::server::Refs;

/// A finished push.
#[derive(Debug)]
pub struct Push {
    /// git's own end and words.
    pub ran: Ran,
    /// Exit status of the pre-push hook; `None` when git ran none.
    pub hook: Option<i32>,
    /// The remote's refs before.
    pub before: Refs,
    /// The remote's refs after.
    pub after: Refs,
}

/// What the hook said of one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// `refused` or `undecided`.
    pub outcome: String,
    /// The primary code.
    pub code: String,
    /// The ref.
    pub reference: String,
}

impl Push {
    /// Asserts that the hook let it through and the remote took it.
    #[track_caller]
    pub fn accepted(self) -> Self {
        assert_eq!(self.hook, Some(0), "the hook admits {}", self.ran);
        assert_eq!(self.ran.status, 0, "the remote takes {}", self.ran);
        self
    }

    /// Asserts that it was refused with exactly this primary code, status 1, and that nothing changed at the remote.
    #[track_caller]
    pub fn refused(self, code: &str) -> Self {
        self.stopped(1, "refused", code)
    }

    /// Asserts that the hook could not decide, claimed nothing against anyone, and that nothing changed at the remote.
    #[track_caller]
    pub fn undecided(self) -> Self {
        self.stopped(2, "undecided", "snapshot.unavailable")
    }

    /// The hook's word on each ref that it did not admit.
    pub fn answers(&self) -> Vec<Answer> {
        self.ran.stderr.lines().filter_map(answer).collect()
    }

    /// All codes against the first ref, by rank: what the `codes:` line lists, or the primary one alone.
    pub fn codes(&self) -> Vec<String> {
        let listed = self.ran.stderr.lines().find_map(|line| line.trim().strip_prefix("codes: "));
        match listed {
            Some(codes) => codes.split(' ').map(str::to_owned).collect(),
            None => self.answers().into_iter().take(1).map(|answer| answer.code).collect(),
        }
    }

    /// Asserts all the codes of the first answer.
    #[track_caller]
    pub fn with_codes(self, codes: &[&str]) -> Self {
        assert_eq!(self.codes(), codes, "all codes, by rank, of {}", self.ran);
        self
    }

    /// Asserts that the hook said something.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        Push { ran: self.ran.says(text), ..self }
    }

    #[track_caller]
    fn stopped(self, status: i32, outcome: &str, code: &str) -> Self {
        let first = self.answers().into_iter().next();
        let said = first.as_ref().map(|answer| (answer.outcome.as_str(), answer.code.as_str()));
        assert_eq!(said, Some((outcome, code)), "the first answer of {}", self.ran);
        assert_eq!(self.hook, Some(status), "the hook's exit status in {}", self.ran);
        assert_ne!(self.ran.status, 0, "git says that it pushed nothing in {}", self.ran);
        assert_eq!(self.before, self.after, "a push that is stopped changes nothing at the remote: {}", self.ran);
        self
    }
}

/// `refused: <code>  <ref>`
fn answer(line: &str) -> Option<Answer> {
    let (outcome, rest) = line.split_once(": ")?;
    let (code, reference) = rest.split_once("  ")?;
    let known = matches!(outcome, "refused" | "undecided") && code.contains('.');
    known.then(|| Answer { outcome: outcome.to_owned(), code: code.to_owned(), reference: reference.to_owned() })
}

/// The exit status of the hook in a trace that git itself wrote (`GIT_TRACE2_EVENT`).
pub fn hook_status(trace: &Path) -> Option<i32> {
    let text = std::fs::read_to_string(trace).expect("git wrote the trace");
    let events: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    // Children write into the same file, each under the name of its parent; the push itself has none.
    let own = |event: &&Value| event["sid"].as_str().is_some_and(|sid| !sid.contains('/'));
    let started =
        events.iter().filter(own).find(|event| event["event"] == "child_start" && event["hook_name"] == "pre-push")?;
    let ended = events
        .iter()
        .filter(own)
        .find(|event| event["event"] == "child_exit" && event["child_id"] == started["child_id"])?;
    ended["code"].as_i64().and_then(|code| i32::try_from(code).ok())
}

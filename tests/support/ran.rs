//! A finished command: what it was, how it ended, what it said.

use serde_json::Value;

/// A finished command.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The command, for messages.
    pub what: String,
    /// Its exit status; -1 when a signal ended it.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// Asserts that it ended with 0.
    #[track_caller]
    pub fn ok(self) -> Self {
        self.ends_with(0)
    }

    /// Asserts its exit status.
    #[track_caller]
    pub fn ends_with(self, status: i32) -> Self {
        assert_eq!(self.status, status, "exit status of {self}");
        self
    }

    /// Asserts that it said something, on either stream.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.said().contains(text), "{text:?} is said by {self}");
        self
    }

    /// Asserts that it did not say something.
    #[track_caller]
    pub fn never_says(self, text: &str) -> Self {
        assert!(!self.said().contains(text), "{text:?} is not said by {self}");
        self
    }

    /// Both streams.
    pub fn said(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// The commands that it printed to be typed next: lines set in, that begin with a program's name.
    pub fn commands(&self) -> Vec<String> {
        let said = self.said();
        let set_in = said.lines().filter(|line| line.starts_with("  ")).map(str::trim);
        set_in.filter(|line| line.starts_with("git ")).map(str::to_owned).collect()
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("one JSON value ({error}) by {self}"))
    }

    /// Standard output as one JSON value a line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("JSON ({error}) by {self}"));
        self.stdout.lines().map(parse).collect()
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ran { what, status, stdout, stderr } = self;
        write!(f, "`{what}`, which ended with {status}\n--- stdout\n{stdout}--- stderr\n{stderr}---")
    }
}

//! The three hooks that matter here, under git's names.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A hook that git-boundary answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookName {
    /// In a clone: before anything is sent.
    PrePush,
    /// On a server: before any ref moves.
    PreReceive,
    /// On a server: after the refs have moved.
    PostReceive,
}

impl HookName {
    /// All of them, in the order in which one push meets them.
    pub const ALL: [HookName; 3] = [HookName::PrePush, HookName::PreReceive, HookName::PostReceive];

    /// Those a clone needs, or those a server needs.
    pub fn of(server: bool) -> &'static [HookName] {
        if server { &Self::ALL[1..] } else { &Self::ALL[..1] }
    }

    /// The name of its file.
    pub fn as_str(self) -> &'static str {
        match self {
            HookName::PrePush => "pre-push",
            HookName::PreReceive => "pre-receive",
            HookName::PostReceive => "post-receive",
        }
    }

    /// The command that installs it.
    pub fn install_command(self) -> &'static str {
        match self {
            HookName::PrePush => "git boundary hook install",
            HookName::PreReceive | HookName::PostReceive => "git boundary hook install --server",
        }
    }
}

impl fmt::Display for HookName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for HookName {
    type Err = UnknownHook;

    fn from_str(text: &str) -> Result<Self, UnknownHook> {
        Self::ALL.into_iter().find(|name| name.as_str() == text).ok_or_else(|| UnknownHook { text: text.to_owned() })
    }
}

impl Serialize for HookName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A name that is none of the three.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no hook of git-boundary: pre-push, pre-receive and post-receive are")]
pub struct UnknownHook {
    /// What was found.
    pub text: String,
}

//! The gateway's records: what an agent was installed as, what one session of it was, and what it looked at (issue "the gateway";
//! seed "execution gateway"). None of them holds content, nor a place on somebody's disk: names, sizes and digests only.

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::id::KeyId;
use super::time::Timestamp;

/// The predicate of an `installation`: all that was measured when an agent was bound to a workspace. A launch goes on only while every
/// value is still found so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installation {
    /// Which adapter knows the agent.
    pub adapter: String,
    /// What carries out an approved action.
    pub actuator: String,
    /// The files that make up the agent.
    pub agent: Vec<Measured>,
    /// SHA-256 of the operation catalogue: the tools with their schemas, as canonical JSON.
    pub catalogue: Digest,
    /// What was written for the agent: hooks, MCP route, settings.
    pub configuration: Vec<Measured>,
    /// What this adapter cannot contain.
    pub gaps: Vec<String>,
    /// Makes two otherwise equal installations different artifacts.
    pub nonce: String,
    /// SHA-256 of the gateway's policy as canonical JSON.
    pub policy: Digest,
    /// This program.
    pub runner: Measured,
    /// What a shell starts in the agent's place.
    pub shim: Measured,
    /// The version that the agent tells of itself.
    pub version: String,
    /// SHA-256 of the canonical [`Place`] of the workspace.
    pub workspace: Digest,
}

/// The predicate of a `session`: what one launch was sealed with, before the agent was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionSeal {
    /// Who proposes what the agent asks for; none where it may only read.
    pub actor: Option<KeyId>,
    /// SHA-256 of the arguments that the agent was started with, as a canonical list.
    pub arguments: Digest,
    /// SHA-256 of the names of the variables that it was given, as a canonical list: what they hold may be guessed from a digest.
    pub environment: Digest,
    /// Not after this moment.
    pub expires_at: Timestamp,
    /// Digest of the installation, every value of which was found again.
    pub installation: Digest,
    /// Whose ledger holds the session's trace. Nobody else's word is a part of it.
    pub registrar: KeyId,
    /// SHA-256 of the session's token, which itself is written nowhere.
    pub token: Digest,
}

/// The predicate of an `access`: what was asked for through the gateway, in order, a part of a session's trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessRecord {
    /// In order, without a gap.
    pub accesses: Vec<Access>,
    /// Digest of the part before this one; `null` in the first.
    pub previous: Option<Digest>,
    /// RFC 9162 root over all accesses of the session up to the last one here, each leaf the canonical JSON of one.
    pub root: Digest,
    /// Digest of the session.
    pub session: Digest,
    /// Whether the session ended with it.
    #[serde(rename = "final")]
    pub last: bool,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// When, by the clock of the machine.
    pub at: Timestamp,
    /// The boundary operation, such as `workspace.read_file`.
    pub operation: String,
    /// `ok`, or why not: a word of the gateway's own.
    pub outcome: String,
    /// What was looked at, from the top of the workspace; none where the call named nothing that may be kept.
    pub path: Option<String>,
    /// SHA-256 of what was asked: the call's canonical arguments. A commitment, so that no argument needs to be kept.
    pub request: Digest,
    /// SHA-256 of what was given back; `null` where nothing was.
    pub result: Option<Digest>,
    /// 0, 1, 2, … in its session.
    pub seq: u64,
    /// Bytes that were given back.
    pub size: u64,
}

/// A file and what it was measured as.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Its own name, without the directories that lead to it.
    pub name: String,
    /// What it is for, such as `launcher` or `interpreter`.
    pub role: String,
    /// Its bytes.
    pub size: u64,
}

/// Which directory of which file system a workspace is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Number of the device that holds it, in decimal: it may be past what canonical JSON has numbers for.
    pub device: String,
    /// Its number on that device, likewise.
    pub inode: String,
    /// Canonical, absolute.
    pub path: String,
}

/// What an agent may look at through the gateway and what it may ask to write. Nothing lets it write by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GatewayPolicy {
    /// What becomes of a wish to write an automation file, wherever it lies.
    pub automation: WriteRule,
    /// Pathspecs of files that may be listed, read and searched.
    pub read: Vec<String>,
    /// How long a session lasts, in seconds.
    pub session_seconds: u64,
    /// Pathspecs of files that may be written once an owner has approved just that; empty where nothing may be.
    pub write: Vec<String>,
}

/// What becomes of a wish to write. There is no third word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteRule {
    /// It waits for an owner.
    ApprovalRequired,
    /// It is refused.
    Deny,
}

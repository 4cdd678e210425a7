//! RULES: the gateway's policy file, compiled, and what it says about a path. Pathspecs and the automation class are the gate's own.

use serde::Deserialize;

use super::super::error::AppError;
use super::super::policy_file::parse_duration;
use crate::codec::canonical;
use crate::gate::scope::automation::{AutomationClass, is_automation};
use crate::gate::scope::pathspec::{PathScope, PathVerdict};
use crate::model::digest::Digest;
use crate::model::gateway::{GatewayPolicy, WriteRule};

/// The policy where no file is named: all may be read but what usually holds secrets, and whatever may be read may be asked for, but for
/// automation files.
pub const STARTER: &str = r#"# What an agent may do through the gateway. Pathspecs are git's, from the top of the worktree.

# Files that may be listed, read and searched.
read = [
  ":/",
  ":(exclude,glob)**/.env", ":(exclude,glob)**/.env.*", ":(exclude,glob)**/*.pem", ":(exclude,glob)**/*.key",
  ":(exclude,glob)**/*.p12", ":(exclude,glob)**/*.pfx", ":(exclude,glob)**/*.kdbx", ":(exclude,glob)**/id_rsa",
  ":(exclude,glob)**/id_dsa", ":(exclude,glob)**/id_ecdsa", ":(exclude,glob)**/id_ed25519", ":(exclude,glob)**/.netrc",
  ":(exclude,glob)**/.npmrc", ":(exclude,glob)**/.pypirc", ":(exclude,glob)**/credentials", ":(exclude,glob)**/secrets/**",
  ":(exclude,glob)**/.ssh/**", ":(exclude,glob)**/.gnupg/**", ":(exclude,glob)**/.aws/**",
]

# Files that may be written once an owner has approved exactly that. Everything else is denied.
write = [":/"]

# CI configuration, hooks, build scripts, manifests, agent configuration: "deny" or "approval_required".
automation = "deny"

# How long a session lasts.
session = "8h"
"#;

/// The longest session: a token must not outlive the day that its owner remembers giving it out.
const LONGEST: u64 = 24 * 60 * 60;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    automation: Option<WriteRule>,
    read: Vec<String>,
    session: Option<String>,
    write: Option<Vec<String>>,
}

/// A compiled policy, ready to be asked.
#[derive(Debug, Clone)]
pub struct Rules {
    policy: GatewayPolicy,
    read: PathScope,
    write: Option<PathScope>,
}

/// What the rules say of a wish to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// It waits for an owner; with the class of automation file that the path is of, if it is.
    ApprovalRequired(Option<AutomationClass>),
    /// It is refused, for this reason.
    Denied(String),
}

impl Rules {
    /// Compiles a policy file. `file` is the name that errors show.
    ///
    /// # Errors
    /// When it is no such policy, naming the file and the place.
    pub fn compile(file: &str, text: &str) -> Result<Self, AppError> {
        let told = |problem: String| {
            AppError::usage(format!("{file}: {problem}"), "git boundary manual gateway shows a policy that can be used")
        };
        let raw: Raw = toml::from_str(text).map_err(|error| told(error.to_string().trim_end().to_owned()))?;
        let session_seconds = match &raw.session {
            None => 8 * 60 * 60,
            Some(text) => parse_duration(text).map_err(|error| told(format!("session: {error}")))?,
        };
        Self::of(GatewayPolicy {
            automation: raw.automation.unwrap_or(WriteRule::Deny),
            read: raw.read,
            session_seconds,
            write: raw.write.unwrap_or_default(),
        })
        .map_err(told)
    }

    /// From a policy that was compiled before.
    ///
    /// # Errors
    /// When a pathspec in it can't be used.
    pub fn of(policy: GatewayPolicy) -> Result<Self, String> {
        if policy.session_seconds > LONGEST {
            return Err("session: a session lasts at most 1d".to_owned());
        }
        let read = PathScope::parse(&policy.read).map_err(|error| format!("read: {error}"))?;
        let write = (!policy.write.is_empty()).then(|| PathScope::parse(&policy.write)).transpose();
        let write = write.map_err(|error| format!("write: {error}"))?;
        Ok(Rules { policy, read, write })
    }

    /// What they were compiled to.
    pub fn policy(&self) -> &GatewayPolicy {
        &self.policy
    }

    /// The policy as canonical JSON (RFC 8785).
    pub fn canonical(&self) -> Vec<u8> {
        canonical::to_vec(&self.policy)
    }

    /// SHA-256 of that.
    pub fn digest(&self) -> Digest {
        canonical::digest_of(&self.policy)
    }

    /// Whether a file may be looked at; if not, why.
    ///
    /// # Errors
    /// The reason, for the agent.
    pub fn reads(&self, path: &str) -> Result<(), String> {
        match self.read.verdict(path.as_bytes(), false) {
            PathVerdict::Granted => Ok(()),
            PathVerdict::NotIncluded => Err("the policy's read list does not include it".to_owned()),
            PathVerdict::Excluded(by) => Err(format!("the policy's read list excludes it by {by}")),
        }
    }

    /// Whether all below a directory is kept back, whatever it is called.
    pub fn excludes_below(&self, directory: &str) -> bool {
        let below = format!("{directory}/-");
        [directory, &below]
            .iter()
            .any(|path| matches!(self.read.verdict(path.as_bytes(), false), PathVerdict::Excluded(_)))
    }

    /// What becomes of a wish to write a file. What may not be read may not be written: the answer to a write tells what was there.
    pub fn writes(&self, path: &str) -> Write {
        if let Err(reason) = self.reads(path) {
            return Write::Denied(reason);
        }
        let verdict =
            self.write.as_ref().map_or(PathVerdict::NotIncluded, |scope| scope.verdict(path.as_bytes(), false));
        match verdict {
            PathVerdict::NotIncluded => return Write::Denied("the policy's write list does not include it".to_owned()),
            PathVerdict::Excluded(by) => return Write::Denied(format!("the policy's write list excludes it by {by}")),
            PathVerdict::Granted => {}
        }
        match is_automation(path.as_bytes()) {
            Some(class) if self.policy.automation == WriteRule::Deny => Write::Denied(format!(
                "it is an automation file ({class}: {}), which the policy denies",
                class.meaning()
            )),
            class => Write::ApprovalRequired(class),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Rules, STARTER, Write};

    fn rules(text: &str) -> Rules {
        Rules::compile("gateway.toml", text).expect("the policy compiles")
    }

    #[test]
    fn the_starter_lets_sources_be_read_and_asked_for_and_keeps_secrets_and_automation_apart() {
        let rules = rules(STARTER);
        assert_eq!(rules.reads("src/main.rs"), Ok(()));
        assert_eq!(rules.writes("src/main.rs"), Write::ApprovalRequired(None));
        for secret in [
            ".env",
            "app/.ENV.local",
            "deploy/tls.pem",
            "home/.ssh/known_hosts",
            ".ssh/config",
            "a/secrets/b",
            "secrets/b",
            "ID_RSA",
        ] {
            assert!(rules.reads(secret).is_err(), "{secret} usually holds a secret");
            assert!(
                matches!(rules.writes(secret), Write::Denied(_)),
                "what may not be read may not be written: {secret}"
            );
        }
        for automation in [".github/workflows/ci.yml", "package.json", ".GITHUB/Workflows/ci.yml", "CLAUDE.md"] {
            assert!(matches!(rules.writes(automation), Write::Denied(_)), "{automation} is acted on by machines");
        }
    }

    #[test]
    fn automation_files_can_be_held_for_approval_and_are_said_to_be_such() {
        let rules = rules("read = [\":/\"]\nwrite = [\":/\"]\nautomation = \"approval_required\"\n");
        assert!(
            matches!(rules.writes("package.json"), Write::ApprovalRequired(Some(_))),
            "the class is told to the owner"
        );
    }

    #[test]
    fn without_a_write_list_nothing_may_be_written() {
        assert!(matches!(rules("read = [\"src\"]").writes("src/a"), Write::Denied(_)), "silence grants nothing");
    }

    #[test]
    fn a_policy_that_would_let_an_agent_write_by_itself_is_none() {
        for text in [
            "read = [\":/\"]\nautomation = \"allow\"",
            "read = []",
            "read = [\":!a\"]",
            "read = [\":/\"]\nwrites = []",
            "read = [\":/\"]\nsession = \"2d\"",
            "write = [\":/\"]",
        ] {
            assert!(Rules::compile("gateway.toml", text).is_err(), "refused: {text}");
        }
    }
}

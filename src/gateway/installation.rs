//! INSTALLATION: what setup measured, as it is kept here with the places that the signed record leaves out, and what is found now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::adapter::{self, Adapter, Contract, Route};
use super::error::Unestablished;
use super::measure::{guarded, measure};
use super::private::{Private, state_home};
use super::probe::probe;
use super::session::place;
use super::setup::outside;
use super::tools::{catalogue, catalogue_digest};
use crate::app::Context;
use crate::app::gateway::{Rules, ground, installation};
use crate::codec::canonical;
use crate::codec::strict;
use crate::model::digest::Digest;
use crate::model::gateway::{GatewayPolicy, Installation, Measured, Place};
use crate::model::id::Oid;

/// What carries out an action that an owner has approved; there is one.
pub const ACTUATOR: &str = concat!("workspace.write/", env!("CARGO_PKG_VERSION"));

/// Of a file's mode.
const GUARDED: &str = "not everybody may change it";

/// Stands in for a session's name and token in what is measured at setup.
const NONE_OPEN: &str = "none";

/// An installation as it is kept in private state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installed {
    /// Arguments named at setup, for the generic adapter.
    pub arguments: Vec<String>,
    /// The commit that the record is noted on.
    pub commit: Oid,
    /// The record's digest.
    pub digest: Digest,
    /// The signed values.
    pub record: Installation,
    /// Where the agent's files are, in the record's order.
    pub parts: Vec<String>,
    /// The policy.
    pub policy: GatewayPolicy,
    /// Where this program is.
    pub runner: String,
    /// Where the shim is.
    pub shim: String,
    /// Variables that the server needs to find what belongs to the user.
    pub surroundings: BTreeMap<String, String>,
    /// Which directory.
    pub workspace: Place,
}

/// One value, as it was recorded and as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is.
    pub what: String,
    /// As recorded.
    pub recorded: String,
    /// As found; why it can't be told where it can't.
    pub found: String,
    /// Whether the two are the same.
    pub same: bool,
}

/// Where an installation's files are.
#[derive(Debug, Clone)]
pub struct Home {
    /// Its own directory.
    pub private: Private,
}

/// The name of an installation's directory: agent and workspace, so that there is one for both.
fn name_of(agent: &str, workspace: &Place) -> String {
    let digest = canonical::digest_of(workspace).to_string();
    format!("{agent}-{}", &digest["sha256:".len()..][..16])
}

impl Home {
    /// Makes it.
    ///
    /// # Errors
    /// When it can't be made, or would not be private.
    pub fn make(context: &Context, agent: &str, workspace: &Place) -> Result<Self, Unestablished> {
        Ok(Home { private: Private::make(&state_home(context)?, &name_of(agent, workspace))? })
    }

    /// Takes the one that is there; `None` where there is none.
    ///
    /// # Errors
    /// When it is not private.
    pub fn open(context: &Context, agent: &str, workspace: &Place) -> Result<Option<Self>, Unestablished> {
        let (home, name) = (state_home(context)?, name_of(agent, workspace));
        if !home.join(&name).exists() {
            return Ok(None);
        }
        Ok(Some(Home { private: Private::open(&home, &name)? }))
    }

    /// Reads the installation; `None` where setup did not come to its end.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn installed(&self) -> Result<Option<Installed>, Unestablished> {
        let Some(bytes) = self.private.read("installation.json")? else { return Ok(None) };
        let read = strict::read(&bytes);
        read.map(Some).map_err(|error| Unestablished::new("the installation that is kept here", error.to_string()))
    }

    /// Keeps it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn keep(&self, installed: &Installed) -> Result<(), Unestablished> {
        self.private.write("installation.json", &canonical::to_vec(installed), false).map(|_| ())
    }

    /// The agent's isolated home.
    pub fn profile(&self) -> PathBuf {
        self.private.path("profile")
    }
}

/// The variables by which a program of the user's finds keys, state and git's configuration.
pub fn surroundings(context: &Context) -> BTreeMap<String, String> {
    let names =
        ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"];
    let text = |name: &str| Some((name.to_owned(), context.environment.var(name)?.to_str()?.to_owned()));
    names.into_iter().filter_map(text).collect()
}

/// What a contract is made for.
#[derive(Debug)]
pub struct For<'f> {
    /// Arguments named at setup.
    pub arguments: &'f [String],
    /// Where its files go.
    pub files: &'f Path,
    /// The agent's isolated home.
    pub profile: &'f Path,
    /// This program.
    pub runner: &'f str,
    /// Variables that the server needs.
    pub surroundings: &'f BTreeMap<String, String>,
    /// A session's name and token, once there is one.
    pub session: Option<(&'f str, &'f str)>,
    /// The workspace.
    pub workspace: &'f Place,
}

/// What an agent is given. Without a session it is what setup measures: the same but for the name and the token.
pub fn contract(adapter: &Adapter, given: &For<'_>) -> Contract {
    let (session, token) = given.session.unwrap_or((NONE_OPEN, NONE_OPEN));
    let words = ["-C", &given.workspace.path, "gateway", "serve", adapter.name, "--session", session];
    (adapter.contract)(&Route {
        arguments: given.arguments,
        files: given.files,
        profile: given.profile,
        runner: given.runner,
        serve: words.map(str::to_owned).into(),
        surroundings: given.surroundings,
        token,
        tools: catalogue().iter().map(|tool| tool.name).collect(),
        workspace: &given.workspace.path,
    })
}

/// The contract's files and words, measured as they are without a session.
pub fn configuration(adapter: &Adapter, home: &Home, given: &For<'_>) -> Vec<Measured> {
    let contract = contract(adapter, &For { session: None, files: &home.private.path("contract"), ..*given });
    let measured = |role: &str, name: &str, bytes: &[u8]| Measured {
        digest: canonical::sha256(bytes),
        name: name.to_owned(),
        role: role.to_owned(),
        size: bytes.len() as u64,
    };
    let text = |word: &std::ffi::OsString| word.to_string_lossy().into_owned();
    let words: Vec<String> = contract.arguments.iter().map(text).collect();
    let variables: Vec<(&str, String)> = contract.variables.iter().map(|(name, value)| (*name, text(value))).collect();
    let mut found: Vec<Measured> =
        contract.files.iter().map(|(role, name, bytes)| measured(role, name, bytes)).collect();
    found.push(measured("start", "arguments and variables", &canonical::to_vec(&(words, variables))));
    found
}

/// Looks at every value of an installation again.
///
/// # Errors
/// When the adapter is none that is known here.
pub fn recheck(context: &Context, home: &Home, installed: &Installed) -> Result<Vec<Finding>, Unestablished> {
    let record = &installed.record;
    let adapter = adapter::find(&record.adapter)
        .ok_or_else(|| Unestablished::new("the adapter", format!("{:?} is none that is known here", record.adapter)))?;
    let mut findings = Vec::new();
    let mut compare = |what: String, recorded: String, found: Result<String, Unestablished>| {
        let (found, same) = match found {
            Ok(found) => (found.clone(), found == recorded),
            Err(error) => (format!("not established: {error}"), false),
        };
        findings.push(Finding { what, recorded, found, same });
    };
    // What is kept here is only as good as what was signed.
    let signed = installation(context, &installed.digest);
    compare(
        "signed record".to_owned(),
        canonical::digest_of(record).to_string(),
        signed
            .map(|signed| canonical::digest_of(&signed).to_string())
            .map_err(|error| Unestablished::new("the signed record", error.to_string())),
    );
    let here = place(context.environment.cwd());
    compare(
        "workspace".to_owned(),
        record.workspace.to_string(),
        here.map(|here| canonical::digest_of(&here).to_string()),
    );
    compare("private state".to_owned(), "private".to_owned(), home.private.check().map(|()| "private".to_owned()));
    let program = installed.parts.first().map(PathBuf::from).unwrap_or_default();
    let now = (adapter.parts)(&program).map(|parts| {
        let names: Vec<String> = parts.iter().map(|(role, path)| format!("{role} {}", path.display())).collect();
        names.join(", ")
    });
    let roles = record.agent.iter().map(|file| file.role.as_str());
    let then: Vec<String> = roles.zip(&installed.parts).map(|(role, path)| format!("{role} {path}")).collect();
    compare("what makes up the agent".to_owned(), then.join(", "), now);
    let apart = ground(context)
        .map_err(|error| Unestablished::new("the repository", error.to_string()))
        .and_then(|ground| outside(context, &installed.workspace, &ground.git));
    compare("what it must not see".to_owned(), "outside".to_owned(), apart.map(|()| "outside".to_owned()));
    for (file, path) in record.agent.iter().zip(&installed.parts) {
        compare(
            format!("{} {}", file.role, file.name),
            shown(file),
            measure(Path::new(path), &file.role).map(|found| shown(&found)),
        );
    }
    for (number, (file, path)) in record.agent.iter().zip(&installed.parts).enumerate() {
        let found = guarded(Path::new(path), &file.role, number == 0).map(|()| GUARDED.to_owned());
        compare(format!("mode of {} {}", file.role, file.name), GUARDED.to_owned(), found);
    }
    if let (Some(read), Some(program)) = (adapter.version, installed.parts.first()) {
        compare("version".to_owned(), record.version.clone(), probe(Path::new(program), read));
    }
    for (file, path) in [(&record.runner, &installed.runner), (&record.shim, &installed.shim)] {
        compare(
            format!("{} {}", file.role, file.name),
            shown(file),
            measure(Path::new(path), &file.role).map(|found| shown(&found)),
        );
    }
    let rules = Rules::of(installed.policy.clone());
    compare(
        "policy".to_owned(),
        record.policy.to_string(),
        rules.map(|rules| rules.digest().to_string()).map_err(|error| Unestablished::new("the policy", error)),
    );
    let given = For {
        arguments: &installed.arguments,
        files: Path::new(""),
        profile: &home.profile(),
        runner: &installed.runner,
        session: None,
        surroundings: &installed.surroundings,
        workspace: &installed.workspace,
    };
    let found = configuration(adapter, home, &given);
    compare("files and words".to_owned(), record.configuration.len().to_string(), Ok(found.len().to_string()));
    for (number, file) in record.configuration.iter().enumerate() {
        let now = found.get(number).map(shown);
        let missing = || Unestablished::new(file.name.clone(), "this version writes no such file");
        compare(format!("{} {}", file.role, file.name), shown(file), now.ok_or_else(missing));
    }
    compare("catalogue".to_owned(), record.catalogue.to_string(), Ok(catalogue_digest().to_string()));
    compare("actuator".to_owned(), record.actuator.clone(), Ok(ACTUATOR.to_owned()));
    Ok(findings)
}

fn shown(file: &Measured) -> String {
    format!("{} {} bytes", file.digest, file.size)
}

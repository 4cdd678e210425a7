//! SETUP: binds one agent to one worktree. Whatever can't be established ends it, and says which; nothing is guessed.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::adapter::{self, ADAPTERS, Adapter};
use super::error::Unestablished;
use super::installation::{ACTUATOR, For, Home, Installed, configuration, surroundings};
use super::measure::{guarded, measure};
use super::private::{Private, shims_home, state_home};
use super::probe::probe;
use super::session::place;
use super::tools::catalogue_digest;
use crate::app::context::nonce;
use crate::app::gateway::{Kept, Rules, STARTER, ground, keep};
use crate::app::{AppError, Context};
use crate::codec::canonical;
use crate::crypto::KeyEnvironment;
use crate::model::gateway::{GatewayPolicy, Installation, Place};
use crate::model::typed::{quoted, typed};

/// What is to be set up.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The agent's adapter.
    pub agent: String,
    /// Arguments of a generic agent.
    pub arguments: Vec<String>,
    /// A policy file, by the name that was typed.
    pub policy: Option<PathBuf>,
    /// Where the agent is, instead of on PATH.
    pub program: Option<PathBuf>,
    /// This program.
    pub runner: PathBuf,
}

/// What was set up.
#[derive(Debug, Serialize)]
pub struct Done {
    /// The signed record.
    #[serde(flatten)]
    pub kept: Kept,
    /// Its values.
    pub installation: Installation,
    /// The policy, as it was compiled.
    pub policy: GatewayPolicy,
    /// The agent's isolated home, which outlasts its sessions.
    pub profile: String,
    /// The agent's program.
    pub program: String,
    /// The directory of the shim.
    pub shims: String,
    /// Whether PATH has that directory before the agent's own.
    pub shim_is_first: bool,
    /// The workspace.
    pub workspace: String,
}

/// Binds.
///
/// # Errors
/// Whatever can't be established, by name.
pub fn setup(context: &Context, wanted: &Wanted) -> Result<Done, AppError> {
    let adapter = adapter::find(&wanted.agent).ok_or_else(|| {
        let known: Vec<&str> = ADAPTERS.iter().map(|adapter| adapter.name).collect();
        AppError::usage(
            format!("no adapter knows {:?}; there are {}", wanted.agent, known.join(", ")),
            "git boundary gateway setup claude",
        )
    })?;
    let again = super::launch::setup_again(adapter.name);
    let established = |error: Unestablished| error.told(again.clone());
    let here = place(context.environment.cwd()).map_err(established)?;
    let ground = ground(context)?;
    if place(&ground.top).map_err(established)? != here {
        return Err(AppError::fatal(
            format!("{} is not the top of a worktree, and no directory above it is taken instead", here.path),
            format!("cd {}", typed(&ground.top.display().to_string(), "<top>")),
        ));
    }
    let rules = rules(context, wanted)?;
    outside(context, &here, &ground.git).map_err(established)?;
    let program = program(context, adapter, wanted, &here).map_err(established)?;
    let parts = (adapter.parts)(&program).map_err(established)?;
    // What npm has on PATH may be a script that starts something else: that is what counts from here on.
    let program = parts.first().map_or(program, |(_, path)| path.clone());
    let agent =
        parts.iter().map(|(role, path)| measure(path, role)).collect::<Result<Vec<_>, _>>().map_err(established)?;
    for (number, (role, path)) in parts.iter().enumerate() {
        guarded(path, role, number == 0).map_err(established)?;
    }
    let version = match adapter.version {
        Some(read) => probe(&program, read).map_err(established)?,
        None => "not asked for".to_owned(),
    };
    let runner = text(&wanted.runner).map_err(established)?;
    let home = Home::make(context, adapter.name, &here).map_err(established)?;
    let shims = shims_home(context).map_err(established)?;
    let shim = shim(&shims, adapter, &runner).map_err(established)?;
    let surroundings = surroundings(context);
    let given = For {
        arguments: &wanted.arguments,
        files: Path::new(""),
        profile: &home.profile(),
        runner: &runner,
        session: None,
        surroundings: &surroundings,
        workspace: &here,
    };
    let record = Installation {
        adapter: adapter.name.to_owned(),
        actuator: ACTUATOR.to_owned(),
        agent,
        catalogue: catalogue_digest(),
        configuration: configuration(adapter, &home, &given),
        gaps: adapter.gaps.iter().map(|gap| (*gap).to_owned()).collect(),
        nonce: nonce()?,
        policy: rules.digest(),
        runner: measure(&wanted.runner, "runner").map_err(established)?,
        shim: measure(&shim, "shim").map_err(established)?,
        version,
        workspace: canonical::digest_of(&here),
    };
    let kept = keep(context, ground.commit, record.clone())?;
    let installed = Installed {
        arguments: wanted.arguments.clone(),
        commit: kept.commit,
        digest: kept.digest,
        parts: parts.iter().map(|(_, path)| text(path)).collect::<Result<_, _>>().map_err(established)?,
        policy: rules.policy().clone(),
        record: record.clone(),
        runner,
        shim: text(&shim).map_err(established)?,
        surroundings,
        workspace: here.clone(),
    };
    // Made now, so that a login by hand has a place.
    Private::make(&home.private.path(""), "profile").map_err(established)?;
    home.keep(&installed).map_err(established)?;
    Ok(Done {
        kept,
        installation: record,
        policy: installed.policy,
        profile: text(&home.profile()).map_err(established)?,
        program: text(&program).map_err(established)?,
        shim_is_first: first_on_path(context, adapter, &shims),
        shims: text(&shims).map_err(established)?,
        workspace: here.path,
    })
}

/// Nothing that an agent must not see lies where it may look: git's own directories but for `.git`, keys, and our state.
///
/// # Errors
/// What lies there.
pub fn outside(context: &Context, here: &Place, git: &[PathBuf]) -> Result<(), Unestablished> {
    let usual = Path::new(&here.path).join(".git");
    let keys = KeyEnvironment::read(&|name| context.environment.var(name).map(ToOwned::to_owned)).keys_dir();
    let ours = [("keys", keys), ("private state", Some(state_home(context)?)), ("shims", Some(shims_home(context)?))];
    let git = git.iter().filter(|dir| dir.canonicalize().ok().as_deref() != Some(&usual));
    let git = git.map(|dir| ("git's own directory", dir.clone()));
    for (what, dir) in ours.into_iter().filter_map(|(what, dir)| Some((what, dir?))).chain(git) {
        if lies_in(&dir, here) {
            return Err(Unestablished::new(
                format!("that {what} lies outside of the workspace"),
                format!("{} is in it, where the agent looks", dir.display()),
            ));
        }
    }
    Ok(())
}

/// Whether a path, or where it would be once it is made, lies in the workspace.
fn lies_in(path: &Path, here: &Place) -> bool {
    let there = path.ancestors().find_map(|dir| Some(dir.canonicalize().ok()?.join(path.strip_prefix(dir).ok()?)));
    there.is_some_and(|there| there.starts_with(&here.path))
}

fn rules(context: &Context, wanted: &Wanted) -> Result<Rules, AppError> {
    let Some(file) = &wanted.policy else { return Rules::compile("the starter policy", STARTER) };
    let path = context.environment.cwd().join(file);
    let read = std::fs::read(&path).map_err(|source| AppError::File { path: path.clone(), source })?;
    let text = String::from_utf8(read).map_err(|_| {
        AppError::usage(format!("{}: it is not UTF-8", file.display()), "git boundary manual gateway shows a policy")
    })?;
    Rules::compile(&file.display().to_string(), &text)
}

/// The real agent: not our shim, and nowhere that the agent itself may ask to write.
fn program(context: &Context, adapter: &Adapter, wanted: &Wanted, here: &Place) -> Result<PathBuf, Unestablished> {
    let shims = shims_home(context)?;
    let shims = shims.canonicalize().unwrap_or(shims);
    let found = match (&wanted.program, adapter.program) {
        (Some(path), _) => {
            let path = context.environment.cwd().join(path);
            path.canonicalize().map_err(|error| Unestablished::new(path.display().to_string(), error.to_string()))?
        }
        (None, Some(name)) => {
            adapter::look_up(name, context.environment.var("PATH"), &|path| !path.starts_with(&shims)).ok_or_else(
                || Unestablished::new(format!("where {name} is"), "PATH has it nowhere but among our shims, if there"),
            )?
        }
        (None, None) => {
            return Err(Unestablished::new("which program is meant", "name it with --program <path>"));
        }
    };
    if found.starts_with(&shims) {
        return Err(Unestablished::new("the real agent", format!("{} is a shim of ours", found.display())));
    }
    if found.starts_with(&here.path) {
        let why = "it lies in the workspace, where the agent may ask to change it; install it elsewhere";
        return Err(Unestablished::new(found.display().to_string(), why));
    }
    Ok(found)
}

fn text(path: &Path) -> Result<String, Unestablished> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Unestablished::new(path.display().to_string(), "its path is not UTF-8"))
}

/// What a shell finds in the agent's place. One for all workspaces: it starts the launch, which knows where it stands.
fn shim(shims: &Path, adapter: &Adapter, runner: &str) -> Result<PathBuf, Unestablished> {
    let parent = shims.parent().unwrap_or(shims);
    let name = shims.file_name().and_then(|name| name.to_str()).unwrap_or("shims");
    let private = Private::make(parent, name)?;
    let script = format!("#!/bin/sh\nexec {} gateway launch {} -- \"$@\"\n", quoted(runner), adapter.name);
    private.write(adapter.program.unwrap_or(adapter.name), script.as_bytes(), true)
}

fn first_on_path(context: &Context, adapter: &Adapter, shims: &Path) -> bool {
    let name = adapter.program.unwrap_or(adapter.name);
    let shims = shims.canonicalize().unwrap_or_else(|_| shims.to_owned());
    adapter::look_up(name, context.environment.var("PATH"), &|_| true).is_some_and(|first| first.starts_with(&shims))
}

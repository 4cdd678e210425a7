//! ADMIT: from the words and the token that a server was started with to a desk that takes calls.

use std::path::Path;

use super::desk::Desk;
use super::error::Unestablished;
use super::launch::installed;
use super::session::{SessionState, TOKEN_VARIABLE, Token, place};
use super::setup::outside;
use super::tools::catalogue_digest;
use crate::app::gateway::{Rules, ground};
use crate::app::{AppError, Context};
use crate::workspace::Workspace;

/// Lets a server into a session, or says why not. Whatever the session was sealed with has to be so still.
///
/// # Errors
/// When the token is not the session's, its launch has ended, it is over, or this is another workspace; when policy or catalogue are not
/// the installation's.
pub fn admit(context: &Context, agent: &str, session: &str) -> Result<Desk, AppError> {
    let (home, installed) = installed(context, agent)?;
    let hint = format!("git boundary gateway launch {agent}");
    let told = |why: String| AppError::fatal(format!("not served: {why}"), hint.clone());
    let established = |error: Unestablished| told(error.to_string());
    let token = context.environment.var(TOKEN_VARIABLE).and_then(|token| token.to_str());
    let token = token.ok_or_else(|| told(format!("{TOKEN_VARIABLE} holds no token")))?;
    let state = SessionState::open(&home.private, session).map_err(|why| told(why.to_string()))?;
    let here = place(context.environment.cwd()).map_err(established)?;
    let facts = state.admit(&Token::given(token), &here, context.now).map_err(|why| told(why.to_string()))?;
    if facts.installation != installed.digest {
        return Err(told("the agent was set up anew since the session began".to_owned()));
    }
    let rules = Rules::of(installed.policy.clone()).map_err(&told)?;
    if rules.digest() != installed.record.policy || catalogue_digest() != installed.record.catalogue {
        return Err(told("policy or catalogue are not those that were set up".to_owned()));
    }
    let workspace = Workspace::open(Path::new(&here.path)).map_err(|error| told(error.to_string()))?;
    let git = ground(context)?.git;
    outside(context, &here, &git).map_err(established)?;
    let identity = workspace.identity();
    if (identity.device.to_string(), identity.inode.to_string()) != (here.device, here.inode) {
        return Err(told("the workspace changed while it was opened".to_owned()));
    }
    Desk::open(context.clone(), state, facts, (rules, workspace))
}

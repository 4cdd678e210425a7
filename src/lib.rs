//! git-boundary pins the work that is handed to a coding agent to an exact commit, keeps signed proof of who checked it under git
//! notes, and refuses pushes that are stale, out of scope or unreceipted.
//!
//! The program is the front door for people: README and `git boundary manual` explain it, `git boundary demo` plays it. This library
//! is what the program is made of. A verb of the command line is a function in [`app`]: it takes an [`app::Context`], which holds
//! all that it may know of the outside, and returns a value. Nothing below it reads a clock or an environment variable.
//!
//! # The rooms
//!
//! | room | what is done there |
//! |---|---|
//! | [`model`] | nouns: handoff, envelope, proof, policy, trust, refusal; pure |
//! | [`codec`] | bytes: the one canonical writer, the one strict reader, DSSE, in-toto, Treeship receipts |
//! | [`crypto`] | keys and signatures; the only maker of [`crypto::verified::Verified`] |
//! | [`ledger`] | history: Merkle trees, tiles, checkpoints, chains of events; pure |
//! | [`gate`] | judgement: facts in, a verdict out; pure |
//! | [`gather`] | facts: what the gate needs from git and the shelves |
//! | [`git`] | the only room that opens a repository or starts git; knows no boundary word |
//! | [`workspace`] | files of a directory for an agent that may be hostile: opened beneath its descriptor, read, searched, written |
//! | [`store`] | shelves: which ref, note and file each noun lives on |
//! | [`app`] | verbs: one use case a file; gathers, judges, writes, returns; prints nothing |
//! | [`cli`] | the command line and the screen |
//! | [`hook`] | where git runs hooks, and what it hands them |
//! | [`gateway`] | an agent that can look, propose and wait: setup, launch, session, and the tools it is served |
//! | [`manual`] | the prose, also served as help |
//!
//! A room may use those above it and not those below, but for [`gate`], which knows nothing of git, [`git`], which knows ids and
//! nothing else of ours, and [`workspace`], which knows paths and digests.
//!
//! # An example
//!
//! Adopt what is there, and see that what comes after needs a word from somebody:
//!
//! ```
//! use git_boundary::app::{self, init, verify};
//! use git_boundary::crypto::{KeyEnvironment, Keyring};
//! use git_boundary::gather::SessionOptions;
//! use git_boundary::git::Environment;
//! use git_boundary::model::refusal::Code;
//! use git_boundary::model::time::Timestamp;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # let variables = [("HOME", home.path().as_os_str()), ("GIT_CONFIG_NOSYSTEM", "1".as_ref()), ("GIT_CONFIG_GLOBAL", "/dev/null".as_ref())];
//! # let path = std::env::var_os("PATH").ok_or("PATH is not set")?;
//! # let git = |arguments: &[&str]| {
//! #     let mut command = std::process::Command::new("git");
//! #     command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]).args(arguments);
//! #     command.env_clear().env("PATH", &path).envs(variables).current_dir(home.path()).status()
//! # };
//! # git(&["init", "-q", "-b", "main"])?;
//! git(&["commit", "-q", "--allow-empty", "-m", "what is there"])?;
//!
//! // All that a verb may know of the outside: where it stands, which keys there are, and what time it is.
//! # let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).to_owned()));
//! # let variables = variables.chain([("PATH".into(), path.clone())]);
//! let environment = Environment::new(home.path(), variables);
//! let keys = KeyEnvironment::read(&|name| environment.var(name).map(ToOwned::to_owned));
//! let context = app::Context {
//!     keyring: Keyring::from_env(&keys),
//!     environment,
//!     key: None,
//!     now: Timestamp(1_800_000_000),
//!     publish: false,
//!     session: SessionOptions::default(),
//! };
//!
//! // Trust is made here, so that no root has to be confirmed.
//! let done = init::init(&context, &init::InitOptions::default(), &mut |_, _| false)?;
//! assert_eq!(done.how, "created");
//! let answer = verify::verify(&context, &verify::VerifyOptions::default())?;
//! assert_eq!((answer.verdict, answer.commits[0].status), ("verified", "baseline"));
//!
//! git(&["commit", "-q", "--allow-empty", "-m", "what nobody proposed"])?;
//! let answer = verify::verify(&context, &verify::VerifyOptions::default())?;
//! assert_eq!(answer.verdict, "refused");
//! assert_eq!(answer.codes, [Code::SourceHandoffMissing, Code::ContextReceiptMissing]);
//! # Ok(())
//! # }
//! ```

#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests ask git itself what is right"))]

pub mod app;
pub mod cli;
pub mod codec;
pub mod crypto;
pub mod gate;
pub mod gateway;
pub mod gather;
pub mod git;
pub mod hook;
pub mod ledger;
pub mod manual;
pub mod model;
pub mod store;
pub mod workspace;

//! `git boundary check`.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use super::args::check::{Check, Diet};
use super::args::input::{Input, InputSource};
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::check::{self, Begun, Decided};
use crate::model::boundary_proof::CheckDecision;

pub(super) fn run(args: Check, context: &Context) -> Result<Exit, CliError> {
    match args {
        Check::Begin(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            context.print(&check::begin(&app, args.proposal.as_deref(), &words(&args.diet)?)?)
        }
        Check::Decide(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            context.print(&check::decide(&app, args.proposal.as_deref(), args.decision, args.note.as_deref())?)
        }
        Check::Run(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            let [program, arguments @ ..] = args.command.as_slice() else {
                return Err(CliError::usage("no command is given"));
            };
            if !may_be_found(context, program) {
                return Err(CliError::fatal(format!(
                    "{program:?} is nowhere in PATH, so that it can't be run; no diet was frozen, and nothing is decided"
                )));
            }
            let decided = check::run(
                &app,
                args.proposal.as_deref(),
                &words(&args.diet)?,
                args.note.as_deref(),
                program,
                &mut |begun, checkout| {
                    context.tell(format!("diet frozen at {}", begun.anchor));
                    execute(context, program, arguments, checkout)
                },
            )?;
            context.print(&decided)
        }
    }
}

/// Whether the checker's command is where the system would look for it. What is named from the checkout's own directory is looked for
/// there.
fn may_be_found(context: &Context, program: &OsStr) -> bool {
    let path = Path::new(program);
    if path.is_absolute() {
        return path.exists();
    }
    if path.components().count() > 1 || program.to_string_lossy().contains('/') {
        return true;
    }
    let directories = context.environment.var("PATH").unwrap_or_default();
    std::env::split_paths(directories).any(|directory| {
        // An empty or relative one is looked up in the checkout, which is not there yet.
        !directory.is_absolute()
            || directory.join(program).exists()
            || (cfg!(windows) && executable(&directory, program))
    })
}

/// A name without its extension, as Windows takes it.
fn executable(directory: &Path, program: &OsStr) -> bool {
    ["exe", "com", "bat", "cmd"].iter().any(|extension| directory.join(program).with_extension(extension).exists())
}

/// The checker's command, to its end, in the checkout.
fn execute(context: &Context, program: &OsStr, arguments: &[OsString], checkout: &Path) -> std::io::Result<ExitStatus> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(checkout);
    command.env_clear().envs(context.environment.variables());
    // The command sees the checkout's own repository, not the one that a hook or a caller named.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    // Nor what anybody's replace ref puts in place of the commit that its proof will name.
    command.env("GIT_NO_REPLACE_OBJECTS", "1");
    // What it prints is for people; this command's own standard output may be JSON.
    command.stdout(std::io::stderr());
    command.stdin(Stdio::null());
    match command.status() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
            Err(std::io::Error::new(error.kind(), format!("the command can't be run, so nothing is decided: {error}")))
        }
        other => other,
    }
}

/// The inputs as the use case reads them.
fn words(diet: &Diet) -> Result<Vec<check::Input>, CliError> {
    diet.inputs
        .iter()
        .map(|Input { class, source }| {
            let source = match source {
                InputSource::Derived => check::Source::Derived,
                InputSource::File(path) => check::Source::File(path.clone()),
                InputSource::Git(rev) => check::Source::Git(rev.clone()),
                InputSource::Digest(digest) => check::Source::Digest(*digest),
            };
            Ok(check::Input { class: class.clone(), source })
        })
        .collect()
}

impl Report for Begun {
    fn human(&self, out: &mut Out) {
        out.line(Text::from("Diet frozen: ").then(Text::bold(self.id)));
        let mut fields = Fields::indented(2);
        fields.add("proposal", format!("{} at {}", self.proposal, self.commit.short()));
        fields.add("anchor", &self.anchor);
        fields.add("diet root", self.diet_root);
        for entry in &self.diet {
            fields.add("diet", format!("{} {}", entry.class, entry.digest));
        }
        out.fields(&fields);
        bridge::published(out, &self.published);
        out.blank();
        out.line("When it is read, the checker signs its verdict:");
        out.command(&format!("git boundary check decide {} <decision> --key <checker>", self.proposal));
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Decided {
    fn human(&self, out: &mut Out) {
        let verdict = match self.decision {
            CheckDecision::Allow => Text::green("allow"),
            CheckDecision::Deny => Text::red("deny"),
            other => Text::yellow(other),
        };
        out.line(
            Text::from("Decided: ")
                .then(verdict)
                .then(" by ")
                .then(Text::bold(&self.checker))
                .then(format!(", proof {}", self.id)),
        );
        let mut fields = Fields::indented(2);
        fields.add("proposal", format!("{} at {}", self.proposal, self.commit.short()));
        fields.add("anchor", &self.anchor);
        out.fields(&fields);
        bridge::warnings(out, &self.warnings);
        bridge::published(out, &self.published);
        out.blank();
        out.line(Text::dim(
            "It proves who decided, over which frozen inputs, under which policy; not that the decision is right.",
        ));
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

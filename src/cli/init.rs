//! `git boundary init`.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use super::args::init::Init;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::hook::install_quietly;
use super::man;
use super::out::{Fields, Out};
use super::report::{Json, Report};
use super::terminal::escape;
use super::text::Text;
use crate::app::init::{InitOptions, Initialised, init};
use crate::model::digest::Digest;
use crate::model::id::RepositoryId;

pub(super) fn run(args: &Init, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::app(context, &args.signing, args.publishing, args.pinning);
    let options = InitOptions { join: args.join, trust_root: args.pinning.trust_root, label: args.label.clone() };
    let done = init(&app, &options, &mut confirm)?;
    let hooks = if args.no_hooks { None } else { Some(install_quietly(context)) };
    // `git boundary --help` is `man git-boundary` to git; where that finds nothing, the page is put where man looks.
    let page = match std::env::current_exe() {
        Ok(program) if !man::finds_man(&context.environment) => {
            man::install_where_found(&context.environment, &program).ok()
        }
        _ => None,
    };
    context.print(&Done { done, hooks, page })
}

/// Asks on the terminal; where there is none, nothing that nobody named is pinned.
fn confirm(root: &Digest, repository: &RepositoryId) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    let mut stderr = std::io::stderr();
    let asked = write!(
        stderr,
        "The remote's trust root is\n  {}\nof repository {}.\nCompare it with what the owner gave you. Pin it? [y/N] ",
        escape(&root.to_string()),
        escape(&repository.to_string())
    );
    let mut answer = String::new();
    asked.is_ok()
        && stderr.flush().is_ok()
        && std::io::stdin().read_line(&mut answer).is_ok()
        && matches!(answer.trim(), "y" | "Y" | "yes")
}

struct Done {
    done: Initialised,
    hooks: Option<Result<String, CliError>>,
    page: Option<PathBuf>,
}

impl Report for Done {
    fn human(&self, out: &mut Out) {
        let done = &self.done;
        let headline = match done.how {
            "created" => "Boundary set up: this clone made the trust document.",
            "joined" => "Boundary set up: this clone joined the trust document.",
            _ => "Boundary was set up here already.",
        };
        out.line(Text::bold(headline));
        let mut fields = Fields::indented(2);
        if let Some(owner) = &done.owner {
            fields.add("owner", owner);
        }
        if let Some(file) = &done.owner_key {
            fields.add("new key", Text::path(file));
        }
        fields.add("trust root", done.trust_root);
        fields.add("repository", done.repository);
        fields.add("trust version", done.trust_version);
        fields.add(
            "registrar",
            format!("{}{}", done.registrar, if done.registrar_listed { "" } else { " (not listed)" }),
        );
        for (name, oid) in &done.baselines {
            fields.add("baseline", format!("{name} at {}", oid.short()));
        }
        if let Some(file) = &done.policy_file {
            fields.add("policy", Text::path(file));
            fields.add("", "commit it or ignore it; it takes effect when signed, wherever it is kept");
        }
        if !done.governs.is_empty() {
            fields.add("governs", done.governs.join(" "));
        }
        match &self.hooks {
            None => fields.add("hooks", "not installed: --no-hooks"),
            Some(Ok(where_to)) => fields.add("hooks", where_to),
            Some(Err(error)) => fields.add("hooks", Text::yellow(format!("not installed: {}", error.message))),
        };
        if let Some(page) = &self.page {
            fields.add("man page", Text::path(page));
        }
        out.fields(&fields);
        if let Some(Err(error)) = &self.hooks {
            for hint in &error.hints {
                out.line(Text::yellow("hint: ").then(hint));
            }
        }
        if let Some(named) = &done.named_key {
            match named.signs_as_owner {
                true => out.line(format!("Owner commands of this clone sign with {}: boundary.ownerKey is set to it.", named.name)),
                false => out.line(Text::yellow("warning: ").then(format!(
                    "{} is no owner's key in trust version {}, so that this clone signs nothing with it by itself; name it where it is \
                     wanted: --key {}",
                    named.name, done.trust_version, named.name
                ))),
            }
        }
        if done.policy_ignored {
            out.line(Text::yellow("warning: ").then(
                "a boundary.toml was here already; the starter rules are in force, not what it says. To change that:",
            ));
            out.command("git boundary policy sign --key <owner>");
        }
        bridge::published(out, &done.published);
        if !done.unpublished.is_empty() {
            out.line(Text::yellow("warning: ").then(format!(
                "not published, since publishing is turned off: {}. To publish it:",
                done.unpublished.join(", ")
            )));
            let remote = done.remotes.iter().find(|name| *name == "origin").or(done.remotes.first());
            out.command(&format!("git boundary sync {}", remote.map_or("<remote>", String::as_str)));
        }
        out.blank();
        if done.how == "created" {
            out.line("Others join with this root, which they must get from you and not from the repository:");
            out.command(&format!("git boundary init --trust-root {}", done.trust_root));
            out.line("Next, name an agent and give it work:");
            out.command("git boundary trust add codex --role actor --new-key");
            out.command("git boundary handoff create --to codex --path 'src/**'");
        } else if !done.registrar_listed {
            out.paragraph(
                "This clone can work as it is. It records under a key of its own, its registrar. For others to go by this clone's \
                 clock, an owner lists that key, in the domain of whoever runs the clone:",
            );
            // The key itself: as long as this clone has recorded nothing, an owner's clone can't look it up by its id.
            out.command(&format!(
                "git boundary trust add '{}' --role registrar --domain <domain> --key <owner>",
                done.registrar_key
            ));
        } else {
            out.line("To see what is trusted here:");
            out.command("git boundary trust show");
        }
    }

    fn json(&self) -> Json {
        let mut json = value(&self.done);
        json["hooks"] = match &self.hooks {
            None => serde_json::Value::Null,
            Some(Ok(where_to)) => serde_json::json!({"installed": where_to}),
            Some(Err(error)) => serde_json::json!({"error": error.message}),
        };
        json["man_page"] = self.page.as_ref().map_or(serde_json::Value::Null, |page| page.display().to_string().into());
        Json::One(json)
    }
}

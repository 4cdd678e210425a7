//! `git boundary trust`.

use super::args::trust::Trust;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::trust::{self, AddOptions, LineLeft, Pinned, SignersImported, TrustChanged, TrustShown};
use crate::model::party::Role;

/// Longest allowed signers file that is read, in bytes.
const MAX_SIGNERS: u64 = 1 << 20;

pub(super) fn run(args: Trust, context: &Context) -> Result<Exit, CliError> {
    match args {
        Trust::Show(_) => context.print(&trust::show(&bridge::reading(context))?),
        Trust::Pin(args) => context.print(&trust::pin(&bridge::reading(context), args.digest)?),
        Trust::Add(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            let options = AddOptions {
                key: args.who,
                roles: args.roles,
                domain: args.domain,
                new_key: args.new_key,
                label: args.label,
                aliases: args.aliases,
                valid_from: args.valid_from,
                valid_until: args.valid_until,
            };
            context.print(&trust::add(&app, &options)?)
        }
        Trust::Revoke(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            context.print(&trust::revoke(&app, &args.who, args.at)?)
        }
        Trust::ImportAllowedSigners(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            let bytes = context.read("allowed signers", &args.file, MAX_SIGNERS)?;
            let text = String::from_utf8_lossy(&bytes);
            context.print(&trust::import_allowed_signers(&app, &text, &args.roles, args.domain.as_deref())?)
        }
        Trust::ExportAllowedSigners(args) => {
            let text = trust::export_allowed_signers(&bridge::reading(context), &args.roles)?;
            context.deliver(text.as_bytes())
        }
    }
}

impl Report for SignersImported {
    fn human(&self, out: &mut Out) {
        self.added.iter().for_each(|added| added.human(out));
        for LineLeft { line, why } in &self.left {
            out.line(Text::yellow("left: ").then(format!("line {line} ")).then(why));
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for TrustShown {
    fn human(&self, out: &mut Out) {
        let mut fields = Fields::new();
        fields.add("repository", self.repository);
        fields.add("trust root", format!("{} (from {})", self.root, self.pinned_by));
        fields.add("version", self.version);
        fields.add("digest", self.digest);
        if let Some(moment) = self.expires_at {
            fields.add("expires", moment);
        }
        fields.add("threshold", crate::model::count::of(self.threshold, "root signature", "root signatures"));
        out.fields(&fields);
        out.blank();
        let mut table = Table::headed(&["LABEL", "DOMAIN", "ID", "ROLES", ""]);
        for key in &self.keys {
            let roles = key.roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ");
            let ended = key.revoked_at.map_or_else(String::new, |moment| format!("revoked {moment}"));
            table.row([Text::bold(&key.label), (&key.domain).into(), key.id.into(), roles.into(), Text::yellow(ended)]);
        }
        out.table(&table);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Pinned {
    fn human(&self, out: &mut Out) {
        out.line(format!("{} {}", if self.already { "Pinned already:" } else { "Pinned:" }, self.root));
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for TrustChanged {
    fn human(&self, out: &mut Out) {
        if let Some(since) = self.revoked_at {
            out.line(
                Text::from("Trust version ")
                    .then(self.version)
                    .then(": ")
                    .then(Text::bold(&self.label))
                    .then(format!(" ({}) is revoked since {since}", self.key)),
            );
            return bridge::published(out, &self.published);
        }
        out.line(
            Text::from("Trust version ")
                .then(self.version)
                .then(": ")
                .then(Text::bold(&self.label))
                .then(format!(" ({}) in domain {:?}", self.key, self.domain)),
        );
        if let Some(file) = &self.made {
            out.line(format!("new key: {file}"));
        }
        bridge::published(out, &self.published);
        if self.roles.contains(&Role::Person) {
            out.blank();
            out.line("A person proposes without a handoff only where a rule lists them: add the label to its people in boundary.toml, and");
            out.command("git boundary policy sign --key <owner>");
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

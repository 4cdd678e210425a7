//! `git boundary trust`.

use super::args::trust::{Cosign, Trust};
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::trust::{
    self, AddOptions, Committed, End, LineLeft, PendingShown, Pinned, RotateOptions, Rotated, SignersImported,
    TrustChanged, TrustShown, Waits,
};

use crate::model::party::Role;
use crate::model::typed::is_plain;

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
            context.print(&trust::revoke(&app, &args.who, args.at, args.last_checkpoint)?)
        }
        Trust::Rotate(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            let expires = if args.no_expiry { Some(End::Never) } else { args.expires.map(End::At) };
            let options =
                RotateOptions { key: args.who, to: args.to, label: args.label, threshold: args.threshold, expires };
            context.print(&trust::rotate(&app, &options)?)
        }
        Trust::Cosign(args) => cosign(&args, context),
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

fn cosign(args: &Cosign, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, args.publishing);
    let pending = trust::look(&app, args.digest)?;
    if !context.json {
        context.print(&pending)?;
    }
    if !args.yes && context.is_attended() && !context.confirm("Sign this?")? {
        return Err(CliError::usage("nothing was signed"));
    }
    let (_, committed) = trust::cosign(&app, Some(pending.digest))?;
    context.print(&committed)
}

impl Report for PendingShown {
    fn human(&self, out: &mut Out) {
        out.line(Text::from("Trust version ").then(self.version).then(" would change this:"));
        for change in &self.changes {
            out.indented(2, change);
        }
        let mut fields = Fields::indented(2);
        fields.add("digest", self.digest);
        fields.add("signed by", self.signed_by.join(", "));
        fields.add("signatures", format!("{} of {}", self.found, self.threshold));
        out.fields(&fields);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Committed {
    fn human(&self, out: &mut Out) {
        match &self.waits {
            None => out.line(Text::from("Trust version ").then(self.version).then(" is in force.")),
            Some(waits) => wait(out, self.version, waits),
        }
        bridge::published(out, &self.published);
        ends_policy(out, self);
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

const SIGN_POLICY: &str = "git boundary policy sign --key <owner>";

/// What else comes of a version. Where a policy ended with the key that signed it, nothing is to be done before that.
fn ends_policy(out: &mut Out, committed: &Committed) {
    for digest in &committed.overtakes {
        let text = match committed.waits {
            None => {
                format!("{digest} waited for signatures as the same version, and never takes effect; ask for it again")
            }
            Some(_) => format!("{digest} waits as the same version; only one of them can take effect"),
        };
        out.line(Text::yellow("warning: ").then(text));
    }
    if committed.ends_policy {
        let text = "the policy was signed by a key that is no owner's any more; until an owner signs it anew, nothing is let in:";
        out.line(Text::yellow("warning: ").then(text));
        out.command(SIGN_POLICY);
    }
}

fn wait(out: &mut Out, version: u64, waits: &Waits) {
    let text = format!(
        "Trust version {version} is not in force: it has {} of {} root signatures.",
        waits.found, waits.threshold
    );
    out.line(Text::yellow(text));
    out.line("Another root signs, in a clone that has fetched it:");
    out.command("git boundary trust cosign --key <root>");
}

impl Report for Rotated {
    fn human(&self, out: &mut Out) {
        if let Some(keys) = &self.keys {
            let text =
                format!(" ({}) takes the place of {}, which counts until {}", keys.new, keys.old_label, keys.until);
            out.line(Text::bold(&keys.new_label).then(text));
            if let Some(file) = &keys.made {
                out.line(format!("new key: {file}"));
            }
        }
        let mut fields = Fields::indented(2);
        fields.add("threshold", crate::model::count::of(self.threshold, "root signature", "root signatures"));
        fields.add_some("expires", self.expires_at);
        out.fields(&fields);
        if let Some(keys) = self.keys.as_ref().filter(|keys| keys.roles.contains(&Role::Person)) {
            // Said before the policy is signed, which it may have to be in any case.
            out.line(format!(
                "Where boundary.toml lists {} ({}) among its people, add {} and keep the old one, which counts for what it signed before.",
                keys.old_label, keys.old, keys.new_label
            ));
        }
        self.committed.human(out);
        let Some(keys) = self.keys.as_ref().filter(|_| self.committed.waits.is_none()) else { return };
        if keys.roles.contains(&Role::Person) && !self.committed.ends_policy {
            out.line("When boundary.toml is changed:");
            out.command(SIGN_POLICY);
        }
        if keys.roles.contains(&Role::Actor) {
            if keys.made.is_some() {
                out.line(format!(
                    "Bring the new private key to where {} worked: it is in this account only.",
                    keys.old_label
                ));
            }
            out.line(format!("Handoffs that {} holds are given anew:", keys.old_label));
            let name = if is_plain(&keys.new_label) { keys.new_label.clone() } else { keys.new.to_string() };
            out.command(&format!("git boundary handoff create --to {name} --path '<pathspec>' --key <owner>"));
        }
        if let Some(label) = &self.owner_key {
            out.line(format!("This clone signs with it from now on: boundary.ownerKey is {label}."));
        }
        if keys.roles.contains(&Role::Owner) {
            out.line("Another clone that signs with the old key by default is told of the new one:");
            out.command(&format!("git config boundary.ownerKey {}", keys.new_label));
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
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
            let until = key.valid_until.map(|moment| format!("until {moment}"));
            let ended = key.revoked_at.map(|moment| format!("revoked {moment}")).or(until).unwrap_or_default();
            table.row([Text::bold(&key.label), (&key.domain).into(), key.id.into(), roles.into(), Text::yellow(ended)]);
        }
        out.table(&table);
        for pending in &self.pending {
            out.blank();
            pending.human(out);
            out.line("To sign it, as a root:");
            out.command("git boundary trust cosign --key <root>");
        }
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
        let name = Text::bold(&self.label);
        let told = match self.revoked_at {
            Some(since) => name.then(format!(" ({}) is revoked since {since}", self.key)),
            None => name.then(format!(" ({}) in domain {:?}", self.key, self.domain)),
        };
        let version = self.committed.version;
        out.line(Text::from("Trust version ").then(version).then(": ").then(told));
        if let Some(file) = &self.made {
            out.line(format!("new key: {file}"));
        }
        if let Some(waits) = &self.committed.waits {
            wait(out, version, waits);
        }
        if self.revoked_at.is_none() && self.roles.contains(&Role::Registrar) && self.domain == self.label {
            out.line(Text::yellow("warning: ").then(
                "it has a domain of its own, so that its clock counts against all others; a key's domain can't be changed later",
            ));
        }
        bridge::published(out, &self.committed.published);
        ends_policy(out, &self.committed);
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

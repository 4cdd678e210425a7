//! `git boundary policy`.

use std::path::Path;

use super::args::policy::Policy;
use super::bridge::{self, value};
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::app::policy::{self, Compiled, PolicyShown, Replaced, Written};
use crate::app::policy_explain::Explanation;
use crate::codec::canonical;

pub(super) fn run(args: Policy, context: &Context) -> Result<Exit, CliError> {
    match args {
        Policy::Compile(args) => {
            context.print(&policy::compile(&bridge::reading(context), &written(&args.file, context)?)?)
        }
        Policy::Sign(args) => {
            let app = bridge::writing(context, &args.signing, args.publishing);
            context.print(&policy::sign(&app, &written(&args.file, context)?)?)
        }
        Policy::Show(_) => context.print(&policy::show(&bridge::reading(context))?),
        Policy::Explain(args) => {
            let explained = policy::explain(&bridge::reading(context), &args.reference, &args.paths)?;
            context.print(&explained)
        }
    }
}

/// Longest rules file, in bytes.
const MAX_RULES: u64 = 1 << 20;

/// The default name stands at the top of the work tree, wherever the command is run.
fn written(file: &Path, context: &Context) -> Result<Written, CliError> {
    if file == Path::new(crate::app::policy_file::FILE_NAME) {
        return Ok(Written::Here);
    }
    if file != Path::new("-") {
        return Ok(Written::File(file.to_owned()));
    }
    let bytes = context.read("rules", file, MAX_RULES)?;
    String::from_utf8(bytes)
        .map(Written::Given)
        .map_err(|error| CliError::usage(format!("the rules are no UTF-8: {error}")))
}

impl Report for Compiled {
    fn human(&self, out: &mut Out) {
        let mut fields = Fields::new();
        fields.add("file", Text::path(&self.file));
        fields.add("policy digest", self.digest);
        fields.add("in force", if self.in_force { "yes" } else { "no" });
        out.fields(&fields);
        out.blank();
        out.block(0, &String::from_utf8_lossy(&canonical::to_vec(&self.policy)));
        if !self.in_force {
            out.blank();
            out.line("To put it in force:");
            out.command("git boundary policy sign --key <owner>");
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Replaced {
    fn human(&self, out: &mut Out) {
        let signed = &self.signed;
        let what = if signed.already { "is in force already" } else { "is in force now" };
        out.line(format!("Policy version {} {what}: {}", signed.version, signed.digest));
        bridge::published(out, &signed.published);
        if let Some(ends) = &self.ends {
            out.line("Proofs made under the policy before it stop counting. To honour them still, put its digest in boundary.toml and sign again:");
            out.line(Text::from("  ").then(format!("accept = [\"{ends}\"]")));
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for PolicyShown {
    fn human(&self, out: &mut Out) {
        let mut fields = Fields::new();
        fields.add("version", self.version);
        fields.add("policy digest", self.digest);
        if let Some(defect) = &self.defect {
            fields.add("not in force", Text::red(defect));
        }
        out.fields(&fields);
        out.blank();
        let mut table = Table::headed(&["RULE", "REFS", "HANDOFF", "PROOFS", "DOMAINS"]);
        for (place, rule) in self.policy.rules.iter().enumerate() {
            let handoff = if rule.handoff { "wanted" } else { "-" };
            table.row([
                Text::bold(place + 1),
                rule.refs.join(" ").into(),
                handoff.into(),
                Text::from(rule.proofs.count),
                Text::from(rule.proofs.domains),
            ]);
        }
        table.row([
            Text::bold("else"),
            format!("{:?}", self.policy.default).to_lowercase().into(),
            "".into(),
            "".into(),
            "".into(),
        ]);
        out.table(&table);
        out.blank();
        out.line("What a push to a ref needs:");
        out.command("git boundary policy explain <ref>");
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Explanation {
    fn human(&self, out: &mut Out) {
        for line in self.lines() {
            out.line(line);
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

//! `git boundary verify`.

use super::annotations::Annotated;
use super::args::shared::{Publishing, Signing};
use super::args::verify::{Format, Verify};
use super::bridge::{self, exit_of, value};
use super::ci;
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::sarif::Sarif;
use super::text::Text;
use crate::app::verify::{ProofShown, Verified, VerifyOptions, verify};
use crate::model::count;

/// Most commits that are listed one by one for people.
const SHOWN: usize = 40;

pub(super) fn run(args: &Verify, context: &Context) -> Result<Exit, CliError> {
    if args.job.ci {
        return ci::run(args, context);
    }
    if let Some(file) = &args.bundle {
        return super::bundle::run(args, file, context);
    }
    let app = bridge::app(context, &Signing::default(), Publishing::default(), args.pinning);
    let progress = context.progress("verifying");
    let options = VerifyOptions { revisions: args.revisions.clone(), reference: args.reference.clone() };
    let verified = verify(&app, &options);
    drop(progress);
    print(&verified?, args.format, context)
}

/// Prints an answer in the form that was asked for.
pub(super) fn print<A: Report + AsRef<Verified>>(
    answer: &A,
    format: Option<Format>,
    context: &Context,
) -> Result<Exit, CliError> {
    match format {
        _ if context.json => context.print_as(answer, true),
        None | Some(Format::Human) => context.print_as(answer, false),
        Some(Format::Json) => context.print_as(answer, true),
        Some(Format::Sarif) => context.print_as(&Sarif::of(answer.as_ref()), true),
        Some(Format::Github) => context.print_as(&Annotated::new(answer)?, false),
    }
}

impl AsRef<Verified> for Verified {
    fn as_ref(&self) -> &Verified {
        self
    }
}

impl Report for Verified {
    fn human(&self, out: &mut Out) {
        let verdict = match self.verdict {
            "verified" => Text::green("verified"),
            "refused" => Text::red("not verified"),
            other => Text::yellow(other),
        };
        let code = self.primary_code.map_or_else(Text::new, |code| Text::from(": ").then(Text::bold(code)));
        out.line(verdict.then(code));
        let mut fields = Fields::indented(2);
        for revision in &self.revisions {
            fields.add(
                "revision",
                format!("{} at {}, by the rule for {}", revision.name, revision.tip.short(), revision.judged_by),
            );
        }
        fields.add("repository", self.repository);
        fields.add("trust", format!("version {} from {} ({})", self.trust_version, self.trust_root, self.pinned_by));
        out.fields(&fields);
        for reason in &self.reasons {
            out.line(Text::red("refused: ").then(Text::bold(reason.code)));
            out.indented(2, &reason.text);
        }
        for gap in &self.gaps {
            out.line(Text::yellow("not judged: ").then(gap));
        }
        if let Some(next) = &self.next {
            out.line("next:");
            out.command(next);
        }
        for one in &self.advice {
            out.line(Text::from("or: ").then(one));
        }
        if !self.commits.is_empty() {
            out.blank();
            let mut table = Table::headed(&["COMMIT", "STATUS", "PROPOSAL", "CODES"]);
            for commit in self.commits.iter().take(SHOWN) {
                let status = match commit.status {
                    "refused" => Text::red(commit.status),
                    "undecided" => Text::yellow(commit.status),
                    _ => Text::green(commit.status),
                };
                let codes = commit.codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(" ");
                let envelope = commit.envelope.map_or_else(|| "-".to_owned(), |id| id.to_string());
                table.row([commit.oid.short().into(), status, envelope.into(), codes.into()]);
            }
            out.table(&table);
            for commit in self.commits.iter().take(SHOWN) {
                if let Some(other) = commit.equal_change_of {
                    out.line(format!(
                        "{} makes the change of {}, and the rule lets an equal change count",
                        commit.oid.short(),
                        other.short()
                    ));
                }
            }
            for commit in self.commits.iter().take(SHOWN) {
                if let Some(written) = &commit.written {
                    out.line(format!(
                        "{} holds {} of {} as approved through the gateway",
                        commit.oid.short(),
                        written.files.len(),
                        count::of(written.of, "changed file", "changed files"),
                    ));
                    for file in &written.files {
                        let by = if file.listed { "" } else { "; its registrar is not listed" };
                        let (path, id) = (&file.path, file.proposal);
                        out.indented(2, format!("{path}  {id}, approved by {}, {}{by}", file.owner, file.receipt));
                    }
                }
            }
            if self.commits.len() > SHOWN {
                out.line(Text::dim(format!("and {} more; --json lists them all", self.commits.len() - SHOWN)));
            }
        }
        for proof in &self.proofs {
            show_proof(out, proof);
        }
        for notice in &self.notices {
            out.line(Text::dim(notice));
        }
        if !self.proofs.is_empty() {
            out.line(Text::dim(
                "A proof shows who decided over which frozen inputs; not that the decision is right, the inputs all there were, or the registrar honest.",
            ));
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }

    fn exit(&self) -> Exit {
        exit_of(self.outcome)
    }
}

pub(super) fn show_proof(out: &mut Out, proof: &ProofShown) {
    out.blank();
    let checker = proof.checker.as_deref().unwrap_or("an unknown key");
    out.line(
        Text::from("proof ")
            .then(Text::bold(proof.id))
            .then(format!(": {} by {checker}, about {}", proof.decision, proof.proposal)),
    );
    if let Some(by) = &proof.taken_back {
        out.line(Text::dim(format!("  superseded {by}: it no longer stands")));
    }
    let mut fields = Fields::indented(2);
    let names = ["1 signer and independence", "2 subject", "3 diet", "4 frozen before", "5 policy"];
    for (name, check) in names.iter().zip(&proof.checks) {
        match check {
            None => fields.add(*name, Text::green("holds")),
            Some(why) => fields.add(*name, Text::red("fails: ").then(why)),
        };
    }
    if let Some(strength) = proof.strength {
        fields.add("anchor strength", strength.name());
    }
    if !proof.recomputed.is_empty() {
        fields.add("recomputed here", proof.recomputed.join(", "));
    }
    if !proof.labelled.is_empty() {
        fields.add("the checker's label", proof.labelled.join(", "));
    }
    fields.add("recorded by", proof.registrars.join(", "));
    out.fields(&fields);
}

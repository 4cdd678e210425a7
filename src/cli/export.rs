//! `git boundary export`.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::args::export::Export;
use super::args::shared::Publishing;
use super::bridge;
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::Out;
use super::report::{Json, Report};
use super::text::Text;
use crate::app::export::{ExportOptions, Exported, Format, export};
use crate::model::typed::typed;

pub(super) fn run(args: &Export, context: &Context) -> Result<Exit, CliError> {
    let app = bridge::writing(context, &args.signing, Publishing { no_publish: true });
    let options = ExportOptions {
        format: args.format,
        reference: args.reference.clone(),
        what: args.what.clone(),
        with_ledger: args.with_ledger,
    };
    write(&app, &options, args.output.as_deref(), context)
}

/// Exports to a file, or to standard output without one.
pub(super) fn write(
    app: &crate::app::Context,
    options: &ExportOptions,
    output: Option<&Path>,
    context: &Context,
) -> Result<Exit, CliError> {
    let progress = context.progress("collecting");
    let exported = export(app, options);
    drop(progress);
    let exported = exported?;
    exported.remarks.iter().for_each(|remark| context.warn(remark));
    exported.notices.iter().for_each(|notice| context.tell(notice));
    let exit = if exported.refused { Exit::Refused } else { Exit::Ok };
    let Some(file) = output else { return context.deliver_as(&exported.bytes, exit) };
    std::fs::write(context.environment.cwd().join(file), &exported.bytes)
        .map_err(|error| CliError::fatal(format!("cannot write {file:?}: {error}")))?;
    context.print(&Written { exit, exported, file: file.to_owned(), format: options.format })
}

struct Written {
    exit: Exit,
    exported: Exported,
    file: PathBuf,
    format: Format,
}

impl Report for Written {
    fn human(&self, out: &mut Out) {
        let Exported { about, artifacts, bytes, .. } = &self.exported;
        let artifacts = crate::model::count::of(*artifacts, "artifact", "artifacts");
        let line = Text::from(format!("{}: ", self.format.name())).then(about);
        out.line(line.then(format!(", {artifacts}, {} bytes, in {:?}", bytes.len(), self.file)));
        if self.format == Format::Bundle {
            out.line("Whoever has it types this, once the root is the one that the owner gave them:");
            let file = self.file.to_string_lossy();
            out.command(&format!(
                "git boundary verify --bundle {} --trust-root {}",
                typed(&file, "<file>"),
                self.exported.trust_root
            ));
        }
    }

    fn json(&self) -> Json {
        Json::One(json!({
            "about": self.exported.about,
            "artifacts": self.exported.artifacts,
            "bytes": self.exported.bytes.len(),
            "file": self.file.to_string_lossy(),
            "format": self.format.name(),
            "refused": self.exported.refused,
            "remarks": self.exported.remarks,
            "notices": self.exported.notices,
            "trust_root": self.exported.trust_root,
        }))
    }

    fn exit(&self) -> Exit {
        self.exit
    }
}

impl Context {
    /// Prints a file as it is.
    fn deliver_as(&self, bytes: &[u8], exit: Exit) -> Result<Exit, CliError> {
        match self.deliver(bytes)? {
            Exit::Ok => Ok(exit),
            other => Ok(other),
        }
    }
}

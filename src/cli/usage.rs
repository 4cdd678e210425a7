//! What the parser says: help, version, and what is wrong with a command line.

use std::ffi::OsString;

use clap::error::ErrorKind;
use serde_json::json;

use super::context::World;
use super::exit::Exit;
use super::report;

/// Prints what the parser has to say and ends: help and version are answers, all else is a usage error.
pub(super) fn answer(error: &clap::Error, json: bool, world: &mut World) -> Exit {
    let text = error.render();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let shown = if world.stdout.is_styled() { text.ansi().to_string() } else { text.to_string() };
        return report::deliver(shown.as_bytes(), Exit::Ok, &mut world.stdout).unwrap_or_else(|error| {
            error.show(false, &mut world.stdout, &mut world.stderr);
            error.exit
        });
    }
    // Escaped, since it repeats arguments, and a script may have taken those from anywhere.
    let text = text.to_string();
    let mut page = world.stderr.page();
    page.block(0, &text);
    let _ = world.stderr.deliver(page.as_str().as_bytes());
    if json {
        let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let hints: Vec<&str> = rest.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let value = json!({ "error": { "message": message.trim_end(), "hints": hints } });
        let _ = world.stdout.deliver(&report::json_line(&value));
    }
    Exit::Usage
}

/// Whether `--json` was among the arguments, for when they could not be parsed.
pub(super) fn wants_json(args: &[OsString]) -> bool {
    args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

//! What `hook` prints.

use super::Done;
use crate::app::described::word;
use crate::app::judge::Answer;
use crate::app::push::PushAnswer;
use crate::app::receive::Recorded;
use crate::app::server::Server;
use crate::cli::bridge::{exit_of, value};
use crate::cli::exit::Exit;
use crate::cli::out::{Fields, Out, Table};
use crate::cli::report::{Json, Report};
use crate::cli::text::Text;
use crate::hook::{HookName, HookStatus, How, OneHook, Uninstalled};
use crate::model::count;

impl Report for Done {
    fn human(&self, out: &mut Out) {
        for one in &self.installed.hooks {
            let how = match one.how {
                How::Own => "installed",
                How::Ahead => "installed ahead of what is there",
                How::Beside => "installed; the hook that was there runs after it",
                How::ByHand => "runs by a line that somebody added",
            };
            let how = if one.changed { how.to_owned() } else { format!("{how}, as before") };
            out.line(Text::bold(one.name).then(format!(": {how}")).then("  ").then(Text::path(&one.path)));
        }
        if let Some(server) = &self.server {
            server_is_ready(out, server);
        }
        out.line("To see whether git would run it:");
        out.command("git boundary hook status");
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

fn server_is_ready(out: &mut Out, server: &Server) {
    let mut fields = Fields::indented(2);
    fields.add("trust root", server.trust_root);
    match server.trust_version {
        Some(version) => fields.add("trust version", version),
        None => fields.add("trust version", Text::yellow("none yet: nothing but the owner's trust can be pushed")),
    };
    fields.add("registrar", server.registrar);
    out.fields(&fields);
    if !server.registrar_listed {
        out.line("For its receipts to count, an owner lists this server in a domain of its own:");
        out.command(&format!(
            "git boundary trust add '{}' --role registrar --label server --key <owner>",
            server.registrar_key
        ));
    }
}

impl Report for Recorded {
    fn human(&self, out: &mut Out) {
        match self.receipts.len() {
            0 if self.not_seen == 0 => out.line("Nothing that was received here waits to be recorded."),
            0 => {}
            some => out.line(format!("{} written.", count::of(some, "work receipt", "work receipts"))),
        }
        if self.not_seen > 0 {
            let updates = count::of(self.not_seen, "update was", "updates were");
            out.line(format!(
                "{updates} admitted, and no ref shows that it was done; it is looked for again for a day."
            ));
        }
        for reference in &self.without_receipts {
            let text =
                format!("{reference} moved, and the receipts that cover it did not arrive; they are completed by:");
            out.line(Text::yellow("warning: ").then(text));
            out.command("git boundary sync");
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for Uninstalled {
    fn human(&self, out: &mut Out) {
        for path in &self.restored {
            out.line(Text::from("as it was before: ").then(Text::path(path)));
        }
        for path in &self.by_hand {
            out.line(Text::yellow("still started by a line that somebody added: ").then(Text::path(path)));
        }
        if self.restored.is_empty() && self.by_hand.is_empty() {
            out.line("No hook of ours was there.");
        }
    }

    fn json(&self) -> Json {
        Json::One(value(self))
    }
}

impl Report for HookStatus {
    fn human(&self, out: &mut Out) {
        let mut table = Table::headed(&["HOOK", "STATE", "FILE"]);
        let concerned = self.concerned();
        for one in self.hooks.iter().filter(|one| concerned.contains(&one.name)) {
            let word = word(one.state);
            let state = if one.state.is_sound() { Text::green(word) } else { Text::yellow(word) };
            table.row([Text::bold(one.name), state, Text::path(&one.path)]);
        }
        out.table(&table);
        for remedy in self.gaps().filter_map(|one| one.remedy.as_ref()) {
            out.line(remedy);
        }
    }

    fn json(&self) -> Json {
        let mut json = value(self);
        let concerned = self.concerned();
        ours(&concerned, &mut json["hooks"]);
        for worktree in json["worktrees"].as_array_mut().into_iter().flatten() {
            ours(&concerned, &mut worktree["hooks"]);
        }
        Json::One(json)
    }

    fn exit(&self) -> Exit {
        let concerned = self.concerned();
        let is_gap = |one: &OneHook| !one.state.is_sound() && concerned.contains(&one.name);
        if self.hooks.iter().any(is_gap) { Exit::Refused } else { Exit::Ok }
    }
}

/// A clone has no use for a server's hooks, nor a server for a clone's.
fn ours(concerned: &[HookName], hooks: &mut serde_json::Value) {
    if let Some(hooks) = hooks.as_array_mut() {
        hooks.retain(|one| concerned.iter().any(|name| one["name"] == name.as_str()));
    }
}

impl Report for PushAnswer {
    fn human(&self, out: &mut Out) {
        for answer in self.refs.iter().filter(|answer| answer.outcome != "admitted") {
            explain(out, answer);
        }
        for notice in &self.notices {
            out.line(Text::yellow("warning: ").then(notice));
        }
    }

    fn json(&self) -> Json {
        Json::Lines(self.refs.iter().map(value).collect())
    }

    fn exit(&self) -> Exit {
        exit_of(self.outcome)
    }
}

/// One refused or undecided ref: the code, the reason with both values, the next command.
pub(in crate::cli) fn explain(out: &mut Out, answer: &Answer) {
    let code = answer.primary_code.map_or_else(|| "undecided".to_owned(), |code| code.to_string());
    let (word, others) = match answer.outcome {
        "refused" => (Text::red("refused: "), &answer.codes[..]),
        _ => (Text::yellow("undecided: "), &[][..]),
    };
    out.line(word.then(Text::bold(&code)).then("  ").then(&answer.reference));
    for reason in &answer.reasons {
        let head = if reason.code.name() == code { Text::new() } else { Text::dim(format!("{}: ", reason.code)) };
        out.indented(2, head.then(&reason.text));
    }
    for gap in &answer.gaps {
        out.indented(2, Text::from("not judged: ").then(gap));
    }
    if answer.outcome == "undecided" {
        for notice in &answer.notices {
            out.indented(2, Text::dim(notice));
        }
    }
    if others.len() > 1 {
        let names: Vec<&str> = others.iter().map(|code| code.name()).collect();
        out.indented(2, Text::dim(format!("codes: {}", names.join(" "))));
    }
    if let Some(next) = &answer.next {
        out.indented(2, Text::from("next: ").then(&next.sentence));
        if let Some(command) = &next.command {
            out.command(&format!("  {command}"));
        }
    }
    for one in &answer.advice {
        out.indented(2, Text::from("or: ").then(one));
    }
    if let Some(receipt) = &answer.receipt {
        let kept = if answer.kept_at_server { " (kept at the server)" } else { "" };
        out.indented(2, Text::dim(format!("receipt: {receipt}{kept}")));
    }
}

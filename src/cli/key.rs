//! `git boundary key`: the keys a user can sign with here.

use serde_json::{Value, json};

use super::args::key::Key;
use super::context::Context;
use super::error::CliError;
use super::exit::Exit;
use super::out::{Fields, Out, Table};
use super::report::{Json, Report};
use super::text::Text;
use crate::crypto::{KeyError, KeyInfo, key_id, to_openssh};
use crate::model::key::PublicKey;

pub(super) fn run(args: Key, context: &Context) -> Result<Exit, CliError> {
    match args {
        Key::New(args) => context.print(&Made(context.keyring.new_key(&args.label)?)),
        Key::List(_) => {
            let found = context.keyring.list();
            for defect in &found.defects {
                warn(context, defect);
            }
            context.print(&Listed(found.keys))
        }
        Key::Show(args) => {
            let public = context.keyring.find_public(&args.key)?;
            let known = context.keyring.list().keys.into_iter().find(|info| info.public == public);
            context.print(&Shown { public, known })
        }
    }
}

/// A key that can't be read is no reason not to list the others, and none to say nothing.
fn warn(context: &Context, defect: &KeyError) {
    context.warn(defect);
    if let Some(remedy) = defect.remedy() {
        context.hint(remedy);
    }
}

struct Made(KeyInfo);

impl Report for Made {
    fn human(&self, out: &mut Out) {
        fields(&self.0, out);
        let label = self.0.label.as_ref().map(ToString::to_string).unwrap_or_default();
        out.blank();
        out.line("To have it trusted, an owner runs:");
        let line = to_openssh(&self.0.public, "");
        out.command(&format!(
            "git boundary trust add '{}' --label {label} --role <role> --key <owner>",
            line.trim_end()
        ));
    }

    fn json(&self) -> Json {
        Json::One(value(&self.0))
    }
}

struct Listed(Vec<KeyInfo>);

impl Report for Listed {
    fn human(&self, out: &mut Out) {
        if self.0.is_empty() {
            out.line("There are no keys yet. To make one:");
            out.command("git boundary key new <label>");
            return;
        }
        let mut table = Table::headed(&["LABEL", "ID", "WHERE"]);
        for info in &self.0 {
            let label = info.label.as_ref().map_or_else(|| Text::dim("-"), Text::bold);
            table.row([label, info.id.into(), place(info)]);
        }
        out.table(&table);
    }

    fn json(&self) -> Json {
        Json::Lines(self.0.iter().map(value).collect())
    }
}

/// A key by any name; more is known of it when it is one of the listed ones.
struct Shown {
    public: PublicKey,
    known: Option<KeyInfo>,
}

impl Report for Shown {
    fn human(&self, out: &mut Out) {
        match &self.known {
            Some(info) => fields(info, out),
            None => {
                let mut fields = Fields::new();
                fields.add("id", key_id(&self.public)).add("public", to_openssh(&self.public, ""));
                out.fields(&fields);
            }
        }
    }

    fn json(&self) -> Json {
        Json::One(match &self.known {
            Some(info) => value(info),
            None => json!({ "id": key_id(&self.public), "public": to_openssh(&self.public, "") }),
        })
    }
}

fn fields(info: &KeyInfo, out: &mut Out) {
    let mut fields = Fields::new();
    fields.add_some("label", info.label.as_ref().map(Text::bold));
    fields.add("id", info.id).add("public", to_openssh(&info.public, "")).add("where", place(info));
    if !info.comment.is_empty() {
        fields.add("comment", &info.comment);
    }
    out.fields(&fields);
}

fn place(info: &KeyInfo) -> Text {
    let agent = if info.in_agent { "ssh-agent" } else { "" };
    let text = match &info.path {
        Some(path) => Text::path(path).then(if info.encrypted { " (encrypted)" } else { "" }),
        None if info.in_agent => return agent.into(),
        None => return Text::yellow("public half only"),
    };
    if info.in_agent { text.then(", ").then(agent) } else { text }
}

fn value(info: &KeyInfo) -> Value {
    json!({
        "label": info.label.as_ref().map(|label| label.as_str()),
        "id": info.id,
        "public": to_openssh(&info.public, ""),
        "comment": info.comment,
        "path": info.path.as_ref().map(|path| path.to_string_lossy()),
        "encrypted": info.encrypted,
        "in_agent": info.in_agent,
        "can_sign": info.can_sign(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::cli::exit::Exit;
    use crate::cli::testing::run_in;

    #[test]
    fn a_new_key_is_listed_and_shown_by_label_and_id() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let made = run_in(home.path(), &["key", "new", "codex", "--json"]);
        assert_eq!(made.exit, Exit::Ok, "{}", made.stderr);
        let made: Value = serde_json::from_str(&made.stdout).expect("one JSON value");
        let listed = run_in(home.path(), &["--json", "key", "list"]);
        assert_eq!(
            serde_json::from_str::<Value>(&listed.stdout).expect("one JSON value"),
            made,
            "one line, the same object"
        );
        let id = made["id"].as_str().expect("it is text");
        for name in ["codex", id] {
            let shown = run_in(home.path(), &["key", "show", name, "--json"]);
            assert_eq!(serde_json::from_str::<Value>(&shown.stdout).expect("one JSON value"), made, "by {name}");
        }
        let people = run_in(home.path(), &["key", "list"]);
        assert!(people.stdout.contains("codex") && people.stdout.contains(id), "{}", people.stdout);
    }

    #[test]
    fn a_public_key_from_elsewhere_is_shown_by_its_id() {
        let home = tempfile::tempdir().expect("a temporary directory");
        run_in(home.path(), &["key", "new", "codex"]);
        let made: Value = serde_json::from_str(&run_in(home.path(), &["key", "show", "codex", "--json"]).stdout)
            .expect("one JSON value");
        let elsewhere = tempfile::tempdir().expect("a temporary directory");
        let shown = run_in(elsewhere.path(), &["key", "show", made["public"].as_str().expect("it is text")]);
        assert!(shown.stdout.contains(made["id"].as_str().expect("it is text")), "{}{}", shown.stdout, shown.stderr);
    }

    #[test]
    fn an_unreadable_key_is_warned_about_beside_the_others() {
        let home = tempfile::tempdir().expect("a temporary directory");
        run_in(home.path(), &["key", "new", "good"]);
        std::fs::write(home.path().join(".config/git-boundary/keys/bad.pub"), "ssh-rsa AAAA \x1b[31m\n")
            .expect("the directory is writable");
        let listed = run_in(home.path(), &["key", "list"]);
        assert_eq!(listed.exit, Exit::Ok);
        assert!(listed.stdout.contains("good"));
        assert!(listed.stderr.starts_with("warning: ") && !listed.stderr.contains('\x1b'), "{}", listed.stderr);
    }

    #[test]
    fn a_label_that_is_none_or_taken_is_a_fatal_error_with_a_way_out() {
        let home = tempfile::tempdir().expect("a temporary directory");
        run_in(home.path(), &["key", "new", "codex"]);
        for label in ["codex", "../x"] {
            let ran = run_in(home.path(), &["key", "new", label]);
            assert_eq!(ran.exit, Exit::Fatal);
            assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("\nhint: "), "{}", ran.stderr);
        }
    }
}

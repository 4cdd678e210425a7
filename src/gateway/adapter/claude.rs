//! Claude Code. Its tools are closed by an empty list and a strict MCP configuration, both on the command line, because a deny list leaves
//! what it does not name; and no settings of the user or of the workspace are read, because those of a workspace are obeyed unasked.

use serde_json::json;

use super::{Adapter, Contract, Flag, Prompt, Route, SERVER, Value, interpreted};

/// The adapter.
pub static ADAPTER: Adapter = Adapter {
    name: "claude",
    program: Some("claude"),
    parts: interpreted,
    version: Some(version),
    subcommand: None,
    grammar: &[
        Flag { name: "--print", aliases: &["-p"], value: Value::None },
        Flag { name: "--model", aliases: &[], value: Value::Name },
        Flag { name: "--effort", aliases: &[], value: Value::OneOf(&["low", "medium", "high", "xhigh", "max"]) },
        Flag { name: "--output-format", aliases: &[], value: Value::OneOf(&["text", "json", "stream-json"]) },
        Flag { name: "--max-budget-usd", aliases: &[], value: Value::Number },
        Flag { name: "--verbose", aliases: &[], value: Value::None },
    ],
    prompt: Prompt::BehindDashes,
    variables: &["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
    contract,
    gaps: &[
        "a person at its prompt can run a shell with `!`; with --print nobody can",
        "it starts git by itself",
        "settings that an administrator put under /etc apply to it",
        "what it reads reaches its model's provider, and the key for that is in its environment",
        "its process may do all that its user may: only its tools are closed",
    ],
};

/// The closure was looked at in this version, by what a model was offered; a later minor version may have tools of another kind.
fn version(printed: &str) -> Result<String, String> {
    let told = || format!("it prints {printed:?}, and not a version of Claude Code");
    let number = printed.trim_end().strip_suffix(" (Claude Code)").ok_or_else(told)?;
    let parts: Vec<u32> = number.split('.').map(str::parse).collect::<Result<_, _>>().map_err(|_| told())?;
    match parts.as_slice() {
        [2, 1, patch] if *patch >= 332 => Ok(number.to_owned()),
        [_, _, _] => Err(format!("{number} is not among the versions that this adapter knows: 2.1.332 and later 2.1")),
        _ => Err(told()),
    }
}

fn contract(route: &Route<'_>) -> Contract {
    let tools: Vec<String> = route.tools.iter().map(|tool| format!("mcp__{SERVER}__{tool}")).collect();
    let hook = route.hook();
    let settings = json!({
        "permissions": {
            "allow": tools,
            "deny": ["Agent", "Bash", "Edit", "NotebookEdit", "Read", "Skill", "WebFetch", "WebSearch", "Write"],
            "disableBypassPermissionsMode": "disable",
        },
        "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": [{ "type": "command", "command": hook }] }] },
    });
    let seed = json!({
        "hasCompletedOnboarding": true, "theme": "dark",
        "projects": { route.workspace: { "hasTrustDialogAccepted": true } },
    });
    let file = |name: &str| route.files.join(name).into_os_string();
    let words = [
        "--restricted".into(),
        "--tools".into(),
        "".into(),
        "--strict-mcp-config".into(),
        "--mcp-config".into(),
        file("mcp.json"),
        "--setting-sources".into(),
        "".into(),
        "--settings".into(),
        file("settings.json"),
        "--allowedTools".into(),
        tools.join(",").into(),
        "--permission-mode".into(),
        "dontAsk".into(),
        "--disable-slash-commands".into(),
        "--no-chrome".into(),
    ];
    let text = |value: &serde_json::Value| value.to_string().into_bytes();
    Contract {
        files: vec![("mcp", "mcp.json", route.mcp()), ("settings", "settings.json", text(&settings))],
        seeds: vec![(".claude.json", text(&seed))],
        kept: Vec::new(),
        arguments: words.into(),
        variables: vec![
            ("CLAUDE_CONFIG_DIR", route.profile.into()),
            ("ENABLE_TOOL_SEARCH", "false".into()),
            ("DISABLE_AUTOUPDATER", "1".into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn only_versions_whose_closure_was_looked_at_are_known() {
        assert_eq!(version("2.1.332 (Claude Code)\n").as_deref(), Ok("2.1.332"), "the version that was tried");
        for other in [
            "2.1.331 (Claude Code)\n",
            "2.2.0 (Claude Code)",
            "3.0.0 (Claude Code)",
            "2.1.332",
            "",
            "2.1 (Claude Code)",
        ] {
            assert!(version(other).is_err(), "not known: {other:?}");
        }
    }
}

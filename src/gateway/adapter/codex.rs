//! Codex CLI. Its tools are closed by a configuration that is its only one (`CODEX_HOME` is the session's own directory), in which every
//! kind of tool is off, and by a catalogue of models of our own: in Codex it is the model's entry that brings a shell, a patch tool or a
//! JavaScript runtime. What is left is denied by a hook, which Codex runs only where its configuration names the hook's digest.
//!
//! What it does with each of these values was looked at in 0.171.0, by what a model was offered and what became of calls of other tools.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::{Adapter, Contract, Flag, Prompt, Route, SERVER, Unestablished, Value, interpreted};
use crate::codec::canonical;

/// The adapter. Only `codex exec` is closed: at its prompt a person can run a shell, and commands change what is configured.
pub static ADAPTER: Adapter = Adapter {
    name: "codex",
    program: Some("codex"),
    parts,
    version: Some(version),
    subcommand: Some("exec"),
    grammar: &[
        Flag { name: "--model", aliases: &["-m"], value: Value::OneOf(&MODELS) },
        Flag { name: "--json", aliases: &[], value: Value::None },
        Flag { name: "--color", aliases: &[], value: Value::OneOf(&["always", "never", "auto"]) },
    ],
    prompt: Prompt::BehindDashes,
    variables: &["CODEX_API_KEY"],
    contract,
    gaps: &[
        "three tools of its own stay offered, which ask our server for resources: it has none, and the hook denies them",
        "it runs the hook only where the digest that is configured is the one it computes itself",
        "it starts git, lsb_release and getconf by itself, and the hook by a shell",
        "configuration under /etc/codex, or that an organisation's account brings, applies to it",
        "what it reads reaches its model's provider; the key for that is in its environment, or a login in its home",
        "its process may do all that its user may: only its tools are closed",
    ],
};

/// Models that it can be asked for: those that 0.171.0 lists. Another one would get the tools that Codex thinks fit for it.
const MODELS: [&str; 11] = [
    "gpt-6.2-sol",
    "gpt-6.2-astra",
    "gpt-6-astra",
    "gpt-6.1-sol",
    "gpt-6.1-terra",
    "gpt-6-sol",
    "gpt-6-luna",
    "gpt-5.6-sol",
    "gpt-5.6-terra",
    "gpt-5.6-luna",
    "gpt-5.5",
];

/// The one that still takes its tools beside its input and not in it.
const TAKES_TOOLS_BESIDE: &str = "gpt-5.5";

/// All that brings a tool, a process, a server or instructions, off whatever the version's default is. A name that the version does not
/// know ends the start, by `--strict-config`.
const OFF: [&str; 46] = [
    "agent_message_board",
    "agent_message_board_mcp",
    "api_key_model_discovery",
    "apps",
    "artifact",
    "auth_elicitation",
    "browser_annotation_api",
    "browser_use",
    "browser_use_external",
    "browser_use_full_cdp_access",
    "code_mode",
    "code_mode_host",
    "code_mode_only",
    "computer_use",
    "daemon_auto_start",
    "default_mode_request_user_input",
    "deferred_executor",
    "enable_mcp_apps",
    "external_agent_memory_import",
    "goals",
    "guardian_approval",
    "image_generation",
    "in_app_browser",
    "in_app_local_automation",
    "login_shell_package_path",
    "mcp_tool_list_changed",
    "memories",
    "multi_agent_v2",
    "plugin_sharing",
    "plugins",
    "recommended_plugins",
    "remote_plugin",
    "request_permissions_tool",
    "send_message_to_user_async",
    "shell_snapshot",
    "shell_tool",
    "skill_mcp_dependency_install",
    "skill_search",
    "sleep_tool",
    "standalone_web_search",
    "tool_call_mcp_elicitation",
    "tool_suggest",
    "unified_exec",
    "unified_exec_tty",
    "view_image",
    "workspace_dependencies",
];

/// Where the hook's command stands in the configuration, in the form of the key under which its digest is trusted.
const HOOK: &str = "pre_tool_use:0:0";

/// Seconds after which a hook that does not answer is given up.
const HOOK_SECONDS: u32 = 60;

/// A feature that an earlier version lacks, or a later one adds, is open: only versions whose closure was looked at are known.
fn version(printed: &str) -> Result<String, String> {
    let told = || format!("it prints {printed:?}, and not a version of Codex CLI");
    let number = printed.trim_end().strip_prefix("codex-cli ").ok_or_else(told)?;
    let parts: Vec<u32> = number.split('.').map(str::parse).collect::<Result<_, _>>().map_err(|_| told())?;
    match parts.as_slice() {
        [0, 171, _] => Ok(number.to_owned()),
        [_, _, _] => Err(format!("{number} is not among the versions that this adapter knows: 0.171")),
        _ => Err(told()),
    }
}

/// npm's `codex` is a script that starts the binary of another package: that binary is what counts, and it is started without the script.
/// What it has beside it, and may start, belongs to it.
fn parts(program: &Path) -> Result<Vec<(&'static str, PathBuf)>, Unestablished> {
    let program = if program.ends_with("@openai/codex/bin/codex.js") { binary(program)? } else { program.to_owned() };
    let mut found = interpreted(&program)?;
    let Some(root) = program.parent().filter(|dir| dir.ends_with("bin")).and_then(Path::parent) else {
        return Ok(found);
    };
    let beside = [
        ("package", "codex-package.json"),
        ("code mode host", "bin/codex-code-mode-host"),
        ("search", "codex-path/rg"),
        ("sandbox", "codex-resources/bwrap"),
    ];
    // Only where it is Codex's own directory: below another `bin` the same names are anybody's.
    if root.join(beside[0].1).is_file() {
        found.extend(beside.map(|(role, name)| (role, root.join(name))).into_iter().filter(|(_, path)| path.exists()));
    }
    Ok(found)
}

/// The binary that npm's script starts, found as the script finds it.
fn binary(script: &Path) -> Result<PathBuf, Unestablished> {
    let (platform, triple) = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => ("linux-x64", "x86_64-unknown-linux-musl"),
        ("linux", "aarch64") => ("linux-arm64", "aarch64-unknown-linux-musl"),
        ("macos", "x86_64") => ("darwin-x64", "x86_64-apple-darwin"),
        ("macos", "aarch64") => ("darwin-arm64", "aarch64-apple-darwin"),
        (system, machine) => {
            return Err(Unestablished::new("Codex's binary", format!("no package of it is for {system} on {machine}")));
        }
    };
    let inside = Path::new("vendor").join(triple).join("bin/codex");
    let package = format!("node_modules/@openai/codex-{platform}");
    let around = script.ancestors().map(|dir| dir.join(&package));
    let found = around.map(|dir| dir.join(&inside)).find(|path| path.is_file());
    let found = found.ok_or_else(|| {
        let why = format!("{} has no {package} around it; name the binary with --program", script.display());
        Unestablished::new("Codex's binary", why)
    })?;
    found.canonicalize().map_err(|error| Unestablished::new(found.display().to_string(), error.to_string()))
}

fn contract(route: &Route<'_>) -> Contract {
    Contract {
        files: vec![
            ("configuration", "config.toml", configuration(route).into_bytes()),
            ("models", "models.json", models().to_string().into_bytes()),
        ],
        // A login by hand, which has to outlast the session. Codex writes through the link.
        kept: vec!["auth.json"],
        arguments: ["exec", "--strict-config", "--ephemeral"].map(Into::into).into(),
        variables: vec![("CODEX_HOME", route.files.into())],
        ..Contract::default()
    }
}

/// The only configuration that it reads. In TOML, whose strings and arrays of strings have JSON's form.
fn configuration(route: &Route<'_>) -> String {
    let text = |value: &str| json!(value).to_string();
    let file = |name: &str| text(&route.files.join(name).to_string_lossy());
    let command = route.hook();
    let off: String = OFF.iter().map(|feature| format!("{feature} = false\n")).collect();
    let variables: String =
        route.variables().iter().map(|(name, value)| format!("{name} = {}\n", text(value))).collect();
    format!(
        r#"model = {model}
model_catalog_json = {catalogue}
approval_policy = "never"
sandbox_mode = "read-only"
web_search = "disabled"
project_doc_max_bytes = 0
allow_login_shell = false
check_for_update_on_startup = false
cli_auth_credentials_store = "file"
include_apps_instructions = false
include_collaboration_mode_instructions = false
include_environment_context = false
include_permissions_instructions = false
notify = []
suppress_unstable_features_warning = true

[agents]
enabled = false
[analytics]
enabled = false
[feedback]
enabled = false
[history]
persistence = "none"
[orchestrator.mcp]
enabled = false
[orchestrator.skills]
enabled = false
[otel]
exporter = "none"
[projects.{workspace}]
trust_level = "untrusted"
[shell_environment_policy]
inherit = "none"
[skills]
include_instructions = false
[skills.bundled]
enabled = false
[tools.experimental_request_user_input]
enabled = false
[tools.update_plan]
enabled = false

[mcp_servers.{SERVER}]
command = {runner}
args = {serve}
required = true
enabled_tools = {tools}
default_tools_approval_mode = "approve"
startup_timeout_sec = 60
tool_timeout_sec = 600
[mcp_servers.{SERVER}.env]
{variables}
[[hooks.PreToolUse]]
matcher = "*"
[[hooks.PreToolUse.hooks]]
type = "command"
command = {hook}
timeout = {HOOK_SECONDS}
[hooks.state.{key}]
trusted_hash = {digest}

[features]
{off}skip_host_skill_discovery = true
"#,
        model = text(MODELS[0]),
        catalogue = file("models.json"),
        workspace = text(route.workspace),
        runner = text(route.runner),
        serve = json!(route.serve),
        tools = json!(route.tools),
        hook = text(&command),
        key = file(&format!("config.toml:{HOOK}")),
        digest = text(&trusted(&command)),
    )
}

/// What Codex computes of a hook, and compares with what is trusted: SHA-256 of its values as canonical JSON.
fn trusted(command: &str) -> String {
    let hook = json!({ "async": false, "command": command, "timeout": HOOK_SECONDS, "type": "command" });
    canonical::digest_of(&json!({ "event_name": "pre_tool_use", "hooks": [hook], "matcher": "*" })).to_string()
}

/// Entries that bring no tool: no shell, no patches, no JavaScript that calls tools, no search, no images.
fn models() -> Json {
    let efforts = ["low", "medium", "high", "xhigh"];
    let levels: Vec<Json> = efforts.iter().map(|effort| json!({ "effort": effort, "description": effort })).collect();
    let entry = |(number, slug): (usize, &&str)| {
        json!({
            "apply_patch_tool_type": null,
            "base_instructions": "You look at a repository with the tools that you are given, and answer what you are asked. \
                There is no shell and no editor here: what a tool refuses can't be had by another way.",
            "context_window": 272_000,
            "default_reasoning_level": "medium",
            "default_reasoning_summary": "none",
            "default_verbosity": "low",
            "display_name": slug,
            "experimental_supported_tools": [],
            "input_modalities": ["text"],
            "max_context_window": 272_000,
            "priority": number + 1,
            "shell_type": "disabled",
            "slug": slug,
            "support_verbosity": true,
            "supported_in_api": true,
            "supported_reasoning_levels": levels,
            "supports_parallel_tool_calls": true,
            "supports_search_tool": false,
            "truncation_policy": { "mode": "tokens", "limit": 10_000 },
            "use_responses_lite": *slug != TAKES_TOOLS_BESIDE,
            "visibility": "list",
        })
    };
    json!({ "models": MODELS.iter().enumerate().map(entry).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::{trusted, version};

    #[test]
    fn only_versions_whose_closure_was_looked_at_are_known() {
        assert_eq!(version("codex-cli 0.171.0\n").as_deref(), Ok("0.171.0"), "the version that was tried");
        assert_eq!(version("codex-cli 0.171.3\n").as_deref(), Ok("0.171.3"), "and its corrections");
        for other in ["codex-cli 0.170.9", "codex-cli 0.172.0", "codex-cli 1.0.0", "0.171.0", "", "codex-cli 0.171"] {
            assert!(version(other).is_err(), "not known: {other:?}");
        }
    }

    #[test]
    fn a_hooks_digest_is_the_one_that_codex_computes() {
        // As `codex app-server` 0.171.0 told it, by hooks/list, of this command.
        let told = "sha256:e98ddbf8c5cc0c3435722c7cc9a5b30d4a1e29fc41466ff2671e6b70198465a3";
        assert_eq!(trusted("/opt/gb/git-boundary gateway hook"), told, "and no other is trusted");
    }
}

//! Launches that go on, launches that do not, and who is let in.

use serde_json::json;

use super::{Gate, text};

#[test]
fn an_agent_gets_a_clean_environment_and_its_status_is_passed_on() {
    let gate = Gate::set_up();
    let work =
        gate.work().with("NODE_OPTIONS", "--require=/x.js").with("ANTHROPIC_BASE_URL", "http://x").with("LANG", "C");
    gate.requests("");
    work.boundary("gateway launch generic").ends_with(7);
    let seen = std::fs::read_to_string(gate.path("answers.env")).expect("the client kept it");
    assert!(
        !seen.contains("NODE_OPTIONS") && !seen.contains("BASE_URL"),
        "nothing that loads code or leads elsewhere: {seen}"
    );
    assert!(seen.contains("LANG=C"), "what a terminal needs is handed on");
    assert!(
        seen.lines().any(|line| line.starts_with("HOME=") && line.ends_with("/profile")),
        "a home of its own: {seen}"
    );
}

#[test]
fn whatever_is_not_as_it_was_set_up_refuses_and_is_named() {
    let cases: [(&str, &str); 3] = [
        ("echo '# more' >> ../client", "launcher client"),
        ("find ../ -path '*shims/generic' -exec sh -c 'echo \"# more\" >> \"$1\"' x {} \\;", "shim generic"),
        ("find ../ -type d -path '*state/git-boundary/gateway/generic-*' -prune -exec chmod 755 {} \\;", "private"),
    ];
    for (change, name) in cases {
        let gate = Gate::set_up();
        gate.work().sh(change).ok();
        let refused = gate.work().boundary("gateway launch generic");
        refused.ends_with(128).says(name);
        assert!(!gate.path("answers").exists(), "nothing was started after: {change}");
    }
}

#[test]
fn what_is_kept_here_counts_only_as_it_was_signed() {
    let gate = Gate::set_up();
    // A policy that grants all, with a record to match.
    let find = "find .. -path '*gateway/generic-*/installation.json'";
    let widen = r#"python3 - "$1" <<'X'
import hashlib, json, sys
path = sys.argv[1]
it = json.load(open(path))
it["policy"]["read"] = [":/"]
text = json.dumps(it["policy"], sort_keys=True, separators=(",", ":"))
it["record"]["policy"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
open(path, "w").write(json.dumps(it, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
X"#;
    if gate.work().sh("command -v python3").status != 0 {
        eprintln!("python3 is not here: the record was not forged");
        return;
    }
    std::fs::write(gate.path("widen"), widen).expect("it can be written");
    gate.work().sh(&format!("sh ../widen \"$({find})\"")).ok();
    gate.work().boundary("gateway launch generic").ends_with(128).says("signed record");
    gate.work().boundary("gateway doctor").ends_with(1).says("other signed record");
}

#[test]
fn a_moved_workspace_is_another_one() {
    let gate = Gate::set_up();
    let moved = gate.path("moved");
    std::fs::rename(&gate.work().dir, &moved).expect("it can be moved");
    gate.work().in_directory(moved).boundary("gateway launch generic").ends_with(128).says("is not set up");
}

#[test]
fn words_that_the_adapter_does_not_know_are_not_passed_on() {
    let gate = Gate::set_up();
    gate.work().boundary("gateway launch generic -- --tools=default").ends_with(129).says("can't be passed on");
    gate.work().boundary("gateway launch generic -- hello").ends_with(129).says("can't be passed on");
    assert!(!gate.path("answers").exists(), "nothing was started");
}

#[test]
fn a_server_is_let_in_by_the_token_of_its_own_session_only() {
    let gate = Gate::set_up();
    // The client tries with another token first, then without, then in another directory.
    let tries = r#"
token=$GIT_BOUNDARY_GATEWAY_TOKEN
program=$(value command)
GIT_BOUNDARY_GATEWAY_TOKEN=$(echo "$token" | tr 0-9 1-90) "$program" -C "$PWD" gateway serve generic --session "$session" < /dev/null 2> "$answers.1"
GIT_BOUNDARY_GATEWAY_TOKEN= "$program" -C "$PWD" gateway serve generic --session "$session" < /dev/null 2> "$answers.2"
"$program" -C "$PWD/.." gateway serve generic --session "$session" < /dev/null 2> "$answers.3"
"$program" -C "$PWD" gateway serve generic --session 00000000000000000000000000000000 < /dev/null 2> "$answers.4"
"$program" -C "$PWD" gateway serve generic --session ../../x < /dev/null 2> "$answers.5"
"#;
    std::fs::write(gate.path("requests.sh"), tries).expect("it can be written");
    let answers = gate.calls(&[("list_files", json!({}))]);
    assert!(text(&answers[0]).contains("README\t"), "the right one is let in: {answers:?}");
    let said = |number: u32| std::fs::read_to_string(gate.path(&format!("answers.{number}"))).expect("it was tried");
    assert!(said(1).contains("the token is not this session's"), "another token: {}", said(1));
    assert!(said(2).contains("the token is not this session's"), "an empty one: {}", said(2));
    assert!(said(3).contains("is not set up"), "another directory: {}", said(3));
    assert!(said(4).contains("no session"), "another session: {}", said(4));
    assert!(said(5).contains("no session"), "a path is no name: {}", said(5));
}

#[test]
fn a_token_is_of_no_use_once_the_launch_has_ended() {
    let gate = Gate::set_up();
    gate.calls(&[("list_files", json!({}))]);
    let config: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(gate.path("answers.config")).expect("the client kept it"))
            .expect("it is JSON");
    let server = &config["mcpServers"]["git-boundary"];
    let token = server["env"]["GIT_BOUNDARY_GATEWAY_TOKEN"].as_str().expect("it holds the token");
    let session =
        server["args"].as_array().and_then(|args| args.last()).and_then(|arg| arg.as_str()).expect("and the session");
    gate.work()
        .with("GIT_BOUNDARY_GATEWAY_TOKEN", token)
        .boundary(&format!("gateway serve generic --session {session}"))
        .ends_with(128)
        .says("no session");
}

#[test]
fn what_a_killed_launch_left_is_recorded_by_the_next() {
    let gate = Gate::set_up();
    gate.work().commit(&[("a", "a\n")]);
    // The client kills the launch, which is its parent, once its call is answered.
    std::fs::write(
        gate.path("requests.sh"),
        "launch=$PPID\n(sleep 1; kill -9 $launch) &\n(cat \"$requests\"; sleep 3) > \"$requests.slow\" &\nrequests=\"$requests.slow\"\nrm -f \"$requests\"; mkfifo \"$requests\"; (cat \"${requests%.slow}\"; sleep 2) > \"$requests\" &\n",
    )
    .expect("it can be written");
    gate.asked(&[("read_file", json!({ "path": "a" }))]);
    std::thread::sleep(std::time::Duration::from_secs(3));
    std::fs::remove_file(gate.path("requests.sh")).expect("it is there");
    // And half a line, as a full disk leaves it.
    gate.work().sh("for it in $(find .. -name journal); do printf '{\"at\":' >> $it; done").ok();
    gate.work().boundary("gateway doctor").ok().says("as it was set up");
    let trace = gate.trace();
    assert_eq!(trace["end"], "closed", "the session was ended: {trace}");
    assert_eq!(trace["accesses"][0]["path"], "a", "with what was answered: {trace}");
}

#[test]
fn a_session_whose_registrar_is_gone_is_not_ended_by_another_key() {
    let gate = Gate::set_up();
    let key = gate.work().git_file("boundary/registrar").display().to_string();
    std::fs::write(gate.path("requests.sh"), format!("mv '{key}' '{key}.gone'\n")).expect("it can be written");
    gate.requests("");
    gate.work().boundary("gateway launch generic").ends_with(128).says("registrar is no longer");
    gate.work().sh(&format!("mv '{key}.gone' '{key}'")).ok();
    gate.work().boundary("gateway doctor").ok();
    assert_eq!(gate.trace()["end"], "closed", "the right one ends it");
}

#[test]
fn a_process_that_an_agent_leaves_behind_does_not_keep_its_session_open() {
    let gate = Gate::set_up();
    // The server's input is held open by a process that outlives the agent.
    let behind = r#"
mkfifo "$requests.held"
sleep 600 > "$requests.held" 2> /dev/null < /dev/null &
echo $! > "$answers.behind"
(cat "$requests" > "$requests.held") &
"$(value command)" -C "$PWD" gateway serve generic --session "$session" < "$requests.held" > "$answers" 2> "$answers.err" &
for n in $(seq 300); do if grep -q '"id":1' "$answers"; then break; fi; sleep 0.1; done
exit 7
"#;
    std::fs::write(gate.path("requests.sh"), behind).expect("it can be written");
    let answers = gate.calls(&[("list_files", json!({}))]);
    gate.work().sh("kill $(cat ../answers.behind)").ok();
    assert!(text(&answers[0]).contains("README"), "it was served: {answers:?}");
    let trace = gate.trace();
    assert_eq!((trace["end"].as_str(), trace["accesses"].as_array().map(Vec::len)), (Some("closed"), Some(1)), "ended");
}

#[test]
fn an_agent_that_everybody_may_change_or_nobody_can_run_is_not_launched() {
    for (mode, said) in [("o+w", "lets everybody change it"), ("a-x", "nobody can run it")] {
        let gate = Gate::set_up();
        gate.work().sh(&format!("chmod {mode} ../client")).ok();
        gate.work().boundary("gateway launch generic").ends_with(128).says("mode of launcher client");
        gate.work().boundary("gateway doctor").ends_with(1).says(said);
        assert!(!gate.path("answers").exists(), "nothing was started");
    }
    let gate = Gate::new();
    gate.work().sh("chmod o+w ../client").ok();
    gate.setup("").ends_with(128).says("lets everybody change it");
}

#[test]
fn the_hook_denies_whatever_it_cannot_tell_to_be_ours() {
    let gate = Gate::new();
    let work = gate.work();
    let calls = [
        (r#"{"tool_name":"mcp__git-boundary__read_file"}"#, 0),
        (r#"{"tool_name":"mcp__git_boundary__read_file","tool_input":{}}"#, 0),
        (r#"{"tool_name":"Bash"}"#, 2),
        (r#"{"tool_name":"mcp__git-boundary__run"}"#, 2),
        (r#"{"tool_name":"mcp__git-boundary2__read_file"}"#, 2),
        (r#"{"tool_name":"Bash","tool_name":"mcp__git-boundary__read_file"}"#, 2),
        (r#"{"tool_name":"mcp__git-boundary__read_file","tool\u005fname":"Bash"}"#, 2),
        (r#"{"tool_name":["mcp__git-boundary__read_file"]}"#, 2),
        ("{}", 2),
        ("", 2),
    ];
    for (call, status) in calls {
        work.boundary_given("gateway hook", call.as_bytes()).ends_with(status);
    }
}

#[test]
fn the_hook_that_agents_are_given_denies_where_it_cannot_be_run_or_its_directory_is_gone() {
    let gate = Gate::new();
    let work = gate.work();
    // Stands for Claude Code: keeps what it is given.
    let script = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '2.1.332 (Claude Code)'; exit; fi\nfor word; do case $word in */settings.json) cp \"$word\" KEPT;; esac; done\n";
    let kept = gate.path("settings.json");
    std::fs::write(gate.path("claude"), script.replace("KEPT", &kept.display().to_string()))
        .expect("it can be written");
    work.sh("chmod +x ../claude").ok();
    work.boundary("gateway setup claude --program ../claude").ok();
    work.boundary("gateway launch claude").ok();
    let settings: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(kept).expect("it was given them")).expect("they are JSON");
    let hook = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().expect("there is one");
    let given = |tool: &str, before: &str, hook: &str| {
        std::fs::write(gate.path("hook"), hook).expect("it can be written");
        work.sh(&format!("hook=$PWD/../hook; {before} echo '{{\"tool_name\":\"{tool}\"}}' | sh \"$hook\""))
    };
    let gone = "mkdir ../gone && cd ../gone && rmdir ../gone;";
    for before in ["", gone] {
        given("mcp__git-boundary__list_files", before, hook).ok();
        given("Bash", before, hook).ends_with(2).says("is none of the tools");
    }
    let program = work.sh("command -v git-boundary").ok().stdout;
    let without = hook.replace(
        std::path::Path::new(program.trim()).canonicalize().expect("it is").to_str().expect("text"),
        "/nowhere",
    );
    assert_ne!(without, hook, "the program stands in it: {hook}");
    given("mcp__git-boundary__list_files", "", &without).ends_with(2).says("not let pass");
}

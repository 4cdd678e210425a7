//! The protocol, spoken by its own people's clients.

use std::path::Path;

use git_boundary::gateway::tools::catalogue;
use serde_json::Value;

use super::Gate;
use super::agents::packages;

/// Does what an agent's own client does, by the official Python SDK.
const PYTHON: &str = r#"#!/usr/bin/env python3
import asyncio, json, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

config = json.load(open(sys.argv[1]))["mcpServers"]["git-boundary"]
answers = sys.argv[3]

def name(it, new, old):
    return getattr(it, new, None) if hasattr(it, new) else getattr(it, old)

async def main():
    parameters = StdioServerParameters(command=config["command"], args=config["args"], env=config["env"])
    async with stdio_client(parameters) as (reading, writing):
        async with ClientSession(reading, writing) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            schemas = {tool.name: name(tool, "input_schema", "inputSchema") for tool in tools}
            one = await session.call_tool("read_file", {"path": "src/main.rs"})
            many = await asyncio.gather(*[session.call_tool("read_file", {"path": "README"}) for _ in range(1000)])
            out = await session.call_tool("read_file", {"path": "../x"})
            json.dump({
                "schemas": schemas,
                "text": one.content[0].text,
                "same": sum(it.content[0].text == many[0].content[0].text for it in many),
                "refused": name(out, "is_error", "isError"),
            }, open(answers, "w"))

asyncio.run(main())
"#;

/// The same by the official TypeScript SDK, and each of the tools that look.
const TYPESCRIPT: &str = r#"
import { readFileSync, writeFileSync } from "node:fs";
const [config, sdk, answers] = process.argv.slice(2);
const { Client } = await import(`${sdk}/client/index.js`);
const { StdioClientTransport } = await import(`${sdk}/client/stdio.js`);
const { command, args, env } = JSON.parse(readFileSync(config, "utf8")).mcpServers["git-boundary"];
const client = new Client({ name: "script", version: "0" });
await client.connect(new StdioClientTransport({ command, args, env }));
const { tools } = await client.listTools();
const call = async (name, given) => {
  try {
    const { isError, content } = await client.callTool({ name, arguments: given });
    return { refused: isError === true, text: content[0].text };
  } catch (error) {
    return { refused: true, text: String(error) };
  }
};
const got = {
  schemas: Object.fromEntries(tools.map((tool) => [tool.name, tool.inputSchema])),
  listed: await call("list_files", {}),
  read: await call("read_file", { path: "src/main.rs" }),
  found: await call("search_text", { text: "fn main" }),
  outside: await call("read_file", { path: "../x" }),
  argument: await call("read_file", { path: "README", also: true }),
  tool: await call("run_shell", { command: "id" }),
};
const many = await Promise.all(Array.from({ length: 1000 }, () => call("read_file", { path: "README" })));
got.same = many.filter((it) => !it.refused && it.text === many[0].text).length;
writeFileSync(answers, JSON.stringify(got));
await client.close();
"#;

/// Launches a client that is a script for this program, and gives what it wrote down.
fn asked(gate: &Gate, program: &str, name: &str, script: &str, second: &str) -> Value {
    let (path, answers) = (gate.path(name), gate.path("answers"));
    std::fs::write(&path, script).expect("it can be written");
    let arguments =
        [path.to_str(), Some("{mcp}"), Some(second), answers.to_str()].map(|word| word.expect("it is text"));
    let arguments: String = arguments.iter().map(|word| format!(" --argument {word}")).collect();
    gate.work().boundary(&format!("gateway setup generic --program {program}{arguments}")).ok();
    gate.work().boundary("gateway launch generic").ok();
    let text = std::fs::read_to_string(&answers).expect("the client wrote what it got");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Exactly the catalogue's tools, each with its own closed schema.
fn schemas_are_closed(got: &Value) {
    let offered = got["schemas"].as_object().expect("tools were listed");
    assert_eq!(offered.len(), catalogue().len(), "and no other: {offered:?}");
    for tool in catalogue() {
        assert_eq!(offered.get(tool.name), Some(&tool.input), "{} is as the catalogue has it", tool.name);
        assert_eq!(offered[tool.name]["additionalProperties"], false, "{} is closed", tool.name);
    }
}

#[test]
fn the_official_python_client_sees_closed_tools_and_a_thousand_calls_at_once_are_answered_and_recorded() {
    let gate = Gate::new();
    let python = gate.work().sh("command -v python3 && python3 -c 'import mcp'");
    if python.status != 0 {
        eprintln!("python3 with mcp is not here: the official client was not asked (pip install mcp)");
        return;
    }
    let python = gate.work().sh("python3 -c 'import os, sys; print(os.path.realpath(sys.executable))'").ok();
    let got = asked(&gate, python.stdout.trim(), "client.py", PYTHON, "-");
    schemas_are_closed(&got);
    assert_eq!(got["text"], gate.work().read("src/main.rs"), "exactly as it is");
    assert_eq!(
        (got["same"].as_u64(), got["refused"].as_bool()),
        (Some(1000), Some(true)),
        "all of them, and no way out"
    );
    let trace = gate.trace();
    let calls = trace["accesses"].as_array().expect("calls are recorded");
    assert_eq!((calls.len(), trace["end"].as_str()), (1002, Some("closed")), "each call is recorded");
    assert_eq!(trace["faults"].as_array().map(Vec::len), Some(0), "in one chain of several parts: {}", trace["faults"]);
}

#[test]
fn the_official_typescript_client_sees_closed_tools_and_is_refused_what_they_do_not_name() {
    let gate = Gate::new();
    let sdk = packages().join("@modelcontextprotocol/sdk/dist/esm");
    let node = gate.work().sh("node -p process.execPath");
    if node.status != 0 || !sdk.is_dir() {
        let install = "npm install --prefix target/npm @modelcontextprotocol/sdk";
        eprintln!("node with the SDK is not here: the official client was not asked ({install})");
        return;
    }
    let node = Path::new(node.stdout.trim()).canonicalize().expect("it is there");
    let sdk = sdk.to_str().expect("it is text");
    let got = asked(&gate, node.to_str().expect("it is text"), "client.mjs", TYPESCRIPT, sdk);
    schemas_are_closed(&got);
    let told = |name: &str| (got[name]["refused"].as_bool(), got[name]["text"].as_str().unwrap_or_default().to_owned());
    let main = gate.work().read("src/main.rs");
    assert_eq!(told("read"), (Some(false), main), "exactly as it is");
    assert!(told("listed").1.contains("src/main.rs\t"), "what there is: {got}");
    assert!(told("found").1.contains("src/main.rs:1:1: fn main"), "what is looked for: {got}");
    for (name, word) in [("outside", "parent_directory"), ("argument", "invalid_arguments"), ("tool", "unknown_tool")] {
        let (refused, text) = told(name);
        assert!(refused == Some(true) && text.contains(word), "{name}: {text}");
    }
    assert_eq!(got["same"], 1000, "all at once");
    let trace = gate.trace();
    assert_eq!(trace["accesses"].as_array().map(Vec::len), Some(1006), "each call is recorded");
    assert_eq!((trace["end"].as_str(), trace["faults"].as_array().map(Vec::len)), (Some("closed"), Some(0)), "whole");
}

//! The protocol, spoken by its own people's client.

use super::Gate;

/// Does what an agent's own client does, by the official Python SDK.
const CLIENT: &str = r#"#!/usr/bin/env python3
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

#[test]
fn the_official_python_client_sees_closed_tools_and_a_thousand_calls_at_once_are_answered_and_recorded() {
    let gate = Gate::new();
    let python = gate.work().sh("command -v python3 && python3 -c 'import mcp'");
    if python.status != 0 {
        eprintln!("python3 with mcp is not here: the official client was not asked (pip install mcp)");
        return;
    }
    let python = gate.work().sh("python3 -c 'import os, sys; print(os.path.realpath(sys.executable))'").ok();
    let (script, answers) = (gate.path("client.py"), gate.path("answers"));
    std::fs::write(&script, CLIENT).expect("it can be written");
    gate.work()
        .boundary(&format!(
            "gateway setup generic --program {} --argument {} --argument {{mcp}} --argument - --argument {}",
            python.stdout.trim(),
            script.display(),
            answers.display()
        ))
        .ok();
    gate.work().boundary("gateway launch generic").ok();
    let text = std::fs::read_to_string(&answers).expect("the client wrote what it got");
    let got: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    for tool in ["list_files", "read_file", "search_text"] {
        assert_eq!(got["schemas"][tool]["additionalProperties"], false, "{tool} is closed: {got}");
    }
    assert_eq!(got["schemas"].as_object().map(serde_json::Map::len), Some(3), "and there is no other");
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

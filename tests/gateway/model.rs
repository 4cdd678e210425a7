//! A model that is none: answers an agent on the loopback with calls that were thought out before, and keeps what it was asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// One call of a tool that the model makes.
#[derive(Debug, Clone)]
pub struct Call {
    /// The namespace, for an agent whose tools have one.
    pub namespace: Option<&'static str>,
    pub name: String,
    pub arguments: Value,
}

/// What it was asked, in order.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// The key that came with it.
    pub key: String,
    pub body: Value,
}

/// A model that listens until the test ends.
pub struct Model {
    pub port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Model {
    /// Makes the calls one after the other, then says that it is done.
    pub fn with(calls: Vec<Call>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has a port");
        let port = listener.local_addr().expect("it is bound").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        let calls = Arc::new(calls);
        std::thread::spawn(move || {
            let made = Arc::new(Mutex::new(0));
            for stream in listener.incoming().flatten() {
                let (calls, made, kept) = (Arc::clone(&calls), Arc::clone(&made), Arc::clone(&kept));
                // An agent that breaks off is its own affair: what it asked was kept.
                std::thread::spawn(move || answer(stream, &calls, &made, &kept).ok());
            }
        });
        Model { port, asked }
    }

    /// What it was asked by the agent, with tools or without.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("nobody panicked").clone()
    }

    /// The names of all tools that it was ever offered, with their namespace before a point.
    pub fn offered(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for asked in self.asked() {
            let beside = asked.body["tools"].as_array().into_iter().flatten();
            let input = asked.body["input"].as_array().into_iter().flatten();
            let within = input.filter(|item| item["type"] == "additional_tools");
            let within = within.flat_map(|item| item["tools"].as_array().into_iter().flatten());
            for tool in beside.chain(within) {
                let name = tool["name"].as_str().or_else(|| tool["type"].as_str()).expect("a tool has a name");
                match tool["tools"].as_array() {
                    Some(inner) => names
                        .extend(inner.iter().map(|tool| format!("{name}.{}", tool["name"].as_str().unwrap_or("?")))),
                    None => names.push(name.to_owned()),
                }
            }
        }
        names.sort();
        names.dedup();
        names
    }

    /// What the agent said became of the calls, in order.
    pub fn results(&self) -> Vec<String> {
        let last = self
            .asked()
            .into_iter()
            .rev()
            .find(|asked| !asked.body["input"].is_null() || !asked.body["messages"].is_null());
        let body = last.expect("it was asked").body;
        let openai = body["input"].as_array().into_iter().flatten();
        let openai = openai.filter(|item| item["type"].as_str().is_some_and(|kind| kind.ends_with("_call_output")));
        let anthropic = body["messages"].as_array().into_iter().flatten();
        let anthropic = anthropic.flat_map(|message| message["content"].as_array().into_iter().flatten());
        let anthropic = anthropic.filter(|item| item["type"] == "tool_result");
        openai.map(|item| item["output"].to_string()).chain(anthropic.map(|item| item["content"].to_string())).collect()
    }
}

/// One request and its answer: Anthropic's messages or OpenAI's responses, as streams of events.
fn answer(stream: TcpStream, calls: &[Call], made: &Mutex<usize>, kept: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut length, mut key, mut upgrade) = (String::new(), 0, String::new(), false);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "x-api-key" | "authorization" => key = value.trim().to_owned(),
            "upgrade" => upgrade = true,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut stream = stream;
    let path = first.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default();
    if !first.starts_with("POST ") || !["/v1/messages", "/v1/responses"].contains(&path) {
        let status = if upgrade { "426 Upgrade Required" } else { "404 Not Found" };
        return write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
    kept.lock()
        .expect("nobody panicked")
        .push(Asked { key, body: serde_json::from_slice(&body).unwrap_or(Value::Null) });
    let number = {
        let mut made = made.lock().expect("nobody panicked");
        *made += 1;
        *made
    };
    let call = calls.get(number - 1);
    let events = if path == "/v1/messages" { messages(number, call) } else { responses(number, call) };
    let text: String = events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
        .collect();
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{text}")
}

/// As Anthropic's Messages API streams it.
fn messages(number: usize, call: Option<&Call>) -> Vec<Value> {
    let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
    let message = json!({ "id": format!("m{number}"), "type": "message", "role": "assistant", "model": "none", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage });
    let (block, delta, reason) = match call {
        Some(call) => (
            json!({ "type": "tool_use", "id": format!("toolu_{number}"), "name": call.name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": call.arguments.to_string() }),
            "tool_use",
        ),
        None => (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": "done" }), "end_turn"),
    };
    vec![
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ]
}

/// As OpenAI's Responses API streams it. Arguments that are a text go to a tool that takes free text.
fn responses(number: usize, call: Option<&Call>) -> Vec<Value> {
    let item = match call {
        Some(Call { name, arguments: Value::String(input), .. }) => {
            json!({ "type": "custom_tool_call", "call_id": format!("c{number}"), "name": name, "input": input })
        }
        Some(call) => {
            let mut item = json!({ "type": "function_call", "call_id": format!("c{number}"), "name": call.name,
                "arguments": call.arguments.to_string() });
            if let Some(namespace) = call.namespace {
                item["namespace"] = namespace.into();
            }
            item
        }
        None => json!({ "type": "message", "role": "assistant", "id": "m",
            "content": [{ "type": "output_text", "text": "done" }] }),
    };
    let usage = json!({ "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
        "output_tokens_details": null, "total_tokens": 2 });
    vec![
        json!({ "type": "response.created", "response": { "id": format!("r{number}") } }),
        json!({ "type": "response.output_item.done", "item": item }),
        json!({ "type": "response.completed", "response": { "id": format!("r{number}"), "usage": usage } }),
    ]
}

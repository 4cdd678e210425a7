//! A session that stays open, so that an owner can act beside it: calls are sent one by one, and each answer is waited for.

use std::fs::File;
use std::io::Write as _;
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use serde_json::{Value, json};

use super::Gate;
use crate::support::{Home, Ran, Work};

/// How long an answer may take, in hundredths of a second: far above what any does, on a machine where all tests run at once.
const PATIENCE: usize = 6000;

/// A launched agent that does what a test says.
pub struct Live<'g> {
    gate: &'g Gate,
    input: Option<File>,
    launch: Option<JoinHandle<Ran>>,
    sent: u64,
}

impl<'g> Live<'g> {
    /// Launches the agent with more words for the command line, such as `--key codex`.
    #[track_caller]
    pub fn launched(gate: &'g Gate, more: &str) -> Self {
        Self::launched_in(gate, gate.work(), more)
    }

    /// The same in another clone, where the same agent is set up.
    #[track_caller]
    pub fn launched_in(gate: &'g Gate, work: &Work, more: &str) -> Self {
        let requests = gate.path("requests");
        drop(std::fs::remove_file(&requests));
        drop(std::fs::remove_file(gate.path("answers")));
        gate.work().sh(&format!("mkfifo '{}'", requests.display())).ok();
        let (root, dir, line) = (gate.world.root(), work.dir.clone(), format!("gateway launch generic {more}"));
        let launch = std::thread::spawn(move || {
            let server = root.join("server.git");
            Work::at(dir, Home::at(&root), server).boundary(&line)
        });
        // Opening it waits for the client, or for ever where the launch was refused: so both ends are opened here.
        let input = File::options().read(true).write(true).open(&requests).expect("the pipe is there");
        let mut live = Live { gate, input: Some(input), launch: Some(launch), sent: 0 };
        live.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "live", "version": "0" },
        } }));
        live.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        live.answer(0);
        live
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the session is open");
        input.write_all(format!("{message}\n").as_bytes()).expect("the client reads");
    }

    /// Calls a tool, and gives its result, or the whole message where that is an error.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.sent += 1;
        let id = self.sent;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments } }));
        self.answer(id)
    }

    #[track_caller]
    fn answer(&self, id: u64) -> Value {
        for _ in 0..PATIENCE {
            let text = std::fs::read_to_string(self.gate.path("answers")).unwrap_or_default();
            let mut messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            if let Some(message) = messages.find(|message| message["id"] == id) {
                return if message["error"].is_null() { message["result"].clone() } else { message };
            }
            sleep(Duration::from_millis(10));
        }
        let errors = std::fs::read_to_string(self.gate.path("answers.err")).unwrap_or_default();
        panic!("call {id} was not answered: {errors}");
    }

    /// Kills the server, as a machine that runs out of memory does.
    #[track_caller]
    pub fn kill_server(&self) {
        self.gate.work().sh("pkill -9 -f \"^[^ ]*git-boundary -C $PWD gateway serve\"").ok();
    }

    /// Ends the session as a client does that is done.
    #[track_caller]
    pub fn end(mut self) -> Ran {
        self.ended()
    }

    fn ended(&mut self) -> Ran {
        self.input = None;
        // Whoever launches afterwards would wait at the pipe for ever.
        let ran = self.launch.take().expect("it was launched").join().expect("the launch ends");
        drop(std::fs::remove_file(self.gate.path("requests")));
        ran
    }
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        if self.launch.is_some() && !std::thread::panicking() {
            self.ended();
        }
    }
}

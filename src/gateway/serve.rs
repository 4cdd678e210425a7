//! SERVE: the Model Context Protocol over standard input and output, by the official SDK. One thread; calls are taken one after the other.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as Offered,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;

use super::desk::Desk;
use super::tools::Outcome;
use crate::model::time::Timestamp;

/// The longest message of a client, in bytes: above the largest file that may be written, in any spelling that JSON has for it.
const LONGEST_MESSAGE: usize = 8 << 20;

/// Reads the clock. Given from outside, as everywhere.
pub type Clock = fn() -> Timestamp;

struct Server {
    clock: Clock,
    desk: Arc<Mutex<Desk>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("git-boundary", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ListToolsResult::with_all_items(
            desk.tools()
                .iter()
                .map(|tool| Offered::new(tool.name, tool.description.clone(), object(&tool.input)))
                .collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = desk
            .call(&request.name, &arguments, (self.clock)())
            .map_err(|closed| ErrorData::invalid_request(closed.to_string(), None))?;
        // No structured content: where there is any, some agents show their model nothing else.
        let content = [Some(answer.text), answer.about].into_iter().flatten().map(ContentBlock::text).collect();
        let result = match answer.outcome {
            Outcome::Done => CallToolResult::success(content),
            Outcome::Refused(_) => CallToolResult::error(content),
        };
        Ok(result.into())
    }
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// How often it is looked whether the launch lives.
const LOOK: Duration = Duration::from_millis(100);

/// Serves until the client closes its end or the launch ends, then puts what is left into the ledger. A process that the agent left
/// behind may hold the client's end open for ever, and the launch waits for this one to be able to end the session.
///
/// # Errors
/// When the protocol breaks, or what was done can't be recorded.
pub fn serve(desk: Desk, clock: Clock) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    let session = desk.session();
    let desk = Arc::new(Mutex::new(desk));
    let server = Server { clock, desk: Arc::clone(&desk) };
    let served = async {
        let (input, output) = stdio();
        let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST_MESSAGE);
        let running = server.serve(transport).await.map_err(|error| error.to_string())?;
        running.waiting().await.map(drop).map_err(|error| error.to_string())
    };
    let ended = async {
        while session.is_held() {
            tokio::time::sleep(LOOK).await;
        }
    };
    let served = runtime.block_on(async {
        let (mut served, mut ended) = (pin!(served), pin!(ended));
        poll_fn(|task| match served.as_mut().poll(task) {
            Poll::Pending => ended.as_mut().poll(task).map(Ok),
            served => served,
        })
        .await
    });
    // A read of standard input that still waits must not hold the process.
    runtime.shutdown_background();
    let kept = desk.lock().unwrap_or_else(PoisonError::into_inner).keep(clock(), false);
    kept.map_err(|error| error.to_string())?;
    served
}

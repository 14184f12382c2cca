//! The MCP server; the only module that knows MCP.
//!
//! - [`serve_stdio`]: over this process's stdin and stdout.
//! - [`serve`]: over any pair of streams.
//! - [`http`]: over HTTP.
//! - `tools`: what is offered; `arguments`: what is accepted; `surrogates`: what is repaired;
//!   `changes`: what clients are told unasked; `opening`: how streams begin and end.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, SubscriptionFilter,
    Tool,
};
use rmcp::service::{
    NotificationContext, QuitReason, RequestContext, ServerInitializeError, SubscriptionContext,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde::Serialize;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::runtime::{CachedRequest, ErrorType, ExecuteRequest, ExecutionResult, Runtime};
use crate::signals::asked_to_stop;

mod arguments;
mod changes;
pub mod http;
mod opening;
mod surrogates;
mod tools;
#[cfg(test)]
mod wire_tests;

use arguments::{EndSession, ExecuteCode, GetFunctions, ListServers, RunCachedCode};
use opening::Opening;
use surrogates::Repaired;

/// What every client is told once. Its size does not depend on what is compiled.
const INSTRUCTIONS: &str = "\
MCE runs Python that calls APIs through compiled functions.
1. `list_servers` shows the servers and their functions.
2. `get_functions` gives signature, types and an example: read it before you call a function.
3. `execute_code` runs your Python. Import what you call (`from SERVER.functions import FUNCTION`), \
pass keyword arguments, do filtering, joining and counting in the code, and return only what you \
need from `main()`, or assign it to `result`. `await FUNCTION.aio(...)` in `async def main()` \
makes calls run concurrently.
4. Keep values that may change as literals in top-level names: `run_cached_code` runs the code of \
a `cache_id` again with other values for them.
Code has no files and no network, but for `httpx` where the user lists hosts for it; credentials are added outside. `ApiError` of `mce_runtime` has \
`status` and `body`. When a call fails, read `error` and `hint`, and change the code.";

/// Why a server ended otherwise than by its client leaving.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client did not begin as the protocol says.
    #[error("the MCP session could not begin: {0}")]
    Initialize(#[source] Box<ServerInitializeError>),
    /// The server's own task failed.
    #[error("the MCP session broke off: {0}")]
    Broken(#[source] tokio::task::JoinError),
}

/// Serves one client over stdin and stdout until stdin ends or the process is asked to stop
/// (SIGINT, SIGTERM). Requests that are being answered get a few seconds to finish when stdin
/// ends; what still runs then is cancelled.
///
/// # Errors
/// [`Error`].
pub async fn serve_stdio(runtime: Arc<Runtime>, principal: &str) -> Result<(), Error> {
    let (input, output) = stdio_pipes();
    serve(runtime, principal, input, output).await
}

/// Serves one client over a pair of streams; ends as [`serve_stdio`].
///
/// # Errors
/// [`Error`].
pub async fn serve<Input, Output>(
    runtime: Arc<Runtime>,
    principal: &str,
    input: Input,
    output: Output,
) -> Result<(), Error>
where
    Input: AsyncRead + Send + Unpin + 'static,
    Output: AsyncWrite + Send + Unpin + 'static,
{
    let warming = tokio::spawn({
        let runtime = Arc::clone(&runtime);
        async move { runtime.warm_up().await }
    });
    let server = Server::new(Arc::clone(&runtime), principal.to_owned());
    let outcome = session(server, input, output).await;
    warming.abort();
    runtime.shutdown().await;
    outcome
}

async fn session<Input, Output>(server: Server, input: Input, output: Output) -> Result<(), Error>
where
    Input: AsyncRead + Send + Unpin + 'static,
    Output: AsyncWrite + Send + Unpin + 'static,
{
    let stop = asked_to_stop();
    tokio::pin!(stop);
    let streams = AsyncRwTransport::new_server(Repaired::new(input), output);
    let transport = Opening::new(streams, server.ending.clone());
    let running = tokio::select! {
        started = server.serve(transport) => match started {
            Ok(running) => running,
            // A client that leaves before it said anything did nothing wrong.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(Error::Initialize(Box::new(error))),
        },
        () = &mut stop => return Ok(()),
    };
    let cancel = running.cancellation_token();
    let waiting = running.waiting();
    tokio::pin!(waiting);
    let ended = tokio::select! {
        ended = &mut waiting => ended,
        () = &mut stop => {
            cancel.cancel();
            waiting.await
        }
    };
    match ended {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(Error::Broken(error)),
        Ok(_) => Ok(()),
    }
}

/// One client's view of the runtime.
#[derive(Clone)]
struct Server {
    runtime: Arc<Runtime>,
    principal: String,
    /// Cancelled when nothing more is asked.
    ending: CancellationToken,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("mce", env!("CARGO_PKG_VERSION"))
                    .with_title("MCE: APIs as code"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let capabilities = self.get_info().capabilities;
        let changes = self.runtime.changes();
        tokio::spawn(changes::tell(context.peer, capabilities, changes));
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(changes::followable(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        tokio::select! {
            () = changes::tell_subscriber(context, self.runtime.changes()) => {}
            () = self.ending.cancelled() => {}
        }
        Ok(())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let cancelled = context.ct.clone();
        // A panic must answer this request and leave the others alone.
        let answering = AssertUnwindSafe(self.answer(request)).catch_unwind();
        tokio::select! {
            answer = answering => answer
                .unwrap_or_else(|_| {
                    tracing::error!("a request panicked");
                    Ok(failure(ErrorType::Internal, "MCE itself failed; its log has the cause"))
                })
                .map(CallToolResponse::from),
            // Dropping the answer drops the execution, which removes its container.
            () = cancelled.cancelled() => Ok(failure(ErrorType::Cancelled, "cancelled").into()),
        }
    }
}

impl Server {
    fn new(runtime: Arc<Runtime>, principal: String) -> Self {
        Self {
            runtime,
            principal,
            ending: CancellationToken::new(),
        }
    }

    async fn answer(&self, request: CallToolRequestParams) -> Result<CallToolResult, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let answer = match request.name.as_ref() {
            tools::LIST_SERVERS => match arguments::parse::<ListServers>(given) {
                Ok(ListServers { cursor }) => {
                    match self.runtime.list_servers(cursor.as_deref()).await {
                        Ok(page) => answer(&page),
                        Err(error) => failure(ErrorType::Validation, error.to_string()),
                    }
                }
                Err(error) => failure(ErrorType::Validation, error),
            },
            tools::GET_FUNCTIONS => match arguments::parse::<GetFunctions>(given) {
                Ok(GetFunctions { functions }) => {
                    answer(&self.runtime.get_functions(&functions).await)
                }
                Err(error) => failure(ErrorType::Validation, error),
            },
            tools::EXECUTE_CODE => match arguments::parse::<ExecuteCode>(given) {
                Ok(given) => executed(&self.runtime.execute(self.execute_request(given)).await),
                Err(error) => failure(ErrorType::Validation, error),
            },
            tools::RUN_CACHED_CODE => match arguments::parse::<RunCachedCode>(given) {
                Ok(given) => executed(&self.runtime.run_cached(self.cached_request(given)).await),
                Err(error) => failure(ErrorType::Validation, error),
            },
            tools::END_SESSION => match arguments::parse::<EndSession>(given) {
                Ok(EndSession { session_id }) => {
                    match self.runtime.end_session(&self.principal, &session_id) {
                        Ok(()) => answer(&json!({ "ended": true })),
                        Err(result) => executed(&result),
                    }
                }
                Err(error) => failure(ErrorType::Validation, error),
            },
            unknown => {
                let shown: String = unknown.chars().take(100).collect();
                let message = format!("there is no tool `{shown}`");
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(answer)
    }

    fn execute_request(&self, given: ExecuteCode) -> ExecuteRequest {
        ExecuteRequest {
            code: given.code,
            description: given.description,
            principal: self.principal.clone(),
            timeout: given.timeout.map(arguments::Seconds::length),
            dry_run: given.dry_run,
            session: arguments::session(given.session_id),
        }
    }

    fn cached_request(&self, given: RunCachedCode) -> CachedRequest {
        CachedRequest {
            cache_id: given.cache_id,
            params: given.params.unwrap_or_default(),
            principal: self.principal.clone(),
            timeout: given.timeout.map(arguments::Seconds::length),
            session: arguments::session(given.session_id),
        }
    }
}

/// An answer as structured content, and as text for clients that read only that.
fn answer(value: &impl Serialize) -> CallToolResult {
    match serde_json::to_value(value) {
        Ok(value) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(value);
            result
        }
        Err(error) => {
            tracing::error!(%error, "an answer could not be written as JSON");
            CallToolResult::error(vec![ContentBlock::text("MCE itself failed")])
        }
    }
}

fn executed(result: &ExecutionResult) -> CallToolResult {
    let mut answer = answer(result);
    answer.is_error = Some(!result.success);
    answer
}

fn failure(error_type: ErrorType, message: impl Into<String>) -> CallToolResult {
    executed(&ExecutionResult {
        error: Some(message.into()),
        error_type: Some(error_type),
        ..ExecutionResult::default()
    })
}

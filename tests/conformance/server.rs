//! A server with what the conformance suite asks of one that has everything: tools, prompts and
//! resources with fixed answers, on the HTTP transport of `mce serve`.
//!
//!     cargo run --example mce-conformance-server -- 8000
//!
//! `scripts/conformance` runs the suite against it. Answers are written as they are on the wire.

#![expect(clippy::print_stdout, reason = "it says where it listens")]
#![expect(
    deprecated,
    reason = "the suite asks for logging, which the next protocol drops"
)]

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use mce::config::{Environment, Settings};
use mce::server::http::Transport;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, ErrorData,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;

mod asking;
mod fixtures;
mod tools;

/// What changed.
#[derive(Debug, Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

#[derive(Clone)]
struct Conformance {
    changes: broadcast::Sender<Change>,
}

/// A typed value out of what it is on the wire.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(format!("a fixture is wrong: {error}"), None))
}

/// A result, which says since 2026-07-28 that it is one; the SDK takes that away for older clients.
fn result<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    if let Some(members) = value.as_object_mut() {
        members.insert("resultType".to_owned(), json!("complete"));
    }
    typed(value)
}

type Context = RequestContext<RoleServer>;

impl ServerHandler for Conformance {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({
            "tools": {"listChanged": true}, "prompts": {"listChanged": true},
            "resources": {"subscribe": true}, "completions": {}, "logging": {}
        });
        let capabilities: ServerCapabilities = typed(capabilities).unwrap_or_default();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("mce-conformance-server", "1"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        result(json!({ "tools": fixtures::tools() }))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools: Vec<Tool> = typed(fixtures::tools()).ok()?;
        tools.into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if asking::asks(&request.name) {
            let answer = asking::call(&request, &context)?;
            return Ok(match answer {
                asking::Answer::Complete(answer) => CallToolResponse::Complete(result(answer)?),
                asking::Answer::Asked(asked) => CallToolResponse::InputRequired(typed(asked)?),
            });
        }
        let change = match request.name.as_ref() {
            "test_trigger_tool_change" => Some(Change::Tools),
            "test_trigger_prompt_change" => Some(Change::Prompts),
            _ => None,
        };
        if let Some(change) = change {
            // Nobody may be following.
            let _ = self.changes.send(change);
            return Ok(CallToolResponse::Complete(result(fixtures::text(
                "changed",
            ))?));
        }
        let answer = tools::call(&request, &context).await?;
        Ok(CallToolResponse::Complete(result(answer)?))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        result(json!({ "prompts": fixtures::prompts() }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == asking::PROMPT {
            let context = request.input_responses.as_ref();
            let context = context.and_then(|it| it.get("user_context"));
            return Ok(match context {
                None => GetPromptResponse::InputRequired(typed(asking::prompt())?),
                Some(context) => {
                    let text = format!("The context is {context}");
                    GetPromptResponse::Complete(result(fixtures::messages(&text))?)
                }
            });
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let prompt = fixtures::prompt(&request.name, &arguments).ok_or_else(|| {
            ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None)
        })?;
        Ok(GetPromptResponse::Complete(result(prompt)?))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        result(json!({ "resources": fixtures::resources() }))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        result(json!({"resourceTemplates": [{
            "uriTemplate": "test://template/{id}/data", "name": "template",
            "description": "A resource with a parameter", "mimeType": "application/json"
        }]}))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = fixtures::resource(&request.uri).ok_or_else(|| {
            let data = json!({"uri": request.uri});
            ErrorData::resource_not_found("Resource not found", Some(data))
        })?;
        Ok(ReadResourceResponse::Complete(result(
            json!({"contents": [contents]}),
        )?))
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        result(
            json!({"completion": {"values": ["paris", "park", "party"], "total": 3, "hasMore": false}}),
        )
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // What was not asked for the SDK does not send.
            let _ = match change {
                Ok(Change::Tools) => subscription.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => subscription.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            };
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok());
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
    match serve(address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(address: SocketAddr) -> Result<(), Box<dyn std::error::Error>> {
    let (settings, _) = Settings::from_environment(&Environment::from_process())?;
    let handler = Conformance {
        changes: broadcast::Sender::new(16),
    };
    let make = Arc::new(move |_: &_, _| handler.clone());
    let transport = Transport::bind(address, &settings.http, make).await?;
    println!("listening on http://{}/mcp", transport.address());
    transport.run(mce::signals::asked_to_stop()).await;
    Ok(())
}

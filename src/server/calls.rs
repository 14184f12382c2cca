//! What each tool does with its arguments.

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use serde_json::json;

use super::arguments::{
    self, EndSession, ExecuteCode, GetFunctions, ListServers, RunCachedCode, SearchFunctions,
    Seconds,
};
use super::output::{answer, executed, failure};
use super::progress::Listener;
use super::{Server, tools};
use crate::config::OutputMode;
use crate::runtime::{CachedRequest, ErrorType, ExecuteRequest, Stages};

impl Server {
    /// The form of the text of answers.
    pub(super) fn mode(&self) -> OutputMode {
        self.runtime.settings().results.mode
    }

    /// Answers a call of a tool; `listener` is told while code runs.
    pub(super) async fn answer(
        &self,
        request: CallToolRequestParams,
        listener: Listener,
    ) -> Result<CallToolResult, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let mode = self.mode();
        let refused = |error: String| Ok(failure(ErrorType::Validation, error, mode));
        Ok(match request.name.as_ref() {
            tools::LIST_SERVERS => match arguments::parse::<ListServers>(given) {
                Ok(ListServers { cursor }) => {
                    match self.runtime.list_servers(cursor.as_deref()).await {
                        Ok(page) => answer(&page, mode),
                        Err(error) => return refused(error.to_string()),
                    }
                }
                Err(error) => return refused(error),
            },
            tools::SEARCH_FUNCTIONS => match arguments::parse::<SearchFunctions>(given) {
                Ok(given) => match self.runtime.search_functions(&given.into()).await {
                    Ok(found) => answer(&found, mode),
                    Err(error) => return refused(error.to_string()),
                },
                Err(error) => return refused(error),
            },
            tools::GET_FUNCTIONS => match arguments::parse::<GetFunctions>(given) {
                Ok(GetFunctions { functions, types })
                    if functions.is_empty() && types.is_empty() =>
                {
                    return refused("arguments: missing field `functions`".to_owned());
                }
                Ok(GetFunctions { functions, types }) => {
                    answer(&self.runtime.get_functions(&functions, &types).await, mode)
                }
                Err(error) => return refused(error),
            },
            tools::EXECUTE_CODE => match arguments::parse::<ExecuteCode>(given) {
                Ok(given) => {
                    let request = self.execute_request(given);
                    let stages = request.stages.follow();
                    let work = self.runtime.execute(request);
                    executed(&listener.during(stages, work).await, mode)
                }
                Err(error) => return refused(error),
            },
            tools::RUN_CACHED_CODE => match arguments::parse::<RunCachedCode>(given) {
                Ok(given) => {
                    let request = self.cached_request(given);
                    let stages = request.stages.follow();
                    let work = self.runtime.run_cached(request);
                    executed(&listener.during(stages, work).await, mode)
                }
                Err(error) => return refused(error),
            },
            tools::END_SESSION => match arguments::parse::<EndSession>(given) {
                Ok(EndSession { session_id }) => {
                    match self.runtime.end_session(&self.principal, &session_id) {
                        Ok(()) => answer(&json!({ "ended": true }), mode),
                        Err(result) => executed(&result, mode),
                    }
                }
                Err(error) => return refused(error),
            },
            other => {
                let stages = Stages::default();
                let calling = self
                    .runtime
                    .call_promoted(other, given, &self.principal, &stages);
                match listener.during(stages.follow(), calling).await {
                    Some(result) => executed(&result, mode),
                    None => return Err(unknown(other)),
                }
            }
        })
    }

    fn execute_request(&self, given: ExecuteCode) -> ExecuteRequest {
        ExecuteRequest {
            code: given.code,
            description: given.description,
            principal: self.principal.clone(),
            timeout: given.timeout.map(Seconds::length),
            dry_run: given.dry_run,
            session: arguments::session(given.session_id),
            stages: Stages::default(),
        }
    }

    fn cached_request(&self, given: RunCachedCode) -> CachedRequest {
        CachedRequest {
            cache_id: given.cache_id,
            params: given.params.unwrap_or_default(),
            principal: self.principal.clone(),
            timeout: given.timeout.map(Seconds::length),
            session: arguments::session(given.session_id),
            stages: Stages::default(),
        }
    }
}

fn unknown(tool: &str) -> ErrorData {
    let shown: String = tool.chars().take(100).collect();
    ErrorData::invalid_params(format!("there is no tool `{shown}`"), None)
}

//! Completions (`completion/complete`): the servers of the template `skills://{server}`.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::resources::SKILLS_TEMPLATE;
use crate::runtime::Runtime;

/// What an argument could become. Nothing where nothing is known of it.
pub(super) async fn complete(runtime: &Runtime, request: &CompleteRequestParams) -> CompleteResult {
    let is_server = matches!(&request.r#ref, Reference::Resource(it) if it.uri == SKILLS_TEMPLATE)
        && request.argument.name == "server";
    let mut values = if is_server {
        runtime.servers_with_skills(&request.argument.value).await
    } else {
        Vec::new()
    };
    let mut info = CompletionInfo::default();
    info.total = u32::try_from(values.len()).ok();
    info.has_more = Some(values.len() > CompletionInfo::MAX_VALUES);
    values.truncate(CompletionInfo::MAX_VALUES);
    info.values = values;
    CompleteResult::new(info)
}

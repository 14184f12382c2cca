//! What there is to call. Answers are bounded whatever the catalogue, and text that comes from
//! documents is data: capped, one line where one line is meant.
//!
//! - `servers`: pages of servers; `search`: functions by what they do; `functions`: signatures and
//!   types; `names`: lines and nearest names.

mod functions;
mod names;
mod search;
mod servers;

use std::sync::Arc;

use super::Runtime;
use crate::api::Manifest;

pub use functions::{
    FunctionAnswer, FunctionDetail, FunctionName, FunctionProblem, FunctionsAnswer, TypeAnswer,
    TypeDetail,
};
pub(super) use names::{left_out, nearest, one_line};
pub use search::{FoundFunction, SearchAnswer, SearchError, SearchRequest};
pub(super) use servers::libraries;
pub use servers::{InlineFunction, RefusedServer, ServerSummary, ServersPage, UnknownCursor};

impl Runtime {
    /// The manifest of a server as it was checked; `None` where there is no such server, or it is
    /// refused.
    pub async fn manifest(&self, server: &str) -> Option<Arc<Manifest>> {
        let compiled = self.registry.server(server).await?.ok()?;
        Some(Arc::clone(&compiled.target.manifest))
    }
}

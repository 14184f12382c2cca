//! An API as its document describes it, before the filter has run and names are given.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde_json::Value;

use super::manifest::{Encoding, Location, Response, Security, SecurityScheme, Skipped, Style};

/// A normalised API document. Schemas are JSON Schema 2020-12; a `$ref` in them is a key of
/// [`Api::schemas`].
#[derive(Debug, Clone, Default)]
pub struct Api {
    /// The document's own `openapi` value.
    pub version: String,
    /// The document's title.
    pub title: String,
    /// The document's description.
    pub description: String,
    /// The root server, absolute; `None` where there is none.
    pub base_url: Option<String>,
    /// What keeps the root server from being called; of no concern where the config says where
    /// calls go.
    pub unusable_server: Vec<String>,
    /// Whether it matters where the document came from: some server is relative to that.
    pub depends_on_location: bool,
    /// The security schemes by name.
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// Every schema that is referred to, by its canonical JSON pointer (`#/…`).
    pub schemas: IndexMap<String, Value>,
    /// The operations that can be compiled.
    pub operations: Vec<Operation>,
    /// The operations that cannot, and why (`unsupported: …`).
    pub skipped: Vec<Skipped>,
    /// Every tag that some operation bears, those of skipped ones too.
    pub tags: BTreeSet<String>,
    /// Every operationId, those of skipped operations too.
    pub operation_ids: BTreeSet<String>,
    /// What was repaired or left out.
    pub warnings: Vec<String>,
}

/// One operation of an [`Api`].
#[derive(Debug, Clone)]
pub struct Operation {
    /// The document's `operationId`.
    pub operation_id: Option<String>,
    /// The HTTP method in upper case.
    pub method: String,
    /// The path template as the document spells it.
    pub path: String,
    /// Where the document has it.
    pub server: OperationServer,
    /// Tags.
    pub tags: Vec<String>,
    /// The document's summary.
    pub summary: String,
    /// The document's description.
    pub description: String,
    /// Whether the document calls it deprecated.
    pub deprecated: bool,
    /// The parameters, path-level ones merged in, in the document's order.
    pub parameters: Vec<OperationParameter>,
    /// The request body.
    pub body: Option<OperationBody>,
    /// The responses in the document's order, each media type list with the preferred one first.
    pub responses: Vec<Response>,
    /// What the document says of each response, by status.
    pub response_descriptions: BTreeMap<String, String>,
    /// Headers that the document describes of a success, in lower case.
    pub success_headers: BTreeSet<String>,
    /// The effective security; `[{}]` (a credential is optional) where the document says nothing.
    pub security: Security,
}

/// Where a document has an [`Operation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationServer {
    /// At the document's own root server.
    Document,
    /// At this base URL, on the same origin.
    Own(String),
    /// Elsewhere: the origins, for messages.
    Elsewhere(String),
}

impl OperationServer {
    /// The base URL of its own.
    #[must_use]
    pub fn own(&self) -> Option<&str> {
        match self {
            Self::Own(url) => Some(url),
            Self::Document | Self::Elsewhere(_) => None,
        }
    }

    /// What is kept of it in text.
    #[must_use]
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Document => "",
            Self::Own(text) | Self::Elsewhere(text) => text,
        }
    }
}

/// A parameter of an [`Operation`].
#[derive(Debug, Clone)]
pub struct OperationParameter {
    /// The name on the wire.
    pub wire_name: String,
    /// Where it travels.
    pub location: Location,
    /// Whether it must be given.
    pub required: bool,
    /// How it is spelt.
    pub style: Style,
    /// Whether arrays and objects repeat the name.
    pub explode: bool,
    /// Whether reserved characters are sent as they are.
    pub allow_reserved: bool,
    /// How a list within the list becomes one item of it, one within that an item of that, and so on;
    /// further ones are JSON text.
    pub items_styles: Vec<Style>,
    /// Its media type, where the document gives `content` in place of `schema`.
    pub content_type: Option<String>,
    /// The document's description.
    pub description: String,
    /// The schema of the value.
    pub schema: Value,
}

/// The request body of an [`Operation`].
#[derive(Debug, Clone)]
pub struct OperationBody {
    /// The media type that is sent.
    pub content_type: String,
    /// Whether it must be given.
    pub required: bool,
    /// The document's further media types that can be sent.
    pub alternatives: Vec<OperationMedia>,
    /// The document's description.
    pub description: String,
    /// The schema of the value.
    pub schema: Value,
    /// How single properties of a form are spelt, where not by default.
    pub encoding: BTreeMap<String, Encoding>,
}

/// A further media type of an [`OperationBody`].
#[derive(Debug, Clone)]
pub struct OperationMedia {
    /// The media type, which may be a range.
    pub content_type: String,
    /// The schema of the value.
    pub schema: Value,
    /// As [`OperationBody::encoding`].
    pub encoding: BTreeMap<String, Encoding>,
}

impl OperationBody {
    /// The media types with their schemas, the one that is sent unasked first.
    pub fn media(&self) -> impl Iterator<Item = (&str, &Value)> {
        let default = (self.content_type.as_str(), &self.schema);
        let others = self.alternatives.iter();
        std::iter::once(default).chain(others.map(|it| (it.content_type.as_str(), &it.schema)))
    }

    /// The schemas of all media types.
    pub fn schemas_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let others = self.alternatives.iter_mut();
        std::iter::once(&mut self.schema).chain(others.map(|it| &mut it.schema))
    }
}

impl Operation {
    /// `METHOD /path`, as people and the config name it.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// A path template as it is sent: a fragment only tells operations of the document apart.
#[must_use]
pub fn sent_path(path: &str) -> &str {
    path.split('#').next().unwrap_or_default()
}

/// What a media type carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// `application/json`, `*/*+json`.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/…`.
    Multipart,
    /// `text/event-stream`.
    Events,
    /// JSON values in a row: `application/jsonl`, `application/x-ndjson`, `application/json-seq`.
    Lines,
    /// Text of any other kind, XML among it.
    Text,
    /// `*/*` or `application/*`: nothing is said.
    Range,
    /// Anything else.
    Binary,
}

impl Media {
    /// The kind of a media type; parameters and letter case do not matter.
    #[must_use]
    pub fn of(content_type: &str) -> Self {
        match super::essence(content_type).as_str() {
            "application/json" | "text/json" => Self::Json,
            "application/x-www-form-urlencoded" => Self::Form,
            "text/event-stream" => Self::Events,
            "application/jsonl"
            | "application/jsonlines"
            | "application/x-jsonlines"
            | "application/ndjson"
            | "application/x-ndjson"
            | "application/json-seq" => Self::Lines,
            "*/*" | "application/*" | "" => Self::Range,
            "application/xml"
            | "application/yaml"
            | "application/x-yaml"
            | "application/javascript"
            | "application/graphql"
            | "application/x-pem-file"
            | "application/toml" => Self::Text,
            other if other.ends_with("+json") => Self::Json,
            other if other.ends_with("+xml") || other.starts_with("text/") => Self::Text,
            other if other.starts_with("multipart/") => Self::Multipart,
            _ => Self::Binary,
        }
    }
}

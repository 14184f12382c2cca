//! The types of `manifest.json`: the table of operations that is reviewed, committed and enforced.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the manifest's format that this build writes and reads.
pub const MANIFEST_VERSION: u32 = 1;
/// The version of the contract between `functions.py` and `mce_runtime.py`.
pub const RUNTIME_ABI: u32 = 1;

/// One server's `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`MANIFEST_VERSION`].
    pub manifest_version: u32,
    /// [`RUNTIME_ABI`].
    pub runtime_abi: u32,
    /// The server's identifier: the folder and Python package.
    pub server: String,
    /// The document's title, or the name in the config where that was sanitised.
    pub title: String,
    /// The document's description.
    pub description: String,
    /// The document this came from.
    pub spec: Spec,
    /// `mce` and its version.
    pub compiler: String,
    /// 32 digits of the SHA-256 over all documents, the effective config and the compiler's
    /// version, and 32 of that over this manifest without its fingerprint.
    pub fingerprint: String,
    /// Whether mutating operations were left out.
    pub read_only: bool,
    /// The document's own root server, absolute; null where there is none.
    pub base_url: Option<String>,
    /// The variable that overrides the base URL: `MCE_<SERVER>_BASE_URL`.
    pub base_url_env: String,
    /// The document's security schemes by name.
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// SHA-256 of each file written beside the manifest.
    pub outputs: BTreeMap<String, String>,
    /// JSON Schemas (2020-12) that `schema` members refer to as `#/types/<name>`.
    pub types: IndexMap<String, Value>,
    /// The compiled operations.
    pub functions: Vec<Function>,
    /// The operations that were not compiled, and why.
    pub skipped: Vec<Skipped>,
    /// What was repaired or left out of the document, and what its reviewers should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Where a manifest came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The document's own `openapi` or `swagger` value.
    pub version: String,
    /// SHA-256 of the document's bytes.
    pub sha256: String,
    /// `swagger_url` as the config spells it, variables unexpanded, without userinfo and query.
    pub source: String,
    /// SHA-256 of every further document that was referred to.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// A security scheme of the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecurityScheme {
    /// `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`.
    pub r#type: String,
    /// For `http`: `bearer`, `basic`, … in lower case.
    pub scheme: Option<String>,
    /// For `apiKey`: `header`, `query` or `cookie`.
    pub r#in: Option<String>,
    /// For `apiKey`: the header, query parameter or cookie.
    pub name: Option<String>,
}

/// Alternatives (any of the list) of sets of schemes (all of the map) with their scopes.
/// An empty list: no credential. A list that holds an empty map: a credential is optional.
pub type Security = Vec<BTreeMap<String, Vec<String>>>;

/// One compiled operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// The Python name.
    pub name: String,
    /// The document's `operationId`.
    pub operation_id: Option<String>,
    /// The HTTP method in upper case.
    pub method: String,
    /// The path template as the document spells it.
    pub path: String,
    /// The operation's own server, on the origin of the manifest's `base_url`; used only where
    /// neither environment nor config says where the server is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The operation's tags.
    pub tags: Vec<String>,
    /// One line on what it does.
    pub summary: String,
    /// Whether the document calls it deprecated.
    pub deprecated: bool,
    /// Parameters in the order of the Python signature.
    pub parameters: Vec<Parameter>,
    /// The request body.
    pub body: Option<Body>,
    /// Python type text of what the function returns.
    pub returns: String,
    /// The documented responses.
    pub responses: Vec<Response>,
    /// The effective security of the operation.
    pub security: Security,
    /// How further pages are reached, where the document shows it.
    pub pagination: Option<Pagination>,
}

/// Where a parameter travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Location {
    /// In the path template.
    Path,
    /// In the query string.
    Query,
    /// As a header.
    Header,
    /// As a cookie.
    Cookie,
}

/// How a parameter's value is spelt (OpenAPI 3.1, section 4.8.12.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Style {
    /// `;name=value` in a path.
    Matrix,
    /// `.value` in a path.
    Label,
    /// `a,b` in a path or header.
    Simple,
    /// `name=a&name=b` or `name=a,b` in a query or cookie.
    Form,
    /// `name=a%20b` in a query.
    SpaceDelimited,
    /// `name=a|b` in a query.
    PipeDelimited,
    /// `name=a%09b` in a query: `collectionFormat: tsv` of Swagger 2.0.
    TabDelimited,
    /// `name[key]=value` in a query.
    DeepObject,
    /// `name=a; name=b` in a cookie, as it is and not percent-encoded: `style: cookie` of OpenAPI 3.2.
    Cookie,
    /// The value alone is the query, without its name: `in: querystring` of OpenAPI 3.2.
    Whole,
}

/// A parameter of a [`Function`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the manifest's contract has these members"
)]
pub struct Parameter {
    /// The Python name.
    pub name: String,
    /// The name on the wire.
    pub wire_name: String,
    /// Where it travels.
    pub r#in: Location,
    /// Whether it must be given.
    pub required: bool,
    /// Python type text.
    pub r#type: String,
    /// How it is spelt.
    pub style: Style,
    /// Whether arrays and objects repeat the name.
    pub explode: bool,
    /// Whether reserved characters are sent as they are.
    pub allow_reserved: bool,
    /// How a list within the list becomes one item of it, one within that an item of that, and so on
    /// (`items.collectionFormat` of Swagger 2.0); further ones are JSON text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items_styles: Vec<Style>,
    /// Where the document gives `content` in place of `schema`: its media type.
    pub content_type: Option<String>,
    /// Whether JSON null is a legal value.
    pub nullable: bool,
    /// The document's default; never sent unasked.
    pub default: Option<Value>,
    /// The legal values, where the document lists them.
    pub r#enum: Option<Vec<Value>>,
    /// The document's description.
    pub description: String,
    /// JSON Schema (2020-12) of the value.
    pub schema: Value,
}

/// The request body of a [`Function`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The Python name of the argument.
    pub name: String,
    /// The media type that is sent.
    pub content_type: String,
    /// Whether it must be given.
    pub required: bool,
    /// Python type text.
    pub r#type: String,
    /// The document's further media types, which a caller may select.
    pub alternatives: Vec<Alternative>,
    /// How single properties of a form or multipart body are spelt, where not by default.
    pub encoding: BTreeMap<String, Encoding>,
    /// JSON Schema (2020-12) of the value.
    pub schema: Value,
}

/// A further media type of a [`Body`]. A range (`image/*`) stands for all that it covers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// The media type as the document spells it.
    pub content_type: String,
    /// Python type text.
    pub r#type: String,
    /// JSON Schema (2020-12) of the value.
    pub schema: Value,
    /// As [`Body::encoding`].
    #[serde(default)]
    pub encoding: BTreeMap<String, Encoding>,
}

/// How a property of a form is spelt: by a style, or as a media type (OpenAPI 3.1.1, section
/// 4.8.15). A style goes before a media type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Encoding {
    /// The media type of the property's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The style, one of those that queries have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// Whether arrays and objects repeat the name; by default those of the style `form` do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explode: Option<bool>,
    /// Whether reserved characters are sent as they are.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub allow_reserved: bool,
    /// Headers that every part of the property has, in `multipart/…`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub headers: BTreeMap<String, String>,
}

/// What a response's content becomes in Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResponseKind {
    /// JSON, as parsed.
    Json,
    /// Text, as `str`.
    Text,
    /// Anything else, as `bytes`.
    Bytes,
    /// No content: `None`.
    Empty,
    /// A stream of server-sent events, whose data is text.
    Events,
    /// A stream of server-sent events, whose data is JSON.
    JsonEvents,
    /// A stream of JSON values.
    Items,
}

/// A documented response of a [`Function`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// `200`, `2XX`, `default`, …
    pub status: String,
    /// The documented media types.
    pub content_types: Vec<String>,
    /// What the content becomes.
    pub kind: ResponseKind,
    /// JSON Schema (2020-12) of the content; null where there is none.
    #[serde(default)]
    pub schema: Value,
}

/// How a [`Function`]'s further pages are reached.
///
/// A path leads to a member of the response: names joined by dots, where a name may hold dots
/// itself; `-1` is the last item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pagination {
    /// The way.
    pub kind: PaginationKind,
    /// The Python name of the parameter that a further page is asked for with.
    pub parameter: Option<String>,
    /// The path of what the next page is asked for with: a cursor or a URL.
    pub field: Option<String>,
    /// The path of the list of items; empty where the response is that list, null where it is not
    /// known.
    #[serde(default)]
    pub items: Option<String>,
    /// The Python name of the parameter that bounds the items of a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// What the parameter counts from, where that is not 1 for pages and 0 for offsets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u8>,
}

/// The ways to a further page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaginationKind {
    /// The header `Link` holds the next URL (RFC 8288, `rel="next"`).
    Link,
    /// The response holds the next URL.
    NextUrl,
    /// The response holds what a parameter goes on from.
    Cursor,
    /// A parameter holds the number of the page.
    Page,
    /// A parameter holds how many items to pass over.
    Offset,
}

impl Pagination {
    /// What is set, each as text: what the stub's decorator states.
    #[must_use]
    pub fn texts(&self) -> Vec<(&'static str, String)> {
        let first = self.first.map(|first| first.to_string());
        let further = [
            ("parameter", &self.parameter),
            ("field", &self.field),
            ("items", &self.items),
            ("size", &self.size),
            ("first", &first),
        ];
        let further = further
            .into_iter()
            .filter_map(|(key, text)| Some((key, text.clone()?)));
        let kind = ("kind", self.kind.name().to_owned());
        std::iter::once(kind).chain(further).collect()
    }
}

impl PaginationKind {
    /// As the manifest spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::NextUrl => "next_url",
            Self::Cursor => "cursor",
            Self::Page => "page",
            Self::Offset => "offset",
        }
    }

    /// Whether a further page is at a URL that the API gives.
    #[must_use]
    pub fn is_followed(self) -> bool {
        matches!(self, Self::Link | Self::NextUrl)
    }
}

/// An operation of the document that was not compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The HTTP method in upper case, another spelling as the document has it, or [`ANY_METHOD`].
    pub method: String,
    /// The path template as the document spells it.
    pub path: String,
    /// `read_only`, `excluded`, or `unsupported: …`.
    pub reason: String,
    /// As [`Function::base_url`]: no other operation may reach this one by its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

impl Manifest {
    /// The function of this name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }
}

/// In [`Skipped`], the operations of a path that could not be read, whatever they are.
pub const ANY_METHOD: &str = "*";

/// Whether a method may change state: every one but those that are safe by definition (RFC 9110,
/// section 9.2.1), in upper case. One that is unknown, or spelt otherwise, may.
#[must_use]
pub fn is_mutating(method: &str) -> bool {
    !matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE" | "QUERY")
}

/// Whether operations of this method are compiled at all.
#[must_use]
pub fn is_known_method(method: &str) -> bool {
    !is_mutating(method) || matches!(method, "POST" | "PUT" | "PATCH" | "DELETE")
}

impl Function {
    /// The function's [`accept`].
    #[must_use]
    pub fn accept(&self) -> Option<String> {
        accept(&self.responses)
    }
}

/// The documented successes: 2xx, else `default`.
#[must_use]
pub fn successes(responses: &[Response]) -> Vec<&Response> {
    let documents_success = responses.iter().any(Response::is_success);
    let counts = |response: &&Response| {
        if documents_success {
            response.is_success()
        } else {
            response.status == "default"
        }
    };
    responses.iter().filter(counts).collect()
}

/// The `Accept` header: the first (preferred) media type of each of the [`successes`]. None where
/// no success has content.
#[must_use]
pub fn accept(responses: &[Response]) -> Option<String> {
    let mut preferred: Vec<&str> = Vec::new();
    for response in successes(responses) {
        if let Some(media_type) = response.content_types.first()
            && !preferred.contains(&media_type.as_str())
        {
            preferred.push(media_type);
        }
    }
    (!preferred.is_empty()).then(|| preferred.join(", "))
}

impl Response {
    /// Whether the status is a 2xx.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.starts_with('2')
    }
}

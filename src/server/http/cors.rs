//! What browsers ask before, and of, requests of pages of other origins: only pages that are listed
//! (`MCE_HTTP_ALLOWED_ORIGINS`) get an answer that lets them (Fetch Standard, CORS protocol).

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};

/// What clients of MCP send beside what every page may.
const HEADERS: &str = "authorization, content-type, last-event-id, mcp-method, mcp-name, \
                       mcp-protocol-version, mcp-session-id";
const METHODS: &str = "GET, POST, DELETE";
const EXPOSED: &str = "mcp-session-id, www-authenticate";

/// The answer to a question before a request of a listed origin; `None` where it is no such question.
pub(super) fn preflight(method: &Method, headers: &HeaderMap) -> Option<Response> {
    if *method != Method::OPTIONS || !headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
        return None;
    }
    let permitted = [
        (ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
        (ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    Some((StatusCode::NO_CONTENT, permitted).into_response())
}

/// Lets a page of this origin read an answer.
pub(super) fn permit(answer: &mut Response, origin: HeaderValue) {
    let headers = answer.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED),
    );
    headers.append(VARY, HeaderValue::from_static("origin"));
}

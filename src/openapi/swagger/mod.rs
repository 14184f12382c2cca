//! Raises Swagger 2.0 to what OpenAPI 3 says in its place, one piece of a document at a time: a
//! parameter, a body, a response, a security scheme, a server. Everything after works on that.
//!
//! Schemas are raised where those of OpenAPI 3 are, in [`super::schema`].

mod body;
mod parameters;
mod responses;
mod security;
mod servers;

pub(super) use body::{Fields, media_types};
pub(super) use parameters::{ITEMS_STYLES, parameter, value_schema};
pub(super) use responses::responses;
pub(super) use security::scheme;
pub(super) use servers::{of_operation as operation_servers, of_root as root_servers};

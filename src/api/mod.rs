//! What an API offers: the normalised model, the read-only filter, Python-safe names, and the
//! manifest's types. Knows nothing of OpenAPI or of Python text.

pub mod filter;
pub mod identifiers;
mod manifest;
mod media_type;
mod model;
mod naming;
mod near;
mod pagination;
mod reserved;
pub mod schema;
mod unique;

pub use manifest::*;
pub use media_type::{MediaType, essence};
pub use model::{
    Api, Media, Operation, OperationBody, OperationMedia, OperationParameter, OperationServer,
    sent_path,
};
pub use naming::{NamedApi, NamingError, OperationNames, give_names};
pub use pagination::pagination;

//! The positions of a document at which a `$ref` is a reference: everywhere else (in examples,
//! defaults, enums, `x-` members, or as the name of a property) it is data.

use serde_json::{Map, Value};

use crate::api::schema::{SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS};

/// What a node is read as. One node may be several, where references of several kinds lead to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// The root of an OpenAPI or Swagger document.
    Document,
    Components,
    Paths,
    PathItem,
    Operation,
    /// A parameter or header.
    Parameter,
    Body,
    Response,
    Media,
    Encoding,
    Schema,
    Example,
    SecurityScheme,
}

/// What the value of a member holds.
enum Shape {
    One(Kind),
    List(Kind),
    Map(Kind),
}

use Kind::{
    Body, Components, Document, Encoding, Example, Media, Operation, Parameter, PathItem, Paths,
    Response, Schema, SecurityScheme,
};
use Shape::{List, Map as Members, One};

impl Kind {
    /// Whether a `$ref` may stand in its place.
    pub(super) fn may_be_reference(self) -> bool {
        !matches!(self, Document | Components | Encoding)
    }

    /// Whether what stands beside a `$ref` counts as well.
    pub(super) fn has_siblings(self) -> bool {
        matches!(self, PathItem | Schema)
    }

    fn shape(self, key: &str) -> Option<Shape> {
        Some(match (self, key) {
            (Document, "paths") => One(Paths),
            (Document, "components") => One(Components),
            (Document, "definitions") | (Components, "schemas") => Members(Schema),
            (Document | Components, "parameters")
            | (Components | Response | Encoding, "headers") => Members(Parameter),
            (Document | Components | Operation, "responses") => Members(Response),
            (Components, "requestBodies") => Members(Body),
            (Components | Parameter | Media, "examples") => Members(Example),
            (Components, "securitySchemes") => Members(SecurityScheme),
            (Components, "pathItems") => Members(PathItem),
            (Components, "mediaTypes") | (Parameter | Body | Response, "content") => Members(Media),
            (Paths, path) if !path.starts_with("x-") => One(PathItem),
            (PathItem | Operation, "parameters") => List(Parameter),
            (
                PathItem,
                "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace"
                | "query",
            ) => One(Operation),
            (PathItem, "additionalOperations") => Members(Operation),
            (Operation, "requestBody") => One(Body),
            (Parameter | Response | Media, "schema")
            | (Media, "itemSchema")
            | (Parameter, "items")
            | (Schema, "contentSchema") => One(Schema),
            (Media, "encoding") => Members(Encoding),
            (Schema, "items") => List(Schema),
            (Schema, keyword) if SCHEMA_KEYWORDS.contains(&keyword) => One(Schema),
            (Schema, keyword) if SCHEMA_LIST_KEYWORDS.contains(&keyword) => List(Schema),
            (Schema, keyword) if SCHEMA_MAP_KEYWORDS.contains(&keyword) => Members(Schema),
            _ => return None,
        })
    }

    /// Calls `visit` with every child that is of a kind of its own, and the way to it.
    pub(super) fn children<'v, E>(
        self,
        members: &'v Map<String, Value>,
        mut visit: impl FnMut(&[&str], &'v Value, Kind) -> Result<(), E>,
    ) -> Result<(), E> {
        for (key, value) in members {
            let (kind, map, list) = match self.shape(key) {
                None => continue,
                Some(One(kind)) => {
                    visit(&[key], value, kind)?;
                    continue;
                }
                Some(Members(kind)) => (kind, value.as_object(), None),
                Some(List(kind)) => {
                    if value.is_object() {
                        // `items` is one schema or a list of them.
                        visit(&[key], value, kind)?;
                        continue;
                    }
                    (kind, None, value.as_array())
                }
            };
            for (name, member) in map.into_iter().flatten() {
                visit(&[key, name], member, kind)?;
            }
            for (index, item) in list.into_iter().flatten().enumerate() {
                visit(&[key, &index.to_string()], item, kind)?;
            }
        }
        Ok(())
    }
}

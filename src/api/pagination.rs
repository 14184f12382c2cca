//! How the further pages of a list are reached, where a document shows it.
//!
//! Precision goes before recall: what is not shown by names and types of both parameters and
//! response is not taken for pagination, since a guess would leave items out or repeat them.

mod answer;
mod words;

use serde_json::Value;

use answer::{Answer, Types, bare, join};
use words::{CURSORS, OFFSETS, OFFSETS_FROM_ZERO, PAGES, RANGE_ENDS, SIZES};

use super::manifest::{Location, Pagination, PaginationKind, ResponseKind, successes};
use super::model::{Operation, OperationParameter};
use super::naming::OperationNames;
use super::schema;

/// How the further pages of an operation are reached.
#[must_use]
pub fn pagination(
    operation: &Operation,
    names: &OperationNames,
    types: &Types,
) -> Option<Pagination> {
    // A link says where a `GET` goes on; query items in a path key are no parameters.
    if operation.method != "GET" || operation.path.contains('?') {
        return None;
    }
    let queries: Vec<Query<'_>> = operation
        .parameters
        .iter()
        .zip(&names.parameters)
        .filter(|(parameter, _)| parameter.location == Location::Query)
        .map(|(parameter, name)| Query {
            parameter,
            name,
            bare: bare(&parameter.wire_name),
        })
        .collect();
    if queries.is_empty() {
        return None;
    }
    let answer = successes(&operation.responses)
        .into_iter()
        .find(|response| response.kind == ResponseKind::Json);
    let answer = Answer {
        schema: &answer?.schema,
        types,
        resource: resource(&operation.path),
    };
    let found = Found {
        items: answer.items(),
        queries: &queries,
        answer: &answer,
    };
    // A link spells the path in its own way, often by another id, where the path has arguments.
    let has_path_arguments = operation.path.contains('{');
    let links = operation.success_headers.contains("link");
    let numbered = || found.by_page().or_else(|| found.by_offset());
    found
        .by_cursor()
        .or_else(|| found.by_url())
        .or_else(|| numbered().filter(|_| links && has_path_arguments))
        .or_else(|| {
            let is_numbered = queries.iter().any(|it| PAGES.contains(&&*it.bare));
            found
                .by_link()
                .filter(|_| links && !(has_path_arguments && is_numbered))
        })
        .or_else(numbered)
}

/// A query parameter.
struct Query<'a> {
    parameter: &'a OperationParameter,
    /// Its Python name.
    name: &'a str,
    /// Its name on the wire, see [`bare`].
    bare: String,
}

/// What detection works on.
struct Found<'a> {
    items: Option<String>,
    queries: &'a [Query<'a>],
    answer: &'a Answer<'a>,
}

impl Found<'_> {
    fn of(&self, kind: PaginationKind) -> Pagination {
        Pagination {
            kind,
            parameter: None,
            field: None,
            items: self.items.clone(),
            size: None,
            first: None,
        }
    }

    fn query(&self, names: &[&str], kinds: &[&str]) -> Option<&Query<'_>> {
        self.queries.iter().find(|query| {
            names.contains(&query.bare.as_str())
                && self.answer.is_any(&query.parameter.schema, kinds)
        })
    }

    fn by_cursor(&self) -> Option<Pagination> {
        let query = self.query(CURSORS, &["string", "integer"])?;
        // One that has to be switched on first: unasked, there is no next cursor.
        let switch = format!("use{}", query.bare);
        if self.queries.iter().any(|other| other.bare == switch) {
            return None;
        }
        let is_integer = !self.answer.is_any(&query.parameter.schema, &["string"]);
        let kinds: &[&str] = if is_integer {
            &["integer"]
        } else {
            &["string", "integer"]
        };
        let field = self.answer.next_cursor(&query.bare, kinds).or_else(|| {
            let items = self.items.as_deref()?;
            let is_after_item = matches!(query.bare.as_str(), "startingafter");
            (is_after_item && self.answer.has_more() && self.answer.items_have_id(items))
                .then(|| join(items, "-1.id"))
        })?;
        Some(Pagination {
            parameter: Some(query.name.to_owned()),
            field: Some(field),
            ..self.of(PaginationKind::Cursor)
        })
    }

    fn by_url(&self) -> Option<Pagination> {
        let field = self.answer.next_url()?;
        self.can_be_followed().then(|| Pagination {
            field: Some(field),
            ..self.of(PaginationKind::NextUrl)
        })
    }

    fn by_link(&self) -> Option<Pagination> {
        self.can_be_followed()
            .then(|| self.of(PaginationKind::Link))
    }

    /// Only declared query parameters are sent, so one of them has to tell pages apart.
    fn can_be_followed(&self) -> bool {
        self.queries.iter().any(|query| {
            let name = query.bare.as_str();
            let tells = |names: &[&str]| names.contains(&name);
            tells(CURSORS)
                || tells(PAGES)
                || tells(OFFSETS)
                || ["cursor", "pagetoken", "before", "since", "scroll"]
                    .iter()
                    .any(|part| name.contains(part))
        })
    }

    fn by_page(&self) -> Option<Pagination> {
        let query = self.query(PAGES, &["integer", "number"])?;
        self.items.as_ref()?;
        // Where there is a cursor too, a number is what is left of an older way.
        if self.query(CURSORS, &["string"]).is_some() {
            return None;
        }
        let first = match self.start(query) {
            _ if says_zero(&query.parameter.description) => 0,
            // Many generators write 0 as the least of every number that has no sign.
            Start::AtLeast(0) | Start::Other => return None,
            Start::At(first) | Start::AtLeast(first) => first,
            Start::Unsaid => 1,
        };
        Some(Pagination {
            parameter: Some(query.name.to_owned()),
            size: self.size(),
            first: (first != 1).then_some(first),
            ..self.of(PaginationKind::Page)
        })
    }

    fn by_offset(&self) -> Option<Pagination> {
        let query = self.query(OFFSETS, &["integer", "number"])?;
        self.items.as_ref()?;
        let size = self.size()?;
        let beside = |names: &[&str]| self.queries.iter().any(|it| names.contains(&&*it.bare));
        if query.bare == "start" && beside(RANGE_ENDS) {
            return None;
        }
        let first = match self.start(query) {
            Start::At(first) | Start::AtLeast(first) => first,
            Start::Unsaid if OFFSETS_FROM_ZERO.contains(&query.bare.as_str()) => 0,
            Start::Unsaid | Start::Other => return None,
        };
        Some(Pagination {
            parameter: Some(query.name.to_owned()),
            size: Some(size),
            first: (first != 0).then_some(first),
            ..self.of(PaginationKind::Offset)
        })
    }

    /// The parameter that bounds a page.
    fn size(&self) -> Option<String> {
        let query = self.query(SIZES, &["integer", "number"])?;
        Some(query.name.to_owned())
    }

    /// What a parameter counts from.
    fn start(&self, query: &Query<'_>) -> Start {
        let schema = &query.parameter.schema;
        let keyword = |name| schema::keyword(schema, name, self.answer.types);
        let number = |value: &Value| match value.as_f64() {
            Some(0.0) => Some(0),
            Some(1.0) => Some(1),
            _ => None,
        };
        if let Some(default) = keyword("default").filter(|value| !value.is_null()) {
            return number(default).map_or(Start::Other, Start::At);
        }
        let least = keyword("minimum").and_then(number);
        least.map_or(Start::Unsaid, Start::AtLeast)
    }
}

/// What the schema of a counting parameter says of where it begins.
enum Start {
    /// Its default.
    At(u8),
    /// Its least value.
    AtLeast(u8),
    /// Its default is neither 0 nor 1.
    Other,
    /// Nothing.
    Unsaid,
}

/// Whether a text says that counting begins with 0.
fn says_zero(description: &str) -> bool {
    let text = description.to_lowercase();
    [
        "zero-based",
        "zero based",
        "0-based",
        "0 based",
        "0-index",
        "zero-index",
        "0..n",
    ]
    .iter()
    .chain(&[
        "starts at 0",
        "starting at 0",
        "starts from 0",
        "starting from 0",
    ])
    .chain(&[
        "start at 0",
        "start from 0",
        "starts with 0",
        "starting with 0",
        "first page is 0",
    ])
    .any(|said| text.contains(said))
}

/// The last segment of a path that is no expression.
fn resource(path: &str) -> String {
    let mut segments = path
        .rsplit('/')
        .filter(|it| !it.is_empty() && !it.contains('{'));
    bare(segments.next().unwrap_or_default())
}

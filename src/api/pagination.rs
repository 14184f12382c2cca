//! How the further pages of a list are reached, where a document shows it.
//!
//! Precision goes before recall: what is not shown by names and types of both parameters and
//! response is not taken for pagination, since a guess would leave items out or repeat them.

use indexmap::IndexMap;
use serde_json::Value;

use super::manifest::{Location, Pagination, PaginationKind, ResponseKind, successes};
use super::model::{Operation, OperationParameter};
use super::naming::OperationNames;
use super::schema;

/// Query parameters (as [`bare`] spells them) that take the place to go on from.
const CURSORS: &[&str] = &[
    "cursor",
    "pagecursor",
    "nextcursor",
    "pagetoken",
    "nextpagetoken",
    "nexttoken",
    "startingtoken",
    "startingafter",
    "after",
    "pageafter",
    "marker",
    "nextmarker",
    "continuation",
    "continuationtoken",
    "continue",
    "iterator",
    "exclusivestartkey",
];
/// Members of a response that hold it.
const NEXT_CURSORS: &[&str] = &[
    "nextcursor",
    "cursornext",
    "nextpagecursor",
    "nextpagetoken",
    "nexttoken",
    "nextmarker",
    "nextcontinuationtoken",
    "continuationtoken",
    "nextstartingafter",
    "nextafter",
    "endcursor",
    "iterator",
    "lastevaluatedkey",
];
/// Query parameters that hold the number of a page.
const PAGES: &[&str] = &[
    "page",
    "pagenumber",
    "pagenum",
    "pageno",
    "currentpage",
    "pageindex",
];
/// Query parameters that hold how many items to pass over.
const OFFSETS: &[&str] = &[
    "offset",
    "pageoffset",
    "skip",
    "start",
    "startat",
    "startindex",
    "firstresult",
];
/// Those that everybody counts from 0; the others only where the document says from what.
const OFFSETS_FROM_ZERO: &[&str] = &["offset", "pageoffset", "skip", "start"];
/// Beside these, `start` is one end of a range.
const RANGE_ENDS: &[&str] = &["end", "to", "until", "stop", "finish", "endtime", "endat"];
/// Query parameters that hold how many items a page has at most.
const SIZES: &[&str] = &[
    "limit",
    "perpage",
    "pagesize",
    "pagelimit",
    "size",
    "count",
    "maxresults",
    "maxitems",
    "maxpagesize",
    "resultsperpage",
    "itemsperpage",
    "take",
    "top",
    "rows",
    "max",
    "num",
];
/// Members that hold the items.
const LISTS: &[&str] = &[
    "items",
    "data",
    "results",
    "result",
    "value",
    "values",
    "records",
    "entries",
    "list",
    "objects",
    "resources",
    "rows",
    "hits",
    "content",
    "elements",
    "documents",
    "docs",
];
/// Members that hold the whole answer.
const WRAPPERS: &[&str] = &["data", "result", "results", "response", "embedded", "d"];
/// Members that hold what is said of the page.
const ABOUT_THE_PAGE: &[&str] = &[
    "meta",
    "metadata",
    "pagination",
    "paging",
    "page",
    "pageinfo",
    "paginginfo",
    "responsemetadata",
    "cursors",
    "cursor",
];
/// Members that hold URLs.
const LINKS: &[&str] = &["links", "link", "paging", "pagination", "meta"];
/// Members that hold the URL of the next page, whatever stands beside them.
const NEXT_URLS: &[&str] = &[
    "nexturl",
    "nextpageurl",
    "nextlink",
    "nextpagelink",
    "nexturi",
    "nextpageuri",
    "nexthref",
    "odatanextlink",
];
/// Beside these, `next` is a URL where it is text.
const BESIDE_NEXT: &[&str] = &["previous", "prev", "first", "last", "self"];
/// Beside these, a list is what the answer is about.
const BESIDE_LISTS: &[&str] = &[
    "total",
    "totalcount",
    "totalresults",
    "totalitems",
    "totalpages",
    "totalelements",
    "count",
    "next",
    "previous",
    "prev",
    "hasmore",
    "hasnext",
    "page",
    "pages",
    "pagination",
    "paging",
    "pageinfo",
    "meta",
    "links",
    "offset",
    "limit",
    "perpage",
    "pagesize",
];
/// Members that are lists of something other than items.
const NO_LISTS: &[&str] = &["errors", "warnings", "links", "messages", "facets"];
/// Schemas looked at to collect the members of one object.
const MOST_PARTS: usize = 64;

type Types = IndexMap<String, Value>;

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

/// The success that a page is.
struct Answer<'a> {
    schema: &'a Value,
    types: &'a Types,
    /// The last fixed segment of the path.
    resource: String,
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

impl<'a> Answer<'a> {
    /// The members of an object with those of the parts it is made of.
    fn members(&self, schema: &'a Value) -> IndexMap<&'a str, &'a Value> {
        let mut members = IndexMap::new();
        let mut pending = vec![schema];
        let mut left = MOST_PARTS;
        while let Some(schema) = pending.pop() {
            if left == 0 {
                break;
            }
            left -= 1;
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                members.entry(name.as_str()).or_insert(property);
            }
            let parts = schema.get("allOf").and_then(Value::as_array);
            pending.extend(parts.into_iter().flatten());
            pending.extend(schema::stands_for(schema, self.types));
            pending.extend(
                ["anyOf", "oneOf"]
                    .iter()
                    .find_map(|it| schema::beside_null(schema, it)),
            );
        }
        members
    }

    /// Whether a value may be of one of these types; one that says nothing may be of any.
    fn is_any(&self, schema: &Value, kinds: &[&str]) -> bool {
        match self.kinds(schema) {
            Some(own) => own.iter().any(|kind| kinds.contains(kind)),
            None => ["properties", "items", "enum"]
                .iter()
                .all(|name| schema::keyword(schema, name, self.types).is_none()),
        }
    }

    /// The types that a schema names.
    fn kinds<'s>(&self, schema: &'s Value) -> Option<Vec<&'s str>>
    where
        'a: 's,
    {
        match schema::keyword(schema, "type", self.types)? {
            Value::String(kind) => Some(vec![kind]),
            Value::Array(kinds) => Some(kinds.iter().filter_map(Value::as_str).collect()),
            _ => None,
        }
    }

    /// Whether a value is said to be of this type.
    fn is(&self, schema: &Value, kind: &str) -> bool {
        self.kinds(schema)
            .is_some_and(|kinds| kinds.contains(&kind))
    }

    /// Where the items are: empty where the answer is the list itself.
    fn items(&self) -> Option<String> {
        if self.is(self.schema, "array") || self.is_list_in_any_case() {
            return Some(String::new());
        }
        let members = self.members(self.schema);
        if let Some(name) = self.list_among(&members, true) {
            return Some(name.to_owned());
        }
        if members.values().any(|member| self.is(member, "array")) {
            return None;
        }
        let mut wrappers = members.iter().filter_map(|(name, member)| {
            let is_wrapper = WRAPPERS.contains(&bare(name).as_str());
            let inner = is_wrapper.then(|| self.members(member))?;
            Some(join(
                name,
                self.list_among(&inner, bare(name) != "embedded")?,
            ))
        });
        wrappers.next()
    }

    /// Whether all alternatives for the answer are lists.
    fn is_list_in_any_case(&self) -> bool {
        ["anyOf", "oneOf"].iter().any(|keyword| {
            let parts = schema::keyword(self.schema, keyword, self.types).and_then(Value::as_array);
            parts.is_some_and(|parts| {
                !parts.is_empty() && parts.iter().all(|part| self.is(part, "array"))
            })
        })
    }

    /// The member that is the list: the only one, where its name or what stands beside it says
    /// so, else the only one whose name does.
    fn list_among(&self, members: &IndexMap<&'a str, &'a Value>, strict: bool) -> Option<&'a str> {
        let lists: Vec<&str> = members
            .iter()
            .filter(|(name, member)| {
                self.is(member, "array") && !NO_LISTS.contains(&bare(name).as_str())
            })
            .map(|(name, _)| *name)
            .collect();
        let only = |names: Vec<&'a str>| match names.as_slice() {
            [name] => Some(*name),
            _ => None,
        };
        let named = |said: &dyn Fn(&str) -> bool| {
            only(lists.iter().copied().filter(|it| said(&bare(it))).collect())
        };
        let is_resource = |name: &str| name == self.resource;
        let is_list = |name: &str| LISTS.contains(&name);
        let tells = |name: &&str| {
            [BESIDE_LISTS, NEXT_CURSORS, NEXT_URLS]
                .iter()
                .any(|names| names.contains(&bare(name).as_str()))
        };
        let is_envelope = || !strict || members.keys().any(tells);
        named(&is_resource)
            .or_else(|| named(&is_list))
            .or_else(|| only(lists.clone()).filter(|_| is_envelope()))
    }

    /// The members of the answer, and those of what is said of the page, with their paths.
    fn around(&self, containers: &[&str]) -> Vec<(String, IndexMap<&'a str, &'a Value>)> {
        let mut found = vec![(String::new(), self.members(self.schema))];
        let mut index = 0;
        while let Some((path, members)) = found.get(index) {
            index += 1;
            // Such as `paging.cursors.after`.
            if path.contains('.') || found.len() > MOST_PARTS {
                continue;
            }
            let inner: Vec<_> = members
                .iter()
                .filter(|(name, _)| {
                    let name = bare(name);
                    containers.contains(&name.as_str())
                        || path.is_empty() && WRAPPERS.contains(&&*name)
                })
                .map(|(name, member)| (join(path, name), self.members(member)))
                .filter(|(_, members)| !members.is_empty())
                .collect();
            found.extend(inner);
        }
        found
    }

    /// Where the answer holds what the parameter of this name goes on from.
    fn next_cursor(&self, parameter: &str, kinds: &[&str]) -> Option<String> {
        let around = self.around(ABOUT_THE_PAGE);
        let place = |says: &dyn Fn(&str, &str) -> bool| {
            around.iter().find_map(|(path, members)| {
                let inner = bare(path.rsplit('.').next().unwrap_or_default());
                let (name, _) = members.iter().find(|(name, member)| {
                    says(&inner, &bare(name)) && self.is_any(member, kinds)
                })?;
                Some(join(path, name))
            })
        };
        place(&|_, name| NEXT_CURSORS.contains(&name)).or_else(|| {
            place(&|inner, name| match name {
                "after" => inner == "cursors" && parameter.ends_with("after"),
                "next" => inner.starts_with("cursor"),
                "continue" => inner == "metadata" && parameter == "continue",
                "cursor" => inner.is_empty() && parameter == "cursor",
                _ => false,
            })
        })
    }

    /// Where the answer holds the URL of the next page.
    fn next_url(&self) -> Option<String> {
        self.around(LINKS).into_iter().find_map(|(path, members)| {
            let inner = bare(path.rsplit('.').next().unwrap_or_default());
            let is_text =
                |member: &Value| self.is_any(member, &["string"]) || self.offers_text(member);
            for (name, member) in &members {
                let spelt = bare(name);
                if NEXT_URLS.contains(&spelt.as_str()) && is_text(member) {
                    return Some(join(&path, name));
                }
                if spelt != "next" && spelt != "nextpage" {
                    continue;
                }
                let format = schema::keyword(member, "format", self.types).and_then(Value::as_str);
                let is_url = matches!(format, Some("uri" | "url" | "uri-reference" | "iri"));
                let beside = || members.keys().any(|it| BESIDE_NEXT.contains(&&*bare(it)));
                let is_link = spelt == "next"
                    && match inner.as_str() {
                        "links" | "link" | "paging" => true,
                        "" => {
                            beside()
                                && members.keys().any(|it| {
                                    matches!(&*bare(it), "results" | "count" | "items" | "data")
                                })
                        }
                        _ => false,
                    };
                if is_text(member) && (is_url || is_link) {
                    return Some(join(&path, name));
                }
                let target = self
                    .members(member)
                    .into_iter()
                    .find(|(name, member)| *name == "href" && self.is_any(member, &["string"]));
                if is_link && !path.is_empty() && target.is_some() {
                    return Some(join(&join(&path, name), "href"));
                }
            }
            None
        })
    }

    /// Whether text is one of the alternatives.
    fn offers_text(&self, schema: &Value) -> bool {
        ["anyOf", "oneOf"]
            .iter()
            .filter_map(|keyword| schema::keyword(schema, keyword, self.types)?.as_array())
            .flatten()
            .any(|part| self.is(part, "string"))
    }

    fn has_more(&self) -> bool {
        let members = self.members(self.schema);
        let mut members = members.iter();
        members.any(|(name, member)| bare(name) == "hasmore" && self.is(member, "boolean"))
    }

    /// Whether each of the items at a path has an `id`.
    fn items_have_id(&self, path: &str) -> bool {
        let list = if path.is_empty() {
            Some(self.schema)
        } else {
            self.members(self.schema).get(path).copied()
        };
        list.and_then(|list| schema::keyword(list, "items", self.types))
            .is_some_and(|item| self.members(item).contains_key("id"))
    }
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

/// A name without case and without all but letters and digits: `page[number]`, `pageNumber` and
/// `page_number` are one.
fn bare(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

/// The last segment of a path that is no expression.
fn resource(path: &str) -> String {
    let mut segments = path
        .rsplit('/')
        .filter(|it| !it.is_empty() && !it.contains('{'));
    bare(segments.next().unwrap_or_default())
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

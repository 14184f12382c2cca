//! What the schema of an answer shows of pages: the list of items, and where the next page is.

use indexmap::IndexMap;
use serde_json::Value;

use crate::api::schema;

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
/// Members of an object that says something of pages; one with more is a large thing itself.
const MOST_MEMBERS: usize = 250;

pub(super) type Types = IndexMap<String, Value>;

/// The success that a page is.
pub(super) struct Answer<'a> {
    pub(super) schema: &'a Value,
    pub(super) types: &'a Types,
    /// The last fixed segment of the path.
    pub(super) resource: String,
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
                if members.len() == MOST_MEMBERS {
                    return IndexMap::new();
                }
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
    pub(super) fn is_any(&self, schema: &Value, kinds: &[&str]) -> bool {
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
    pub(super) fn items(&self) -> Option<String> {
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
    pub(super) fn next_cursor(&self, parameter: &str, kinds: &[&str]) -> Option<String> {
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
    pub(super) fn next_url(&self) -> Option<String> {
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

    pub(super) fn has_more(&self) -> bool {
        let members = self.members(self.schema);
        let mut members = members.iter();
        members.any(|(name, member)| bare(name) == "hasmore" && self.is(member, "boolean"))
    }

    /// Whether each of the items at a path has an `id`.
    pub(super) fn items_have_id(&self, path: &str) -> bool {
        let list = if path.is_empty() {
            Some(self.schema)
        } else {
            self.members(self.schema).get(path).copied()
        };
        list.and_then(|list| schema::keyword(list, "items", self.types))
            .is_some_and(|item| self.members(item).contains_key("id"))
    }
}

/// A name without case and without all but letters and digits: `page[number]`, `pageNumber` and
/// `page_number` are one.
pub(super) fn bare(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

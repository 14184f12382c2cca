//! Paths as queries: `/repos/{owner}/issues`, `GET /repos/acme/web/issues`, `repos/.../compare`.

use rustc_hash::FxHashMap;

use super::postings::number_of;

/// How many leading segments of a query may be those of the server's base URL.
const BASE_SEGMENTS: usize = 3;
/// What is left of a likeness without them.
const BASED: f32 = 0.6;
/// How far a value is like the placeholder that it stands for.
const VALUE: f32 = 0.7;
/// Longer paths are neither looked for nor found: none is.
const MAX_SEGMENTS: usize = 32;
const METHODS: &[&str] = &[
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY",
];

/// A segment of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment {
    /// By its number.
    Literal(u32),
    /// Any value.
    Placeholder,
}

/// A segment of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// By its number; none where no template has it, so that it can be a value only.
    Literal(Option<u32>),
    Placeholder,
    /// Any number of segments.
    Gap,
}

/// The templates of all documents.
#[derive(Debug, Default)]
pub(super) struct Paths {
    literals: FxHashMap<String, u32>,
    templates: Vec<Box<[Segment]>>,
}

/// A path that is looked for.
#[derive(Debug)]
pub(super) struct PathQuery {
    /// The method before it, in upper case.
    pub method: Option<String>,
    segments: Vec<Asked>,
}

impl Paths {
    /// Adds the template of the next document.
    pub(super) fn add(&mut self, template: &str) {
        let segments = pieces(template).map(|piece| {
            if piece.contains('{') {
                return Segment::Placeholder;
            }
            let next = number_of(self.literals.len());
            Segment::Literal(*self.literals.entry(piece.to_lowercase()).or_insert(next))
        });
        let segments: Box<[Segment]> = segments.collect();
        // Each start of a long one would be tried with each of its ends.
        self.templates.push(if segments.len() > MAX_SEGMENTS {
            Box::default()
        } else {
            segments
        });
    }

    /// The path that a query is; none where it is none.
    pub(super) fn parse(&self, text: &str) -> Option<PathQuery> {
        let text = text.trim();
        let (method, path) = match text.split_once(char::is_whitespace) {
            Some((first, rest)) => {
                let method = first.to_uppercase();
                let is_method = METHODS.contains(&method.as_str());
                (
                    is_method.then_some(method),
                    if is_method { rest } else { text },
                )
            }
            None => (None, text),
        };
        let path = without_origin(path.trim());
        let path = path.split(['?', '#']).next().unwrap_or_default();
        if !path.contains('/') || path.contains(char::is_whitespace) {
            return None;
        }
        let segments: Vec<Asked> = pieces(path)
            .map(|piece| match piece {
                "..." | "\u{2026}" | "*" | "**" => Asked::Gap,
                _ if piece.contains('{') || piece.starts_with([':', '<']) => Asked::Placeholder,
                _ => Asked::Literal(self.literals.get(&piece.to_lowercase()).copied()),
            })
            .collect();
        let is_one = !segments.is_empty() && segments.len() <= MAX_SEGMENTS;
        is_one.then_some(PathQuery { method, segments })
    }

    /// How many segments a document's template has.
    pub(super) fn segments(&self, document: usize) -> usize {
        self.templates.get(document).map_or(0, |it| it.len())
    }

    /// How far a document's template is the path that is looked for, from 0 to 1.
    pub(super) fn likeness(&self, query: &PathQuery, document: usize) -> f32 {
        let Some(template) = self.templates.get(document) else {
            return 0.0;
        };
        let dropped = (0..query.segments.len().min(BASE_SEGMENTS + 1)).filter_map(|base| {
            let likeness = contained(query.segments.get(base..)?, template)?;
            // What the template lacks can be the base URL's; better, it has all.
            Some(if base == 0 {
                likeness
            } else {
                likeness * BASED
            })
        });
        dropped.fold(0.0, f32::max)
    }
}

/// How well the best run of a template's segments is what is asked, none where no run is.
fn contained(asked: &[Asked], template: &[Segment]) -> Option<f32> {
    let runs = (0..template.len()).filter_map(|begin| {
        let (matched, end) = run(asked, template.get(begin..)?)?;
        let at_begin = begin == 0;
        let at_end = begin + end == template.len();
        let place = match (at_begin, at_end) {
            (true, true) => 1.0,
            (false, true) => 0.9,
            (true, false) => 0.8,
            (false, false) => 0.7,
        };
        Some(matched * place)
    });
    runs.max_by(f32::total_cmp)
}

/// How well the template begins with what is asked, from 0 to 1, and after how many segments that
/// ends; none where it does not, or where no literal says so.
#[expect(clippy::cast_precision_loss, reason = "segments are few")]
fn run(asked: &[Asked], template: &[Segment]) -> Option<(f32, usize)> {
    let mut matched = 0.0;
    let mut literals = 0;
    let mut at = 0;
    let mut is_after_gap = false;
    for piece in asked {
        if *piece == Asked::Gap {
            is_after_gap = true;
            continue;
        }
        loop {
            let likeness = match (piece, template.get(at)?) {
                (Asked::Literal(Some(one)), Segment::Literal(other)) if one == other => {
                    literals += 1;
                    1.0
                }
                (Asked::Placeholder, Segment::Placeholder) => 1.0,
                // A value in place of the placeholder.
                (Asked::Literal(_), Segment::Placeholder) if !is_after_gap => VALUE,
                _ => 0.0,
            };
            at += 1;
            if likeness > 0.0 {
                matched += likeness;
                break;
            }
            if !is_after_gap {
                return None;
            }
        }
        is_after_gap = false;
    }
    let pieces = asked.iter().filter(|it| **it != Asked::Gap).count();
    (literals > 0).then(|| (matched / pieces as f32, at))
}

fn pieces(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|it| !it.is_empty())
}

/// A URL's path.
fn without_origin(text: &str) -> &str {
    let Some((_, rest)) = text.split_once("://") else {
        return text;
    };
    rest.find('/')
        .and_then(|at| rest.get(at..))
        .unwrap_or_default()
}

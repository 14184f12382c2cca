//! The next page where the API says it is: a URL that came with an answer, in its header `Link` or
//! its body. It is the API's text, so it decides no more than the query of a further call of the
//! same operation: same origin, below the base URL, a path of this operation, declared parameters.
//! Headers and cookies are those of the first call. The outside backend of `mce_runtime.py` has the
//! same rules in the same words.

use percent_encoding::percent_decode_str;
use reqwest::header::{HeaderMap, LINK};
use url::Url;

use super::base::Base;
use super::names::quoted;
use super::outgoing::{LONGEST_URL, Parts};
use super::templates::decoded_item;
use crate::api::{Function, Location, PaginationKind};
use crate::headers::normal;
use crate::sandbox::CallError;
use crate::wire::Request;

/// Links of one answer that are looked at.
const MOST_LINKS: usize = 100;

const AWAY: &str = "its next URL leads away from the server's base URL";
const ELSEWHERE: &str = "its next URL leads to something other than this operation";

impl Parts<'_> {
    /// The request of the page at this URL, in the place of that of the first page.
    pub(super) fn followed(&self, request: Request, url: &str) -> Result<Request, CallError> {
        let pagination = self.function.pagination.as_ref();
        let is_followed = pagination.is_some_and(|pagination| pagination.kind.is_followed());
        if !is_followed || self.function.method != "GET" || request.body.is_some() {
            return Err(self.refuse("it has no pages to follow"));
        }
        let (path, query) = target(self.base, &request.path, url).map_err(|it| self.refuse(&it))?;
        let secret = self.credential_names(Location::Query);
        let free = self.all_free_keys(Location::Query);
        let mut items = Vec::new();
        for item in query.split('&').filter(|item| !item.is_empty()) {
            let name = decoded_item(item.split('=').next().unwrap_or_default());
            if free.contains(name.as_str()) || self.is_declared_query(&name) {
                items.push(item.to_owned());
            } else if !secret.contains(&normal(&name)) {
                return Err(self.refuse(&format!(
                    "its next URL has the query parameter `{}`, which is not declared",
                    quoted(&name)
                )));
            }
        }
        let prefix = &self.base.route_prefix;
        self.routes
            .check(
                &format!("{prefix}{path}"),
                &items,
                &format!("{prefix}{}", self.function.path),
            )
            .map_err(|_| self.refuse(ELSEWHERE))?;
        Ok(Request {
            path,
            query: items,
            ..request
        })
    }
}

/// Path below the base URL and query of a URL or relative reference, or why it is not followed.
fn target(base: &Base, path: &str, url: &str) -> Result<(String, String), String> {
    if url.len() > LONGEST_URL {
        return Err(format!("its next URL is longer than {LONGEST_URL} bytes"));
    }
    if !url.chars().all(is_legal) {
        return Err("its next URL holds characters that no URL holds".to_owned());
    }
    let (rest, query) = before(url, '#')
        .0
        .split_once('?')
        .map_or_else(|| (before(url, '#').0, ""), |(rest, query)| (rest, query));
    let (authority, rest) = match rest.split_once("//") {
        Some((scheme, after)) if !scheme.contains('/') => {
            let (authority, from) = before(after, '/');
            (Some((scheme, authority)), from)
        }
        _ => (None, rest),
    };
    if let Some((scheme, authority)) = authority {
        let scheme = if scheme.is_empty() {
            format!("{}:", base.scheme())
        } else {
            scheme.to_owned()
        };
        let origin = Url::parse(&format!("{scheme}//{authority}/"));
        if authority.contains('@') || !origin.is_ok_and(|origin| base.has_origin_of(&origin)) {
            return Err(AWAY.to_owned());
        }
    } else if before(rest, '/').0.contains(':') {
        return Err(AWAY.to_owned());
    }
    let own = base.path_of(path);
    let whole = if authority.is_some() || rest.starts_with('/') {
        rest.to_owned()
    } else if rest.is_empty() {
        own
    } else {
        let folder = own.rfind('/').and_then(|end| own.get(..=end));
        format!("{}{rest}", folder.unwrap_or("/"))
    };
    let is_dots = |segment: &str| {
        let decoded = percent_decode_str(segment).decode_utf8_lossy();
        decoded == "." || decoded == ".."
    };
    if whole.split('/').any(is_dots) {
        return Err("its next URL holds `.` or `..` in its path".to_owned());
    }
    let below = base.below_prefix(&whole).ok_or_else(|| AWAY.to_owned())?;
    Ok((below.to_owned(), query.to_owned()))
}

/// What a URL is made of (RFC 3986).
fn is_legal(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(character)
}

/// The text before a character and that from it on.
fn before(text: &str, character: char) -> (&str, &str) {
    text.split_at(text.find(character).unwrap_or(text.len()))
}

/// The URL of the next page by the header `Link`, where the function's pages are linked so.
pub(super) fn next_of(function: &Function, headers: &HeaderMap) -> Option<String> {
    let pagination = function.pagination.as_ref()?;
    if pagination.kind != PaginationKind::Link {
        return None;
    }
    let values = headers.get_all(LINK).iter();
    let values: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
    next_link(&values.join(", "))
}

/// The target of the first link with `rel="next"` (RFC 8288, section 3).
fn next_link(header: &str) -> Option<String> {
    let mut rest = header;
    for _ in 0..MOST_LINKS {
        let (_, from) = before(rest, '<');
        let (target, after) = from.strip_prefix('<')?.split_once('>')?;
        let (is_next, after) = parameters(after);
        if is_next {
            return Some(target.trim().to_owned());
        }
        rest = after;
    }
    None
}

/// Whether the parameters of a link say that it is the next page's, and what follows them.
fn parameters(mut rest: &str) -> (bool, &str) {
    let (mut relation, mut is_of_other) = (None, false);
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let Some(after) = rest.strip_prefix(';') else {
            break;
        };
        let end = after.find(['=', ';', ',']).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        let name = name.trim().to_ascii_lowercase();
        let mut value = String::new();
        rest = after;
        if let Some(after) = after.strip_prefix('=') {
            let after = after.trim_start_matches([' ', '\t']);
            if let Some(quoted) = after.strip_prefix('"') {
                let mut characters = quoted.char_indices();
                let mut end = quoted.len();
                while let Some((index, character)) = characters.next() {
                    match character {
                        '"' => {
                            end = index + 1;
                            break;
                        }
                        '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
                        other => value.push(other),
                    }
                }
                rest = quoted.get(end..).unwrap_or_default();
            } else {
                let end = after.find([';', ',']).unwrap_or(after.len());
                let (token, after) = after.split_at(end);
                value.push_str(token.trim());
                rest = after;
            }
        }
        match name.as_str() {
            "rel" if relation.is_none() => relation = Some(value),
            // A link from elsewhere: it says nothing of this page.
            "anchor" => is_of_other = true,
            _ => {}
        }
    }
    let is_next = relation.is_some_and(|relation| {
        let mut types = relation.split_ascii_whitespace();
        types.any(|it| it.eq_ignore_ascii_case("next"))
    });
    (is_next && !is_of_other, rest)
}

#[cfg(test)]
mod tests {
    use super::next_link;

    #[test]
    fn the_next_link_is_found_among_others() {
        for (header, next) in [
            (
                "<https://a.example/x?page=2>; rel=\"next\"",
                Some("https://a.example/x?page=2"),
            ),
            (
                "<?page=1>; rel=\"prev\", <?page=3>; rel=\"next\"",
                Some("?page=3"),
            ),
            (
                "<?a=1,2;3>; title=\"x, <?b>; rel=next\"; rel=last, </n>;rel=next",
                Some("/n"),
            ),
            ("<?p>; rel=\"last NEXT\"", Some("?p")),
            ("<?p>; REL = next", Some("?p")),
            ("<?p>; title=\"a\\\"; rel=next\"; rel=prev", None),
            // The first `rel` counts, and an anchor makes it another document's link.
            ("<?p>; rel=prev; rel=next", None),
            ("<?p>; rel=next; anchor=\"/other\"", None),
            ("<?p>; rel=nextish", None),
            ("<?p", None),
            ("", None),
        ] {
            assert_eq!(next_link(header).as_deref(), next, "{header}");
        }
    }
}

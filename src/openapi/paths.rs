//! Path templates: which can be called, and their placeholders.

use percent_encoding::percent_decode_str;

use crate::headers::is_override;
use crate::invisible::{is_invisible, visible};

const LONGEST: usize = 10_000;

/// The placeholders of a path template in order, each once; else why the template cannot be
/// called (completes `unsupported: `). `declared` are the names of path parameters. Those of its
/// query are not among them: see [`query_placeholders`].
///
/// Some documents tell operations apart by a query (`/items?action=close`), which is sent as it
/// stands, or by a fragment, which is never sent.
pub(super) fn placeholders(path: &str, declared: &[String]) -> Result<Vec<String>, String> {
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if !path.starts_with('/') {
        return Err("the path has no leading `/`".to_owned());
    }
    if path.starts_with("//") {
        return Err("the path begins with `//`".to_owned());
    }
    if path.len() + query.len() + fragment.len() > LONGEST {
        return Err(format!("the path is longer than {LONGEST} bytes"));
    }
    let parts = [path, query, fragment];
    if parts.iter().any(|part| part.chars().any(is_invisible)) {
        return Err("the path holds a control or invisible character".to_owned());
    }
    check_query(query)?;
    if fragment.contains(['{', '}']) {
        return Err("the fragment of the path holds a placeholder".to_owned());
    }
    if let Some(character) = path.chars().find(|c| "\\%".contains(*c)) {
        return Err(format!("the path holds `{character}`"));
    }
    if path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err("the path holds a dot segment".to_owned());
    }
    let mut found: Vec<String> = Vec::new();
    let mut rest = path;
    while let Some(start) = rest.find(['{', '}']) {
        let after = rest.get(start..).unwrap_or_default();
        let inner = after
            .strip_prefix('{')
            .ok_or("the path has a `}` without `{`")?;
        let end = inner.find(['{', '}', '/']).unwrap_or(inner.len());
        let (name, tail) = inner.split_at(end);
        rest = tail
            .strip_prefix('}')
            .ok_or("the path has a `{` without `}`")?;
        if name.is_empty() {
            return Err("the path has a placeholder without a name".to_owned());
        }
        let is_operator = name.starts_with(['+', '.', ';', '=', ',', '!', '@', '|', '&'])
            || name.ends_with('*')
            || name.contains(':');
        if is_operator && !declared.iter().any(|known| known == name) {
            return Err(format!("the path has the template operator `{{{name}}}`"));
        }
        if !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

/// Whether a path has a query, fixed or of placeholders.
pub(super) fn has_query(path: &str) -> bool {
    let sent = path.split('#').next().unwrap_or_default();
    sent.split_once('?')
        .is_some_and(|(_, query)| !query.is_empty())
}

/// Whether a fixed query can be sent as it stands.
fn check_query(query: &str) -> Result<(), String> {
    for item in query.split('&') {
        let fixed = match item.split_once('=') {
            Some((name, value)) if placeholder(value).is_some() => name,
            _ => item,
        };
        let mut characters = fixed.chars();
        if let Some(character) = characters.find(|c| "{}\\;".contains(*c) || !c.is_ascii()) {
            return Err(format!("the query of the path holds `{character}`"));
        }
        let name = item.split('=').next().unwrap_or_default();
        // A `+` is a blank there.
        let name = name.replace('+', " ");
        let name = percent_decode_str(&name).decode_utf8_lossy();
        if is_override(&name) {
            return Err(format!("requires query parameter `{}`", visible(&name)));
        }
    }
    Ok(())
}

/// The query items of a path key that stand for parameters (`/items?kind={kind}`): name and
/// placeholder. They are no part of what is sent in every call.
pub(super) fn query_placeholders(path: &str) -> Vec<(&str, &str)> {
    let sent = path.split('#').next().unwrap_or_default();
    let (_, query) = sent.split_once('?').unwrap_or((sent, ""));
    let items = query.split('&').filter_map(|item| {
        let (name, value) = item.split_once('=')?;
        Some((name, placeholder(value)?))
    });
    items.collect()
}

fn placeholder(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    (!name.is_empty() && !name.contains(['{', '}'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_that_could_reach_elsewhere_are_refused() {
        for path in [
            "users",
            "//evil.example/x",
            "/a?b={c",
            "/a?b=x{c}",
            "/a?{c}",
            "/a?{?b,c}",
            "/a?_method={c}",
            "/a?X-HTTP-Method-Override=DELETE",
            "/a?%20_method=x",
            "/a?+_method=x",
            "/a?_method[]=x",
            "/a?_Method=PUT",
            "/a?%5Fmethod=PUT",
            "/a?b=1;c=2",
            "/a?b\\c",
            "/#/{id}",
            "/a#b\tc",
            "?a=b",
            "#a",
            "/a/../b",
            "/a/..#b",
            "/a/..?b",
            "/a/.",
            "/a%2fb",
            "/a\\b",
            "/a\tb",
            "/{",
            "/}",
            "/{}",
            "/{a{b}}",
            "/{a/b}",
            "/{+path}",
            "/{path*}",
            "",
        ] {
            assert!(placeholders(path, &[]).is_err(), "{path:?}");
        }
    }

    #[test]
    fn placeholders_are_listed_once() {
        assert_eq!(
            placeholders("/a/{id}/b/{id}.{ext}", &[]).unwrap(),
            ["id", "ext"]
        );
        assert_eq!(placeholders("/{p*}", &["p*".to_owned()]).unwrap(), ["p*"]);
        assert_eq!(
            placeholders("/a/{id}?beta=true&x#close", &[]).unwrap(),
            ["id"]
        );
        assert_eq!(placeholders("/a?b={c}", &[]).unwrap(), Vec::<String>::new());
        assert_eq!(query_placeholders("/a?b={c}&d=1&e={}#f={g}"), [("b", "c")]);
        assert_eq!(placeholders("/a b", &[]).unwrap(), Vec::<String>::new());
    }
}

//! Path templates: which can be called, and their placeholders.

use crate::invisible::is_invisible;

const LONGEST: usize = 10_000;

/// The placeholders of a path template in order, each once; else why the template cannot be
/// called (completes `unsupported: `). `declared` are the names of path parameters.
pub(super) fn placeholders(path: &str, declared: &[String]) -> Result<Vec<String>, String> {
    if !path.starts_with('/') {
        return Err("the path has no leading `/`".to_owned());
    }
    if path.starts_with("//") {
        return Err("the path begins with `//`".to_owned());
    }
    if path.len() > LONGEST {
        return Err(format!("the path is longer than {LONGEST} bytes"));
    }
    if path.chars().any(is_invisible) {
        return Err("the path holds a control or invisible character".to_owned());
    }
    if let Some(character) = path.chars().find(|c| "?#\\%".contains(*c)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_that_could_reach_elsewhere_are_refused() {
        for path in [
            "users",
            "//evil.example/x",
            "/a?b=c",
            "/a#b",
            "/a/../b",
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
        assert_eq!(placeholders("/a b", &[]).unwrap(), Vec::<String>::new());
    }
}

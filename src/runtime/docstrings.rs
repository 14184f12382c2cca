//! What a rendered module says of its functions.

use std::collections::HashMap;

/// What the docstring of each function has between its summary and its sections, by name. Read from
/// the text as [`render`](crate::python::render) writes it, without parsing: an index of thousands of
/// functions is to be ready at once.
#[must_use]
pub fn descriptions(source: &str) -> HashMap<&str, String> {
    let mut found = HashMap::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let name = line
            .strip_prefix("def ")
            .and_then(|it| it.split('(').next());
        let Some(name) = name else { continue };
        let mut summary = lines
            .by_ref()
            .filter_map(|it| it.strip_prefix(INDENT)?.strip_prefix(QUOTES));
        if summary.next().is_some_and(|it| !it.ends_with(QUOTES)) {
            let description: Vec<&str> = lines
                .by_ref()
                .map(str::trim_start)
                .take_while(|it| !it.ends_with(QUOTES) && !HEADINGS.contains(it))
                .filter(|it| !it.is_empty())
                .collect();
            found.insert(name, description.join(" "));
        }
    }
    found
}

const INDENT: &str = "    ";
const QUOTES: &str = "\"\"\"";

/// The headings that follow a description.
const HEADINGS: [&str; 5] = ["Args:", "Returns:", "Pages:", "Raises:", "Example:"];

#[cfg(test)]
mod tests {
    use super::descriptions;

    const MODULE: &str = r#"
@_api.operation("GET", "/pets")
def list_pets(*, limit: int | None = None) -> list[Pet]:
    """List pets.

    Those that are for sale,
    newest first.

    Args:
        limit: At most so many.
    """
    ...


@_api.operation("GET", "/pets/{id}")
def get_pet(
    *,
    id: str,
) -> Pet:
    """Get a pet."""
    ...


@_api.operation("DELETE", "/pets/{id}")
def delete_pet(*, id: str) -> None:
    """Delete a pet.

    For good.
    """
    ...
"#;

    #[test]
    fn what_stands_between_summary_and_sections_is_the_description() {
        let found = descriptions(MODULE);
        assert_eq!(found["list_pets"], "Those that are for sale, newest first.");
        assert_eq!(found["delete_pet"], "For good.");
        assert!(!found.contains_key("get_pet"));
    }
}

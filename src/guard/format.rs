//! Templates of `str.format`: which of their fields read attributes.

/// The first field that reads an attribute, at any depth of nested format specifications. Items
/// (`{row[name]}`) are harmless.
pub(super) fn attribute_field(template: &str) -> Option<&str> {
    let mut rest = template;
    while let Some(open) = rest.find(['{', '}']) {
        let brace = rest.get(open..)?;
        let doubled = brace.starts_with("{{") || brace.starts_with("}}");
        if doubled {
            rest = brace.get(2..)?;
            continue;
        }
        let after = brace.get(1..)?;
        if brace.starts_with('{') {
            let field = after.get(..field_end(after)).unwrap_or_default();
            if reads_attribute(field) {
                return Some(field);
            }
        }
        // A nested field begins inside this one, so the search goes on right behind the brace.
        rest = after;
    }
    None
}

/// The length of a field's name: up to its conversion, specification or end.
fn field_end(text: &str) -> usize {
    let mut in_item = false;
    for (index, character) in text.char_indices() {
        match character {
            '[' => in_item = true,
            ']' => in_item = false,
            '!' | ':' | '{' | '}' if !in_item => return index,
            _ => {}
        }
    }
    text.len()
}

/// Whether a `.` stands outside `[…]`.
fn reads_attribute(field: &str) -> bool {
    let mut in_item = false;
    field.chars().any(|character| {
        match character {
            '[' => in_item = true,
            ']' => in_item = false,
            _ => {}
        }
        character == '.' && !in_item
    })
}

#[cfg(test)]
mod tests {
    use super::attribute_field;

    #[test]
    fn only_attributes_are_found_at_any_depth() {
        assert_eq!(attribute_field("{0.a}"), Some("0.a"));
        assert_eq!(attribute_field("{x[a.b]} {y:.2f} {{z.w}}"), None);
        assert_eq!(attribute_field("{0:{1.b}}"), Some("1.b"));
        assert_eq!(attribute_field("{{{0.a}}}"), Some("0.a"));
        assert_eq!(attribute_field("{0[k].a!r}"), Some("0[k].a"));
        assert_eq!(attribute_field("}{ {"), None);
    }
}

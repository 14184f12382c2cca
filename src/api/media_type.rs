//! Media types as they are written (RFC 9110, section 8.3.1).

/// A media type or a range of them, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType<'a> {
    /// `type/subtype` in lower case.
    pub essence: String,
    /// The parameters as they are written: name, and a token or a quoted text.
    pub parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> MediaType<'a> {
    /// Reads `token "/" token` and parameters; none where the text is anything else, such as two
    /// media types in a row.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let (kind, rest) = token(text)?;
        let (subtype, mut rest) = token(rest.strip_prefix('/')?)?;
        let mut parameters = Vec::new();
        while !rest.is_empty() {
            let after = rest.trim_start_matches(' ').strip_prefix(';')?;
            let (name, after) = token(after.trim_start_matches(' '))?;
            let after = after.strip_prefix('=')?;
            let (value, after) = token(after).or_else(|| quoted(after))?;
            parameters.push((name, value));
            rest = after;
        }
        Some(Self {
            essence: format!("{kind}/{subtype}").to_ascii_lowercase(),
            parameters,
        })
    }

    /// Whether it names one media type rather than a range.
    #[must_use]
    pub fn is_concrete(&self) -> bool {
        !self.essence.contains('*')
    }
}

/// `type/subtype` in lower case, without parameters; of a text that is no media type, what stands
/// before its first `;`.
#[must_use]
pub fn essence(content_type: &str) -> String {
    let (essence, _) = content_type.split_once(';').unwrap_or((content_type, ""));
    essence.trim().to_ascii_lowercase()
}

/// A token at the beginning (RFC 9110, section 5.6.2), and what follows it.
fn token(text: &str) -> Option<(&str, &str)> {
    let is_token = |it: char| it.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(it);
    let end = text.find(|it| !is_token(it)).unwrap_or(text.len());
    text.split_at_checked(end)
        .filter(|(token, _)| !token.is_empty())
}

/// A quoted text of visible ASCII at the beginning, with its quotes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    for (index, character) in text.strip_prefix('"')?.char_indices() {
        match character {
            _ if !matches!(character, ' '..='~') => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            // One for each quote.
            '"' => return text.split_at_checked(index + 2),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_type_is_two_tokens_and_parameters() {
        let read = MediaType::parse("Text/CSV; charset=utf-8 ;x=\"a;\\\"b\"").unwrap();
        assert_eq!(read.essence, "text/csv");
        assert_eq!(
            read.parameters,
            [("charset", "utf-8"), ("x", "\"a;\\\"b\"")]
        );
        assert!(read.is_concrete());
        assert!(!MediaType::parse("text/*").unwrap().is_concrete());
    }

    #[test]
    fn what_another_reader_may_take_for_two_is_none() {
        for text in [
            "",
            "*",
            "text",
            "text/",
            "/plain",
            "a/b/c",
            "a/b, c/d",
            "a/b c",
            " a/b",
            "a/b ",
            "a/b;",
            "a/b;x",
            "a/b;x=",
            "a/b;x=1,c/d",
            "a/b;x=\"1",
            "a/b;x=\"\\\"",
            "a/b;x=\"é\"",
            "a/b\r\nX: 1",
            "a/b;x=1\n",
            "ä/b",
        ] {
            assert_eq!(MediaType::parse(text), None, "{text}");
        }
    }
}

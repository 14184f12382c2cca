//! Values of `swaggers.yaml` that may hold `${VAR}` or `${VAR:-default}`.

use super::error::{Complaint, quote};
use super::{Environment, Error};

/// A text with variables, kept unexpanded until the moment it is used, so that no secret lives in
/// a config value. Expansion is a single pass: what a variable holds is never expanded again.
///
/// `${NAME}` and `${NAME:-default}` are variables (the default also stands in for an empty one, as
/// in a shell); every other `$` is an ordinary character. A literal `${` can only come out of a
/// variable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    /// The text as the file spells it.
    pub text: String,
    /// `file:line:column`, for messages.
    pub place: String,
}

/// A piece of a [`Template`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Segment<'a> {
    /// Stands for itself.
    Text(&'a str),
    /// Stands for what the environment holds.
    Variable {
        name: &'a str,
        default: Option<&'a str>,
    },
}

/// Stands for a variable without a default in [`Template::masked`].
pub(super) const VARIABLE: char = '\u{e000}';
/// Stands for a variable with a literal default in [`Template::masked`].
pub(super) const DEFAULTED: char = '\u{e001}';

impl Template {
    /// A template that was checked to be well-formed.
    ///
    /// # Errors
    /// What is malformed: an unclosed `${`, a name that is none, a `${` inside another.
    pub fn parse(text: &str, place: &str) -> Result<Self, Error> {
        let template = Self {
            text: text.to_owned(),
            place: place.to_owned(),
        };
        template.segments()?;
        Ok(template)
    }

    /// The text with every variable replaced by what `environment` holds.
    ///
    /// # Errors
    /// A malformed template, or a variable that is not set or empty and has no default. The message names
    /// the variable and the place, never a value.
    pub fn expand(&self, environment: &Environment) -> Result<String, Error> {
        let mut expanded = String::new();
        let mut complaints = Vec::new();
        for segment in self.segments()? {
            match segment {
                Segment::Text(text) => expanded.push_str(text),
                Segment::Variable { name, default } => match (environment.value(name), default) {
                    (Err(error), _) => {
                        complaints.push(Complaint::at(&self.place, error.to_string()));
                    }
                    (Ok(Some(value)), _) if !value.is_empty() => expanded.push_str(&value),
                    (Ok(_), Some(default)) => expanded.push_str(default),
                    (Ok(Some(_)), None) => complaints.push(self.empty(name)),
                    (Ok(None), None) => complaints.push(self.unset(name, environment)),
                },
            }
        }
        match Error::from_complaints(complaints) {
            Some(error) => Err(error),
            None => Ok(expanded),
        }
    }

    /// The variables it names, in order, repeated ones repeated. None where it is malformed.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.segments()
            .unwrap_or_default()
            .into_iter()
            .filter_map(|segment| match segment {
                Segment::Variable { name, .. } => Some(name),
                Segment::Text(_) => None,
            })
    }

    fn unset(&self, name: &str, environment: &Environment) -> Complaint {
        if environment.is_not_unicode(name) {
            return Complaint::at(&self.place, format!("the variable `{name}` is not UTF-8"));
        }
        Complaint::at(&self.place, format!("the variable `{name}` is not set")).hint(format!(
            "set `{name}` in the environment, the `--env-file` or under `env` of the client's \
             configuration"
        ))
    }

    /// Clients are given a configuration with empty variables to fill in: an empty one is one that
    /// was forgotten.
    fn empty(&self, name: &str) -> Complaint {
        Complaint::at(&self.place, format!("the variable `{name}` is empty")).hint(format!(
            "fill `{name}` in: under `env` of the client's configuration, in the environment or \
             the `--env-file`"
        ))
    }

    /// The pieces of the text.
    pub(super) fn segments(&self) -> Result<Vec<Segment<'_>>, Error> {
        let mut segments = Vec::new();
        let mut rest = self.text.as_str();
        while let Some((before, inside)) = rest.split_once("${") {
            if !before.is_empty() {
                segments.push(Segment::Text(before));
            }
            let Some((inside, after)) = inside.split_once('}') else {
                return Err(self.malformed("a `${` is not closed by `}`"));
            };
            if inside.contains("${") {
                return Err(self.malformed("a `${` stands inside another; variables do not nest"));
            }
            let (name, default) = match inside.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inside, None),
            };
            if !is_variable_name(name) {
                return Err(self.malformed(&match name {
                    "" => "a `${` is followed by no name".to_owned(),
                    name => format!("{} names no variable", quote(name)),
                }));
            }
            segments.push(Segment::Variable { name, default });
            rest = after;
        }
        if !rest.is_empty() {
            segments.push(Segment::Text(rest));
        }
        Ok(segments)
    }

    /// The text with one private character for each variable, for checks of what is literal in it.
    /// The text itself where it is malformed.
    pub(super) fn masked(&self) -> String {
        let Ok(segments) = self.segments() else {
            return self.text.clone();
        };
        let mut masked = String::with_capacity(self.text.len());
        for segment in segments {
            match segment {
                Segment::Text(text) => masked.push_str(text),
                Segment::Variable { default, .. } => masked.push(match default {
                    None | Some("") => VARIABLE,
                    Some(_) => DEFAULTED,
                }),
            }
        }
        masked
    }

    fn malformed(&self, what: &str) -> Error {
        Complaint::at(&self.place, what)
            .hint("write `${NAME}` or `${NAME:-default}`, with letters, digits and `_` in the name")
            .into()
    }
}

/// Whether a name can be one of an environment variable: letters, digits and `_`, no digit first.
pub(super) fn is_variable_name(name: &str) -> bool {
    name.len() <= 256
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> Result<String, String> {
        let environment =
            Environment::from_pairs([("TOKEN", "canary"), ("INDIRECT", "${TOKEN}"), ("EMPTY", "")]);
        Template::parse(text, "f.yaml:1:2")
            .and_then(|template| template.expand(&environment))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn variables_are_replaced_once() {
        assert_eq!(expand("Bearer ${TOKEN}!").unwrap(), "Bearer canary!");
        assert_eq!(expand("${INDIRECT}").unwrap(), "${TOKEN}");
        assert_eq!(
            expand("$TOKEN $$ $ {TOKEN} }").unwrap(),
            "$TOKEN $$ $ {TOKEN} }"
        );
    }

    #[test]
    fn a_default_stands_in_for_an_unset_or_empty_variable() {
        assert_eq!(
            expand("${UNSET:-a:-b} ${EMPTY:-c} ${TOKEN:-d}").unwrap(),
            "a:-b c canary"
        );
        assert_eq!(expand("[${EMPTY:-}${UNSET:-}]").unwrap(), "[]");
    }

    #[test]
    fn an_unset_variable_is_named_with_its_place() {
        let message = expand("${TOKEN} ${UNSET} ${OTHER}").unwrap_err();
        assert!(message.contains("f.yaml:1:2: the variable `UNSET` is not set"));
        assert!(message.contains("`OTHER`"));
        assert!(!message.contains("canary"));
    }

    #[test]
    fn an_empty_variable_is_one_that_was_forgotten() {
        let message = expand("Bearer ${EMPTY}").unwrap_err();
        assert!(message.starts_with("f.yaml:1:2: the variable `EMPTY` is empty\n  hint: fill "));
    }

    #[test]
    fn malformed_ones_are_errors_with_their_place() {
        for text in [
            "${}",
            "${1}",
            "${a b}",
            "x${A",
            "${${A}}",
            "${A:-${B}}",
            "${A-b}",
            "${é}",
        ] {
            let message = expand(text).unwrap_err();
            assert!(message.starts_with("f.yaml:1:2: "), "{text}: {message}");
        }
    }

    #[test]
    fn names_are_listed() {
        let template = Template::parse("${A}-${B:-x}${A}", "").unwrap();
        assert_eq!(template.variables().collect::<Vec<_>>(), ["A", "B", "A"]);
    }
}

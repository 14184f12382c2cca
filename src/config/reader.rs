//! Typed reading of the config's tree: every complaint and warning is collected with its place,
//! so that one run reports all of them.

use crate::invisible::is_invisible;
use crate::yaml::{Key, Node, NodeValue, Position};

use super::error::{Complaint, nearest, quote};
use super::meant::meant;
use super::template::Template;

/// Reads values and collects what is wrong with them.
#[derive(Debug)]
pub(super) struct Reader {
    file: String,
    /// What is wrong so far.
    pub(super) complaints: Vec<Complaint>,
    /// What the user should know so far.
    pub(super) warnings: Vec<String>,
}

impl Reader {
    /// A reader of one file; the name is for messages.
    pub(super) fn new(file: String) -> Self {
        Self {
            file,
            complaints: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// `file:line:column`.
    pub(super) fn place(&self, position: Position) -> String {
        format!("{}:{}:{}", self.file, position.line, position.column)
    }

    /// Notes an error.
    pub(super) fn complain(&mut self, position: Position, message: impl Into<String>) {
        let place = self.place(position);
        self.complaints.push(Complaint {
            position: Some(position),
            ..Complaint::at(place, message)
        });
    }

    /// Notes an error and what to do about it.
    pub(super) fn advise(
        &mut self,
        position: Position,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.complain(position, message);
        if let Some(complaint) = self.complaints.last_mut() {
            complaint.hint = Some(hint.into());
        }
    }

    /// Notes a warning.
    pub(super) fn warn(&mut self, position: Position, message: &str) {
        let warning = format!("{}: {message}", self.place(position));
        self.warnings.push(warning);
    }

    /// Notes that a value has another type than it should.
    pub(super) fn wrong_type(&mut self, node: &Node, what: &str, expected: &str) {
        let found = kind(node);
        if matches!(node.value, NodeValue::Null) {
            self.advise(
                node.position,
                format!("{what} has no value; expected {expected}"),
                "give it a value or remove the key",
            );
        } else {
            self.complain(
                node.position,
                format!("{what} must be {expected}, found {found}"),
            );
            if expected.starts_with("a string")
                && matches!(node.value, NodeValue::Bool(_) | NodeValue::Number(_))
                && let Some(complaint) = self.complaints.last_mut()
            {
                complaint.hint = Some("put it in quotes".to_owned());
            }
        }
    }

    /// A mapping with these keys and no others.
    pub(super) fn fields<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        keys: &[&str],
    ) -> Option<Fields<'n>> {
        let NodeValue::Mapping(entries) = &node.value else {
            self.wrong_type(node, what, "a mapping");
            return None;
        };
        for (key, _) in entries {
            if !keys.contains(&key.text.as_str()) {
                self.unknown_key(key, what, keys);
            }
        }
        Some(Fields { node, entries })
    }

    fn unknown_key(&mut self, key: &Key, what: &str, keys: &[&str]) {
        if key.text.contains("${") {
            self.complain(
                key.position,
                format!("{what} has a variable in a key; keys are not expanded"),
            );
            return;
        }
        // Nobody reads that many hints, and each takes a while.
        let word = match self.complaints.len() {
            0..100 => key.text.as_str(),
            _ => "",
        };
        let near = meant(word)
            .filter(|key| keys.contains(key))
            .or_else(|| nearest(word, keys.iter().copied()));
        let hint = near.map_or_else(
            || format!("valid keys are {}", keys.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("{what} has no key {}", quote(&key.text));
        self.advise(key.position, message, hint);
    }

    /// A string in which variables have no meaning and are refused.
    pub(super) fn string(&mut self, node: &Node, what: &str) -> Option<String> {
        let NodeValue::String(text) = &node.value else {
            self.wrong_type(node, what, "a string");
            return None;
        };
        if text.contains("${") {
            self.complain(
                node.position,
                format!("{what} holds a variable; variables are not expanded here"),
            );
            return None;
        }
        if text.trim().is_empty() {
            self.complain(node.position, format!("{what} is empty"));
            return None;
        }
        Some(text.clone())
    }

    /// A string that may hold variables; `None` where it is empty, which is no complaint.
    pub(super) fn optional_template(&mut self, node: &Node, what: &str) -> Option<Template> {
        let NodeValue::String(text) = &node.value else {
            self.wrong_type(node, what, "a string");
            return None;
        };
        if text.is_empty() {
            return None;
        }
        // Format characters too: none belongs in a URL, a path, a header or a secret.
        if text.chars().any(is_invisible) {
            self.complain(
                node.position,
                format!("{what} holds a control or invisible character"),
            );
            return None;
        }
        match Template::parse(text, &self.place(node.position)) {
            Ok(template) => Some(template),
            Err(error) => {
                for complaint in error.complaints() {
                    self.complaints.push(Complaint {
                        position: Some(node.position),
                        message: format!("{what}: {}", complaint.message),
                        ..complaint.clone()
                    });
                }
                None
            }
        }
    }

    /// A string that may hold variables and is not empty.
    pub(super) fn template(&mut self, node: &Node, what: &str) -> Option<Template> {
        let before = self.complaints.len();
        let template = self.optional_template(node, what);
        if template.is_none() && self.complaints.len() == before {
            self.complain(node.position, format!("{what} is empty"));
        }
        template
    }

    /// `true` or `false`, nothing else.
    pub(super) fn boolean(&mut self, node: &Node, what: &str) -> Option<bool> {
        match &node.value {
            NodeValue::Bool(value) => return Some(*value),
            NodeValue::String(text) => {
                let message = format!("{what} must be `true` or `false`, found {}", quote(text));
                let meant = match text.to_ascii_lowercase().as_str() {
                    "yes" | "y" | "on" | "true" => Some("true"),
                    "no" | "n" | "off" | "false" => Some("false"),
                    _ => None,
                };
                if let Some(meant) = meant {
                    self.advise(
                        node.position,
                        message,
                        format!("write `{meant}`, without quotes"),
                    );
                } else if text.contains("${") {
                    self.advise(
                        node.position,
                        message,
                        "variables are not expanded in booleans",
                    );
                } else {
                    self.complain(node.position, message);
                }
            }
            _ => self.wrong_type(node, what, "`true` or `false`"),
        }
        None
    }

    /// A number of seconds above zero and up to `most`.
    pub(super) fn seconds(
        &mut self,
        node: &Node,
        what: &str,
        most: f64,
    ) -> Option<std::time::Duration> {
        let expected = format!("a number of seconds above 0 and up to {most}");
        self.number(node, what, &expected, |value| {
            // A value above zero that rounds to no time at all would be no bound.
            let duration = std::time::Duration::try_from_secs_f64(value).ok()?;
            (value > 0.0 && value <= most && !duration.is_zero()).then_some(duration)
        })
    }

    /// A number above zero and up to `most`.
    pub(super) fn rate(&mut self, node: &Node, what: &str, most: f64) -> Option<f64> {
        let expected = format!("a number from 0.001 to {most}");
        self.number(node, what, &expected, |value| {
            (value >= 0.001 && value <= most).then_some(value)
        })
    }

    /// A whole number from 1 to `most`.
    pub(super) fn count(&mut self, node: &Node, what: &str, most: usize) -> Option<usize> {
        let expected = format!("a whole number from 1 to {most}");
        self.number(node, what, &expected, |value| {
            let count = format!("{value}").parse().ok()?;
            (1..=most).contains(&count).then_some(count)
        })
    }

    fn number<T>(
        &mut self,
        node: &Node,
        what: &str,
        expected: &str,
        take: impl FnOnce(f64) -> Option<T>,
    ) -> Option<T> {
        match &node.value {
            NodeValue::Number(number) => {
                let taken = number.as_f64().and_then(take);
                if taken.is_none() {
                    self.complain(
                        node.position,
                        format!(
                            "{what} must be {expected}, found {}",
                            quote(&number.to_string())
                        ),
                    );
                }
                return taken;
            }
            NodeValue::String(text) => self.complain(
                node.position,
                format!(
                    "{what} must be {expected}, found the string {}",
                    quote(text)
                ),
            ),
            _ => self.wrong_type(node, what, expected),
        }
        None
    }

    /// The items of a list.
    pub(super) fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        if let NodeValue::Sequence(items) = &node.value {
            items
        } else {
            self.wrong_type(node, what, "a list");
            &[]
        }
    }

    /// A list of strings without variables, each with its place.
    pub(super) fn strings(&mut self, node: &Node, what: &str) -> Vec<(String, Position)> {
        let entry = format!("an entry of {what}");
        self.list(node, what)
            .iter()
            .filter_map(|item| Some((self.string(item, &entry)?, item.position)))
            .collect()
    }

    /// The entries of a mapping with free keys.
    pub(super) fn entries<'n>(&mut self, node: &'n Node, what: &str) -> &'n [(Key, Node)] {
        let NodeValue::Mapping(entries) = &node.value else {
            self.wrong_type(node, what, "a mapping");
            return &[];
        };
        for (key, _) in entries {
            if key.text.contains("${") {
                self.complain(
                    key.position,
                    format!("{what} has a variable in a key; keys are not expanded"),
                );
            }
        }
        entries
    }
}

/// A mapping whose keys were checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'n> {
    /// The mapping itself.
    pub(super) node: &'n Node,
    entries: &'n [(Key, Node)],
}

impl<'n> Fields<'n> {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries
            .iter()
            .find(|(candidate, _)| candidate.text == key)
            .map(|(_, node)| node)
    }

    /// Where a key stands; where the mapping begins if it has none.
    pub(super) fn position_of(&self, key: &str) -> Position {
        self.entries
            .iter()
            .find(|(candidate, _)| candidate.text == key)
            .map_or(self.node.position, |(key, _)| key.position)
    }

    /// The value of a key that has to be there.
    pub(super) fn require(&self, reader: &mut Reader, key: &str, what: &str) -> Option<&'n Node> {
        let node = self.get(key);
        if node.is_none() {
            reader.complain(self.node.position, format!("{what} has no `{key}`"));
        }
        node
    }
}

/// What a node is, for people.
pub(super) fn kind(node: &Node) -> &'static str {
    match node.value {
        NodeValue::Null => "nothing",
        NodeValue::Bool(_) => "a boolean",
        NodeValue::Number(_) => "a number",
        NodeValue::String(_) => "a string",
        NodeValue::Sequence(_) => "a list",
        NodeValue::Mapping(_) => "a mapping",
    }
}

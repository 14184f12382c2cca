//! What there is in a tree.

use serde_json::Value;

/// What there is in a tree, counted before anything else is done with it.
#[derive(Debug, Default)]
pub(in crate::openapi) struct Census {
    pub(super) nodes: usize,
    pub(in crate::openapi) references: usize,
    /// Whether a reference may lead to another place than its own document, or to an anchor.
    pub(super) leads_elsewhere: bool,
    /// Whether there may be `$id`s or anchors.
    pub(super) has_anchors: bool,
}

impl Census {
    pub(in crate::openapi) fn of(tree: &Value) -> Self {
        let mut census = Self::default();
        census.count(tree);
        census
    }

    fn count(&mut self, value: &Value) {
        self.nodes += 1;
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.count(item)),
            Value::Object(members) => {
                for (key, member) in members {
                    if key.starts_with('$') {
                        self.count_keyword(key, member);
                    }
                    self.count(member);
                }
            }
            _ => {}
        }
    }

    fn count_keyword(&mut self, key: &str, value: &Value) {
        match key {
            "$ref" | "$dynamicRef" => {
                self.references += 1;
                self.leads_elsewhere |= value.as_str().is_some_and(|text| !text.starts_with("#/"));
            }
            "$id" | "$anchor" | "$dynamicAnchor" => self.has_anchors |= value.is_string(),
            _ => {}
        }
    }
}

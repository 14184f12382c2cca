//! YAML texts, read event by event: no recursion, limits checked before anything is copied.
//!
//! The events are libyaml's, since real documents are written against it: a closing bracket left
//! of its parent's indentation, for one, which YAML 1.2 forbids.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use libyaml_safer::{EventData, Mark, Parser, ScalarStyle};

use super::{Error, Key, Limits, Node, NodeValue, Position, scalar};

/// A finished node with what an alias to it would add.
#[derive(Clone)]
struct Built {
    node: Node,
    size: Size,
    depth: usize,
}

/// What a copy of a node costs.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
}

impl Size {
    fn plus(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_add(other.nodes),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// A collection that is still open.
struct Open {
    position: Position,
    anchor: Option<String>,
    size: Size,
    depth: usize,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping {
        members: Vec<(Key, Node)>,
        index: HashMap<String, Position>,
        merges: Vec<(usize, Node)>,
        key: Option<Pending>,
    },
}

/// A key whose value is still to come.
enum Pending {
    Member(Key),
    /// A plain `<<`: the value's members are merged into the mapping.
    Merge,
}

struct Reader<'a> {
    limits: &'a Limits,
    breaks: Breaks,
    open: Vec<Open>,
    anchors: HashMap<String, Built>,
    nodes: usize,
    copied: Size,
    root: Option<Node>,
}

const COLLECTION_AS_KEY: &str = "expected a scalar as key, found a collection";

/// Reads the one document of a text.
pub(super) fn read(text: &str, limits: &Limits) -> Result<Node, Error> {
    refuse_controls(text)?;
    let (mut text, breaks) = Breaks::hide(text);
    // The scanner panics where the text ends within a block scalar.
    if !text.ends_with('\n') {
        text.to_mut().push('\n');
    }
    let mut bytes = text.as_bytes();
    let mut parser = Parser::new();
    parser.set_input_string(&mut bytes);
    let mut reader = Reader {
        limits,
        breaks,
        open: Vec::new(),
        anchors: HashMap::new(),
        nodes: 0,
        copied: Size::default(),
        root: None,
    };
    loop {
        let event = parser.parse().map_err(|error| {
            let mark = error.problem_mark().or_else(|| error.context_mark());
            let position = mark.map_or(Position { line: 1, column: 1 }, position);
            let problem = error.problem();
            let hint = hint(text.as_ref(), position, problem);
            Error::new(position, format!("expected YAML: {problem}{hint}"))
        })?;
        if matches!(event.data, EventData::StreamEnd) {
            break;
        }
        reader.event(event.data, position(event.start_mark))?;
    }
    reader.root.ok_or_else(|| {
        Error::new(
            Position { line: 1, column: 1 },
            "expected a document, found nothing",
        )
    })
}

/// What the two most frequent slips are, which the parser words from its own point of view.
fn hint(text: &str, position: Position, problem: &str) -> &'static str {
    let line = text.split('\n').nth(position.line.saturating_sub(1));
    let line = line.unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    if problem.contains("cannot start any token")
        && line.get(..indent).is_some_and(|it| it.contains('\t'))
    {
        "; indent with spaces, not with tabs"
    } else if problem.contains("',' or '}'") && line.contains("${") {
        "; within `{…}` quote variables: `\"${NAME}\"`"
    } else {
        ""
    }
}

fn refuse_controls(text: &str) -> Result<(), Error> {
    let control = |character: &char| matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}');
    let Some((at, _)) = text.char_indices().find(|(_, found)| control(found)) else {
        return Ok(());
    };
    let before = text.get(..at).unwrap_or_default();
    let last_line = before.rsplit('\n').next().unwrap_or_default();
    Err(Error::new(
        Position {
            line: before.split('\n').count(),
            column: last_line.chars().count() + 1,
        },
        "expected text, found a control character",
    ))
}

fn position(mark: Mark) -> Position {
    let from_one = |value: u64| usize::try_from(value).unwrap_or(usize::MAX - 1) + 1;
    Position {
        line: from_one(mark.line),
        column: from_one(mark.column),
    }
}

/// Characters that libyaml takes for line breaks and YAML 1.2 does not (section 5.4), so that a
/// comment could end, or a string be folded, where no reader of the text sees it.
const OLD_BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// The private-use characters that stand for [`OLD_BREAKS`] while a text is parsed.
struct Breaks(Option<[char; 3]>);

impl Breaks {
    /// The text with old breaks replaced by characters that do not occur in it.
    fn hide(text: &str) -> (Cow<'_, str>, Self) {
        if !text.contains(OLD_BREAKS) {
            return (Cow::Borrowed(text), Self(None));
        }
        let mut free = ('\u{e000}'..='\u{f8ff}').filter(|character| !text.contains(*character));
        let (Some(first), Some(second), Some(third)) = (free.next(), free.next(), free.next())
        else {
            return (Cow::Borrowed(text), Self(None));
        };
        let stand_ins = [first, second, third];
        let hidden = exchange(text, OLD_BREAKS, stand_ins);
        (Cow::Owned(hidden), Self(Some(stand_ins)))
    }

    fn restore(&self, text: String) -> String {
        match self.0 {
            Some(stand_ins) if text.contains(stand_ins) => exchange(&text, stand_ins, OLD_BREAKS),
            _ => text,
        }
    }
}

fn exchange(text: &str, from: [char; 3], to: [char; 3]) -> String {
    text.chars()
        .map(|character| {
            let mut pairs = from.iter().zip(to);
            let pair = pairs.find(|(from, _)| **from == character);
            pair.map_or(character, |(_, to)| to)
        })
        .collect()
}

impl Reader<'_> {
    fn event(&mut self, event: EventData, position: Position) -> Result<(), Error> {
        match event {
            EventData::DocumentStart { .. } if self.root.is_some() => {
                Err(Error::new(position, "expected one document, found another"))
            }
            EventData::Scalar {
                anchor,
                tag,
                value,
                style,
                ..
            } => self.scalar(value, style, anchor, tag.as_deref(), position),
            EventData::SequenceStart { anchor, .. } => {
                self.start(position, anchor, Content::Sequence(Vec::new()))
            }
            EventData::MappingStart { anchor, .. } => self.start(
                position,
                anchor,
                Content::Mapping {
                    members: Vec::new(),
                    index: HashMap::new(),
                    merges: Vec::new(),
                    key: None,
                },
            ),
            EventData::SequenceEnd | EventData::MappingEnd => self.end(),
            EventData::Alias { anchor } => self.alias(&anchor, position),
            EventData::StreamStart { .. }
            | EventData::StreamEnd
            | EventData::DocumentStart { .. }
            | EventData::DocumentEnd { .. } => Ok(()),
        }
    }

    fn alias(&mut self, anchor: &str, position: Position) -> Result<(), Error> {
        let Some(built) = self.anchors.get(anchor) else {
            let name = shown(anchor);
            return Err(Error::new(
                position,
                format!("expected an alias of a finished value, found `*{name}`"),
            ));
        };
        let (size, depth) = (built.size, built.depth);
        // Counted before it is copied, so that a bomb of aliases costs little.
        let total = self.nodes.saturating_add(size.nodes);
        if total > self.limits.nodes || self.open.len() + depth > self.limits.depth {
            return Err(self.over_limit(total, position));
        }
        self.nodes = total;
        self.count_copy(size, position)?;
        let Some(mut built) = self.anchors.get(anchor).cloned() else {
            return Ok(());
        };
        built.node.position = position;
        self.add(built)
    }

    /// Keeps a finished node for aliases to it, where it has an anchor.
    fn keep(&mut self, anchor: Option<String>, built: &Built) -> Result<(), Error> {
        let Some(anchor) = anchor else {
            return Ok(());
        };
        // Anchors within anchors copy the innermost as often as they are nested.
        self.count_copy(built.size, built.node.position)?;
        self.anchors.insert(anchor, built.clone());
        Ok(())
    }

    fn count_copy(&mut self, size: Size, position: Position) -> Result<(), Error> {
        self.copied = self.copied.plus(size);
        let Limits {
            copied_nodes,
            copied_bytes,
            ..
        } = self.limits;
        let found = if self.copied.nodes > *copied_nodes {
            format!("{copied_nodes} values")
        } else if self.copied.bytes > *copied_bytes {
            format!("{copied_bytes} bytes of text")
        } else {
            return Ok(());
        };
        Err(Error::limit(
            position,
            format!("expected at most {found} copied by anchors and aliases, found more"),
        ))
    }

    fn scalar(
        &mut self,
        text: String,
        style: ScalarStyle,
        anchor: Option<String>,
        tag: Option<&str>,
        position: Position,
    ) -> Result<(), Error> {
        self.count(position)?;
        let text = self.breaks.restore(text);
        let plain = match tag.and_then(|tag| tag.strip_prefix("tag:yaml.org,2002:")) {
            Some("str") => false,
            Some(_) => true,
            None => style == ScalarStyle::Plain && tag.is_none(),
        };
        let merge = plain && text == "<<";
        let key = self.expects_key().then(|| text.clone());
        let bytes = text.len();
        let value = if plain {
            scalar::resolve(&text)
        } else {
            NodeValue::String(text)
        };
        let built = Built {
            node: Node { value, position },
            size: Size { nodes: 1, bytes },
            depth: 0,
        };
        self.keep(anchor, &built)?;
        match key {
            Some(_) if merge => {
                self.set_pending(Pending::Merge);
                Ok(())
            }
            // Keys stay as they are spelt, whatever a plain scalar would mean elsewhere.
            Some(key) => self.add_key(key, position),
            None => self.add(built),
        }
    }

    fn expects_key(&self) -> bool {
        let open = self.open.last().map(|open| &open.content);
        matches!(open, Some(Content::Mapping { key: None, .. }))
    }

    fn start(
        &mut self,
        position: Position,
        anchor: Option<String>,
        content: Content,
    ) -> Result<(), Error> {
        self.count(position)?;
        if self.open.len() >= self.limits.depth {
            return Err(self.over_limit(self.nodes, position));
        }
        if self.expects_key() {
            return Err(Error::new(position, COLLECTION_AS_KEY));
        }
        self.open.push(Open {
            position,
            anchor,
            size: Size { nodes: 1, bytes: 0 },
            depth: 1,
            content,
        });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let value = match open.content {
            Content::Sequence(items) => NodeValue::Sequence(items),
            Content::Mapping {
                members, merges, ..
            } => NodeValue::Mapping(merge(members, merges)?),
        };
        let built = Built {
            node: Node {
                value,
                position: open.position,
            },
            size: open.size,
            depth: open.depth,
        };
        self.keep(open.anchor, &built)?;
        self.add(built)
    }

    /// Puts a finished node into the collection that is open, or makes it the root.
    fn add(&mut self, built: Built) -> Result<(), Error> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(built.node);
            return Ok(());
        };
        open.depth = open.depth.max(built.depth + 1);
        match &mut open.content {
            Content::Sequence(items) => items.push(built.node),
            Content::Mapping {
                members,
                merges,
                key,
                ..
            } => match key.take() {
                Some(Pending::Merge) => merges.push((members.len(), built.node)),
                Some(Pending::Member(key)) => members.push((key, built.node)),
                // Only an alias gets here: a scalar in the place of a key goes to `add_key`.
                None => {
                    let position = built.node.position;
                    let text = match built.node.value {
                        NodeValue::String(text) => text,
                        NodeValue::Number(number) => number.to_string(),
                        NodeValue::Bool(value) => value.to_string(),
                        NodeValue::Null => "null".to_owned(),
                        NodeValue::Sequence(_) | NodeValue::Mapping(_) => {
                            return Err(Error::new(position, COLLECTION_AS_KEY));
                        }
                    };
                    return self.add_key(text, position);
                }
            },
        }
        open.size = open.size.plus(built.size);
        Ok(())
    }

    fn add_key(&mut self, text: String, position: Position) -> Result<(), Error> {
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        open.size = open.size.plus(Size {
            nodes: 1,
            bytes: text.len(),
        });
        let Content::Mapping { index, .. } = &mut open.content else {
            return Ok(());
        };
        if let Some(first) = index.insert(text.clone(), position) {
            let (name, line) = (shown(&text), first.line);
            return Err(Error::new(
                position,
                format!("duplicate key `{name}`, first at line {line}"),
            ));
        }
        self.set_pending(Pending::Member(Key { text, position }));
        Ok(())
    }

    fn set_pending(&mut self, pending: Pending) {
        if let Some(Content::Mapping { key, .. }) =
            self.open.last_mut().map(|open| &mut open.content)
        {
            *key = Some(pending);
        }
    }

    fn count(&mut self, position: Position) -> Result<(), Error> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(self.over_limit(self.nodes, position));
        }
        Ok(())
    }

    fn over_limit(&self, nodes: usize, position: Position) -> Error {
        let Limits {
            nodes: most, depth, ..
        } = self.limits;
        let message = if nodes > *most {
            format!("expected at most {most} values, aliases expanded, found more")
        } else {
            format!("expected at most {depth} levels of nesting, found more")
        };
        Error::limit(position, message)
    }
}

/// Applies merge keys: members of the mapping itself win, then earlier sources.
fn merge(members: Vec<(Key, Node)>, merges: Vec<(usize, Node)>) -> Result<Vec<(Key, Node)>, Error> {
    if merges.is_empty() {
        return Ok(members);
    }
    let mut seen: HashSet<String> = members.iter().map(|(key, _)| key.text.clone()).collect();
    let mut inserts: HashMap<usize, Vec<(Key, Node)>> = HashMap::new();
    for (at, source) in merges {
        let position = source.position;
        let sources = match source.value {
            NodeValue::Sequence(items) => items,
            value => vec![Node { value, position }],
        };
        for source in sources {
            let NodeValue::Mapping(entries) = source.value else {
                return Err(Error::new(
                    source.position,
                    "expected a mapping to merge (`<<`), found another value",
                ));
            };
            let slot = inserts.entry(at).or_default();
            slot.extend(
                entries
                    .into_iter()
                    .filter(|(key, _)| seen.insert(key.text.clone())),
            );
        }
    }
    let end = members.len();
    let mut all = Vec::with_capacity(seen.len());
    for (at, member) in members.into_iter().enumerate() {
        all.extend(inserts.remove(&at).unwrap_or_default());
        all.push(member);
    }
    all.extend(inserts.remove(&end).unwrap_or_default());
    Ok(all)
}

/// A key as a message may quote it.
pub(super) fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters
        .by_ref()
        .take(60)
        .flat_map(char::escape_debug)
        .collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

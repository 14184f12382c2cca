//! Finds the type of each schema and gathers the classes that those types name.

mod convert;
mod names;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::Value;

use self::convert::alternative;
use super::members::{Members, Property};
use super::types::{Alias, PythonType};
use crate::api::identifiers::{Unique, type_name};
use crate::api::schema::{keyword, references};

/// Aliases and unions within one another.
const DEEPEST: usize = 40;
/// Work on the classes of one module: a unit for each schema looked at, for each key of a class
/// and for each part of that key's type. Inheritance multiplies: every class repeats the keys of
/// all that it inherits from.
const MOST_WORK: usize = 400_000;
/// How often a type that leads back to itself is written out anew.
const MOST_EXPANSIONS: u8 = 4;

/// A `TypedDict`.
#[derive(Debug, Clone)]
pub(super) struct Class<'a> {
    pub(super) name: String,
    /// What it describes.
    pub(super) schema: &'a Value,
    pub(super) fields: Vec<Field<'a>>,
    /// The type of keys beyond the fields, where the document gives one.
    pub(super) further: Option<PythonType>,
    /// Whether requests hold it.
    pub(super) sent: bool,
}

/// A key of a [`Class`].
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    pub(super) key: &'a str,
    pub(super) kind: PythonType,
    /// Whether it is there in whatever the class is used for.
    pub(super) required: bool,
    pub(super) schema: &'a Value,
}

impl Field<'_> {
    /// Whether only answers hold it.
    pub(super) fn is_read_only(&self, types: &IndexMap<String, Value>) -> bool {
        keyword(self.schema, "readOnly", types) == Some(&Value::Bool(true))
    }
}

/// The classes of a module, by name.
pub(super) struct Classes<'a> {
    pub(super) by_name: BTreeMap<String, Class<'a>>,
    /// The names of unions, each after those that it names.
    pub(super) aliases: Vec<Rc<Alias>>,
    /// Whether some objects became `dict[str, Any]` since describing them is too much work.
    pub(super) are_cut: bool,
}

/// A class whose fields have no types yet.
struct Pending<'a> {
    name: String,
    schema: &'a Value,
    members: Members<'a>,
    purpose: Purpose,
}

/// What a type is used for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Purpose {
    /// It is part of a request.
    pub(super) sent: bool,
    /// It is part of an answer.
    pub(super) received: bool,
    /// It is part of a form, where bytes are files.
    pub(super) form: bool,
}

/// Turns schemas into types. `named` are the schemas with names, by the names their classes bear.
pub(super) struct Types<'a> {
    pub(super) named: &'a IndexMap<String, Value>,
    known: HashMap<&'a str, PythonType>,
    aliases: Vec<Rc<Alias>>,
    /// The names whose types are being found, each within the one before.
    open: Vec<&'a str>,
    /// How many of the outermost names in `open` what is being converted does not lead back to.
    closed_below: usize,
    expansions: HashMap<&'a str, u8>,
    unique: Unique,
    /// The classes of objects without names, by the address of their schema.
    hoisted: HashMap<(usize, Purpose), String>,
    pending: VecDeque<Pending<'a>>,
    /// The schemas with names that forms are made of.
    of_forms: HashSet<&'a str>,
    left: usize,
    sent: HashSet<&'a str>,
    received: HashSet<&'a str>,
    /// What the schema that is being converted is used for, where it has no name.
    purpose: Purpose,
}

impl<'a> Types<'a> {
    pub(super) fn new(named: &'a IndexMap<String, Value>) -> Self {
        let mut unique = Unique::default();
        for name in named.keys() {
            unique.take(name, "");
        }
        Self {
            named,
            known: HashMap::new(),
            aliases: Vec::new(),
            open: Vec::new(),
            closed_below: usize::MAX,
            expansions: HashMap::new(),
            unique,
            hoisted: HashMap::new(),
            pending: VecDeque::new(),
            left: MOST_WORK,
            sent: HashSet::new(),
            received: HashSet::new(),
            of_forms: HashSet::new(),
            purpose: Purpose::default(),
        }
    }

    /// Notes that requests hold a schema and all that it refers to. To be done before any type is
    /// asked for.
    pub(super) fn note_sent(&mut self, schema: &Value) {
        note(self.named, &mut self.sent, schema);
    }

    /// Notes that answers hold a schema and all that it refers to.
    pub(super) fn note_received(&mut self, schema: &Value) {
        note(self.named, &mut self.received, schema);
    }

    /// What the types that are asked for next are used for.
    pub(super) fn set_purpose(&mut self, sent: bool) {
        self.purpose = Purpose {
            sent,
            received: !sent,
            form: false,
        };
    }

    /// Notes that a schema, with all that it refers to, is that of a form: bytes in it are files.
    pub(super) fn note_form(&mut self, schema: &Value) {
        note(self.named, &mut self.of_forms, schema);
    }

    /// As [`Self::of`], for the schema of a form.
    pub(super) fn of_form(&mut self, schema: &'a Value, hint: &str) -> PythonType {
        self.purpose.form = true;
        let kind = self.convert(schema, hint, 0);
        self.purpose.form = false;
        kind
    }

    /// The type of a schema. `hint` names the class of an object that has no name of its own.
    pub(super) fn of(&mut self, schema: &'a Value, hint: &str) -> PythonType {
        self.convert(schema, hint, 0)
    }

    /// Every class that the types found so far need, by name.
    pub(super) fn into_classes(mut self) -> Classes<'a> {
        let mut by_name = BTreeMap::new();
        // A queue, not recursion: how far classes lead is for the document to say.
        while let Some(pending) = self.pending.pop_front() {
            let class = self.class(pending);
            by_name.insert(class.name.clone(), class);
        }
        Classes {
            by_name,
            aliases: self.aliases,
            are_cut: self.left == 0,
        }
    }

    /// Takes some of [`MOST_WORK`]; whether there was as much.
    pub(super) fn work(&mut self, units: usize) -> bool {
        self.left = self.left.saturating_sub(units);
        self.left > 0
    }

    /// The schemas with names.
    pub(super) fn schemas(&self) -> &'a IndexMap<String, Value> {
        self.named
    }

    /// The schema of this name.
    pub(super) fn schema_named(&self, name: &str) -> Option<&'a Value> {
        self.named.get(name)
    }

    /// The class of an object without a name. Whatever inherits or repeats the object has the same.
    fn hoisted_once(&mut self, schema: &'a Value, members: Members<'a>, hint: &str) -> PythonType {
        let place = std::ptr::from_ref(schema).addr();
        if let Some(name) = self.hoisted.get(&(place, self.purpose)) {
            return PythonType::name(name);
        }
        let kind = self.hoisted(schema, members, hint);
        if let PythonType::Name(name) = &kind {
            self.hoisted.insert((place, self.purpose), name.clone());
        }
        kind
    }

    /// A class for an object without a name.
    fn hoisted(&mut self, schema: &'a Value, members: Members<'a>, hint: &str) -> PythonType {
        let name = self.unique.take(&type_name(hint), "");
        self.pending.push_back(Pending {
            name: name.clone(),
            schema,
            members,
            purpose: self.purpose,
        });
        PythonType::Name(name)
    }

    fn class(&mut self, pending: Pending<'a>) -> Class<'a> {
        let Pending {
            name,
            schema,
            members,
            purpose,
        } = pending;
        self.purpose = purpose;
        let Members {
            properties,
            further,
            ..
        } = members;
        // It is only spoken of, so it gets no class of its own.
        let further = further
            .filter(|further| !self.are_objects(&[*further]))
            .map(|further| self.convert(further, &format!("{name}Value"), 0))
            .filter(|kind| *kind != PythonType::Any);
        let fields = properties
            .into_iter()
            .filter_map(|(key, property)| {
                let hint = format!("{name}{}", type_name(key));
                let kind = self.property(&property, &hint);
                // The parts of a type are repeated wherever the key is inherited.
                let kind = if self.work(kind.weight()) {
                    kind
                } else {
                    PythonType::Any
                };
                let all = property.certain.iter().chain(&property.possible);
                let is = |word: &str| {
                    let mut all = all.clone();
                    all.any(|schema| keyword(schema, word, self.named) == Some(&Value::Bool(true)))
                };
                // Callers cannot give the one, and answers do not hold the other.
                let one_sided =
                    purpose.sent && is("readOnly") || purpose.received && is("writeOnly");
                Some(Field {
                    key,
                    kind,
                    required: property.required && !one_sided,
                    schema: all
                        .clone()
                        .find(|schema| schema.get("description").is_some())
                        .or(all.clone().next())
                        .copied()?,
                })
            })
            .collect();
        Class {
            name,
            schema,
            fields,
            further,
            sent: purpose.sent,
        }
    }

    /// The type of a key.
    fn property(&mut self, property: &Property<'a>, hint: &str) -> PythonType {
        match property.certain.as_slice() {
            [] => {
                let possible = property.possible.iter().enumerate();
                let kinds: Vec<PythonType> = possible
                    .map(|(index, schema)| {
                        self.convert(schema, &alternative(hint, schema, index), 0)
                    })
                    .collect();
                PythonType::union(kinds)
            }
            [only] => self.convert(only, hint, 0),
            [first, others @ ..]
                if others
                    .iter()
                    .all(|other| std::ptr::eq(self.resolved(other), self.resolved(first))) =>
            {
                self.convert(first, hint, 0)
            }
            several if self.are_objects(several) => match self.together(several) {
                Some(members) => match several.first() {
                    Some(first) => self.hoisted(first, members, hint),
                    None => PythonType::Any,
                },
                None => PythonType::dict(PythonType::Any),
            },
            several => match self.most_telling(several) {
                Some(schema) => self.convert(schema, hint, 0),
                None => PythonType::Any,
            },
        }
    }
}

/// Adds the names of all that a schema refers to.
fn note<'a>(named: &'a IndexMap<String, Value>, found: &mut HashSet<&'a str>, schema: &Value) {
    let mut pending = references(schema);
    while let Some(reference) = pending.pop() {
        let name = reference.trim_start_matches("#/types/");
        if let Some((name, target)) = named.get_key_value(name)
            && found.insert(name)
        {
            pending.extend(references(target));
        }
    }
}

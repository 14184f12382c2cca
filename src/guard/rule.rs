//! The ids of the guard's rules, as they stand in `Violation::rule`.

/// The code is longer than the guard reads.
pub(super) const TOO_LONG: &str = "too-long";
/// The code declares another encoding than UTF-8.
pub(super) const ENCODING: &str = "encoding";
/// A character that makes the code read otherwise than it looks.
pub(super) const CONTROL_CHARACTER: &str = "control-character";
/// The code is nested too deep to be looked at.
pub(super) const TOO_DEEP: &str = "too-deep";
/// The code is not Python.
pub(super) const SYNTAX: &str = "syntax";
/// A module that may not be imported.
pub(super) const IMPORT_BLOCKED: &str = "import-blocked";
/// A relative import.
pub(super) const IMPORT_RELATIVE: &str = "import-relative";
/// `from … import *`.
pub(super) const IMPORT_STAR: &str = "import-star";
/// A name that may not be taken from an allowed module.
pub(super) const MODULE_NAME: &str = "module-name";
/// A function that a compiled server does not have.
pub(super) const UNKNOWN_FUNCTION: &str = "unknown-function";
/// A module used as a value.
pub(super) const MODULE_VALUE: &str = "module-value";
/// A change to something that was imported.
pub(super) const MODULE_WRITE: &str = "module-write";
/// A reference to a built-in that may not be used.
pub(super) const NAME_BLOCKED: &str = "name-blocked";
/// A name starting with `_` that the code does not define.
pub(super) const NAME_PRIVATE: &str = "name-private";
/// A dunder attribute.
pub(super) const ATTRIBUTE_DUNDER: &str = "attribute-dunder";
/// An attribute starting with `_` that is not the code's own.
pub(super) const ATTRIBUTE_PRIVATE: &str = "attribute-private";
/// An attribute of frames, coroutines, generators, tracebacks or code objects.
pub(super) const ATTRIBUTE_INTERNAL: &str = "attribute-internal";
/// An attribute that leads out of the sandbox's language.
pub(super) const ATTRIBUTE_BLOCKED: &str = "attribute-blocked";
/// An attribute named by something that is not a literal.
pub(super) const ATTRIBUTE_DYNAMIC: &str = "attribute-dynamic";
/// A format template that is not a literal or reads attributes.
pub(super) const FORMAT_TEMPLATE: &str = "format-template";
/// A class that changes how Python itself works.
pub(super) const CLASS_HOOK: &str = "class-hook";
/// A metaclass or a class made by a call.
pub(super) const METACLASS: &str = "metaclass";
/// An annotation that is more than a type.
pub(super) const ANNOTATION: &str = "annotation";
/// An argument that a library call may not have.
pub(super) const ARGUMENT_BLOCKED: &str = "argument-blocked";
/// Stands at the end of a list that was cut.
pub(super) const MORE: &str = "more";
/// The policy itself could not be read.
pub(super) const POLICY: &str = "policy";

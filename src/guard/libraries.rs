//! What the rules know by name of Python and of libraries, beside what the policy lists.
//!
//! These names are facts of libraries that a rule is about, such as which functions take names of
//! attributes. What code may use is not said here but in `config/guard.toml`.

/// Built-ins that name an attribute by a string: only called directly, with a literal.
pub(super) const ATTRIBUTE_BUILTINS: [&str; 4] = ["getattr", "setattr", "delattr", "hasattr"];

/// Functions of `operator` that name attributes by strings.
pub(super) const ATTRIBUTE_GETTERS: [&str; 2] = ["attrgetter", "methodcaller"];

/// Functions of `functools` that name attributes by strings, which they copy.
pub(super) const ATTRIBUTE_COPIERS: [&str; 2] = ["update_wrapper", "wraps"];

/// Class attributes whose items name attributes.
pub(super) const NAMES_OF_ATTRIBUTES: [&str; 2] = ["__slots__", "__match_args__"];

/// Methods that take a template of which fields can read attributes.
pub(super) const FORMAT_METHODS: [&str; 2] = ["format", "format_map"];

/// Built-in classes on which hooks may be called, as a class that extends them does.
pub(super) const EXTENDED_BUILTINS: [&str; 13] = [
    "object",
    "str",
    "int",
    "float",
    "tuple",
    "list",
    "dict",
    "set",
    "frozenset",
    "bytes",
    "Exception",
    "ValueError",
    "RuntimeError",
];

/// Built-in classes whose subscripts are types.
pub(super) const GENERIC_BUILTINS: [&str; 6] =
    ["dict", "frozenset", "list", "set", "tuple", "type"];

/// Modules with classes whose subscripts are types.
pub(super) const GENERIC_MODULES: [&str; 7] = [
    "typing",
    "collections",
    "collections.abc",
    "contextlib",
    "pydantic",
    "asyncio",
    "re",
];

/// Modules that evaluate texts as types.
pub(super) const TYPE_EVALUATORS: [&str; 2] = ["typing", "pydantic"];

/// Modules of which calls may stand in an annotation: they make types, or describe fields.
pub(super) const TYPE_MAKERS: [&str; 3] = ["typing", "pydantic", "dataclasses"];

/// Modules of which calls give classes, or what stands for one.
pub(super) const CLASS_MAKERS: [&str; 3] = ["typing", "pydantic", "functools"];

/// Modules of which functions, but for [`RESULT_GIVERS`], give objects of the library.
pub(super) const OBJECT_MAKERS: [&str; 2] = ["asyncio", "contextlib"];

/// Functions of `asyncio` that give what the code's own functions return.
pub(super) const RESULT_GIVERS: [&str; 5] = ["run", "gather", "wait_for", "to_thread", "shield"];

/// Built-ins that call their `key` with one argument, as `itertools.groupby` does.
pub(super) const SORTERS: [&str; 3] = ["sorted", "min", "max"];

/// Methods that read a dict or list without handing out the object itself.
pub(super) const READING_METHODS: [&str; 5] = ["get", "items", "keys", "values", "index"];

/// Built-ins that give their arguments to nothing else.
pub(super) const READING_BUILTINS: [&str; 7] =
    ["all", "any", "enumerate", "len", "print", "sorted", "zip"];

/// Which arguments of a callable are types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeArguments {
    /// The first one, and the keywords of [`TYPE_KEYWORDS`].
    First,
    /// All but the first one, which is a name, and all keywords.
    AllButFirst,
}

/// Callables that take types: the module, the names, and which arguments.
pub(super) const TYPE_TAKERS: [(&str, &[&str], TypeArguments); 4] = [
    ("typing", &["cast"], TypeArguments::First),
    (
        "typing",
        &[
            "NewType",
            "NamedTuple",
            "TypedDict",
            "TypeVar",
            "TypeVarTuple",
            "ParamSpec",
        ],
        TypeArguments::AllButFirst,
    ),
    (
        "pydantic",
        &[
            "TypeAdapter",
            "conlist",
            "conset",
            "confrozenset",
            "InstanceOf",
        ],
        TypeArguments::First,
    ),
    ("pydantic", &["create_model"], TypeArguments::AllButFirst),
];

/// Keywords of callables whose first argument is a type.
pub(super) const TYPE_KEYWORDS: [&str; 3] = ["type", "typ", "item_type"];

/// Members of classes by which Python itself reads attributes or checks classes.
pub(super) const CLASS_MEMBERS: [&str; 8] = [
    "__class_getitem__",
    "__del__",
    "__getattr__",
    "__getattribute__",
    "__instancecheck__",
    "__match_args__",
    "__mro_entries__",
    "__subclasscheck__",
];

/// Built-ins that a text which is evaluated must not call.
pub(super) const EVALUATORS: [&str; 9] = [
    "breakpoint",
    "compile",
    "dir",
    "eval",
    "exec",
    "globals",
    "locals",
    "open",
    "vars",
];

/// Modules whose functions call what they are given, with the keywords that they are given.
pub(super) const CALLING_MODULES: [&str; 5] = [
    "asyncio",
    "contextlib",
    "functools",
    "itertools",
    "operator",
];

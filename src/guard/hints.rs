//! What to write instead, for names that models reach for: hints that no list of similar names gives.

use std::collections::BTreeSet;

use super::imports::nearest;

/// How many functions of a server a hint names where none is similar.
const SAMPLES: usize = 4;

/// Names of modules that may be imported, and what to write instead of them.
const OF_MODULES: [(&str, &str, &str); 30] = [
    ("asyncio", "Runner", "use `asyncio.run(main())`"),
    (
        "asyncio",
        "get_event_loop",
        "use `asyncio.run(main())`, or `await` at the top level",
    ),
    (
        "asyncio",
        "get_running_loop",
        "use `asyncio.create_task`, `asyncio.to_thread` or `time.monotonic`",
    ),
    ("asyncio", "new_event_loop", "use `asyncio.run(main())`"),
    ("asyncio", "subprocess", "processes cannot be started"),
    (
        "asyncio",
        "open_connection",
        "there is no network; call compiled functions",
    ),
    (
        "collections",
        "Callable",
        "import it from `collections.abc`",
    ),
    (
        "collections",
        "Iterable",
        "import it from `collections.abc`",
    ),
    ("collections", "Mapping", "import it from `collections.abc`"),
    (
        "dataclasses",
        "make_dataclass",
        "write a class with `@dataclass`",
    ),
    ("datetime", "utcnow", "use `datetime.now(timezone.utc)`"),
    ("enum", "EnumMeta", "use `__init_subclass__`, or a function"),
    ("enum", "EnumType", "use `__init_subclass__`, or a function"),
    (
        "httpx",
        "HTTPTransport",
        "leave it out, or use `httpx.MockTransport`; the host sends what a client sends",
    ),
    (
        "httpx",
        "AsyncHTTPTransport",
        "leave it out, or use `httpx.MockTransport`; the host sends what a client sends",
    ),
    (
        "inspect",
        "signature",
        "read the docstring that `get_functions` returns",
    ),
    (
        "io",
        "open",
        "there are no files; use `io.StringIO` or `io.BytesIO`",
    ),
    (
        "io",
        "TextIOWrapper",
        "there are no files; use `io.StringIO`",
    ),
    ("pydantic", "BaseSettings", "assign the values to variables"),
    ("pydantic", "FilePath", "there are no files; use `str`"),
    (
        "pydantic",
        "ImportString",
        "import the name with an `import` statement",
    ),
    ("statistics", "average", "use `statistics.mean`"),
    (
        "string",
        "Formatter",
        "use an f-string, or `string.Template`",
    ),
    ("types", "FunctionType", "use `callable(x)`"),
    (
        "types",
        "ModuleType",
        "import the module with an `import` statement",
    ),
    ("types", "CodeType", "write the code directly"),
    (
        "typing",
        "get_type_hints",
        "name the fields; `dataclasses.fields` lists those of a dataclass",
    ),
    ("uuid", "uuid1", "use `uuid.uuid4`"),
    ("uuid", "getnode", "use `uuid.uuid4`"),
    ("zoneinfo", "reset_tzpath", "use `zoneinfo.ZoneInfo(\"…\")`"),
];

/// Dunder attributes, and what to write instead of them.
const DUNDERS: [(&str, &str); 22] = [
    (
        "__annotations__",
        "name the fields; `dataclasses.fields` lists those of a dataclass",
    ),
    ("__await__", "use `await`"),
    ("__bases__", "use `issubclass`"),
    ("__class__", "use `type(x).__name__` or `isinstance`"),
    ("__closure__", "keep the value in a variable"),
    (
        "__code__",
        "keep what you need of the function in a variable",
    ),
    ("__dataclass_fields__", "use `dataclasses.fields(x)`"),
    ("__defaults__", "keep the default in a constant"),
    (
        "__dict__",
        "name the attributes, or use a dataclass and `asdict`",
    ),
    (
        "__getitem__",
        "use `x[i]`; as a key function, `lambda i: x[i]`",
    ),
    ("__globals__", "use a dict of your own"),
    (
        "__init__",
        "define it in the class, and call `super().__init__(…)` in a subclass",
    ),
    ("__module__", "leave it out"),
    ("__mro__", "use `isinstance` or `issubclass`"),
    ("__pydantic_extra__", "use `model.model_extra`"),
    ("__self__", "keep the object in a variable"),
    (
        "__setattr__",
        "use `@dataclass(frozen=True)` for objects that do not change",
    ),
    ("__slots__", "name the attributes"),
    (
        "__subclasses__",
        "collect the classes in `__init_subclass__`",
    ),
    ("__traceback__", "print the exception itself"),
    ("__weakref__", "leave it out"),
    ("__wrapped__", "keep the function itself in a variable"),
];

/// What to write instead of a name of a module.
pub(super) fn of_module(module: &str, name: &str) -> Option<&'static str> {
    let found = OF_MODULES
        .iter()
        .find(|row| row.0 == module && row.1 == name);
    found.map(|row| row.2)
}

/// What to write instead of a dunder attribute.
pub(super) fn of_dunder(name: &str) -> &'static str {
    let found = DUNDERS.iter().find(|row| row.0 == name);
    found.map_or("use the operator or built-in that stands for it", |row| {
        row.1
    })
}

/// Which functions a server has that are called alike, or some of them.
pub(super) fn of_function(name: &str, functions: &BTreeSet<String>) -> String {
    if name.starts_with('_') || !name.contains(|character: char| character.is_lowercase()) {
        return "only functions can be taken; the host sends the requests and adds credentials"
            .to_owned();
    }
    let list = |names: &[&str]| {
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        quoted.join(" or ")
    };
    let near = nearest(name, functions.iter().map(String::as_str));
    if near.is_empty() {
        let some: Vec<&str> = functions.iter().take(SAMPLES).map(String::as_str).collect();
        match functions.len() {
            0 => "it has none".to_owned(),
            count if count > SAMPLES => format!(
                "it has {count}, such as {}; `search_functions` finds others",
                list(&some).replace(" or ", ", ")
            ),
            _ => format!("it has {}", list(&some).replace(" or ", ", ")),
        }
    } else {
        format!("did you mean {}?", list(&near))
    }
}

//! Names of servers: folders, Python packages and parts of variable names at once.

use super::settings_table;
use crate::variables;

/// How long the identifier may be: it is a folder, and half of a variable's name.
pub(super) const LONGEST: usize = 64;

/// Python's keywords that an identifier in lower case can be.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
    "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Modules of the sandbox: its libraries and what they bring along, and mce's own.
const SANDBOX: &[&str] = &[
    "annotated_types",
    "anyio",
    "certifi",
    "h11",
    "httpcore",
    "httpx",
    "idna",
    "mce",
    "mcp",
    "orjson",
    "pip",
    "pkg_resources",
    "pydantic",
    "pydantic_core",
    "setuptools",
    "sniffio",
    "typing_extensions",
    "typing_inspection",
    "user_tools",
    "wheel",
];

/// Top-level modules of the standard library of `CPython` 3.11 to 3.14
/// (`sys.stdlib_module_names`), but those that start with `_`, which no server name does.
const STANDARD_LIBRARY: &[&str] = &[
    "abc",
    "aifc",
    "annotationlib",
    "antigravity",
    "argparse",
    "array",
    "ast",
    "asynchat",
    "asyncio",
    "asyncore",
    "atexit",
    "audioop",
    "base64",
    "bdb",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "calendar",
    "cgi",
    "cgitb",
    "chunk",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "codeop",
    "collections",
    "colorsys",
    "compileall",
    "compression",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "cprofile",
    "crypt",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "dbm",
    "decimal",
    "difflib",
    "dis",
    "distutils",
    "doctest",
    "email",
    "encodings",
    "ensurepip",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "genericpath",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "idlelib",
    "imaplib",
    "imghdr",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "lib2to3",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "mailcap",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "modulefinder",
    "msilib",
    "msvcrt",
    "multiprocessing",
    "netrc",
    "nis",
    "nntplib",
    "nt",
    "ntpath",
    "nturl2path",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "ossaudiodev",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "pipes",
    "pkgutil",
    "platform",
    "plistlib",
    "poplib",
    "posix",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "py_compile",
    "pyclbr",
    "pydoc",
    "pydoc_data",
    "pyexpat",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "rlcompleter",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "sndhdr",
    "socket",
    "socketserver",
    "spwd",
    "sqlite3",
    "sre_compile",
    "sre_constants",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "sunau",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tabnanny",
    "tarfile",
    "telnetlib",
    "tempfile",
    "termios",
    "textwrap",
    "this",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "turtle",
    "turtledemo",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uu",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "winreg",
    "winsound",
    "wsgiref",
    "xdrlib",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];

/// The identifier for a name: ASCII letters, digits and single underscores, in lower case, none at
/// the ends, `m_` before a leading digit. Empty where the name holds no letter or digit.
pub(super) fn sanitise(name: &str) -> String {
    let words: Vec<_> = name
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let mut identifier = words.join("_").to_ascii_lowercase();
    if identifier.starts_with(|first: char| first.is_ascii_digit()) {
        identifier.insert_str(0, "m_");
    }
    identifier
}

/// Why an identifier cannot be a server's name; `None` where it can.
pub(super) fn refuse(identifier: &str) -> Option<String> {
    if is_keyword(identifier) {
        return Some("it is a keyword of Python, so no code could import it".to_owned());
    }
    if identifier == "mce_runtime" {
        return Some("it is the runtime module of the compiled clients".to_owned());
    }
    if STANDARD_LIBRARY.contains(&identifier) {
        return Some("it would shadow a module of Python's standard library".to_owned());
    }
    if SANDBOX.contains(&identifier) {
        return Some("it would shadow a module of the sandbox".to_owned());
    }
    if identifier.starts_with("mce_") {
        return Some("names that start with `mce_` are mce's own".to_owned());
    }
    if identifier.starts_with("mcp_") {
        return Some("names that start with `mcp_` belong to bridged MCP servers".to_owned());
    }
    variables::SERVER_SUFFIXES
        .iter()
        .map(|suffix| variables::of_server(identifier, suffix))
        .find(|name| settings_table::is_setting(name))
        .map(|name| format!("its variable `{name}` would be that of a setting"))
}

/// What a server of this name is called: its folder, its package, its part of variable names. Empty
/// where the name holds no letter or digit of ASCII.
#[must_use]
pub fn server_name(name: &str) -> String {
    sanitise(name)
}

/// Whether a server can have this name as it stands.
#[must_use]
pub fn is_free_name(name: &str) -> bool {
    !name.is_empty() && sanitise(name) == name && refuse(name).is_none()
}

/// Whether an identifier in lower case is a keyword of Python.
pub(super) fn is_keyword(identifier: &str) -> bool {
    KEYWORDS.contains(&identifier)
}

/// Why a text cannot be the name of a function; `None` where it can.
pub(super) fn refuse_function(name: &str) -> Option<&'static str> {
    let snake_case = name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_');
    if !snake_case {
        Some("it is no identifier in snake_case")
    } else if name.starts_with('_') {
        Some("names that start with `_` are private or special to Python")
    } else if is_keyword(name) {
        Some("it is a keyword of Python")
    } else if name.len() > 100 {
        Some("it is longer than 100 characters")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, identifier) in [
            ("Open-Meteo Weather API", "open_meteo_weather_api"),
            ("../../escape", "escape"),
            ("/opt/x", "opt_x"),
            ("__pycache__", "pycache"),
            ("123", "m_123"),
            ("a__b", "a_b"),
            ("日本ather\u{202e}", "ather"),
            ("!!!", ""),
        ] {
            assert_eq!(sanitise(name), identifier);
            assert_eq!(sanitise(identifier), identifier, "stable");
        }
    }

    #[test]
    fn names_that_would_stand_for_something_else_are_refused() {
        for (name, why) in [
            ("os", "standard library"),
            ("annotationlib", "standard library"),
            ("httpx", "of the sandbox"),
            ("class", "keyword"),
            ("mce_runtime", "runtime module"),
            ("mce_x", "mce's own"),
            ("mcp_github", "bridged"),
            ("llm", "`MCE_LLM_API_KEY`"),
        ] {
            let reason = refuse(name).unwrap();
            assert!(reason.contains(why), "{name}: {reason}");
        }
        for name in ["weather", "con", "sandbox", "a_base_url", "test", "main"] {
            assert_eq!(refuse(name), None, "{name}");
        }
    }

    #[test]
    fn function_names() {
        assert_eq!(refuse_function("list_items2"), None);
        for name in [
            "x(): pass",
            "__import__",
            "class",
            "Api",
            "",
            "2x",
            "é",
            "_api",
        ] {
            assert!(refuse_function(name).is_some(), "{name}");
        }
    }
}

//! The table of the guard's rules. Their ids stand in `Violation::rule`; `docs/guard-rules.md` is
//! made of the table, and its examples are tested.

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The id, such as `import-blocked`.
    pub id: &'static str,
    /// What it refuses, in one sentence.
    pub meaning: &'static str,
    /// Code that it refuses.
    pub refused: Example,
    /// The same as it may be written.
    pub accepted: &'static str,
}

/// Code that shows a rule.
#[derive(Debug, Clone, Copy)]
pub enum Example {
    /// The code itself.
    Code(&'static str),
    /// Code that is too long to be shown.
    Described {
        /// The code in words.
        words: &'static str,
        /// Writes the code.
        write: fn() -> String,
    },
}

impl Example {
    /// The code.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::Code(code) => (*code).to_owned(),
            Self::Described { write, .. } => write(),
        }
    }
}

/// The constants with their ids, and [`RULES`], of one list.
macro_rules! rules {
    ($(#[doc = $meaning:literal] $name:ident = $id:literal: $refused:expr => $accepted:literal;)*) => {
        $(#[doc = $meaning] pub(super) const $name: &str = $id;)*

        /// Every rule, in the order in which the guard comes to them.
        pub const RULES: &[Rule] = &[$(Rule {
            id: $id,
            meaning: $meaning,
            refused: $refused,
            accepted: $accepted,
        }),*];
    };
}

use Example::{Code, Described};

rules! {
    /// Code that is longer than the guard reads, or texts used too often as names or types.
    TOO_LONG = "too-long": Described {
        words: "more than 1 MiB of code",
        write: || "x = 1\n".repeat(super::MAX_CODE_BYTES / 6 + 1),
    } => "x = 1\n";
    /// A declaration of another encoding than UTF-8.
    ENCODING = "encoding":
        Code("# -*- coding: latin-1 -*-\nresult = 1\n") => "result = 1\n";
    /// A character that makes the code read otherwise than it looks.
    CONTROL_CHARACTER = "control-character": Described {
        words: "a text with the character U+202E as it is",
        write: || "result = '\u{202e}'\n".to_owned(),
    } => "result = '\\u202e'\n";
    /// Code that is nested too deep to be looked at.
    TOO_DEEP = "too-deep": Described {
        words: "an expression in more than 200 pairs of parentheses",
        write: || format!("result = {}1{}\n", "(".repeat(400), ")".repeat(400)),
    } => "result = 1\n";
    /// Code that is not Python 3.13.
    SYNTAX = "syntax":
        Code("if total > 1\n    result = total\n")
        => "total = 2\nif total > 1:\n    result = total\n";
    /// A module that may not be imported.
    IMPORT_BLOCKED = "import-blocked":
        Code("import pandas as pd\n\nresult = pd.Series([1, 2]).mean()\n")
        => "from statistics import mean\n\nresult = mean([1, 2])\n";
    /// A relative import.
    IMPORT_RELATIVE = "import-relative":
        Code("from .parse import quote\n") => "from urllib.parse import quote\n";
    /// `from … import *`, which hides where names come from.
    IMPORT_STAR = "import-star":
        Code("from math import *\n\nresult = sqrt(2)\n")
        => "from math import sqrt\n\nresult = sqrt(2)\n";
    /// A name that may not be taken from a module that may be imported.
    MODULE_NAME = "module-name":
        Code("import types\n\nresult = types.CodeType\n")
        => "from types import SimpleNamespace\n\nresult = SimpleNamespace(total=1).total\n";
    /// A function that a compiled server does not have.
    UNKNOWN_FUNCTION = "unknown-function":
        Code("from bookshop.functions import list_book\n\nresult = list_book()\n")
        => "from bookshop.functions import list_books\n\nresult = list_books()\n";
    /// A module used as a value.
    MODULE_VALUE = "module-value":
        Code("import math\n\ntools = [math]\nresult = tools[0].pi\n")
        => "import math\n\ntools = [math.pi]\nresult = tools[0]\n";
    /// A change to something that was imported.
    MODULE_WRITE = "module-write":
        Code("import json\n\njson.indent = 2\n")
        => "import json\n\nINDENT = 2\nresult = json.dumps([1], indent=INDENT)\n";
    /// A built-in that may not be used, called or not.
    NAME_BLOCKED = "name-blocked":
        Code("result = eval('[1, 2]')\n") => "import json\n\nresult = json.loads('[1, 2]')\n";
    /// A name starting with `_` that is not the code's own, or a dunder name that may not be.
    NAME_PRIVATE = "name-private":
        Code("result = __builtins__\n") => "_total = 1\nresult = _total\n";
    /// A dunder attribute.
    ATTRIBUTE_DUNDER = "attribute-dunder":
        Code("result = ''.__class__.__mro__\n") => "result = type('').__name__\n";
    /// An attribute starting with `_` that is not the code's own.
    ATTRIBUTE_PRIVATE = "attribute-private":
        Code("import json\n\nresult = json.JSONDecoder()._state\n")
        => "class Counter:\n    def __init__(self):\n        self._count = 0\n\n\n\
            result = Counter()._count\n";
    /// An attribute of frames, coroutines, generators, tracebacks or code objects.
    ATTRIBUTE_INTERNAL = "attribute-internal":
        Code("numbers = (n for n in range(3))\nresult = numbers.gi_frame\n")
        => "numbers = (n for n in range(3))\nresult = list(numbers)\n";
    /// An attribute that leads out of what code may use.
    ATTRIBUTE_BLOCKED = "attribute-blocked":
        Code("from enum import Enum\n\nresult = Enum.sys\n")
        => "settings = {'sys': 1}\nresult = settings['sys']\n";
    /// An attribute named by something that is not a literal.
    ATTRIBUTE_DYNAMIC = "attribute-dynamic":
        Code("def read(item, name):\n    return getattr(item, name)\n")
        => "def read(item):\n    return getattr(item, 'price', None)\n";
    /// A format template that is not a literal, or that reads attributes.
    FORMAT_TEMPLATE = "format-template":
        Code("result = '{0.real}'.format(1)\n") => "number = 1\nresult = f'{number.real}'\n";
    /// A class that changes how Python itself works.
    CLASS_HOOK = "class-hook":
        Code("class Trap:\n    def __getattribute__(self, name):\n        return 1\n")
        => "class Trap:\n    def __getattr__(self, name):\n        return 1\n";
    /// A class of a library that may not be extended.
    CLASS_BASE = "class-base":
        Code("import contextlib\n\n\nclass Log(contextlib.redirect_stdout):\n    pass\n")
        => "import contextlib\nimport io\n\nwith contextlib.redirect_stdout(io.StringIO()) as log:\n    \
            print('kept')\nresult = log.getvalue()\n";
    /// A metaclass, or a class made by a call.
    METACLASS = "metaclass":
        Code("Point = type('Point', (), {'x': 1})\n") => "class Point:\n    x = 1\n";
    /// An annotation that is more than a type.
    ANNOTATION = "annotation":
        Code("total: 'print(1)' = 1\n") => "total: int = 1\n";
    /// An argument that a library call may not have.
    ARGUMENT_BLOCKED = "argument-blocked":
        Code("import httpx\n\nclient = httpx.Client(verify=False)\n")
        => "import httpx\n\nclient = httpx.Client()\n";
    /// A decorator that may not be used, however it was imported.
    DECORATOR_BLOCKED = "decorator-blocked":
        Code("import atexit\n\n\n@atexit.register\ndef report():\n    print('done')\n")
        => "def report():\n    print('done')\n\n\n\
            try:\n    result = 1\nfinally:\n    report()\n";
    /// Stands behind 20 violations where there are more.
    MORE = "more": Described {
        words: "code with more than 20 violations",
        write: || "eval\n".repeat(60),
    } => "result = 1\n";
}

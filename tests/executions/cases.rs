//! Code, and what must come of it.

use mce::sandbox::FailureKind;

/// What must come of code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expected {
    /// This value, as JSON.
    Value(&'static str),
    /// A value, and these prints.
    Prints(&'static str),
    /// A failure of a class, with this in its message.
    Failure(FailureKind, &'static str),
}

/// A piece of code.
pub struct Case {
    pub name: &'static str,
    pub code: &'static str,
    pub expected: Expected,
    /// What comes of it in the embedded sandbox, where that differs.
    pub embedded: Option<Expected>,
}

const fn value(name: &'static str, code: &'static str, json: &'static str) -> Case {
    Case {
        name,
        code,
        expected: Expected::Value(json),
        embedded: None,
    }
}

const fn failure(
    name: &'static str,
    code: &'static str,
    kind: FailureKind,
    text: &'static str,
) -> Case {
    Case {
        name,
        code,
        expected: Expected::Failure(kind, text),
        embedded: None,
    }
}

pub const CASES: &[Case] = &[
    value("last expression", "print('hello')\n1 + 1", "2"),
    value("no value", "x = 1", "null"),
    value("byte order mark", "\u{feff}'after'", "\"after\""),
    value("nothing", "", "null"),
    value(
        "result before the last expression",
        "result = [1]\n5",
        "[1]",
    ),
    value("main", "def main():\n    return 'm'", "\"m\""),
    value(
        "main before the last expression",
        "def main():\n    return 'm'\n7",
        "\"m\"",
    ),
    value(
        "main before result",
        "def main():\n    return 'm'\nresult = 7",
        "\"m\"",
    ),
    value(
        "main that sets result",
        "def main():\n    global result\n    result = 5",
        "5",
    ),
    value("async main", "async def main():\n    return 'a'", "\"a\""),
    value(
        "main that ran already",
        "n = 0\ndef main():\n    '''Doc.'''\n    global n\n    n += 1\n    return n\nresult = main()",
        "1",
    ),
    value(
        "main under a guard",
        "n = 0\ndef main():\n    global n\n    n += 1\n    return n\nif __name__ == '__main__':\n    main()\n    result = n",
        "1",
    ),
    value(
        "await at the top",
        "import asyncio\nawait asyncio.sleep(0)\n'top'",
        "\"top\"",
    ),
    value("loop variable", "x = 0\nfor x in range(3): pass\nx", "2"),
    value(
        "numbers",
        "[1.0, 0.1, 1e300, 2 ** 100, -0.0, float('inf'), True, None]",
        "[1.0, 0.1, 1e300, 1267650600228229401496703205376, -0.0, \"Infinity\", true, null]",
    ),
    value(
        "containers",
        "{'t': (1, (2,)), 's': {3, 1, 2}, 'b': b'\\x00\\xff', 1: 'k', None: 'n', 'd': {'x': []}}",
        "{\"t\": [1, [2]], \"s\": [1, 2, 3], \"b\": \"AP8=\", \"1\": \"k\", \"null\": \"n\", \"d\": {\"x\": []}}",
    ),
    value(
        "dates and times",
        "import datetime\n[datetime.date(2024, 2, 9), datetime.datetime(2020, 1, 2, 3, 4, 5), datetime.timedelta(minutes=1, seconds=30)]",
        "[\"2024-02-09\", \"2020-01-02T03:04:05\", 90.0]",
    ),
    value(
        "data class",
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: str = 'a'\nP(1)",
        "{\"x\": 1, \"y\": \"a\"}",
    ),
    Case {
        name: "prints",
        code: "print('a', 1, None, sep='-', end='!\\n')\nprint('é')",
        expected: Expected::Prints("a-1-None!\né\n"),
        embedded: None,
    },
    value(
        "a call",
        "from shop.functions import echo\necho(a=1, b=[True, None, 'x'])",
        "{\"a\": 1, \"b\": [true, null, \"x\"]}",
    ),
    value(
        "a call of a function under another name",
        "from shop.functions import echo as e\ne(a={'k': 1.5})",
        "{\"a\": {\"k\": 1.5}}",
    ),
    value(
        "none is left out",
        "from shop.functions import echo\necho(a=None, b=1)",
        "{\"b\": 1}",
    ),
    value(
        "null is given",
        "from shop.functions import NULL, echo\necho(a=NULL)",
        "{\"a\": null}",
    ),
    value(
        "dates as arguments",
        "import datetime\nfrom shop.functions import echo\necho(a=datetime.date(2024, 1, 2), b=(1, 2))",
        "{\"a\": \"2024-01-02\", \"b\": [1, 2]}",
    ),
    value(
        "bytes as an answer",
        "from shop.functions import blob\nb = blob(size=300)\n[len(b), b[250], b[251], type(b) is bytes]",
        "[300, 250, 0, true]",
    ),
    failure(
        "positional arguments",
        "from shop.functions import echo\necho(1)",
        FailureKind::Execution,
        "TypeError: echo() takes 0 positional arguments but 1 was given",
    ),
    failure(
        "an argument that is no data",
        "from shop.functions import echo\necho(a=float('nan'))",
        FailureKind::Execution,
        "ValueError: echo() argument 'a' must be a finite number, not nan",
    ),
    failure(
        "an API error",
        "from shop.functions import api\napi()",
        FailureKind::Api,
        "ApiError: 404 no such pet",
    ),
    failure(
        "a refused call",
        "from shop.functions import egress\negress()",
        FailureKind::Egress,
        "EgressError: not imported",
    ),
    value(
        "a caught API error",
        "from shop.functions import api, ApiError\ntry:\n    api()\nexcept ApiError as error:\n    result = str(error)",
        "\"404 no such pet\"",
    ),
    value(
        "an API error caught as any",
        "from shop.functions import api\ntry:\n    api()\nexcept ValueError:\n    result = 'value'\nexcept Exception as error:\n    result = str(error)",
        "\"404 no such pet\"",
    ),
    value(
        "calls one after the other",
        "from shop.functions import slow\n[slow(n=n) for n in range(2)]",
        "[0, 1]",
    ),
    value(
        "calls at once",
        "import asyncio\nfrom shop.functions import slow\nasync def main():\n    return await asyncio.gather(slow.aio(n=1), slow.aio(n=2))",
        "[1, 2]",
    ),
    failure(
        "an error in the code",
        "def f():\n    return {}['x']\nf()",
        FailureKind::Execution,
        "KeyError: 'x'",
    ),
    failure(
        "an unknown name",
        "undefined_name",
        FailureKind::Execution,
        "NameError: name 'undefined_name' is not defined",
    ),
    failure(
        "a value that contains itself",
        "x = []\nx.append(x)\nx",
        FailureKind::Execution,
        "contains itself",
    ),
    value("the end by exit", "print('x')\nraise SystemExit", "null"),
    failure(
        "a bad exit",
        "raise SystemExit(2)",
        FailureKind::Execution,
        "the code exited with `2`",
    ),
    value(
        "calls at once outside of functions",
        "import asyncio\nfrom shop.functions import slow\nn = 3\nawait asyncio.gather(slow.aio(n=n), slow.aio(n=2))",
        "[3, 2]",
    ),
    value(
        "tasks outside of functions",
        "import asyncio\nfrom shop.functions import slow\ntask = asyncio.create_task(slow.aio(n=1))\ntext = \"\"\"a\n b\"\"\"\nresult = [await task, text]",
        "[1, \"a\\n b\"]",
    ),
    value(
        "asyncio.run of a coroutine",
        "import asyncio\nfrom shop.functions import slow\nasync def both():\n    async with asyncio.timeout(5):\n        return [await slow.aio(n=1), await slow.aio(n=2)]\nasyncio.run(both())",
        "[1, 2]",
    ),
    value(
        "fields of an API error",
        "from shop.functions import api, ApiError\ntry:\n    api()\nexcept ApiError as error:\n    result = [error.status, type(error).__name__, isinstance(error, ApiError)]",
        "[404, \"ApiError\", true]",
    ),
    value(
        "errors of a module that is imported whole",
        "import shop.functions as shop\ntry:\n    shop.api()\nexcept shop.ApiError as error:\n    result = error.status",
        "404",
    ),
    value(
        "a generator that calls",
        "from shop.functions import echo\ndef pages():\n    for n in range(3):\n        yield echo(a=n)['a']\nsum(pages())",
        "3",
    ),
    Case {
        name: "classes that derive from each other",
        code: "class A:\n    def __init__(self, n):\n        self.n = n\n    def get(self):\n        return self.n\nclass B(A):\n    def get(self):\n        return super().get() + 1\nB(1).get()",
        expected: Expected::Value("2"),
        embedded: Some(Expected::Failure(
            FailureKind::Unsupported,
            "line 6: inheritance of classes needs the docker sandbox",
        )),
    },
    value(
        "match",
        "match {'kind': 'dog', 'n': 2}:\n    case {'kind': 'cat'}:\n        result = 0\n    case {'kind': str(kind), 'n': n} if n > 1:\n        result = [kind, n]",
        "[\"dog\", 2]",
    ),
    value(
        "modules",
        "import statistics, collections, itertools\n[statistics.median([3, 1, 2]), dict(collections.Counter('aab')), list(itertools.islice(itertools.count(), 2))]",
        "[2, {\"a\": 2, \"b\": 1}, [0, 1]]",
    ),
    value(
        "arithmetic of dates",
        "from datetime import datetime, timedelta, timezone\n(datetime(2024, 2, 28, tzinfo=timezone.utc) + timedelta(days=2)).isoformat()",
        "\"2024-03-01T00:00:00+00:00\"",
    ),
    value("sums of truth values", "sum(x > 1 for x in [1, 2, 3])", "2"),
    value(
        "names of builtins that the code takes",
        "list = 3\nstr = 4\ntype = 5\nlen = 6\nnext = 7\nisinstance = 8\ndef f():\n    yield 1\nfrom datetime import datetime\n[{1: 2} | {3: 4}, 7.5 // 2, '%d' % 3, sum(x for x in f()), datetime(2024, 1, 1).strftime('%f'), list]",
        "[{\"1\": 2, \"3\": 4}, 3.0, \"3\", 1, \"000000\", 3]",
    ),
    Case {
        name: "prints with separators",
        code: "print('a', 1, None, sep='-', end='!')\nprint(f'{1.5:.2f}', {'k': [1]})",
        expected: Expected::Prints("a-1-None!1.50 {'k': [1]}\n"),
        embedded: None,
    },
    value(
        "items of all pages",
        "from shop.functions import things\nlist(things.items(size=2))",
        "[1, 2, 3]",
    ),
    value(
        "pages",
        "import shop.functions as shop\n[len(page['things']) for page in shop.things.pages()]",
        "[2, 1]",
    ),
    value(
        "items of all pages, awaited",
        "from shop.functions import things\nfound = []\nasync def main():\n    async for thing in things.items.aio():\n        found.append(thing)\n    return found",
        "[1, 2, 3]",
    ),
    failure(
        "items that are no list",
        "from shop.functions import things\nlist(things.items(cursor='odd'))",
        FailureKind::Execution,
        "RuntimeError: things(): page 1 has no list at `things`; use `pages`",
    ),
    failure(
        "pages of what has none",
        "from shop.functions import echo\necho.items()",
        FailureKind::Execution,
        "AttributeError: echo() has no `items`: its document shows no pagination",
    ),
    value(
        "a stream",
        "from shop.functions import watch\nwith watch() as events:\n    result = [[e.data, e.event, e.id, e.retry] for e in events] + [events.is_cut]",
        "[[{\"n\": 1}, \"message\", \"\", null], [\"two\", \"note\", \"7\", null], false]",
    ),
    value(
        "a stream that was cut",
        "from shop.functions import watch\nfrom mce_runtime import EgressError\nseen = []\ntry:\n    for event in watch(cut=True):\n        seen.append(event.data)\nexcept EgressError as error:\n    seen.append(str(error))\nseen",
        "[{\"n\": 1}, \"two\", \"there would have been more\"]",
    ),
    value(
        "a stream, awaited",
        "from shop.functions import watch\nasync def main():\n    found = []\n    async for event in await watch.aio():\n        found.append(event.event)\n    return found",
        "[\"message\", \"note\"]",
    ),
    Case {
        name: "a module that the interpreter lacks",
        code: "import fractions\nstr(fractions.Fraction(1, 3))",
        expected: Expected::Value("\"1/3\""),
        embedded: Some(Expected::Failure(
            FailureKind::Unsupported,
            "line 1: the module `fractions` needs the docker sandbox",
        )),
    },
];

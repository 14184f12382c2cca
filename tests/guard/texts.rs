//! Code of a given length: such as people write, and such as makes a guard work hardest.

/// Programs that use much of the language and of the library.
const ORDINARY: [&str; 3] = [
    include_str!("ordinary/client_report.py"),
    include_str!("ordinary/language_tour.py"),
    include_str!("ordinary/library_tour.py"),
];

/// Ordinary code of about `length` bytes, which the guard accepts: each program is a function, so
/// that its names are its own.
pub fn realistic(length: usize) -> String {
    let mut code = String::from("from __future__ import annotations\n");
    for (number, program) in ORDINARY.iter().cycle().enumerate() {
        let mut function = format!("\n\nasync def program_{number}():\n");
        for line in program
            .lines()
            .filter(|line| !line.starts_with("from __future__"))
        {
            function.push_str("    ");
            function.push_str(line);
            function.push('\n');
        }
        if code.len() + function.len() > length {
            return code;
        }
        code.push_str(&function);
    }
    code
}

/// Texts of about `length` bytes that grow some part of the work as far as it goes.
#[expect(clippy::too_many_lines, reason = "a list of texts")]
pub fn worst(length: usize) -> Vec<(&'static str, String)> {
    let repeat = |piece: &str| piece.repeat(length / piece.len());
    let numbered = |piece: &str| {
        let mut code = String::new();
        for number in 0.. {
            let line = piece.replace('#', &number.to_string());
            if code.len() + line.len() > length {
                break;
            }
            code.push_str(&line);
        }
        code
    };
    // Many blocks of the deepest trees that are read.
    let deep = |open: &str, close: &str, depth: usize| {
        let one = format!("x = {}1{}\n", open.repeat(depth), close.repeat(depth));
        one.repeat(length / one.len())
    };
    vec![
        ("open parentheses", repeat("(")),
        ("parentheses, as deep as is read", deep("(", ")", 180)),
        ("lists, as deep as is read", deep("[", "]", 180)),
        ("unary operators", format!("x = {}1", repeat("-"))),
        ("unary operators, as deep as is read", deep("-", "", 180)),
        ("lambdas, as deep as is read", deep("lambda: ", "", 90)),
        (
            "attributes, as deep as is read",
            deep("a.b.", "", 90).replace(".1", ".c"),
        ),
        ("calls, as deep as is read", deep("f(", ")", 90)),
        (
            "comprehensions in each other",
            deep("[[y for y in ", "] for x in z]", 30),
        ),
        ("one line of items", format!("x = [{}]", repeat("1, "))),
        ("one line of statements", repeat("x = 1; ")),
        ("one string", format!("x = '{}'", repeat("a{b} "))),
        ("one comment", format!("# {}", repeat("coding "))),
        ("one name", format!("x = {}", repeat("a"))),
        (
            "one name that Python folds",
            format!("x = {}", repeat("\u{ff41}")),
        ),
        ("imports", numbered("import a#\n")),
        ("imports of one name", repeat("import os\n")),
        ("imports that are allowed", repeat("import json\n")),
        ("modules under many names", numbered("import json as j#\n")),
        (
            "one name for many modules",
            numbered("import json as j, re as j\nj.x\n"),
        ),
        (
            "unknown functions",
            numbered("from weather.functions import get_forecasts#\n"),
        ),
        (
            "names that are much alike",
            numbered("from json import dump#\n"),
        ),
        ("aliases of aliases", numbered("a# = b#\nb# = a#\na#.c\n")),
        ("one chain of aliases", {
            let mut code = String::from("import json\na0 = json\n");
            for number in 1.. {
                let line = format!("a{number} = a{}\n", number - 1);
                if code.len() + line.len() > length {
                    break;
                }
                code.push_str(&line);
            }
            code
        }),
        ("functions in functions", {
            let functions: Vec<String> = (0..60)
                .map(|depth| format!("{}def f(x=eval):\n", " ".repeat(depth)))
                .collect();
            let one = format!("{}{}pass\n", functions.concat(), " ".repeat(60));
            one.repeat(length / one.len())
        }),
        (
            "functions with nonlocal names",
            numbered("def f#():\n  a = 1\n  def g():\n    nonlocal a\n    a = 2\n"),
        ),
        ("one scope with many names", numbered("a# = 1\n")),
        ("one name bound often", repeat("a = 1\n")),
        ("one name bound to many texts, used as a template", {
            format!(
                "{}{}",
                "a = '{}'\n".repeat(length / 20),
                "a.format(1)\n".repeat(length / 26)
            )
        }),
        ("names bound often to names bound often", {
            let names = ["a = b\n", "b = c\n", "c = d\n", "d = ''\n"];
            let bound = names.map(|line| line.repeat(length / 40)).concat();
            format!("{bound}{}", "a.format(1)\n".repeat(length / 60))
        }),
        (
            "classes of one name with many bases",
            format!(
                "{}{}",
                "class A(A,A,A,A,A,A):0\n".repeat(length / 46),
                "A()._x\n".repeat(length / 14)
            ),
        ),
        (
            "one class with many bases",
            format!(
                "class A({}):0\n{}",
                "b,".repeat(length / 4),
                "A.x\n".repeat(length / 8)
            ),
        ),
        (
            "one long class",
            format!(
                "class A(A):\n{}{}",
                " x = 1\n".repeat(length / 14),
                "A._y\n".repeat(length / 10)
            ),
        ),
        (
            "a name bound to many calls, used as a type",
            format!(
                "import json\n{}{}",
                "a=json.x()\n".repeat(length / 22),
                "x: a\n".repeat(length / 10)
            ),
        ),
        (
            "a name bound to many classes, used in patterns",
            format!(
                "import collections as c\n{}match x:\n{}",
                "a=c.namedtuple()\n".repeat(length / 34),
                " case a(): pass\n".repeat(length / 34)
            ),
        ),
        (
            "keywords from one dict with many items",
            format!(
                "import httpx\na={}\n{}{}",
                "{}",
                "a['k']=1\n".repeat(length / 20),
                "httpx.get(**a)\n".repeat(length / 32)
            ),
        ),
        (
            "a model made of one dict again and again",
            format!(
                "from pydantic import create_model\nd = {{{}}}\n{}",
                "'a': (int, 1), ".repeat(length / 32),
                "create_model('M', **d)\n".repeat(length / 48)
            ),
        ),
        (
            "a name bound to its own items",
            format!(
                "import dataclasses\n{}{}",
                "x = x[1]\n".repeat(length / 18),
                "x.y = 1\n".repeat(length / 16)
            ),
        ),
        (
            "many lambdas and many calls that only read",
            "print(a)\nlambda: 0\n".repeat(length / 19),
        ),
        (
            "tests of a module",
            format!("import json\n{}", repeat("if json: json\n")),
        ),
        ("long templates", {
            let text = "{}".repeat(length / 4);
            format!("a = '{text}'\n{}", "a.format(1)\n".repeat(length / 26))
        }),
        ("attributes that are refused", repeat("x.__class__\n")),
        ("private names", repeat("_y\n")),
        ("built-ins that are refused", repeat("eval\n")),
        ("format fields", format!("x = f'{}'", repeat("{y!r:>{z}}"))),
        ("string annotations", repeat("x: 'list[int]'\n")),
        (
            "one string annotation",
            format!("x: 'int{}'", repeat(" | int")),
        ),
        ("subscripts of types", repeat("x = list['int']\n")),
        ("keywords from dicts", {
            format!(
                "import httpx\no = {{{}}}\n{}",
                "'a': 1, ".repeat(length / 16),
                "httpx.get(**o)\n".repeat(length / 32)
            )
        }),
        (
            "calls with many keywords",
            format!("import httpx\nhttpx.get({})", numbered("k#=1, ")),
        ),
        (
            "class patterns",
            format!("match x:\n{}", repeat(" case A(b=1): pass\n")),
        ),
        ("decorators", format!("{}def f(): pass", repeat("@a\n"))),
        (
            "type parameters",
            format!("def f[{}](): pass", numbered("T#: int, ")),
        ),
        (
            "global names",
            format!("def f():\n{}", numbered(" global a#\n a# = 1\n")),
        ),
        ("backslashes", format!("x = 1{}", repeat("\\\n"))),
        ("blank lines", repeat("\n")),
        ("carriage returns", repeat("\r")),
        ("quotes", repeat("'''\"\"\"")),
        (
            "f-strings that do not end",
            format!("x = {}", repeat("f\"{")),
        ),
        (
            "names for items of names",
            fanned(
                "import dataclasses\n",
                &"[0]".repeat(100),
                "n0.a = 1\n",
                length,
            ),
        ),
        (
            "names for objects of libraries",
            fanned("import json\nclass A:\n    _p = 1\n", "", "n0._p\n", length),
        ),
        ("syntax errors", repeat("x = = 1\n")),
    ]
}

/// Names with seven values each, which are names with seven values each, and what uses the first.
fn fanned(before: &str, path: &str, line: &str, length: usize) -> String {
    let mut code = before.to_owned();
    for name in 0..4 {
        code.push_str(&format!("n{name} = n{}{path}\n", name + 1).repeat(7));
    }
    code.push_str(&format!("n4 = A{}()\n", ".a".repeat(100)).repeat(7));
    let rest = length.saturating_sub(code.len());
    code + &line.repeat(rest / line.len())
}

//! Which of ruff's rules refuse code.
//!
//! A rule is here where Python raises whenever it comes to the place, or where what it does there
//! cannot be what was meant. Rules that find working code (`F401`, `F811`, `F841`, `B002`, `B006`,
//! …) are not, nor those whose mistakes the guard refuses already (`F404`, `F62x`, `F70x`,
//! `PLE0115`, `PLE0118`, `PLE1700`, …), nor those about `await` outside of a function (`F704`,
//! `PLE1142`), which is fine here.

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct LintRule {
    /// The code by which ruff knows it.
    pub code: &'static str,
    /// What is wrong, and what comes of it.
    pub meaning: &'static str,
    /// A line or two that break it.
    pub example: &'static str,
}

const fn rule(code: &'static str, meaning: &'static str, example: &'static str) -> LintRule {
    LintRule {
        code,
        meaning,
        example,
    }
}

/// Every rule that refuses code.
pub const LINT_RULES: &[LintRule] = &[
    rule(
        "F821",
        "a name that nothing defines: `NameError`",
        "result = totl",
    ),
    rule(
        "F823",
        "a local name before its assignment: `UnboundLocalError`",
        "n = 1\ndef main():\n    print(n)\n    n = 2",
    ),
    rule(
        "F501",
        "`%` with a broken format: `ValueError`",
        "result = '%(a' % {'a': 1}",
    ),
    rule(
        "F502",
        "`%(name)s` with something else than a mapping: `TypeError`",
        "result = '%(a)s' % (1,)",
    ),
    rule(
        "F505",
        "`%(name)s` without a value: `KeyError`",
        "result = '%(a)s' % {'b': 1}",
    ),
    rule(
        "F506",
        "`%s` and `%(name)s` in one text: `TypeError`, or the whole mapping in its place",
        "result = '%(a)s %s' % {'a': 1}",
    ),
    rule(
        "F507",
        "`%` with another number of values: `TypeError`",
        "result = '%s %s' % (1,)",
    ),
    rule(
        "F509",
        "`%` with an unknown conversion: `ValueError`",
        "result = '%y' % 1",
    ),
    rule(
        "F521",
        "`format` with a broken text: `ValueError`",
        "result = '{'.format(1)",
    ),
    rule(
        "F524",
        "`format` without a value that its text names: `IndexError`, `KeyError`",
        "result = '{} {}'.format(1)",
    ),
    rule(
        "F525",
        "`{}` and `{0}` in one text: `ValueError`",
        "result = '{} {0}'.format(1)",
    ),
    rule(
        "F601",
        "a literal key twice with different values: the first is lost",
        "result = {'a': 1, 'a': 2}",
    ),
    rule(
        "F602",
        "a variable key twice with different values: the first is lost",
        "k = 'a'\nresult = {k: 1, k: 2}",
    ),
    rule(
        "F631",
        "`assert` on a tuple: never fails",
        "assert (1 == 2, 'unequal')",
    ),
    rule(
        "F632",
        "`is` with a literal: compares objects, not values",
        "x = 'ab'\nresult = x is 'ab'",
    ),
    rule(
        "F633",
        "`print >> file`: `TypeError`",
        "import io\nprint >> io.StringIO()",
    ),
    rule(
        "F634",
        "`if` on a tuple: always true",
        "if (1 == 2, 'unequal'):\n    result = 1",
    ),
    rule(
        "F901",
        "`raise NotImplemented`: `TypeError` in place of `NotImplementedError`",
        "def main():\n    raise NotImplemented",
    ),
    rule(
        "PLE0100",
        "`yield` in `__init__`: no object of the class can be made",
        "class A:\n    def __init__(self):\n        yield 1",
    ),
    rule(
        "PLE0241",
        "a base twice: `TypeError`",
        "class A: ...\nclass B(A, A): ...",
    ),
    rule(
        "PLE0302",
        "a special method that cannot be called as Python calls it: `TypeError`",
        "class A:\n    def __exit__(self): ...",
    ),
    rule(
        "PLE0307",
        "`__str__` that gives no text: `TypeError`",
        "class A:\n    def __str__(self):\n        return 1",
    ),
    rule(
        "PLE0643",
        "an index beyond the items that stand there: `IndexError`",
        "result = [1, 2][2]",
    ),
    rule(
        "PLE1132",
        "an argument twice: `TypeError`",
        "result = dict(a=1, **{'a': 2})",
    ),
    rule(
        "PLE1307",
        "`%d` and the like with a value of another type: `TypeError`",
        "result = '%d' % '5'",
    ),
    rule(
        "PLW0245",
        "`super` without its parentheses: `AttributeError`, `TypeError`",
        "class A(dict):\n    def clear(self):\n        super.clear()",
    ),
    rule(
        "PLW0711",
        "`except A or B`: catches `A` alone",
        "try:\n    result = 1\nexcept KeyError or ValueError:\n    result = 2",
    ),
    rule(
        "B016",
        "`raise` with a literal: `TypeError`, and what it says is lost",
        "def main():\n    raise 'no data'",
    ),
    rule(
        "B035",
        "a dict comprehension with one key for all: only the last item is kept",
        "result = {'a': n for n in range(3)}",
    ),
];

/// The rule of this code, if it is one of them.
pub(super) fn known(code: &str) -> Option<&'static str> {
    let mut codes = LINT_RULES.iter().map(|rule| rule.code);
    codes.find(|it| *it == code)
}

/// All codes, as ruff takes them.
pub(super) fn codes() -> String {
    let codes: Vec<&str> = LINT_RULES.iter().map(|rule| rule.code).collect();
    codes.join(",")
}

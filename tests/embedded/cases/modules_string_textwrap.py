import random
import string
import textwrap
from string import Template

print(repr(string.printable), string.ascii_letters, string.digits, string.hexdigits, string.octdigits, string.punctuation, repr(string.whitespace))
print(string.capwords("hello  wORLD foo"), string.capwords("a-b-c", "-"), repr(string.capwords("  x  y ")))
t = Template("$name owes ${amount} $$ to $other_1")
print(t.substitute(name="A", amount=5, other_1="B"), t.safe_substitute(name="A"), t.substitute({"name": 1, "amount": 2, "other_1": 3}, name="kw"), t.get_identifiers(), t.is_valid(), t.template)
for text in ["$", "a $1 b", "x ${", "line\nline2 $! x", "${a", "$é", "${a b}"]:
    print(Template(text).safe_substitute(a=1), Template(text).is_valid())
    try:
        print(Template(text).substitute(a=1))
    except ValueError as e:
        print(e)
try:
    t.substitute(name="A")
except KeyError as e:
    print("missing", e)
text = "Look, goof-ball -- use the -b option! It's well-known that state-of-the-art   stuff---like this---breaks. Ends here. And (maybe) a-b c--d x-1 1-x 'quoted-word' superlongwordwithoutanybreaks-inside-it\tTabbed\nnewline"
for width in [1, 5, 10, 20, 40, 70]:
    print(textwrap.wrap(text, width))
    print(textwrap.fill(text, width, break_long_words=False, initial_indent="* ", subsequent_indent="  ") if width > 2 else "")
    print(textwrap.wrap(text, width, break_on_hyphens=False), textwrap.wrap(text, width, drop_whitespace=False), textwrap.wrap(text, width, fix_sentence_endings=True, replace_whitespace=False))
    if width > 5:
        print(textwrap.wrap(text, width, max_lines=2), textwrap.shorten(text, width), textwrap.shorten(text, width, placeholder="..."), textwrap.wrap(text, width, max_lines=1, placeholder="~"))
r = random.Random(4)
for _ in range(150):
    s = "".join(r.choice("ab cd-é.'! \t\n-x1_") for _ in range(r.randrange(60)))
    print(repr(s), textwrap.wrap(s, r.randrange(1, 25)), textwrap.wrap(s, 12, break_long_words=False, tabsize=4, expand_tabs=False))
print(repr(textwrap.dedent("  a\n    b\n\n   \n  c")), repr(textwrap.dedent("\ta\n  b")), repr(textwrap.dedent("a\n b")), repr(textwrap.dedent("\n    def f():\n        pass\n    ")), repr(textwrap.dedent("")), repr(textwrap.dedent("\t  a\n\t b\n")))
print(repr(textwrap.indent("a\n\nb\n  \nc", "> ")), repr(textwrap.indent("a\n\nb", "> ", lambda line: True)), repr(textwrap.indent("", "x")))
for f in [lambda: textwrap.wrap("a", 0), lambda: textwrap.shorten("hello world", 3), lambda: textwrap.wrap("x y", 4, max_lines=1, placeholder="[.....]")]:
    try:
        print(f())
    except ValueError as e:
        print(e)
w = textwrap.TextWrapper(width=20)
w.initial_indent = "- "
print(w.wrap("some words that are wrapped here"), textwrap.wrap(""), textwrap.fill("   "), textwrap.shorten("  a   b ", 10))

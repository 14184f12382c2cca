import string
import textwrap
from string import Template, capwords

T = Template("Dear $name,\n\nYour order ${order_id} ships on $date. Cost: $$${cost}\n")


class Email:
    WIDTH = 40

    def __init__(self, **fields):
        self.fields = fields

    def body(self) -> str:
        return textwrap.fill(T.safe_substitute(self.fields), width=self.WIDTH, initial_indent="> ", subsequent_indent="> ")


print(Email(name="Ada", order_id="o1", cost="9.99").body())
try:
    T.substitute(name="x")
except KeyError as e:
    print("missing", e)
print(T.get_identifiers(), T.is_valid(), T.template[:4])
print(textwrap.dedent("""\
    usage:
      a  first
      b  second
"""), textwrap.indent("x\ny", "  ", lambda line: True), textwrap.shorten("hello big world", 10), capwords("foo bar"))
print("a-b_c".translate(str.maketrans("-_", "  ")), "x".center(9, "*"), "3".zfill(3), "a\tb".expandtabs(4), "Straße".casefold(), "abc".removeprefix("a"), "k=v=w".partition("="))
w = textwrap.TextWrapper(width=12, break_long_words=False)
print(w.wrap("some long sentence here"), string.punctuation[:3], "{}".format("x"), "%-8s|%05.1f|%x" % ("ab", 3.14159, 255), "%(a)s" % {"a": 1})

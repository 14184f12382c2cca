SNIPPETS = {
    "python": "import os\nprint(os.environ['HOME'])",
    "shell": "rm -rf / && kill -9 1",
    "sql": "SELECT * FROM users; DROP TABLE users; --",
    "dunder": "().__class__.__bases__[0].__subclasses__()",
    "fmt": "{0.__class__}",
}
DENY = {"__import__", "__globals__", "eval", "exec", "open(", "os.system", "subprocess"}


def audit(code: str) -> list[str]:
    return sorted(w for w in DENY if w in code)


for name, code in SNIPPETS.items():
    print(f"{name:<8}{len(code):>4} {audit(code)} {code.splitlines()[0][:20]!r}")
print(r"""\nos.popen("ls").read()""", b"__builtins__", f"{'eval'}({1+1})", "a" "__class__", "%s.__dict__" % "x")
doc = """
>>> eval("1 + 1")
2
"""
print(doc.strip().count("eval"), "sys.exit" in doc, "globals()['x']".replace("globals", "g"))

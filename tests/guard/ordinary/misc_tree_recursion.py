TREE = {"src": {"a.py": 120, "pkg": {"b.py": 30, "c.py": 5}}, "README": 10}
def size(node): return node if isinstance(node, int) else sum(map(size, node.values()))
def walk(node, prefix=""):
    for i, (name, child) in enumerate(sorted(node.items(), key=lambda kv: (isinstance(kv[1], int), kv[0]))):
        last = i == len(node) - 1
        yield f"{prefix}{'└── ' if last else '├── '}{name}{'' if isinstance(child, dict) else f' ({child})'}"
        if isinstance(child, dict): yield from walk(child, prefix + ("    " if last else "│   "))
def find(node, pred, path=()):
    for k, v in node.items():
        if isinstance(v, dict): yield from find(v, pred, (*path, k))
        elif pred(k, v): yield "/".join((*path, k))
print(*walk(TREE), size(TREE), [*find(TREE, lambda k, v: k.endswith(".py") and v > 10)], sep="\n")
def hanoi(n, a="A", b="B", c="C"): return [] if n == 0 else hanoi(n - 1, a, c, b) + [f"{a}{c}"] + hanoi(n - 1, b, a, c)
def perms(s): return [s] if len(s) < 2 else [s[i] + p for i in range(len(s)) for p in perms(s[:i] + s[i + 1:])]
print(hanoi(2), perms("abc"))

from pprint import PrettyPrinter, pformat, pprint, isreadable, saferepr
import io
class Node:
    def __init__(self, n, *kids): self.n, self.kids = n, kids
    def __repr__(self): return f"Node({', '.join(map(repr, (self.n, *self.kids)))})"
    def __rich_repr__(self) -> None: ...
buf = io.StringIO(); PrettyPrinter(indent=2, width=30, depth=3, stream=buf, underscore_numbers=True).pprint({"n": 10**7, "t": [Node(1, Node(2))] * 2})
print(buf.getvalue(), isreadable([1]), saferepr({"a": {1}}), pformat({"b": 1, "a": 2}, sort_dicts=False)); pprint("x" * 10, width=5)

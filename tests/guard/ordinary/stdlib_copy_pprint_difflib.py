import copy
import difflib
from pprint import PrettyPrinter, pformat, pp, pprint
from dataclasses import dataclass, field


@dataclass
class Config:
    name: str
    opts: dict = field(default_factory=dict)
    children: list["Config"] = field(default_factory=list)

    def __copy__(self):
        return Config(self.name, self.opts)

    def __deepcopy__(self, memo):
        new = Config(self.name, copy.deepcopy(self.opts, memo))
        memo[id(self)] = new
        new.children = [copy.deepcopy(c, memo) for c in self.children]
        return new


a = Config("root", {"x": [1]}, [Config("leaf")])
b = copy.deepcopy(a); b.opts["x"].append(2); c = copy.copy(a)
print(a.opts, b.opts, c.opts is a.opts, copy.replace(a, name="r2").name)
pprint({"k": list(range(20)), "nested": {"a": {"b": 1}}}, width=40, compact=True, sort_dicts=False, depth=2)
pp(a); print(pformat([1, 2], indent=4)); PrettyPrinter(width=20, stream=None).pprint(["aaaaaaaaaa", "bbbbbbbbbb"])
old, new = "one\ntwo\nthree\n".splitlines(keepends=True), "one\n2\nthree\nfour\n".splitlines(keepends=True)
print("".join(difflib.unified_diff(old, new, fromfile="old", tofile="new", n=1)))
sm = difflib.SequenceMatcher(None, "abcd", "bcde", autojunk=False)
print(f"{sm.ratio():.2f}", [(tag, i1, i2, j1, j2) for tag, i1, i2, j1, j2 in sm.get_opcodes()], difflib.get_close_matches("appel", ["ape", "apple"], n=1), sm.find_longest_match().size)
print([l for l in difflib.ndiff(["a"], ["b"])], list(difflib.Differ().compare(["x\n"], ["x\n"])))

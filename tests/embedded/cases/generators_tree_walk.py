tree = {"v": 1, "kids": [{"v": 2, "kids": []}, {"v": 3, "kids": [{"v": 4, "kids": []}]}]}
def walk(node, depth=0):
    yield depth, node["v"]
    for k in node["kids"]:
        yield from walk(k, depth + 1)
print([f"{'-' * d}{v}" for d, v in walk(tree)])

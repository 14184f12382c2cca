def paths(graph, a, b, seen=()):
    if a == b:
        yield seen + (b,)
        return
    for n in graph.get(a, []):
        if n not in seen:
            yield from paths(graph, n, b, seen + (a,))
print(list(paths({"a": ["b", "c"], "b": ["d"], "c": ["b", "d"]}, "a", "d")))

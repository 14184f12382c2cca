log = []
def task(name, n):
    for i in range(n):
        log.append(f"{name}{i}")
        yield
    return name
queue = [task("a", 2), task("b", 3), task("c", 1)]
while queue:
    t = queue.pop(0)
    try:
        next(t)
        queue.append(t)
    except StopIteration as e:
        log.append(f"end {e.value}")
print(log)

def insert(t, v):
    if t is None:
        return [v, None, None]
    if v < t[0]:
        t[1] = insert(t[1], v)
    else:
        t[2] = insert(t[2], v)
    return t
def inorder(t):
    if t:
        yield from inorder(t[1])
        yield t[0]
        yield from inorder(t[2])
t = None
for v in [5, 2, 8, 1, 9, 3]:
    t = insert(t, v)
print(list(inorder(t)))

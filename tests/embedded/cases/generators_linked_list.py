class Node:
    def __init__(self, v, n=None):
        self.v = v
        self.n = n
class Linked:
    def __init__(self, xs):
        self.head = None
        for x in reversed(list(xs)):
            self.head = Node(x, self.head)
    def __iter__(self):
        n = self.head
        while n:
            yield n.v
            n = n.n
l = Linked("xyz")
print(list(l), [a + b for a in l for b in l])

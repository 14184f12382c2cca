# graphlib: complete; CycleError is ValueError here, with the text of CPython's.
def _mce_module_graphlib():
    class TopologicalSorter:
        # `counts` holds how many predecessors each node still waits for; -1 when handed out, -2 when done.
        def __init__(self, graph=None):
            self.counts = {}
            self.successors = {}
            self.ready_nodes = None
            self.passed_out = 0
            self.finished = 0
            if graph is not None:
                for node in graph:
                    self.add(node, *graph[node])

        def know(self, node):
            if node not in self.counts:
                self.counts[node] = 0
                self.successors[node] = []

        def add(self, node, *predecessors):
            if self.ready_nodes is not None:
                raise ValueError("Nodes cannot be added after a call to prepare()")
            self.know(node)
            self.counts[node] += len(predecessors)
            for before in predecessors:
                self.know(before)
                self.successors[before].append(node)

        def prepare(self):
            if self.ready_nodes is not None:
                raise ValueError("cannot prepare() more than once")
            self.ready_nodes = [node for node in self.counts if self.counts[node] == 0]
            cycle = self.find_cycle()
            if cycle:
                raise ValueError(f"('nodes are in a cycle', {cycle!r})")

        def get_ready(self):
            if self.ready_nodes is None:
                raise ValueError("prepare() must be called first")
            result = tuple(self.ready_nodes)
            for node in result:
                self.counts[node] = -1
            self.ready_nodes.clear()
            self.passed_out += len(result)
            return result

        def is_active(self):
            if self.ready_nodes is None:
                raise ValueError("prepare() must be called first")
            return self.finished < self.passed_out or bool(self.ready_nodes)

        def __bool__(self):
            return self.is_active()

        def done(self, *nodes):
            if self.ready_nodes is None:
                raise ValueError("prepare() must be called first")
            for node in nodes:
                if node not in self.counts:
                    raise ValueError(f"node {node!r} was not added using add()")
                count = self.counts[node]
                if count >= 0:
                    raise ValueError(f"node {node!r} was not passed out (still not ready)")
                if count == -2:
                    raise ValueError(f"node {node!r} was already marked done")
                self.counts[node] = -2
                for after in self.successors[node]:
                    self.counts[after] -= 1
                    if self.counts[after] == 0:
                        self.ready_nodes.append(after)
                self.finished += 1

        def find_cycle(self):
            stack = []
            iterators = []
            seen = set()
            places = {}
            for start in self.counts:
                if start in seen:
                    continue
                node = start
                while True:
                    if node in seen:
                        if node in places:
                            return stack[places[node] :] + [node]
                    else:
                        seen.add(node)
                        iterators.append(iter(self.successors[node]))
                        places[node] = len(stack)
                        stack.append(node)
                    moved = False
                    while stack:
                        following = one(iterators[-1])
                        if following:
                            node = following[0]
                            moved = True
                            break
                        places.pop(stack.pop())
                        iterators.pop()
                    if not moved:
                        break
            return None

        def static_order(self):
            return StaticOrder(self)

    def one(items):
        for item in items:
            return [item]
        return []

    class StaticOrder:
        def __init__(self, sorter):
            self.sorter = sorter
            self.started = False
            self.group = ()
            self.place = 0

        def __iter__(self):
            return self

        def __next__(self):
            if not self.started:
                self.started = True
                self.sorter.prepare()
            while self.place >= len(self.group):
                self.sorter.done(*self.group)
                self.group = ()
                self.place = 0
                if not self.sorter.is_active():
                    raise StopIteration
                self.group = self.sorter.get_ready()
            self.place += 1
            return self.group[self.place - 1]

    return {"CycleError": ValueError, "TopologicalSorter": TopologicalSorter}

import heapq
from dataclasses import dataclass, field
from itertools import count
_seq = count()
@dataclass(order=True)
class Job:
    at: float
    seq: int = field(default_factory=lambda: next(_seq))
    name: str = field(default="", compare=False)
heap = [Job(2, name="b"), Job(1, name="a")]; heapq.heapify(heap); print(heapq.heappop(heap).name)

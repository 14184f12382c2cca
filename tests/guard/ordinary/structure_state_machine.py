from enum import Enum, auto
from typing import Callable


class State(Enum):
    IDLE = auto()
    RUNNING = auto()
    DONE = auto()


class Machine:
    transitions: dict[tuple[State, str], State] = {(State.IDLE, "start"): State.RUNNING, (State.RUNNING, "stop"): State.IDLE, (State.RUNNING, "finish"): State.DONE}

    def __init__(self):
        self.state = State.IDLE
        self.hooks: dict[State, list[Callable[[State], None]]] = {s: [] for s in State}

    def on(self, state: State):
        def deco(fn):
            self.hooks[state].append(fn)
            return fn
        return deco

    def fire(self, event: str) -> State:
        try:
            self.state = self.transitions[self.state, event]
        except KeyError:
            raise RuntimeError(f"{event!r} not allowed in {self.state.name}") from None
        for h in self.hooks[self.state]:
            h(self.state)
        return self.state


m = Machine()
@m.on(State.DONE)
def done(state): print("entered", state.name)

for ev in ("start", "finish", "stop"):
    try: print(m.fire(ev))
    except RuntimeError as e: print(e)

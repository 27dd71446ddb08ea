"""Tracks what a run of a graph has stored under checkpoints that may yet be overtaken.

LangGraph runs ahead: while a checkpoint is still being written, the nodes after it run. What they
write waits until its checkpoint is written, without which nobody could see it; so writes come after
their checkpoint in the line. The checkpoints of subgraphs are stored at once: if the outer one is
overtaken, they do not count, and the run has to know them. LangGraph puts the same runtime object
into the configuration of every call of a run, which identifies it; a subgraph has a run of its own
inside that of the node that called it.
"""

import threading
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any
from weakref import WeakValueDictionary

from goldfish.integrations.langgraph.records import Line
from goldfish.messages import ChatMessage

RUNTIME = "__pregel_runtime"
PARENTS = "checkpoint_map"  # the checkpoints in which a subgraph runs, by their namespaces

Place = tuple[Line, str]  # a line, and a checkpoint of it


class Run:
    """A run of a graph, or of a subgraph inside another run."""

    def __init__(self, runtime: object, ns: str, parent: "Run | None") -> None:
        self._runtime = runtime  # held, so that no other object gets its id
        self._ns = ns
        self._parent = parent
        self._mutex = threading.Lock()
        self._overtaken = False
        self._settled: set[str] = set()
        self._loose: dict[str, set[Place]] = {}
        self._held: dict[str, list[ChatMessage]] = {}

    @property
    def is_overtaken(self) -> bool:
        """True if nothing that the run writes can count any more."""
        return self._overtaken or (self._parent is not None and self._parent.is_overtaken)

    def settle(self, checkpoint_id: str) -> list[ChatMessage]:
        """Note that a checkpoint stands, with all that belongs to it; return what waits for it."""
        with self._mutex:
            self._settled.add(checkpoint_id)
            self._loose.pop(checkpoint_id, None)
            return self._held.pop(checkpoint_id, [])

    def hold(self, checkpoint_id: str, record: ChatMessage) -> bool:
        """Keep a record until its checkpoint is written; return False if it already is."""
        with self._mutex:
            if checkpoint_id in self._settled:
                return False
            self._held.setdefault(checkpoint_id, []).append(record)
            return True

    def take_held(self, checkpoint_id: str) -> list[ChatMessage]:
        """Return what waits for a checkpoint, to be written with it."""
        with self._mutex:
            return self._held.pop(checkpoint_id, [])

    def note(self, line: Line, checkpoint_id: str, parents: Mapping[str, str]) -> None:
        """Note what is about to be stored, in this run and in each run around it."""
        self._add(checkpoint_id, (line, checkpoint_id))
        outer = self._parent
        while outer is not None:
            outer._add(parents.get(outer._ns, ""), (line, checkpoint_id))
            outer = outer._parent

    def is_loose(self, place: Place) -> bool:
        """Return True if a place counts only if this run, or one around it, is not overtaken."""
        with self._mutex:
            if any(place in places for places in self._loose.values()):
                return True
        return self._parent is not None and self._parent.is_loose(place)

    def overtake(self) -> list[Place]:
        """End the run, and return what it has stored that does not stand."""
        with self._mutex:
            self._overtaken = True
            return [place for places in self._loose.values() for place in places]

    def _add(self, checkpoint_id: str, place: Place) -> None:
        with self._mutex:
            if checkpoint_id not in self._settled:
                self._loose.setdefault(checkpoint_id, set()).add(place)


_current: ContextVar[Run | None] = ContextVar("goldfish_langgraph_run", default=None)


class Runs:
    """The runs of one saver; each is dropped with the task or thread that began it."""

    def __init__(self) -> None:
        self._by_runtime: WeakValueDictionary[int, Run] = WeakValueDictionary()

    def begin(self, configured: Mapping[str, Any], ns: str) -> Run | None:
        """Return the run that starts with this call; None if the caller is not a graph."""
        runtime = configured.get(RUNTIME)
        if runtime is None:
            return None
        if (known := self.of(configured)) is not None:
            return known
        parent = _current.get() if configured.get(PARENTS) else None
        run = Run(runtime, ns, parent)
        self._by_runtime[id(runtime)] = run
        _current.set(run)
        return run

    def of(self, configured: Mapping[str, Any]) -> Run | None:
        """Return the run that a call belongs to, if it is known."""
        return self._by_runtime.get(id(configured.get(RUNTIME)))

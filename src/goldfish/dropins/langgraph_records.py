"""What the saver keeps of a LangGraph thread, as sessions and messages of a store.

A line is one namespace of a thread. Session ids are a reserved prefix and a JSON list, so that no
thread, namespace or checkpoint can be taken for another, whatever characters their ids have:

| session                           | messages                                                    |
|-----------------------------------|-------------------------------------------------------------|
| ``…["thread","ns"]``              | an entry for each checkpoint, in the order of their writing |
| ``…["thread","ns","checkpoint"]`` | the checkpoint as a whole, and the writes that belong to it |

An entry that continues its line has an id that names its parent. A store adds an id only once, so
of two turns that continue from one checkpoint one comes first, and the other can see that it did
not. Such an entry stands only if the one before it is its parent; a branch stands in any case.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass

from goldfish.messages import ChatMessage, new_id

PREFIX = "goldfish:langgraph:"
CONTINUES = "after:"
CHECKPOINT = "checkpoint"
WRITE = "write"

Typed = tuple[str, bytes]  # as LangGraph's serialisers give it: a type, and bytes


@dataclass(frozen=True)
class Line:
    """One namespace of one thread."""

    thread: str
    ns: str

    @property
    def session(self) -> str:
        """Where its entries are."""
        return _name(self.thread, self.ns)

    def at(self, checkpoint_id: str) -> str:
        """Where a checkpoint of it and its writes are."""
        return _name(self.thread, self.ns, checkpoint_id)


@dataclass(frozen=True)
class Entry:
    """The place of a checkpoint in its line."""

    id: str
    checkpoint_id: str
    parent: str | None
    run: str | None = None

    @classmethod
    def continuing(cls, checkpoint_id: str, parent: str | None, run: str | None) -> "Entry":
        """One that stands only right after its parent, or as the first of all."""
        return cls(CONTINUES + (parent or ""), checkpoint_id, parent, run)

    @property
    def continues(self) -> bool:
        """Whether it stands only right after its parent."""
        return self.id.startswith(CONTINUES)

    def message(self) -> ChatMessage:
        """As the store keeps it."""
        known = {"parent": self.parent, "run": self.run}
        return ChatMessage(role=CHECKPOINT, content=self.checkpoint_id, id=self.id, metadata=known)

    @classmethod
    def of(cls, message: ChatMessage) -> "Entry":
        """The entry that a message is."""
        known = message.metadata
        return cls(message.id, str(message.content), known["parent"], known["run"])


@dataclass(frozen=True)
class Write:
    """What a task wrote to a channel; ``index`` is below zero if a later one replaces it."""

    task: str
    index: int
    channel: str
    path: str
    value: Typed

    @property
    def order(self) -> tuple[str, str, int]:
        """The order in which LangGraph applies the writes of a step."""
        return self.path, self.task, self.index

    def message(self) -> ChatMessage:
        """As the store keeps it: the same task and index again is a no-op, unless it replaces."""
        known = {"task": self.task, "index": self.index, "channel": self.channel, "path": self.path}
        first_stays = self.index >= 0
        return ChatMessage(
            role=WRITE,
            content=_packed(self.value)[1],
            id=json.dumps([WRITE, self.task, self.index]) if first_stays else new_id(),
            metadata={**known, "type": self.value[0]},
        )

    @classmethod
    def of(cls, message: ChatMessage) -> "Write":
        """The write that a message is."""
        known = message.metadata
        value = _unpacked([known["type"], str(message.content)])
        return cls(known["task"], known["index"], known["channel"], known["path"], value)


@dataclass(frozen=True)
class Saved:
    """A checkpoint, its metadata, and the writes that belong to it, in their order."""

    checkpoint_id: str
    parent: str | None
    checkpoint: Typed
    metadata: Typed
    writes: tuple[Write, ...] = ()

    def message(self) -> ChatMessage:
        """As the store keeps it, without the writes; of several the last counts."""
        kind, text = _packed(self.checkpoint)
        known = {"type": kind, "parent": self.parent, "metadata": _packed(self.metadata)}
        return ChatMessage(role=CHECKPOINT, content=text, metadata=known)


def saved_in(checkpoint_id: str, messages: Sequence[ChatMessage]) -> Saved | None:
    """The checkpoint that a session holds; None if there are only writes, which may come first."""
    found = [each for each in messages if each.role == CHECKPOINT]
    if not found:
        return None
    known, text = found[-1].metadata, str(found[-1].content)
    return Saved(
        checkpoint_id,
        known["parent"],
        _unpacked([known["type"], text]),
        _unpacked(known["metadata"]),
        _ordered([Write.of(each) for each in messages if each.role == WRITE]),
    )


def standing(entries: Sequence[Entry], *, from_the_start: bool = True) -> list[Entry]:
    """Those of the entries that stand, in their order; of an excerpt the first is left out."""
    kept = [
        each
        for before, each in zip([None, *entries], entries, strict=False)
        if not each.continues or each.parent == (before.checkpoint_id if before else None)
    ]
    return kept if from_the_start or not entries else [each for each in kept if each != entries[0]]


def session_prefix(thread: str | None = None) -> str:
    """How the sessions of a thread begin, or those of all threads."""
    return PREFIX + "[" + ("" if thread is None else json.dumps(thread) + ",")


def parts_of(session: str) -> list[str]:
    """Thread and namespace, and the checkpoint if the session is one of a checkpoint."""
    parts: list[str] = json.loads(session.removeprefix(PREFIX))
    return parts


def _name(*parts: str) -> str:
    return PREFIX + json.dumps(parts, separators=(",", ":"))


def _ordered(writes: Sequence[Write]) -> tuple[Write, ...]:
    last = {(each.task, each.index): each for each in writes}
    return tuple(sorted(last.values(), key=lambda each: each.order))


def _packed(value: Typed) -> list[str]:
    return [value[0], base64.b64encode(value[1]).decode()]


def _unpacked(packed: Sequence[str]) -> Typed:
    return packed[0], base64.b64decode(packed[1])

"""What the saver keeps of a LangGraph thread, as sessions and messages of a store.

A line is one namespace of a thread. Session ids are a reserved prefix and a JSON list, so that no
thread, namespace or checkpoint can be taken for another, whatever characters their ids have:

| session                           | messages                                                    |
|-----------------------------------|-------------------------------------------------------------|
| ``…["thread","ns"]``              | an entry for each checkpoint, in the order of their writing |
| ``…["thread","ns","checkpoint"]`` | the checkpoint as a whole, and the writes that belong to it |

A session has one order, the same for every reader: it decides between turns that continue from the
same checkpoint. An entry that continues its line stands only if its parent is the last before it
that stands; so the first of two stands, and the second is seen by nobody. A branch always stands.
"""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goldfish.encoding import decode_value, encode_ascii
from goldfish.messages import ChatMessage, new_id

PREFIX = "goldfish:langgraph:"
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

    checkpoint_id: str
    parent: str | None
    run: str | None = None
    continues: bool = False  # and so stands only after its parent, or as the first of all

    @property
    def id(self) -> str:
        """By which the store knows it: the same entry again is a no-op."""
        return entry_ids([self.checkpoint_id])[0 if self.continues else 1]

    def message(self) -> ChatMessage:
        """As the store keeps it."""
        known = {"parent": self.parent, "run": self.run, "continues": self.continues}
        return ChatMessage(role=CHECKPOINT, content=self.checkpoint_id, id=self.id, metadata=known)

    @classmethod
    def of(cls, message: ChatMessage) -> "Entry":
        """The entry that a message is."""
        return cls(str(message.content), **message.metadata)


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
            id=f'["{WRITE}", {encode_ascii(self.task)}, {self.index}]' if first_stays else new_id(),
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


def entry_ids(checkpoint_ids: Iterable[str]) -> list[str]:
    """The ids that the entries of checkpoints may have: of each as a turn, and as a branch."""
    return [f"{kind}:{each}" for each in checkpoint_ids for kind in ("turn", "branch")]


def standing(entries: Sequence[Entry]) -> list[Entry]:
    """Those of all entries of a line that stand, in their order.

    The parent may also be the one right before: of a pruned line, the first entry is there only
    for the sake of the second.
    """
    stand: list[Entry] = []
    before: Entry | None = None
    for each in entries:
        parents = {stand[-1].checkpoint_id if stand else None}
        if before is not None:
            parents.add(before.checkpoint_id)
        if not each.continues or each.parent in parents:
            stand.append(each)
        before = each
    return stand


def surely_stands(tail: Sequence[Entry]) -> bool:
    """Whether the last of the newest two entries of a line can be told to stand by these alone."""
    parent = tail[0].checkpoint_id if len(tail) > 1 else None
    return bool(tail) and (not tail[-1].continues or tail[-1].parent == parent)


def session_prefix(thread: str | None = None) -> str:
    """How the sessions of a thread begin, or those of all threads."""
    return PREFIX + "[" + ("" if thread is None else encode_ascii(thread) + ",")


def parts_of(session: str) -> list[str]:
    """Thread and namespace, and the checkpoint if the session is one of a checkpoint."""
    parts: list[str] = decode_value(session.removeprefix(PREFIX))
    return parts


def _name(*parts: str) -> str:
    return PREFIX + encode_ascii(parts)


def _ordered(writes: Sequence[Write]) -> tuple[Write, ...]:
    last = {(each.task, each.index): each for each in writes}
    return tuple(sorted(last.values(), key=lambda each: each.order))


def _packed(value: Typed) -> list[str]:
    return [value[0], base64.b64encode(value[1]).decode()]


def _unpacked(packed: Sequence[str]) -> Typed:
    return packed[0], base64.b64decode(packed[1])

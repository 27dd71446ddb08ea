"""The records that the saver keeps of a LangGraph thread, as sessions and messages of a store.

A line is one namespace of a thread. Session ids are a reserved prefix and a JSON list, so that no
thread, namespace or checkpoint can be taken for another, whatever characters their ids have:

| session                           | messages                                                    |
|-----------------------------------|-------------------------------------------------------------|
| ``…["thread","ns"]``              | an entry for each checkpoint, in the order of their writing |
| ``…["thread","ns","checkpoint"]`` | the checkpoint as a whole, and the writes that belong to it |

A session has one order, the same for every reader: it decides between turns that continue from the
same checkpoint. An entry that continues its line stands only if its parent is the last before it
that stands; so of two such turns the first stands, and nobody sees the second. A branch always
stands.
"""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goldfish.encoding import decode_value, encode_ascii
from goldfish.messages import ChatMessage, new_id

PREFIX = "goldfish:langgraph:"
CHECKPOINT = "checkpoint"
WRITE = "write"

Typed = tuple[str, bytes]  # a type and bytes, as LangGraph's serialisers return them


@dataclass(frozen=True)
class Line:
    """One namespace of one thread."""

    thread: str
    ns: str

    @property
    def session(self) -> str:
        """The session that holds its entries."""
        return _name(self.thread, self.ns)

    def at(self, checkpoint_id: str) -> str:
        """Return the session that holds one of its checkpoints, with the writes."""
        return _name(self.thread, self.ns, checkpoint_id)


@dataclass(frozen=True)
class Entry:
    """The place of a checkpoint in its line."""

    checkpoint_id: str
    parent: str | None
    run: str | None = None
    continues: bool = False  # so it stands only after its parent, or as the first of all

    @property
    def id(self) -> str:
        """Its id in the store, where adding the same entry again is a no-op."""
        return entry_ids([self.checkpoint_id])[0 if self.continues else 1]

    def to_message(self) -> ChatMessage:
        """Return the entry as the store keeps it."""
        known = {"parent": self.parent, "run": self.run, "continues": self.continues}
        return ChatMessage(role=CHECKPOINT, content=self.checkpoint_id, id=self.id, metadata=known)

    @classmethod
    def of(cls, message: ChatMessage) -> "Entry":
        """Return the entry in a message."""
        return cls(str(message.content), **message.metadata)


@dataclass(frozen=True)
class Write:
    """What a task wrote to a channel; a later write replaces one whose ``index`` is negative."""

    task: str
    index: int
    channel: str
    path: str
    value: Typed

    @property
    def order(self) -> tuple[str, str, int]:
        """The order in which LangGraph applies the writes of a step."""
        return self.path, self.task, self.index

    def to_message(self) -> ChatMessage:
        """Return the write as the store keeps it; the same task and index again is a no-op."""
        known = {"task": self.task, "index": self.index, "channel": self.channel, "path": self.path}
        first_stays = self.index >= 0
        return ChatMessage(
            role=WRITE,
            content=_pack(self.value)[1],
            id=f'["{WRITE}", {encode_ascii(self.task)}, {self.index}]' if first_stays else new_id(),
            metadata={**known, "type": self.value[0]},
        )

    @classmethod
    def of(cls, message: ChatMessage) -> "Write":
        """Return the write in a message."""
        known = message.metadata
        value = _unpack([known["type"], str(message.content)])
        return cls(known["task"], known["index"], known["channel"], known["path"], value)


@dataclass(frozen=True)
class Saved:
    """A checkpoint, its metadata, and the writes that belong to it, in their order."""

    checkpoint_id: str
    parent: str | None
    checkpoint: Typed
    metadata: Typed
    writes: tuple[Write, ...] = ()

    def to_message(self) -> ChatMessage:
        """Return the checkpoint as the store keeps it, without writes; the last one counts."""
        kind, text = _pack(self.checkpoint)
        known = {"type": kind, "parent": self.parent, "metadata": _pack(self.metadata)}
        return ChatMessage(role=CHECKPOINT, content=text, metadata=known)


def read_saved(checkpoint_id: str, messages: Sequence[ChatMessage]) -> Saved | None:
    """Return the checkpoint that a session holds; None if it has only writes so far."""
    found = [each for each in messages if each.role == CHECKPOINT]
    if not found:
        return None
    known, text = found[-1].metadata, str(found[-1].content)
    return Saved(
        checkpoint_id,
        known["parent"],
        _unpack([known["type"], text]),
        _unpack(known["metadata"]),
        _sort_writes([Write.of(each) for each in messages if each.role == WRITE]),
    )


def entry_ids(checkpoint_ids: Iterable[str]) -> list[str]:
    """Return the ids that the entries of checkpoints may have: as a turn, and as a branch."""
    return [f"{kind}:{each}" for each in checkpoint_ids for kind in ("turn", "branch")]


def standing_entries(entries: Sequence[Entry]) -> list[Entry]:
    """Return those entries of a line that stand, in their order.

    The parent may also be the entry right before: the first entry of a pruned line is kept only
    for the second.
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


def certainly_stands(tail: Sequence[Entry]) -> bool:
    """Return True if the newest two entries of a line prove that the last one stands."""
    parent = tail[0].checkpoint_id if len(tail) > 1 else None
    return bool(tail) and (not tail[-1].continues or tail[-1].parent == parent)


def session_prefix(thread: str | None = None) -> str:
    """Return how the session ids of a thread begin, or those of all threads."""
    return PREFIX + "[" + ("" if thread is None else encode_ascii(thread) + ",")


def split_session(session: str) -> list[str]:
    """Return the thread and namespace in a session id, and the checkpoint if it names one."""
    parts: list[str] = decode_value(session.removeprefix(PREFIX))
    return parts


def _name(*parts: str) -> str:
    return PREFIX + encode_ascii(parts)


def _sort_writes(writes: Sequence[Write]) -> tuple[Write, ...]:
    last = {(each.task, each.index): each for each in writes}
    return tuple(sorted(last.values(), key=lambda each: each.order))


def _pack(value: Typed) -> list[str]:
    return [value[0], base64.b64encode(value[1]).decode()]


def _unpack(packed: Sequence[str]) -> Typed:
    return packed[0], base64.b64decode(packed[1])

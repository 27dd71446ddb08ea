"""The records that the saver keeps of a LangGraph thread, as messages of a session of a store.

A line is one namespace of a thread, and one session holds all of it. Session ids are a reserved
prefix and a JSON list, so that no thread or namespace can be taken for another, whatever
characters their ids have. The content of each message is the checkpoint that it belongs to:

| role             | what it holds                                                                |
|------------------|------------------------------------------------------------------------------|
| ``checkpoint``   | the entry of a checkpoint: its parent, and all of it but the lists           |
| ``segment``      | elements of a list that are new since the parent; ``lists`` explains them    |
| ``writes``       | what a task wrote                                                            |
| ``stands``       | that a checkpoint stands, although what it stood on has been removed         |
| ``again``        | the checkpoint once more: what was written last counts                       |

A checkpoint is one write with its segments, so it is there as a whole or not at all.

Former versions kept entries without contents, and each checkpoint as a whole, with its writes, in
a session of its own (``Line.at``). Those are read as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import Any

from goldfish.encoding import build, decode_value, encode_ascii
from goldfish.integrations.langgraph.packing import Typed, pack, unpack
from goldfish.messages import ChatMessage, new_id

PREFIX = "goldfish:langgraph:"
CHECKPOINT = "checkpoint"
SEGMENT = "segment"
WRITES = "writes"
STANDS = "stands"
AGAIN = "again"

Address = tuple[str, int]  # of an element: its segment, and its place in that
Span = tuple[str, int, int]  # the address of the last of some elements, and how many they are
Spans = Mapping[str, Sequence[Span]]  # of the lists of a checkpoint, by channel


@dataclass(frozen=True)
class Line:
    """One namespace of one thread."""

    thread: str
    ns: str

    @cached_property
    def session(self) -> str:
        """The session that holds it."""
        return _name(self.thread, self.ns)

    def at(self, checkpoint_id: str) -> str:
        """Return the session in which former versions kept one of its checkpoints."""
        return _name(self.thread, self.ns, checkpoint_id)


@dataclass(frozen=True)
class Contents:
    """A checkpoint without its lists, its metadata, and where the elements of the lists are.

    They are kept as they are stored: most of the entries in a line are never looked into.
    """

    record: Mapping[str, Any]

    @classmethod
    def make(
        cls, checkpoint: Typed, metadata: Typed, lists: Spans, *, in_order: bool = False
    ) -> "Contents":
        """Return the contents; if ``in_order``, writes come after their checkpoint in the line."""
        spans = {channel: [list(each) for each in found] for channel, found in lists.items()}
        packed = {"checkpoint": pack(checkpoint), "metadata": pack(metadata)}
        return cls({**packed, "lists": spans, "in_order": in_order})

    @property
    def checkpoint(self) -> Typed:
        """The checkpoint, in which the lists are None."""
        return unpack(self.record["checkpoint"])

    @property
    def metadata(self) -> Typed:
        """What LangGraph calls the metadata of a checkpoint."""
        return unpack(self.record["metadata"])

    @property
    def lists(self) -> Spans:
        """Where the elements of the lists are."""
        return {
            channel: [(token, at, count) for token, at, count in spans]
            for channel, spans in self.record["lists"].items()
        }

    @property
    def in_order(self) -> bool:
        """True if its writes come after it in the line, and none before."""
        return bool(self.record["in_order"])


@dataclass(frozen=True)
class Entry:
    """A checkpoint in its line."""

    checkpoint_id: str
    parent: str | None
    run: str | None = None
    continues: bool = False  # so it stands only after its parent, or as the first of all
    contents: Contents | None = None  # None for a checkpoint of a former version

    @property
    def id(self) -> str:
        """Its id in the store, where adding the same entry again is a no-op."""
        return f"{'turn' if self.continues else 'branch'}:{self.checkpoint_id}"

    def to_message(self, *, again: bool = False) -> ChatMessage:
        """Return the entry as the store keeps it."""
        known: dict[str, Any] = {"parent": self.parent, "run": self.run}
        known["continues"] = self.continues
        if self.contents is not None:
            known["contents"] = self.contents.record
        role, name = (AGAIN, new_id()) if again else (CHECKPOINT, self.id)
        return _make_message(role, self.checkpoint_id, known, name)

    @classmethod
    def of(cls, message: ChatMessage) -> "Entry":
        """Return the entry in a message."""
        known = dict(message.metadata)
        record = known.pop("contents", None)
        contents = None if record is None else Contents(record)
        return cls(str(message.content), **known, contents=contents)


@dataclass(frozen=True)
class Segment:
    """Elements of a list that follow one another, and the address of the one before them."""

    token: str
    after: Address | None
    elements: tuple[Typed, ...]

    def to_message(self, checkpoint_id: str) -> ChatMessage:
        """Return the segment as the store keeps it, for the checkpoint that brought it."""
        after = None if self.after is None else list(self.after)
        known = {"after": after, "elements": [pack(each) for each in self.elements]}
        return _make_message(SEGMENT, checkpoint_id, known, self.token)

    @classmethod
    def of(cls, message: ChatMessage) -> "Segment":
        """Return the segment in a message."""
        known = message.metadata
        after = known["after"] and (known["after"][0], known["after"][1])
        return cls(message.id, after, tuple(unpack(each) for each in known["elements"]))


@dataclass(frozen=True)
class Write:
    """What a task wrote to a channel.

    Of several with one task and index the first counts, or the last if the index is negative.
    """

    task: str
    index: int
    channel: str
    path: str
    value: Typed

    @property
    def order(self) -> tuple[str, str, int]:
        """The order in which LangGraph applies the writes of a step."""
        return self.path, self.task, self.index


def make_writes_message(checkpoint_id: str, writes: Sequence[Write]) -> ChatMessage:
    """Return what a task wrote, at one moment, as the store keeps it."""
    first = writes[0]
    packed = [[each.index, each.channel, *pack(each.value)] for each in writes]
    known = {"task": first.task, "path": first.path, "writes": packed}
    return _make_message(WRITES, checkpoint_id, known, new_id())


def read_writes(message: ChatMessage) -> list[Write]:
    """Return the writes in a message."""
    known = message.metadata
    return [
        Write(known["task"], index, channel, known["path"], unpack(packed))
        for index, channel, *packed in known["writes"]
    ]


def make_stands_message(checkpoint_id: str) -> ChatMessage:
    """Return the record that a checkpoint stands by itself; again is a no-op."""
    return _make_message(STANDS, checkpoint_id, {}, f"{STANDS}:{checkpoint_id}")


def sort_writes(writes: Sequence[Write]) -> list[Write]:
    """Return the writes that count, in their order."""
    counting: dict[tuple[str, int], Write] = {}
    for each in writes:
        if each.index < 0 or (each.task, each.index) not in counting:
            counting[each.task, each.index] = each
    return sorted(counting.values(), key=lambda each: each.order)


def read_former(messages: Sequence[ChatMessage]) -> tuple[Contents | None, list[Write]]:
    """Return the checkpoint and the writes in a session of a former version."""
    found = [each for each in messages if each.role == CHECKPOINT]
    writes = [_read_former_write(each) for each in messages if each.role == "write"]
    if not found:
        return None, writes
    known, text = found[-1].metadata, str(found[-1].content)
    checkpoint = unpack([known["type"], text])
    return Contents.make(checkpoint, unpack(known["metadata"]), {}), writes


def session_prefix(thread: str | None = None) -> str:
    """Return how the session ids of a thread begin, or those of all threads."""
    return PREFIX + "[" + ("" if thread is None else encode_ascii(thread) + ",")


def split_session(session: str) -> list[str]:
    """Return the thread and namespace in a session id, and the checkpoint if it names one."""
    parts: list[str] = decode_value(session.removeprefix(PREFIX))
    return parts


def _make_message(role: str, content: str, metadata: dict[str, Any], name: str) -> ChatMessage:
    """Return a record as the store keeps it, in less time than it takes to validate one."""
    known = {"role": role, "content": content, "id": name, "metadata": metadata}
    empty: dict[str, Any] = {"name": None, "tool_calls": [], "tool_call_id": None}
    return build(ChatMessage, {**known, "created_at": datetime.now(UTC), **empty})


def _read_former_write(message: ChatMessage) -> Write:
    known = message.metadata
    value = unpack([known["type"], str(message.content)])
    return Write(known["task"], known["index"], known["channel"], known["path"], value)


@lru_cache(maxsize=256)
def _name(*parts: str) -> str:
    return PREFIX + encode_ascii(parts)

"""FID: a batch is stored whole or refused, and later edits by the caller do not reach it."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from goldfish.catalogue.fidelity.editing import edit_message
from goldfish.catalogue.registry import Reopening, carries, check, method, trait
from goldfish.catalogue.support.comparison import (
    expect_kept_or_refused,
    expect_messages,
    label_findings,
)
from goldfish.catalogue.support.sessions import expect_usable, write_session
from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory, contents_of
from goldfish.messages import ChatMessage


@dataclass(frozen=True)
class Opaque:
    """An object that no text format has."""

    name: str = "thing"


class Colour(Enum):
    """Values that look like text once printed."""

    RED = "red"


def make_circle() -> dict[str, Any]:
    """Return a dict that holds itself."""
    circle: dict[str, Any] = {"name": "circle"}
    circle["self"] = circle
    return circle


def make_odd_values() -> dict[str, Any]:
    """Return values that JSON does not give back as they are, by what they are."""
    return {
        "an object": Opaque(),
        "a set": {"a", "b"},
        "a tuple": (1, 2),
        "bytes": b"\x00\xff",
        "a datetime": datetime(2026, 3, 1, tzinfo=UTC),
        "a Decimal": Decimal("1.10"),
        "an Enum": Colour.RED,
        "a class": Opaque,
        "integer keys": {1: "a", 2: "b"},
        "a key that is None": {None: "a"},
        "keys that are tuples": {(1, 2): "a"},
        "NaN": float("nan"),
        "infinity": float("inf"),
        "a complex number": 1j,
        "a dict that holds itself": make_circle(),
        "an object in a list in a dict": {"list": [{"x": Opaque()}]},
        "a lone surrogate": "a\ud83d",
        "a NUL": "a\x00b",
    }


@check(
    "FID21",
    "Metadata that the store cannot keep is made plain as JSON does, or refused, never lost.",
    incident="agno pull request 6363 and cube-harness pull request 461: datetimes and Decimals in "
    "metadata were turned into text to make them storable, which printed every other object, too.",
    needs=[carries("metadata")],
)
async def an_odd_value_is_kept_exactly_or_refused(memory: Memory) -> None:
    for variant, value in make_odd_values().items():
        message = memory.message(metadata={"before": 1, "odd": value})
        with label_findings(variant):
            await expect_kept_or_refused(memory, message, "metadata")


def make_refusable_messages(memory: Memory) -> Iterator[tuple[str, ChatMessage]]:
    """Yield messages that a store may refuse, with what is odd about each."""
    yield "a lone surrogate", memory.message(memory.text("a\ud83d"))
    yield "a NUL", memory.message(memory.text("a\x00b"))
    if "metadata" in memory.target.carries:
        yield "an object", memory.message(metadata={"odd": Opaque()})
        yield "a set", memory.message(metadata={"odd": {1, 2}})
        yield "a dict that holds itself", memory.message(metadata={"odd": make_circle()})


@check(
    "FID22",
    "If one message of a batch is refused, in whatever position, none of the batch is stored.",
    incident="langchain-community 0.4.2 RedisChatMessageHistory writes message by message: a "
    "batch that fails leaves the question without its answer.",
    suite="smoke",
    needs=[trait("whole_batches")],
)
async def a_refused_batch_leaves_nothing_behind(memory: Memory) -> None:
    for place in (2, 0, 4):
        for variant, odd in make_refusable_messages(memory):
            session, old, batch = memory.session(), memory.messages(2), memory.messages(4)
            batch.insert(place, odd)
            with label_findings(f"{variant} in place {place + 1} of 5"):
                await memory.client.add(session, old)
                refusal = await memory.client.offer(session, batch)
                found = await memory.client.contents(session)
                expect_all_or_nothing(contents_of(old), contents_of(batch), found, refusal)
                if refusal is None:
                    expect_contents(contents_of([*old, *batch]), found, session=session)


def expect_all_or_nothing(
    old: list[Any], batch: list[Any], found: list[Any], refusal: Exception | None
) -> None:
    """Raise unless the batch is there as a whole, or was refused as a whole."""
    evidence = f"read back {quote_list(found)}"
    if found[: len(old)] != old:
        raise Violation("lost: messages from before the batch are gone", evidence)
    there = len(found) - len(old)
    if refusal is not None and there:
        count = f"{there} of its {len(batch)} messages are there"
        raise Violation(f"torn: the batch was refused ({refusal}), but {count}", evidence)
    if refusal is None and there < len(batch):
        missing = next(each for each in batch if each not in found)
        raise Violation(f"swallowed: {quote(missing)} was acknowledged, but is not there", evidence)


@check(
    "FID23",
    "Adding leaves the caller's list alone, and editing that list later leaves the history alone.",
    incident="langgraph's InMemoryStore 4.3.1 keeps the caller's own objects; a list that is "
    "reused for the next turn then rewrites the turns before it.",
)
async def a_batch_belongs_to_the_store_once_it_is_added(memory: Memory) -> None:
    edits: dict[str, Callable[[list[ChatMessage]], object]] = {
        "appending": lambda batch: batch.append(memory.message()),
        "replacing": lambda batch: batch.__setitem__(0, memory.message()),
        "removing": lambda batch: batch.pop(0),
        "reversing": lambda batch: batch.reverse(),
        "clearing": lambda batch: batch.clear(),
    }
    for name, edit in edits.items():
        session, batch = memory.session(), memory.messages(3)
        given = list(batch)
        await memory.client.add(session, batch)
        if batch != given:
            raise Violation("corrupted: add_messages changed the caller's list")
        edit(batch)
        await expect_unchanged(memory, session, given, f"{name} in the caller's list")
        await memory.client.add(session, more := memory.messages(1))
        await memory.client.expect(session, contents_of([*given, *more]))


async def expect_unchanged(
    memory: Memory, session: str, given: list[ChatMessage], deed: str
) -> None:
    """Raise if the deed changed the history."""
    found = await memory.client.contents(session)
    if found != contents_of(given):
        evidence = (f"expected {quote_list(contents_of(given))}", f"read back {quote_list(found)}")
        raise Violation(f"corrupted: {deed} changed the history", *evidence)


def make_rich_message(memory: Memory) -> ChatMessage:
    """Return a message with something to edit in every field that can be edited."""
    function = {"name": "f", "arguments": {"a": [1]}}
    return memory.message(
        role="assistant",
        tool_calls=[{"id": "c1", "type": "function", "function": function}],
        metadata={"user": {"tags": ["a"], "name": "ann"}, "n": 1},
    )


EDITABLE = frozenset({"metadata", "tool_calls"})


@check(
    "FID24",
    "Adding leaves the caller's message alone, and editing it later leaves the history alone.",
    incident="mem0 pull request 4529: the caller's metadata dict was changed in place, so calls "
    "that shared one bled into each other; langgraph's InMemoryStore aliases stored values.",
)
async def a_message_belongs_to_the_store_once_it_is_added(memory: Memory) -> None:
    fields, session = EDITABLE & memory.target.carries, memory.session()
    first, second = make_rich_message(memory), make_rich_message(memory)
    as_given = [deepcopy(first), deepcopy(second)]
    await memory.client.add(session, [first])
    if first != as_given[0]:
        raise Violation("corrupted: add_messages changed the caller's message")
    edit_message(first)
    await memory.client.add(session, [second])
    edit_message(first)
    edit_message(second)
    with label_findings("after the caller edited its messages"):
        await expect_messages(memory.client, session, as_given, fields)


@check(
    "FID25",
    "Editing the list that a read returned does not change the history.",
    incident="langchain-core 1.7.2 InMemoryChatMessageHistory returns its own list: an agent that "
    "drops a message from its prompt drops it from the memory.",
    suite="smoke",
)
async def editing_what_was_read_does_not_edit_the_history(memory: Memory) -> None:
    session, batch = await write_session(memory, 3)
    edits: dict[str, Callable[[list[Any]], object]] = {
        "appending": lambda found: found.append(memory.message()),
        "removing": lambda found: found.pop(0),
        "reversing": lambda found: found.reverse(),
        "clearing": lambda found: found.clear(),
    }
    for name, edit in edits.items():
        found = await memory.client.call("get_history", session)
        if isinstance(found, list):
            edit(found)
        await expect_unchanged(memory, session, batch, f"{name} in a returned list")
    await memory.client.add(session, more := memory.messages(1))
    await memory.client.expect(session, contents_of([*batch, *more]))


@check(
    "FID26",
    "Editing a message that a read returned, or a dict or list in it, leaves the history alone.",
    incident="langgraph's InMemoryStore 4.3.1 returns the stored values themselves; Chainlit pull "
    "request 557 had to copy the metadata of a resumed session for the same reason.",
)
async def editing_a_message_that_was_read_does_not_edit_the_history(memory: Memory) -> None:
    fields, session = EDITABLE & memory.target.carries, memory.session()
    batch = [make_rich_message(memory), make_rich_message(memory)]
    as_given = deepcopy(batch)
    await memory.client.add(session, batch)
    for _ in range(2):
        for message in await memory.client.history(session):
            edit_message(message)
        with label_findings("after the caller edited returned messages"):
            await expect_messages(memory.client, session, as_given, fields)


@check(
    "FID27",
    "A batch of any size from one to a thousand messages is stored whole and in order.",
    incident="SQLite documents at most 32,766 variables in a statement, 999 before 3.32, and "
    "PostgreSQL's protocol 65,535: an INSERT of many rows works until the batch is large "
    "enough.",
    suite="smoke",
    basic=True,
)
async def a_batch_of_any_size_is_stored_whole(memory: Memory) -> None:
    most = await memory.affordable(1_003, least=257)
    sizes = (1, 2, 10, 50, 64, 99, 101, 128, 257, 500, 1_000, 1_003)
    for size in (each for each in sizes if each <= most):
        session, batch = memory.session(), memory.messages(size)
        with label_findings(f"a batch of {size:,}"):
            await memory.client.add(session, batch)
            await memory.client.expect(session, contents_of(batch))
    session = memory.session()
    mixed = [memory.message(memory.text("x" * 10**power)) for power in (0, 5, 1, 4, 2, 3, 6, 0)]
    with label_findings("a batch of short and long messages"):
        await memory.client.add(session, mixed)
        await memory.client.expect(session, contents_of(mixed))


@check(
    "FID28",
    "Adding no messages is not an error, removes nothing, and creates no session.",
    incident="Redis answers RPUSH without values with an error, and SQL has no VALUES without a "
    "row: a store that passes on an empty batch fails at the first turn with nothing to say.",
    needs=[trait("empty_batches")],
    basic=True,
)
async def a_batch_of_none_changes_nothing(memory: Memory) -> None:
    empty, session, batch = memory.session("empty"), memory.session(), memory.messages(2)
    await memory.client.add(session, batch)
    await memory.client.add(empty, [])
    await memory.client.add(session, [])
    await memory.client.expect(empty, [])
    await memory.client.expect(session, contents_of(batch))
    if memory.client.has("list_sessions") and memory.target.holds("unlisted_empties"):
        listed = list(await memory.client.call("list_sessions"))
        if empty in listed:
            raise Violation("phantom: a session without messages is listed", quote_list(listed))
    await expect_usable(memory, empty, count=1)


@check(
    "FID29",
    "A history of ten thousand messages comes back whole, in order, each message once.",
    incident="ai-dial-chat pull request 8778: a default limit of 1,000 silently hid everything "
    "older; dify issue 31654: no more than ten messages of a conversation could be read.",
)
async def a_history_of_ten_thousand_is_read_whole(memory: Memory) -> None:
    count = await memory.affordable(10_007, least=1_503)
    session, batch = memory.session(), memory.messages(count)
    step = 1_000
    for start in range(0, len(batch), step):
        await memory.client.add(session, batch[start : start + step])
    await memory.client.expect(session, contents_of(batch))


def make_full_batch(memory: Memory) -> list[ChatMessage]:
    """Return messages that use every field."""
    message = memory.message
    return [
        message(memory.text(" \u8bb0\u5fc6 \U0001f420 e\u0301\r\n "), role="system", name="boss"),
        message(
            role="user", metadata={"n": 2**53 + 1, "t": True, "none": None, "deep": [{"x": 0.1}]}
        ),
        make_rich_message(memory),
        message(role="tool", tool_call_id="c1", created_at=datetime(2020, 1, 2, 3, 4, 5, 678, UTC)),
        message(role="user"),
    ]


@check(
    "FID30",
    "Another opening reads every field of a message as the opening that wrote it does.",
    incident="nixopus pull request 1345: an agent's tool calls were there while the chat went on "
    "and gone after a reload, because only the text had been written.",
    needs=[Reopening],
    suite="smoke",
)
async def another_opening_reads_the_same_to_the_last_field(memory: Memory) -> None:
    session, batch, fields = (
        memory.session(),
        make_full_batch(memory),
        sorted(memory.target.carries),
    )
    await memory.client.add(session, batch)
    await expect_messages(memory.client, session, batch, fields)
    with label_findings("read after reopening"):
        await expect_messages(await memory.reopen(), session, batch, fields)


@check(
    "FID31",
    "Messages read with ``last`` have the same fields as in the whole history.",
    incident="openclaw issue 26644: one way to read a chat cut the long messages that another way "
    "returned whole.",
    needs=[method("get_history", "last")],
)
async def a_shorter_read_gives_the_same_messages(memory: Memory) -> None:
    session, batch, fields = (
        memory.session(),
        make_full_batch(memory),
        sorted(memory.target.carries),
    )
    batch.insert(1, memory.message(memory.text("long " * 30_000)))
    await memory.client.add(session, batch)
    for last in (len(batch), 5, 1):
        with label_findings(f"last={last}"):
            await expect_messages(memory.client, session, batch[-last:], fields, last=last)
    await expect_messages(memory.client, session, batch, fields)

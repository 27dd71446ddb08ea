"""Lists of checkpoints: stored as what is new, and read back exactly, whatever became of them."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("langgraph.checkpoint.base")

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.graph import START, MessagesState, StateGraph

import goldfish
from goldfish.dropins.langgraph import Saver
from goldfish.errors import MemoryStoreBackendError
from goldfish.integrations.langgraph.elements import Element, copy_all, freeze
from goldfish.integrations.langgraph.lists import EMPTY, Chain
from goldfish.integrations.langgraph.records import SEGMENT, Line
from tests.stores.backends import Backend

LINE = Line("t", "")


def at(**named: str) -> Any:
    return {"configurable": {"thread_id": "t", "checkpoint_ns": "", **named}}


def put(saver: Saver, config: Any, *values: Any) -> Any:
    """Write a checkpoint by hand whose channel ``log`` has these values."""
    checkpoint = empty_checkpoint() | {"channel_values": {"n": 1, "log": list(values)}}
    return saver.put(config, checkpoint, {}, {})


def log_of(saver: Saver, config: Any) -> Any:
    found = saver.get_tuple(config)
    assert found is not None
    return found.checkpoint["channel_values"]["log"]


def elements(store: Any) -> int:
    """How many elements the line holds."""
    rows = [each for each in store.get_history(LINE.session) if each.role == SEGMENT]
    return sum(len(each.metadata["elements"]) for each in rows)


@pytest.fixture
def store() -> Iterator[goldfish.BlockingMemoryStore]:
    with goldfish.blocking(goldfish.InMemoryStore()) as made:
        yield made


def some_message(draw: random.Random, number: int) -> BaseMessage:
    name = f"m{number}"
    return draw.choice(
        [
            HumanMessage(name, id=name),
            SystemMessage([{"type": "text", "text": name}], id=name),
            ToolMessage(name, tool_call_id="c", id=name, artifact={"n": [number, 1.5, None]}),
            AIMessage(
                name,
                id=name,
                tool_calls=[{"name": "f", "args": {"x": number}, "id": "c"}],
                usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
                response_metadata={"model": "m", "flag": True},
            ),
        ]
    )


def change(draw: random.Random, values: list[Any], number: int) -> None:
    """Do to a list what graphs do to their messages."""
    deed = draw.choice(["add", "add", "add", "drop", "trim", "swap", "edit", "insert", "empty"])
    where = draw.randrange(len(values)) if values else 0
    if deed == "add" or not values:
        values += [some_message(draw, number * 10 + each) for each in range(draw.randint(1, 3))]
    elif deed == "drop":
        del values[where]
    elif deed == "trim":
        del values[: len(values) // 2]
    elif deed == "swap":
        values[where], values[0] = values[0], values[where]
    elif deed == "edit":
        values[where].content = f"edited {number}"
    elif deed == "insert":
        values.insert(where, some_message(draw, number * 10))
    elif draw.random() < 0.2:
        values.clear()


@pytest.mark.parametrize("seed", range(6))
def test_every_checkpoint_has_its_list_as_it_was(seed: int) -> None:
    """Grown, shrunk, reordered or changed in place, on branches, read here and by others."""
    draw = random.Random(seed)
    with goldfish.blocking(goldfish.InMemoryStore()) as store:
        saver, other = Saver(store), Saver(store)
        expected: dict[str, list[BaseMessage]] = {}
        places: list[Any] = []
        for number in range(60):
            branches = bool(places) and draw.random() < 0.2
            config = draw.choice(places) if branches else places[-1] if places else at()
            writer = draw.choice([saver, saver, other])
            values: list[Any] = log_of(writer, config) if places else []
            change(draw, values, number)
            places.append(put(writer, config, *values))
            name = places[-1]["configurable"]["checkpoint_id"]
            expected[name] = [each.model_copy(deep=True) for each in values]
        for reader in (saver, other, Saver(store)):
            found = {t.checkpoint["id"]: t.checkpoint["channel_values"] for t in reader.list(at())}
            assert {name: each["log"] for name, each in found.items()} == expected, seed
            named = draw.choice(places)
            assert log_of(reader, named) == expected[named["configurable"]["checkpoint_id"]]
        kept = [each for each in expected if draw.random() < 0.3] or list(expected)[:1]
        wait = saver._threads.forget(LINE, [each for each in expected if each not in kept])
        store._call(wait)
        for reader in (saver, Saver(store)):
            found = {t.checkpoint["id"]: t.checkpoint["channel_values"] for t in reader.list(at())}
            assert {name: each["log"] for name, each in found.items()} == {
                name: expected[name] for name in kept
            }, seed


def test_a_list_that_grows_is_stored_once(store: goldfish.BlockingMemoryStore) -> None:
    """Each element, by whichever saver, and on every branch."""
    saver = Saver(store)
    place, values = at(), []
    for number in range(20):
        values.append(HumanMessage(str(number), id=str(number)))
        place = put(saver, place, *values)
    assert elements(store) == 20
    other = Saver(store)
    values = log_of(other, place)
    for text in ("left", "right"):
        put(other, place, *values, HumanMessage(text, id=text))
    assert elements(store) == 22
    shortened = put(other, place, *values[5:], "a text")
    assert elements(store) == 23
    assert log_of(Saver(store), shortened) == [*values[5:], "a text"]


def test_a_turn_of_a_graph_stores_what_is_new(store: goldfish.BlockingMemoryStore) -> None:
    """Two messages, however long the thread is; a fresh process goes on with what it read."""
    for number in range(6):
        saver = Saver(store)
        graph: Any = StateGraph(MessagesState)
        graph.add_node("agent", lambda state: {"messages": [AIMessage("hi")]})
        graph = graph.add_edge(START, "agent").compile(saver)
        for _ in range(2):
            graph.invoke({"messages": [HumanMessage(str(number))]}, at())
        assert elements(store) == 4 * (number + 1)
        assert len(graph.get_state(at()).values["messages"]) == 4 * (number + 1)


def test_what_tells_values_apart_is_kept_apart(store: goldfish.BlockingMemoryStore) -> None:
    """Values that Python calls equal: a changed type is a change."""
    saver = Saver(store)
    first = put(saver, at(), {"n": 1}, ("a",), "x", b"x")
    second = put(saver, first, {"n": True}, ["a"], b"x", "x")
    for reader in (saver, Saver(store)):
        assert repr(log_of(reader, second)) == "[{'n': True}, ['a'], b'x', 'x']"
        assert repr(log_of(reader, first)[0]) == "{'n': 1}"


def test_what_was_read_is_the_callers_own(store: goldfish.BlockingMemoryStore) -> None:
    """To change it changes nothing that is stored or remembered."""
    saver = Saver(store)
    place = put(saver, at(), AIMessage("a", id="1", response_metadata={"deep": [1]}), {"d": []})
    for _ in range(3):
        message, plain = log_of(saver, place)
        assert message.response_metadata == {"deep": [1]}
        assert plain == {"d": []}
        message.response_metadata["deep"].append(2)
        message.content = "b"
        plain["d"].append(1)


def test_pruning_removes_the_elements_that_nobody_has(store: goldfish.BlockingMemoryStore) -> None:
    """And no other; what a deleted run brought stays as long as a later one shows it."""
    saver = Saver(store)
    place = put(saver, at(), "a", "b", "c")
    place = put(saver, place, "b", "c", "d")
    saver.prune(["t"])
    assert log_of(Saver(store), at()) == ["b", "c", "d"]
    put(saver, place, "e")
    saver.prune(["t"])
    assert log_of(Saver(store), at()) == ["e"]
    assert elements(store) == 1


def test_a_copy_shares_nothing_with_its_source(store: goldfish.BlockingMemoryStore) -> None:
    """It is whole after the source is gone."""
    saver = Saver(store)
    place = at()
    for text in ("a", "b", "c"):
        place = put(saver, place, *([] if text == "a" else log_of(saver, place)), text)
    saver.copy_thread("t", "copy")
    saver.delete_thread("t")
    found = list(saver.list({"configurable": {"thread_id": "copy"}}))
    logs = [each.checkpoint["channel_values"]["log"] for each in found]
    assert logs == [["a", "b", "c"], ["a", "b"], ["a"]]


async def test_a_reader_finds_what_others_wrote_since(durable: Backend) -> None:
    """A little by the newest records, more by the whole line."""
    async with durable.open() as store, durable.open() as other:
        one, two = Saver(store), Saver(other)
        place = at()
        said: list[BaseMessage] = []
        for number in (1, 2, 40, 1):
            for _ in range(number):
                said.append(HumanMessage("x" * 10, id=str(len(said))))
                checkpoint = empty_checkpoint() | {"channel_values": {"log": list(said)}}
                place = await two.aput(place, checkpoint, {}, {})
            found = await one.aget_tuple(at())
            assert found is not None
            assert found.checkpoint["channel_values"]["log"] == said


def test_a_missing_element_is_an_error_not_a_shorter_list(
    store: goldfish.BlockingMemoryStore,
) -> None:
    """As of a store that somebody else has edited."""
    put(Saver(store), at(), "a", "b")
    rows = store.get_history(LINE.session)
    store.delete_messages(LINE.session, [each.id for each in rows if each.role == SEGMENT])
    with pytest.raises(MemoryStoreBackendError, match="restore"):
        log_of(Saver(store), at())


def test_only_what_comes_back_whole_is_remembered_by_its_fields() -> None:
    """A message of a class that may hold more is left to the serialiser."""

    class Own(HumanMessage):
        """A message with something of its own."""

    assert freeze(Own(content="x")) is None
    assert freeze([object()]) is None
    message = AIMessage("x", id="1", extra_field={"a": 1})
    frozen = freeze(message)
    assert frozen is not None
    copy, plain = copy_all([Element(("msgpack", b""), frozen), Element(("", b""), (None, b"\x90"))])
    assert plain == []
    assert copy == message
    assert copy.model_dump() == message.model_dump()
    assert copy.model_fields_set > {"content", "extra_field"}


def test_what_a_caller_does_to_a_message_stays_with_the_caller(
    store: goldfish.BlockingMemoryStore,
) -> None:
    """Neither the next read nor its serialised form tells of it."""
    saver = Saver(store)
    place = put(saver, at(), AIMessage("a", id="1"), {"b": []})
    log_of(saver, place)
    expected = log_of(saver, place)
    message, plain = log_of(saver, place)
    message.content, message.mood = "changed", "new"
    message.additional_kwargs["k"] = message.response_metadata["k"] = 1
    message.tool_calls.append({"name": "f", "args": {}, "id": "c"})
    plain["b"].append(1)
    again = log_of(saver, place)
    assert again == expected == [AIMessage("a", id="1"), {"b": []}]
    assert again[0].model_fields_set == expected[0].model_fields_set
    assert "mood" not in again[0].model_fields_set


@pytest.mark.parametrize("where", [0, 63, 64, 149])
def test_a_change_in_place_is_stored_wherever_it_is_in_a_long_list(
    store: goldfish.BlockingMemoryStore, where: int
) -> None:
    """Also one that Python takes for equal."""
    saver = Saver(store)
    said = [HumanMessage("x", id=f"{n}", response_metadata={"n": 1}) for n in range(150)]
    place = put(saver, at(), *said)
    values = log_of(saver, place)
    values[where].response_metadata["n"] = True
    after = log_of(saver, put(saver, place, *values))
    changed = [n for n, each in enumerate(after) if each.response_metadata["n"] is True]
    assert changed == [where]
    assert elements(store) == len(said) + 1


def test_chains_that_grow_from_one_do_not_meet() -> None:
    """The lists of two branches share what they have in common, and nothing else."""
    first = EMPTY.extend([1, 2])
    left, right = first.extend([3]), first.extend([4, 5])
    longer = left.extend([6])
    assert [list(each) for each in (EMPTY, first, left, right, longer)] == [
        [],
        [1, 2],
        [1, 2, 3],
        [1, 2, 4, 5],
        [1, 2, 3, 6],
    ]
    assert (len(first), first[-1], first[0], first[1:], first[:9]) == (2, 2, 1, [2], [1, 2])
    assert longer._items is left._items is first._items
    with pytest.raises(IndexError):
        first[2]
    assert isinstance(first, Chain)

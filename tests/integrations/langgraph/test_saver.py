"""Our checkpointer for LangGraph: conformant, and of turns at once none is forgotten silently."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import pytest

pytest.importorskip("langgraph.pregel")
pytest.importorskip("langgraph.checkpoint.conformance")

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import ALL_CAPABILITIES
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

import goldfish
from goldfish.dropins.langgraph import CheckpointNotFoundError, Saver, TurnOvertakenError
from goldfish.errors import UnstorableError
from goldfish.integrations.langgraph.adapter import NODE, make_graph
from goldfish.integrations.langgraph.records import PREFIX, Entry, Line
from tests.stores.backends import Backend

ODD_THREADS = ["", "a", 'a","', 'a","b"]', "a\0b", "\ud800", "中文", "*", "x" * 300]


def thread(thread_id: Any = "t", **named: str) -> Any:
    return {"configurable": {"thread_id": thread_id, **named}}


def said(*texts: str) -> dict[str, list[BaseMessage]]:
    return {"messages": [HumanMessage(text, id=text) for text in texts]}


def texts(state: Any) -> list[str]:
    return [each.content for each in state.values.get("messages", [])]


def values_of(found: CheckpointTuple | None) -> Any:
    return found and found.checkpoint["channel_values"].get("n")


def put(saver: Saver, config: Any, n: int, **metadata: Any) -> Any:
    """Write a checkpoint by hand, as a graph does."""
    checkpoint = empty_checkpoint() | {"channel_values": {"n": n}}
    running = {**config["configurable"], "__pregel_runtime": None}
    described: Any = {"source": "loop", "step": n, **metadata}
    return saver.put({"configurable": {"checkpoint_ns": "", **running}}, checkpoint, described, {})


def started(saver: Saver, config: Any) -> Any:
    """The configuration with which a graph writes, after it has read the thread."""
    found = saver.get_tuple(config)
    return config if found is None else found.config


async def test_the_saver_conforms_in_full_on_each_engine(durable: Backend) -> None:
    """LangGraph's own suite, base and extended, finds every power there and nothing wrong."""

    async with durable.open() as store:

        @checkpointer_test(name=durable.name)
        async def saver() -> AsyncIterator[BaseCheckpointSaver[Any]]:
            yield Saver(store)

        report = await validate(saver)
    assert {name: each.failures for name, each in report.results.items()} == {
        each.value: [] for each in ALL_CAPABILITIES
    }
    assert all(each.detected and each.passed for each in report.results.values())


async def test_a_graph_remembers_by_sync_and_async_calls(durable: Backend) -> None:
    """Both faces see one thread, and what another opening of the storage has written."""
    store = durable.open()
    graph = make_graph(Saver(store))
    await asyncio.to_thread(graph.invoke, said("a"), thread())
    await graph.ainvoke(said("b"), thread())
    async with durable.open() as again:
        other = make_graph(Saver(again))
        assert texts(await other.aget_state(thread())) == ["a", "b"]
        assert texts(await asyncio.to_thread(other.get_state, thread())) == ["a", "b"]
    await store.aclose()


def test_the_store_is_the_callers_to_close() -> None:
    """A saver takes a store with or without an event loop, and gives it back open."""
    with goldfish.blocking(goldfish.InMemoryStore()) as store:
        Saver(store)
        make_graph(Saver(store)).invoke(said("a"), thread())
        assert texts(make_graph(Saver(store.store)).get_state(thread())) == ["a"]


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_turns_follow_one_another_however_they_are_written(durability: str) -> None:
    """Step by step or at their end, and each can be gone back to."""
    graph = make_graph(Saver(goldfish.InMemoryStore()))
    for text in "abc":
        graph.invoke(said(text), thread(), durability=durability)
    ended = [each for each in graph.get_state_history(thread()) if not each.next]
    assert [texts(each) for each in ended] == [["a", "b", "c"], ["a", "b"], ["a"]]
    graph.update_state(ended[1].config, said("x"), as_node=NODE)
    assert texts(graph.get_state(thread())) == ["a", "b", "x"]
    graph.invoke(said("y"), ended[2].config)
    assert texts(graph.get_state(thread())) == ["a", "y"]


def test_an_interrupted_turn_is_resumed_by_another_opening(tmp_path: Any) -> None:
    """The question and the answer are writes of the checkpoint at which the graph stopped."""

    def asks(state: MessagesState) -> dict[str, list[BaseMessage]]:
        return {"messages": [AIMessage(interrupt("who?"), id="answer")]}

    def graph(store: Any) -> Any:
        built = StateGraph(MessagesState).add_node("asks", asks)
        return built.add_edge(START, "asks").add_edge("asks", END).compile(Saver(store))

    with goldfish.blocking(goldfish.SQLiteMemoryStore(tmp_path / "m.db")) as store:
        assert graph(store).invoke(said("hi"), thread())["__interrupt__"][0].value == "who?"
    with goldfish.blocking(goldfish.SQLiteMemoryStore(tmp_path / "m.db")) as store:
        graph(store).invoke(Command(resume="me"), thread())
        assert texts(graph(store).get_state(thread())) == ["hi", "me"]


async def test_of_two_turns_from_one_state_the_second_is_refused(durable: Backend) -> None:
    """It leaves nothing behind, and can be taken again."""
    async with durable.open() as store, durable.open() as other:
        await asyncio.to_thread(_overtake, Saver(store), Saver(other))


def _overtake(one: Saver, other: Saver) -> None:
    put(one, thread(), 1)
    early, late = started(one, thread()), started(other, thread())
    put(one, early, 2)
    with pytest.raises(TurnOvertakenError, match="take the turn again"):
        put(other, late, 3)
    assert [values_of(each) for each in one.list(thread())] == [2, 1]
    put(other, started(other, thread()), 3)
    assert [values_of(each) for each in one.list(thread())] == [3, 2, 1]


def test_of_two_first_turns_the_second_is_refused() -> None:
    """A thread that both found empty."""
    saver = Saver(goldfish.InMemoryStore())
    put(saver, thread(), 1)
    with pytest.raises(TurnOvertakenError):
        put(saver, thread(), 2)
    assert values_of(saver.get_tuple(thread())) == 1


def test_the_steps_of_a_first_turn_are_not_overtaken_by_a_second() -> None:
    """Whoever continues from the middle of a turn is refused, or the turn is: never neither."""
    saver = Saver(goldfish.InMemoryStore())
    first = put(saver, thread(), 1, source="input", step=-1)
    second = put(saver, first, 2)
    with pytest.raises(TurnOvertakenError):
        put(saver, first, 3)
    put(saver, second, 4)
    assert [values_of(each) for each in saver.list(thread())] == [4, 2, 1]


def test_a_saver_can_be_told_to_accept_every_turn() -> None:
    """As LangGraph's own do: the thread remembers what was written last."""
    saver = Saver(goldfish.InMemoryStore(), refuse_overtaken=False)
    put(saver, thread(), 1)
    early, late = started(saver, thread()), started(saver, thread())
    put(saver, early, 2)
    put(saver, late, 3)
    assert values_of(saver.get_tuple(thread())) == 3


def test_a_branch_from_a_named_checkpoint_is_accepted() -> None:
    """However much the thread has grown since."""
    saver = Saver(goldfish.InMemoryStore())
    first = put(saver, thread(), 1)
    put(saver, started(saver, thread()), 2)
    put(saver, started(saver, first), 3)
    assert [values_of(each) for each in saver.list(thread())] == [3, 2, 1]
    newest = saver.get_tuple(thread())
    assert newest is not None
    assert newest.parent_config == first


def test_a_branch_from_an_unknown_checkpoint_is_refused() -> None:
    """One that was never there, or is another thread's; LangGraph itself would begin anew."""
    saver = Saver(goldfish.InMemoryStore())
    graph = make_graph(saver)
    graph.invoke(said("a"), thread())
    graph.invoke(said("b"), thread("other"))
    strange = graph.get_state(thread("other")).config["configurable"]["checkpoint_id"]
    for named in (strange, "nobody's"):
        with pytest.raises(CheckpointNotFoundError, match="get_state_history"):
            graph.update_state(
                thread(checkpoint_ns="", checkpoint_id=named), said("x"), as_node=NODE
            )
    assert texts(graph.get_state(thread())) == ["a"]


def test_a_thread_that_is_deleted_during_a_turn_stays_deleted() -> None:
    """The turn is refused; langgraph issue 7206 tells of threads that came back."""
    store = goldfish.blocking(goldfish.InMemoryStore())
    saver = Saver(store)
    put(saver, thread(), 1)
    under_way = started(saver, thread())
    saver.delete_thread("t")
    with pytest.raises(TurnOvertakenError):
        put(saver, under_way, 2)
    assert saver.get_tuple(thread()) is None
    assert store.list_sessions() == []
    store.close()


def test_a_killed_turn_that_did_not_stand_is_seen_by_nobody() -> None:
    """An entry that its writer could not take back hinders no later turn."""
    store = goldfish.blocking(goldfish.InMemoryStore())
    saver, line = Saver(store), Line("t", "")
    put(saver, thread(), 1)
    for parent in ("gone", None):
        bad = Entry(f"killed{parent}", parent, continues=True)
        store.add_messages(line.session, [bad.to_message()])
        assert values_of(saver.get_tuple(thread())) == 1
    put(saver, started(saver, thread()), 2)
    put(saver, started(saver, thread()), 3)
    assert [values_of(each) for each in saver.list(thread())] == [3, 2, 1]
    store.close()


def test_writes_may_come_before_their_checkpoint() -> None:
    """LangGraph writes both in the background, in no order; special writes are replaced."""
    saver = Saver(goldfish.InMemoryStore())
    checkpoint = empty_checkpoint()
    place = thread(checkpoint_ns="", checkpoint_id=checkpoint["id"])
    saver.put_writes(place, [("a", 1), ("__error__", "old")], "task")
    saver.put_writes(place, [("a", 2), ("__error__", "new")], "task", "path")
    assert saver.get_tuple(place) is None
    saver.put(thread(checkpoint_ns=""), checkpoint, {}, {})
    found = saver.get_tuple(thread())
    assert found is not None
    assert found.pending_writes == [("task", "a", 1), ("task", "__error__", "new")]


async def test_many_threads_take_turns_at_once_and_all_are_there(tmp_path: Any) -> None:
    """With turns that are written at their end, and taken again when overtaken."""
    async with goldfish.SQLiteMemoryStore(tmp_path / "m.db") as store:
        graph = make_graph(Saver(store))

        def take(text: str) -> None:
            while True:
                try:
                    graph.invoke(said(text), thread(), durability="exit")
                    return
                except TurnOvertakenError:
                    continue

        names = [str(n) for n in range(12)]
        with ThreadPoolExecutor(4) as pool:
            loop = asyncio.get_running_loop()
            await asyncio.gather(*(loop.run_in_executor(pool, take, each) for each in names))
        assert sorted(texts(await graph.aget_state(thread()))) == sorted(names)


async def test_no_thread_sees_another_whatever_the_ids(durable: Backend) -> None:
    """Also when one is deleted, and beside the sessions that the store holds itself."""
    async with durable.open() as store:
        await store.add_messages("a", [goldfish.ChatMessage(role="user", content="own")])
        graph = make_graph(saver := Saver(store))
        for name in ODD_THREADS:
            for ns in ODD_THREADS[:4]:
                config = thread(name, checkpoint_ns=ns)
                await saver.aput(config, empty_checkpoint() | {"channel_values": {}}, {}, {})
        for number, name in enumerate(ODD_THREADS):
            await saver.adelete_thread(name)
            left = {each.config["configurable"]["thread_id"] async for each in saver.alist(None)}
            assert left == set(ODD_THREADS[number + 1 :])
        assert await store.list_sessions(PREFIX) == []
        assert [each.content for each in await store.get_history("a")] == ["own"]
        assert texts(await graph.aget_state(thread("a"))) == []


def test_pruning_keeps_what_later_turns_stand_on() -> None:
    """The latest state, the next turn after it, and no more records than are needed."""
    store = goldfish.blocking(goldfish.InMemoryStore())
    graph = make_graph(saver := Saver(store))
    for text in "abc":
        graph.invoke(said(text), thread())
        saver.prune(["t"])
        assert len(list(saver.list(thread()))) == 1
    assert texts(graph.get_state(thread())) == ["a", "b", "c"]
    assert store.list_sessions(PREFIX) == [Line("t", "").session]
    roles = [each.role for each in store.get_history(Line("t", "").session)]
    assert sorted(roles) == ["checkpoint", "segment", "segment", "segment", "stands"]
    saver.prune(["t"], strategy="delete")
    assert store.list_sessions(PREFIX) == []
    with pytest.raises(ValueError, match="'keep_latest' or 'delete'"):
        saver.prune(["t"], strategy="all")
    store.close()


def test_the_runs_of_a_living_thread_can_be_deleted_one_by_one() -> None:
    """Turns that followed a deleted run stay, and when the last is gone the thread begins anew."""
    saver = Saver(goldfish.InMemoryStore())
    for n in (1, 2, 3):
        put(saver, started(saver, thread()), n, run_id=f"run{n}")
    saver.delete_for_runs(["run2"])
    assert [values_of(each) for each in saver.list(thread())] == [3, 1]
    saver.delete_for_runs(["run3"])
    put(saver, started(saver, thread()), 4, run_id="run4")
    assert [values_of(each) for each in saver.list(thread())] == [4, 1]
    saver.delete_for_runs(["run1", "nobody's"])
    saver.delete_for_runs(["run4"])
    assert saver.get_tuple(thread()) is None
    put(saver, thread(), 5)
    assert values_of(saver.get_tuple(thread())) == 5


def test_a_copied_thread_goes_its_own_way() -> None:
    """The copy has all turns and writes, again is a no-op, and neither changes the other."""
    graph = make_graph(saver := Saver(goldfish.InMemoryStore()))
    for text in "ab":
        graph.invoke(said(text), thread())
    saver.copy_thread("t", "copy")
    saver.copy_thread("t", "copy")
    graph.invoke(said("c"), thread("copy"))
    assert texts(graph.get_state(thread("copy"))) == ["a", "b", "c"]
    assert texts(graph.get_state(thread())) == ["a", "b"]
    assert len(list(saver.list(thread("copy")))) == len(list(saver.list(thread()))) + 3


def test_a_listing_can_be_limited_filtered_and_paged() -> None:
    """Newest first, also by what is older than a checkpoint that is gone."""
    saver = Saver(goldfish.InMemoryStore())
    for n in range(40):
        put(saver, started(saver, thread()), n, even=n % 2 == 0)
    every = list(saver.list(thread()))
    assert [values_of(each) for each in every] == list(range(39, -1, -1))
    found = saver.list(thread(), filter={"even": True}, before=every[1].config, limit=2)
    assert [values_of(each) for each in found] == [36, 34]
    assert list(saver.list(thread(), limit=0)) == []
    saver.prune(["t"])
    assert list(saver.list(thread(), before=every[-1].config)) == []
    assert len(list(saver.list(None, before=thread(checkpoint_id="zzz")))) == 1


class Counting(goldfish.InMemoryStore):
    """A store that counts the reads, and the messages it hands out."""

    reads = 0
    handed_out = 0

    async def _read(self, session_id: str, last: int | None) -> Sequence[str]:
        bodies = await super()._read(session_id, last)
        self.reads += 1
        self.handed_out += len(bodies)
        return bodies


def test_the_latest_state_costs_the_same_for_a_thread_of_any_length() -> None:
    """So do the next turn, and a namespace that is new; each reads the store once."""

    def cost(turns_before: int) -> int:
        store = Counting()
        saver = Saver(store)
        graph = make_graph(saver)
        for n in range(turns_before):
            graph.invoke(said(str(n)), thread())
        store.reads = store.handed_out = 0
        assert saver.get_tuple(thread()) is not None
        assert saver.get_tuple(thread(checkpoint_ns="sub:1")) is None
        assert store.reads == 2
        graph.invoke(said("more"), thread())
        assert store.handed_out < 100
        return store.reads

    assert cost(10) == cost(50)


def test_a_process_that_is_new_to_a_thread_reads_it_once() -> None:
    """By one call of the store, however long it is."""
    store = Counting()
    for n in range(20):
        make_graph(Saver(store)).invoke(said(str(n)), thread())
    store.reads = 0
    assert len(texts(make_graph(Saver(store)).get_state(thread()))) == 20
    assert store.reads == 1


def test_what_the_serialiser_would_change_is_refused() -> None:
    """A lone surrogate, or an object that a message carries; what it keeps is kept."""
    graph = make_graph(Saver(goldfish.InMemoryStore()))
    odd = HumanMessage(
        "x", id="1", response_metadata={"odd": goldfish.Fact(id="", user_id="", text="")}
    )
    loop: dict[str, Any] = {}
    loop["itself"] = loop
    for message in (HumanMessage("\ud800"), odd, HumanMessage("x", response_metadata=loop)):
        with pytest.raises((UnstorableError, TypeError)):
            graph.invoke({"messages": [message]}, thread())
    assert texts(graph.get_state(thread())) == []
    kept = HumanMessage("é?", id="2", response_metadata={"bytes": b"1", "n": 1.5, "none": None})
    graph.invoke({"messages": [kept]}, thread())
    assert graph.get_state(thread()).values["messages"] == [kept]


def test_versions_continue_in_the_form_that_a_thread_has() -> None:
    """Numbers by default, and texts for a thread that another checkpointer began."""
    saver = Saver(goldfish.InMemoryStore())
    assert [saver.get_next_version(each, None) for each in (None, 1)] == [1, 2]
    assert saver.get_next_version(f"{9:032}.0123", None) == f"{10:032}"


def test_delta_channels_survive_pruning() -> None:
    """What a state is put together from is kept, as far back as it reaches."""
    channels: Any = pytest.importorskip("langgraph.channels")
    if not hasattr(channels, "DeltaChannel"):
        pytest.skip("this LangGraph has no DeltaChannel")

    def joined(before: list[str], writes: list[list[str]]) -> list[str]:
        return [*before, *(each for write in writes for each in write)]

    class State(TypedDict):
        log: Annotated[list[str], channels.DeltaChannel(joined)]

    built = StateGraph(State).add_node("n", lambda state: {"log": ["n"]})
    saver = Saver(goldfish.InMemoryStore())
    graph = built.add_edge(START, "n").add_edge("n", END).compile(saver)
    for text in "ab":
        graph.invoke({"log": [text]}, thread())
    before = graph.get_state(thread()).values["log"]
    assert before == ["a", "n", "b", "n"]
    saver.prune(["t"])
    assert graph.get_state(thread()).values["log"] == before

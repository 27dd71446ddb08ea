"""A turn that was overtaken leaves nothing in the store, however far it had run ahead."""

import asyncio
import operator
import threading
from functools import partial
from typing import Annotated, Any, TypedDict

import pytest

pytest.importorskip("langgraph.checkpoint.base")

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.graph import END, START, StateGraph

import goldfish
from goldfish.dropins.langgraph import Saver, TurnOvertakenError, Turns
from goldfish.errors import MemoryStoreBackendError
from goldfish.integrations.langgraph.access import Access
from goldfish.integrations.langgraph.packing import unpack
from goldfish.integrations.langgraph.records import PREFIX, Contents, Entry, Line, Segment
from goldfish.integrations.langgraph.threads import Threads
from goldfish.stores.base import BaseStore
from tests.stores.backends import Backend

EMPTY = ("null", b""), ("null", b"")
THREAD: Any = {"configurable": {"thread_id": "t"}}


class State(TypedDict):
    """What has been said."""

    said: Annotated[list[str], operator.add]


class SlowSaver(Saver):
    """Writes checkpoints of the thread itself, not of subgraphs, only when it is told to."""

    def __init__(self, store: BaseStore) -> None:
        super().__init__(store)
        self.gate = threading.Event()

    async def aput(self, config: Any, *arguments: Any) -> Any:
        """Wait, without holding up the event loop."""
        if not config["configurable"]["checkpoint_ns"]:
            await until(self.gate)
        return await super().aput(config, *arguments)

    def put(self, config: Any, *arguments: Any) -> Any:
        """Wait."""
        assert config["configurable"]["checkpoint_ns"] or self.gate.wait(30)
        return super().put(config, *arguments)


def graph(saver: Saver, ran: threading.Event | None = None) -> Any:
    """A node, a subgraph that is deeper than one, and a node at whose end the event is set."""

    def says(state: State) -> State:
        return {"said": [state["said"][-1]]}

    def ends(state: State) -> State:
        if ran is not None:
            ran.set()
        return {"said": [state["said"][-1]]}

    inner = StateGraph(State).add_node("inner", says)
    inner.add_edge(START, "inner").add_edge("inner", END)
    outer = StateGraph(State).add_node("outer", inner.compile())
    outer.add_edge(START, "outer").add_edge("outer", END)
    whole = StateGraph(State).add_node("says", says).add_node("below", outer.compile())
    whole.add_node("ends", ends).add_edge(START, "says").add_edge("says", "below")
    whole.add_edge("below", "ends").add_edge("ends", END)
    return whole.compile(saver)


async def places_with(store: BaseStore, text: str) -> set[tuple[str, Any]]:
    """The sessions, and checkpoints in them, for which anything that was said is kept."""
    found = set()
    for session in await store.list_sessions(PREFIX):
        for message in await store.get_history(session):
            if any(text.encode() in each for each in packed_in(message.metadata)):
                found.add((session, message.content))
    return found


def packed_in(value: Any) -> list[bytes]:
    """Everything that is packed in a record."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return []
    if "msgpack" in value:
        return [unpack(value[value.index("msgpack") :])[1]]
    return [each for part in value for each in packed_in(part)]


async def until(event: threading.Event) -> None:
    while not event.is_set():
        await asyncio.sleep(0.001)


@pytest.fixture(params=["begun", "new"])
def thread_is_new(request: pytest.FixtureRequest) -> bool:
    """Whether both turns are the first of the thread."""
    return bool(request.param == "new")


async def test_a_turn_that_ran_ahead_leaves_nothing(durable: Backend, thread_is_new: bool) -> None:
    """All its nodes, also of subgraphs, had ended before its first checkpoint was refused."""
    async with durable.open() as store, durable.open() as other:
        if not thread_is_new:
            await graph(Saver(other)).ainvoke({"said": ["before"]}, THREAD)
        slow, ran = SlowSaver(store), threading.Event()
        turn = asyncio.create_task(graph(slow, ran).ainvoke({"said": ["LOSER"]}, THREAD))
        await until(ran)
        await graph(Saver(other)).ainvoke({"said": ["WINNER"]}, THREAD)
        count = len([each async for each in Saver(other).alist(None) if is_root(each)])
        slow.gate.set()
        with pytest.raises(TurnOvertakenError, match="nothing of this step was kept"):
            await turn
        assert await places_with(store, "LOSER") == set()
        assert await places_with(store, "WINNER") != set()
        listed = [each async for each in Saver(other).alist(None)]
        assert len([each for each in listed if is_root(each)]) == count
        assert "LOSER" not in str(listed)


def is_root(found: Any) -> bool:
    return not found.config["configurable"]["checkpoint_ns"]


async def test_a_sync_turn_that_ran_ahead_leaves_nothing(durable: Backend) -> None:
    """Its background is made of threads, in which LangGraph hands no context on."""
    async with durable.open() as store, durable.open() as other:
        slow, ran = SlowSaver(store), threading.Event()
        late = graph(slow, ran)
        turn = asyncio.create_task(asyncio.to_thread(late.invoke, {"said": ["LOSER"]}, THREAD))
        await until(ran)
        await graph(Saver(other)).ainvoke({"said": ["WINNER"]}, THREAD)
        slow.gate.set()
        with pytest.raises(TurnOvertakenError):
            await turn
        assert await places_with(store, "LOSER") == set()


async def test_many_turns_at_once_leave_only_what_stands(durable: Backend) -> None:
    """Of a turn that was refused nothing is there but the steps that others went on from."""
    async with durable.open() as store:
        refused = []

        async def take(name: str) -> None:
            try:
                await graph(Saver(store)).ainvoke({"said": [name]}, THREAD)
            except TurnOvertakenError:
                refused.append(name)

        names = [f"turn-{number}-said" for number in range(8)]
        await asyncio.gather(*map(take, names))
        state = (await graph(Saver(store)).aget_state(THREAD)).values["said"]
        assert set(names) - set(refused) <= set(state)
        unheard = set(names) - set(state)
        assert unheard
        listed = [each.config["configurable"] async for each in Saver(store).alist(None)]
        roots = [each["checkpoint_id"] for each in listed if not each["checkpoint_ns"]]
        standing = {(Line("t", "").session, each) for each in roots}
        for name in unheard:
            assert await places_with(store, name) <= standing


class Failing(goldfish.InMemoryStore):
    """Cannot remove anything for a while."""

    fails = False

    async def _remove(self, session_id: str, ids: list[str], *, trimmed: bool = False) -> int:
        if self.fails:
            raise MemoryStoreBackendError("the disk is on strike")
        return await super()._remove(session_id, ids, trimmed=trimmed)


async def test_what_could_not_be_removed_is_said_unseen_and_removed_by_the_next_step() -> None:
    """The error is still that of an overtaken turn: to take it again is right."""
    store = Failing()
    slow, ran = SlowSaver(store), threading.Event()
    turn = asyncio.create_task(graph(slow, ran).ainvoke({"said": ["LOSER"]}, THREAD))
    await until(ran)
    await graph(Saver(store)).ainvoke({"said": ["WINNER"]}, THREAD)
    store.fails = True
    slow.gate.set()
    with pytest.raises(TurnOvertakenError, match=r"removed later \(the disk is on strike\)"):
        await turn
    assert await places_with(store, "LOSER") != set()
    state = await graph(Saver(store)).aget_state(THREAD)
    assert set(state.values["said"]) == {"WINNER"}
    store.fails = False
    await graph(slow).ainvoke({"said": ["AGAIN"]}, THREAD)
    assert await places_with(store, "LOSER") == set()
    await store.aclose()


async def test_what_a_killed_turn_left_in_the_line_is_removed_by_the_next(durable: Backend) -> None:
    """Its process ended after it had written a checkpoint that did not stand."""
    async with durable.open() as store:
        saver, line = Saver(store), Line("t", "")
        await graph(saver).ainvoke({"said": ["a"]}, THREAD)
        left = Entry("killed", "gone", continues=True, contents=Contents.make(*EMPTY, {}))
        segment = Segment("segment", None, (EMPTY[0],))
        await store.add_messages(line.session, [segment.to_message("killed"), left.to_message()])
        await graph(saver).ainvoke({"said": ["b"]}, THREAD)
        entries = [each.content for each in await store.get_history(line.session)]
        assert "killed" not in entries
        assert set((await graph(saver).aget_state(THREAD)).values["said"]) == {"a", "b"}


def read_late(store: BaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whatever the store reads be behind."""
    read = store._read

    async def wait_and_read(*arguments: Any) -> Any:
        await asyncio.sleep(0.02)
        return await read(*arguments)

    monkeypatch.setattr(store, "_read", wait_and_read)


async def test_a_turn_that_was_seen_is_not_taken_again_after_a_deletion(
    durable: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who saw it, and then deleted the thread, never sees it again, however close the calls are."""
    async with durable.open() as store, durable.open() as other:
        talk, saver = graph(Saver(store)), Saver(other)
        read_late(store, monkeypatch)

        async def delete_when_seen(name: str, place: Any) -> None:
            while await saver.aget_tuple(place) is None:
                await asyncio.sleep(0)
            await saver.adelete_thread(name)

        for name in ("a", "b", "c"):
            place: Any = {"configurable": {"thread_id": name}}
            take = partial(talk.ainvoke, {"said": ["x"]}, place, durability="exit")
            await asyncio.gather(Turns().atake(name, take), delete_when_seen(name, place))
            assert await saver.aget_tuple(place) is None


class Tidied(goldfish.InMemoryStore):
    """Before its next read, another process removes what it finds to be overtaken."""

    doomed: tuple[str, ...] = ()

    async def _read(self, session_id: str, last: int | None) -> Any:
        await self._remove(session_id, list(self.doomed))
        return await super()._read(session_id, last)


async def test_a_turn_that_another_process_took_back_was_overtaken() -> None:
    """Though nothing of what was written right before it is there any more either."""
    store, line = Tidied(), Line("t", "")
    threads = Threads(Access(store))
    first, second, mine = (
        Entry(name, parent, continues=True, contents=Contents.make(*EMPTY, {}))
        for name, parent in (("first", None), ("second", "first"), ("mine", "first"))
    )
    for entry in (first, second):
        await threads.put(line, entry, [])
    left = [Segment(f"s{n}", None, (EMPTY[0],)).to_message("killed") for n in range(4)]
    await store.add_messages(line.session, left)
    store.doomed = (mine.id, *(each.id for each in left))
    with pytest.raises(TurnOvertakenError):
        await threads.put(line, mine, [])
    await store.aclose()


class SlowWrites(goldfish.InMemoryStore):
    """Stores what tasks wrote only when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.gate = asyncio.Event(), asyncio.Event()

    async def add_messages(self, session_id: str, messages: Any) -> None:
        self.begun.set()
        await self.gate.wait()
        await super().add_messages(session_id, messages)


async def test_what_stood_before_a_turn_was_overtaken_stands() -> None:
    """The task that wrote for it ended last: what it wrote goes, not what others stand on."""
    store = SlowWrites()
    mine, other = Saver(store), Saver(store)
    run: Any = {"thread_id": "t", "checkpoint_ns": "", "__pregel_runtime": SlowWrites()}
    await mine.aget_tuple({"configurable": run})
    first, second, third = (empty_checkpoint() for _ in range(3))
    begun = await mine.aput({"configurable": run}, first, {"source": "loop"}, {})
    run |= begun["configurable"]
    writing = asyncio.create_task(mine.aput_writes({"configurable": run}, [("x", 1)], "task"))
    await store.begun.wait()
    found = await other.aget_tuple(THREAD)
    assert found is not None
    await other.aput(found.config, second, {"source": "loop"}, {})
    with pytest.raises(TurnOvertakenError):
        await mine.aput({"configurable": run}, third, {"source": "loop"}, {})
    store.gate.set()
    with pytest.raises(TurnOvertakenError):
        await writing
    latest = await other.aget_tuple(THREAD)
    assert latest is not None
    assert latest.config["configurable"]["checkpoint_id"] == second["id"]
    assert latest.parent_config == begun
    parent = await other.aget_tuple(begun)
    assert parent is not None
    assert parent.pending_writes == []
    await store.aclose()

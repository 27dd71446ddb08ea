"""A checkpointer of LangGraph over a store of ours.

Of the turns that continue from one state of a thread, the first to write wins. The others raise
``TurnOvertakenError`` and leave nothing behind, where other checkpointers report success and forget
them; ``Turns`` retries such a turn. A branch from a checkpoint that the caller named is always
accepted.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from goldfish.integrations.langgraph import LANGGRAPH
from goldfish.integrations.langgraph.records import Entry, Line, Saved, Typed, Write
from goldfish.integrations.langgraph.runs import PARENTS, Run, Runs
from goldfish.integrations.langgraph.threads import (
    CheckpointNotFoundError,
    Threads,
    TurnOvertakenError,
    make_overtaken_error,
)
from goldfish.integrations.two_ways import waiting
from goldfish.stores.base import BaseStore
from goldfish.stores.blocking import BlockingMemoryStore
from goldfish.threads import wait_for

with LANGGRAPH.importing():
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        WRITES_IDX_MAP,
        BaseCheckpointSaver,
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        CheckpointTuple,
        get_checkpoint_id,
        get_checkpoint_metadata,
    )
    from langgraph.checkpoint.serde.base import SerializerProtocol

    from goldfish.integrations.langgraph.lossless import refuse_lossy

if TYPE_CHECKING:
    from builtins import list as List  # noqa: N812 - the method ``list`` hides the type

# The key in the configuration of a tuple that was read as the latest: a turn continues from it.
TURN = "__goldfish_turn"
RUNNING = "__pregel_"
PAGE = 32  # checkpoints that a listing reads at a time


class Saver(BaseCheckpointSaver[Any]):
    """A checkpointer that keeps the threads of graphs in a store; the caller closes the store.

    Its methods, sync and async, may be used from any thread and any event loop. Each checkpoint is
    stored as a whole. ``refuse_overtaken=False`` accepts every turn, as LangGraph's own
    checkpointers do: the thread then remembers the last one of several at once.
    """

    def __init__(
        self,
        store: BaseStore | BlockingMemoryStore,
        *,
        serde: SerializerProtocol | None = None,
        refuse_overtaken: bool = True,
    ) -> None:
        super().__init__(serde=serde)
        self._refuses = refuse_overtaken
        self._threads = Threads(store.store if isinstance(store, BlockingMemoryStore) else store)
        self._runs = Runs()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the named checkpoint, or the latest of the thread; None if there is none."""
        return await self._get(config, self._begin(config))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield the checkpoints that match, the newest first."""
        left = sys.maxsize if limit is None else max(limit, 0)
        for page in _pages(await self._places(config, before), left):
            for each in (await self._matching(page, filter))[:left]:
                yield each
                left -= 1
            if not left:
                return

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Write the checkpoint as a whole; the configuration names its parent."""
        line = _line(config)
        parent = config["configurable"].get("checkpoint_id")
        described = get_checkpoint_metadata(config, metadata)
        continues = self._refuses and _continues(config, metadata)
        entry = Entry(checkpoint["id"], parent, described.get("run_id"), continues)
        saved = Saved(checkpoint["id"], parent, self._dump(checkpoint), self._dump(described))
        async with self._writing(config, checkpoint["id"]) as run:
            await self._threads.put(line, saved, entry)
            if run is not None:
                run.settle(checkpoint["id"])
        return _config(config["configurable"]["thread_id"], line.ns, checkpoint["id"])

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote, at one moment; keep what the task had written before."""
        records = [
            Write(task_id, WRITES_IDX_MAP.get(channel, at), channel, task_path, self._dump(value))
            for at, (channel, value) in enumerate(writes)
        ]
        checkpoint_id = config["configurable"]["checkpoint_id"]
        async with self._writing(config, checkpoint_id):
            await self._threads.put_writes(_line(config), checkpoint_id, records)

    async def adelete_thread(self, thread_id: str) -> None:
        """Remove the thread with all namespaces; a turn under way does not revive it."""
        await self._threads.delete(str(thread_id))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove what these runs wrote, in any thread; this reads the entries of all threads."""
        runs = {str(each) for each in run_ids}
        for line in await self._threads.lines() if runs else []:
            entries = await self._threads.newest_first(line)
            doomed = [each.checkpoint_id for each in entries if each.run in runs]
            if doomed:
                await self._threads.forget(line, doomed)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of the source to the target thread."""
        await self._threads.copy(str(source_thread_id), str(target_thread_id))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the latest checkpoint of each namespace, or delete the threads."""
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"unknown strategy {strategy!r:.80}: use 'keep_latest' or 'delete'")
        for thread in thread_ids:
            if strategy == "delete":
                await self.adelete_thread(thread)
                continue
            for line in await self._threads.lines(str(thread)):
                await self._prune(line)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """See ``aget_tuple``."""
        return wait_for(self._get(config, self._begin(config)))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """See ``alist``."""
        left = sys.maxsize if limit is None else max(limit, 0)
        for page in _pages(wait_for(self._places(config, before)), left):
            for each in wait_for(self._matching(page, filter))[:left]:
                yield each
                left -= 1
            if not left:
                return

    put = waiting(aput)
    put_writes = waiting(aput_writes)
    delete_thread = waiting(adelete_thread)
    delete_for_runs = waiting(adelete_for_runs)
    copy_thread = waiting(acopy_thread)
    prune = waiting(aprune)

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Return the next version in the form that the thread has, whichever saver began it."""
        if not isinstance(current, str):
            return super().get_next_version(current, channel)
        return f"{int(current.partition('.')[0]) + 1:032}"

    def _begin(self, config: RunnableConfig) -> Run | None:
        return self._runs.begin(config["configurable"], _line(config).ns)

    async def _get(self, config: RunnableConfig, run: Run | None) -> CheckpointTuple | None:
        line, named = _line(config), get_checkpoint_id(config)
        if named:
            found = await self._threads.saved(line, named)
        else:
            found = await self._threads.latest(line)
        if found is None:
            return None
        if run is not None:
            run.settle(found.checkpoint_id)
        place = _config(config["configurable"]["thread_id"], line.ns, found.checkpoint_id)
        if self._refuses:
            place["configurable"][TURN] = not named
        return self._tuple(place, found)

    @asynccontextmanager
    async def _writing(
        self, config: RunnableConfig, checkpoint_id: str
    ) -> AsyncIterator[Run | None]:
        """Remove what is written within if the run is overtaken.

        Whichever call ends last removes it: this one removes its own writes if the run was
        overtaken before it ended; otherwise the overtaken call does, which knows of this one from
        the beginning.
        """
        line, run = _line(config), self._runs.of(config["configurable"])
        if run is None:
            yield None
            return
        if run.is_overtaken:
            raise make_overtaken_error(line)
        run.note(line, checkpoint_id, config["configurable"].get(PARENTS) or {})
        try:
            yield run
        except (TurnOvertakenError, CheckpointNotFoundError) as error:
            failure = await self._threads.take_back(line.thread, run.overtake())
            raise (error if failure is None else make_overtaken_error(line, failure)) from None
        except BaseException:
            if run.is_overtaken:
                await self._threads.take_back(line.thread, [(line, checkpoint_id)])
            raise
        if run.is_overtaken:
            failure = await self._threads.take_back(line.thread, [(line, checkpoint_id)])
            raise make_overtaken_error(line, failure)

    async def _places(
        self, config: RunnableConfig | None, before: RunnableConfig | None
    ) -> "List[tuple[Line, Entry]]":
        """Return the places of the checkpoints that a listing reads, the newest first."""
        lines = await self._lines(config)
        found = [(line, each) for line in lines for each in await self._threads.newest_first(line)]
        if len(lines) > 1:
            found.sort(key=lambda place: place[1].checkpoint_id, reverse=True)
        if config is not None and (named := get_checkpoint_id(config)):
            found = [place for place in found if place[1].checkpoint_id == named]
        end = get_checkpoint_id(before) if before else None
        return _older(found, end) if end else found

    async def _lines(self, config: RunnableConfig | None) -> "List[Line]":
        if config is None:
            return await self._threads.lines()
        if config["configurable"].get("checkpoint_ns") is None:
            return await self._threads.lines(str(config["configurable"]["thread_id"]))
        return [_line(config)]

    async def _matching(
        self, page: "Sequence[tuple[Line, Entry]]", wanted: Mapping[str, Any] | None
    ) -> "List[CheckpointTuple]":
        """Return the checkpoints at these places that exist and have the wanted metadata."""
        found = await asyncio.gather(
            *(self._threads.saved(line, each.checkpoint_id) for line, each in page)
        )
        tuples = [
            self._tuple(_config(line.thread, line.ns, saved.checkpoint_id), saved)
            for (line, _), saved in zip(page, found, strict=True)
            if saved is not None
        ]
        items = (wanted or {}).items()
        return [t for t in tuples if all(t.metadata.get(key) == value for key, value in items)]

    def _tuple(self, config: RunnableConfig, saved: Saved) -> CheckpointTuple:
        place = config["configurable"]
        parent = saved.parent and _config(place["thread_id"], place["checkpoint_ns"], saved.parent)
        return CheckpointTuple(
            config=config,
            checkpoint=self.serde.loads_typed(saved.checkpoint),
            metadata=self.serde.loads_typed(saved.metadata),
            parent_config=parent or None,
            pending_writes=[
                (each.task, each.channel, self.serde.loads_typed(each.value))
                for each in saved.writes
            ],
        )

    async def _prune(self, line: Line) -> None:
        """Keep the latest checkpoint, and the ancestors that its delta channels build on."""
        latest = await self._threads.latest(line)
        if latest is None:
            return
        kept = {latest.checkpoint_id, *await self._bases(line, latest)}
        found = [each.checkpoint_id for each in await self._threads.newest_first(line)]
        if latest.checkpoint_id in found:  # it may have been deleted since
            older = found[found.index(latest.checkpoint_id) :]
            await self._threads.forget(line, [each for each in older if each not in kept])

    async def _bases(self, line: Line, latest: Saved) -> "List[str]":
        """Return the ancestors back to where each channel that is stored as deltas has a value."""
        metadata = self.serde.loads_typed(latest.metadata)
        open_channels = set(metadata.get("counters_since_delta_snapshot") or {})
        bases = []
        at: Saved | None = latest
        while at is not None:
            open_channels -= set(self.serde.loads_typed(at.checkpoint)["channel_values"])
            if not open_channels or not at.parent:
                break
            bases.append(at.parent)
            at = await self._threads.saved(line, at.parent)
        return bases

    def _dump(self, value: Any) -> Typed:
        serde = self.serde
        refuse_lossy(value, lambda part: serde.loads_typed(serde.dumps_typed(part)))
        kind, data = serde.dumps_typed(value)
        return kind, bytes(data)


def _line(config: RunnableConfig) -> Line:
    place = config["configurable"]
    return Line(str(place["thread_id"]), place.get("checkpoint_ns") or "")


def _config(thread_id: Any, ns: str, checkpoint_id: str) -> RunnableConfig:
    return {
        "configurable": {
            "thread_id": thread_id,
            "checkpoint_ns": ns,
            "checkpoint_id": checkpoint_id,
        }
    }


def _continues(config: RunnableConfig, metadata: CheckpointMetadata) -> bool:
    """Return True for a step of a turn that began with the latest state, or on a new thread.

    LangGraph passes back the configuration of the tuple that it began with. If there was none, the
    keys that a running graph adds tell.
    """
    place, source = config["configurable"], metadata.get("source")
    is_run = any(key.startswith(RUNNING) for key in place)
    if place.get("checkpoint_id"):
        return bool(place.get(TURN, is_run)) and source != "fork"
    return is_run or source == "update"


def _older(found: "list[tuple[Line, Entry]]", end: str) -> "list[tuple[Line, Entry]]":
    """Return the places after the named one, or those with smaller ids if it does not exist."""
    ids = [entry.checkpoint_id for _, entry in found]
    if end in ids:
        return found[ids.index(end) + 1 :]
    return [place for place in found if place[1].checkpoint_id < end]


def _pages(found: "list[tuple[Line, Entry]]", wanted: int) -> "Iterator[list[tuple[Line, Entry]]]":
    """Yield the places to read at a time: no more than wanted, as usually all of them match."""
    size = min(wanted, PAGE)
    for start in range(0, len(found) if size else 0, size or 1):
        yield found[start : start + size]

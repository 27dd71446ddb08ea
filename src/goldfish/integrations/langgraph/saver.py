"""A checkpointer of LangGraph over a store of ours.

Of the turns that continue from one state of a thread, the first to write wins. The others raise
``TurnOvertakenError`` and leave nothing behind, where other checkpointers report success and forget
them; ``Turns`` retries such a turn. A branch from a checkpoint that the caller named is always
accepted.
"""

import sys
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from goldfish.errors import MemoryStoreBackendError
from goldfish.integrations.langgraph import LANGGRAPH
from goldfish.integrations.langgraph.access import Access, AccessFromThread
from goldfish.integrations.langgraph.listing import Listing, pages
from goldfish.integrations.langgraph.packing import Typed
from goldfish.integrations.langgraph.records import (
    Contents,
    Entry,
    Line,
    Write,
    make_writes_message,
)
from goldfish.integrations.langgraph.runs import PARENTS, Place, Run, Runs
from goldfish.integrations.langgraph.threads import (
    CheckpointNotFoundError,
    Saved,
    Threads,
    TurnOvertakenError,
    make_overtaken_error,
)
from goldfish.integrations.two_ways import run_here, waiting
from goldfish.messages import ChatMessage
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

    from goldfish.integrations.langgraph.elements import is_divisible
    from goldfish.integrations.langgraph.lossless import refuse_lossy
    from goldfish.integrations.langgraph.shelves import Division, Shelves

if TYPE_CHECKING:
    from builtins import list as List  # noqa: N812 - the method ``list`` hides the type

# The key in the configuration of a tuple that was read as the latest: a turn continues from it.
TURN = "__goldfish_turn"
RUNNING = "__pregel_"


class Saver(BaseCheckpointSaver[Any]):
    """A checkpointer that keeps the threads of graphs in a store; the caller closes the store.

    Its methods, sync and async, may be used from any thread and any event loop. Of a list, only
    what is new since the parent is stored. ``refuse_overtaken=False`` accepts every turn, as
    LangGraph's own checkpointers do: the thread then remembers the last one of several at once.
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
        store = store.store if isinstance(store, BlockingMemoryStore) else store
        self._threads = Threads(Access(store))
        self._threads_here = self._threads.reach(AccessFromThread(store))
        self._runs = Runs()
        self._remembered = Shelves(self.serde)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the named checkpoint, or the latest of the thread; None if there is none."""
        return await self._get(self._threads, config)

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
        listing, places = await self._list(config, before)
        for page in pages(places, left):
            for each in self._matching(await listing.read(page), filter)[:left]:
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
        """Write the checkpoint in one step; the configuration names its parent."""
        return await self._put(self._threads, config, checkpoint, metadata, new_versions)

    async def _put(
        self,
        threads: Threads,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        line, place = _line(config), config["configurable"]
        parent = place.get("checkpoint_id")
        described = get_checkpoint_metadata(config, metadata)
        # No code of the graph has run since the parent was read: its other lists are as they were.
        is_input = metadata.get("source") == "input"
        changed = new_versions if is_input else checkpoint["channel_values"]
        division = self._divide(line, parent, checkpoint, changed)
        rest, about = self._dump(_without_lists(checkpoint, division)), self._dump(described)
        continues = self._refuses and _continues(config, metadata)
        async with self._writing(threads, config, checkpoint["id"]) as run:
            contents = Contents.make(rest, about, division.spans, in_order=run is not None)
            entry = Entry(checkpoint["id"], parent, described.get("run_id"), continues, contents)
            segments = [each.to_message(entry.checkpoint_id) for each in division.segments]
            take_writes = list if run is None else partial(run.take_held, entry.checkpoint_id)
            await threads.put(line, entry, segments, take_writes)
            self._shelves.note(line, checkpoint["id"], division)
            if run is not None and (late := run.settle(checkpoint["id"])):
                await threads.put_writes(line, late)
        return _config(place["thread_id"], line.ns, checkpoint["id"])

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote, at one moment; keep what the task had written before.

        What a graph writes for a checkpoint that is not stored yet is stored with that.
        """
        record = self._make_record(config, writes, task_id, task_path)
        if record is not None and not self._hold(config, record):
            await self._store_writes(self._threads, config, record)

    async def adelete_thread(self, thread_id: str) -> None:
        """Remove the thread with all namespaces; a turn under way does not revive it."""
        self._shelves.forget(str(thread_id))
        await self._threads.delete(str(thread_id))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove what these runs wrote, in any thread; this reads the entries of all threads."""
        runs = {str(each) for each in run_ids}
        for line in await self._threads.lines() if runs else []:
            entries = (await self._threads.read(line)).standing
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
        return run_here(self._get(self._threads_here, config))

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
        listing, places = wait_for(self._list(config, before))
        for page in pages(places, left):
            for each in self._matching(wait_for(listing.read(page)), filter)[:left]:
                yield each
                left -= 1
            if not left:
                return

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """See ``aput_writes``."""
        record = self._make_record(config, writes, task_id, task_path)
        if record is not None and not self._hold(config, record):
            run_here(self._store_writes(self._threads_here, config, record))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """See ``aput``."""
        return run_here(self._put(self._threads_here, config, checkpoint, metadata, new_versions))

    delete_thread = waiting(adelete_thread)
    delete_for_runs = waiting(adelete_for_runs)
    copy_thread = waiting(acopy_thread)
    prune = waiting(aprune)

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Return the next version in the form that the thread has, whichever saver began it."""
        if not isinstance(current, str):
            return super().get_next_version(current, channel)
        return f"{int(current.partition('.')[0]) + 1:032}"

    async def _get(self, threads: Threads, config: RunnableConfig) -> CheckpointTuple | None:
        line, named = _line(config), get_checkpoint_id(config)
        run = self._runs.begin(config["configurable"], line.ns)
        found = await threads.load(line, named, tail=self._shelves.knows(line))
        if found is None:
            return None
        lists = self._read_lists(line, found)
        if lists is None:  # another process has written more than the tail holds
            found = await threads.load(line, named)
            if found is None:
                return None
            lists = self._read_lists(line, found)
        if run is not None:
            run.settle(found.entry.checkpoint_id)
        place = _config(config["configurable"]["thread_id"], line.ns, found.entry.checkpoint_id)
        if self._refuses:
            place["configurable"][TURN] = not named
        return self._tuple(place, found, lists)

    def _make_record(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str,
    ) -> ChatMessage | None:
        """Return what a task wrote as the store keeps it; None if it is nothing."""
        made = [
            Write(task_id, WRITES_IDX_MAP.get(channel, at), channel, task_path, self._dump(value))
            for at, (channel, value) in enumerate(writes)
        ]
        return make_writes_message(config["configurable"]["checkpoint_id"], made) if made else None

    def _hold(self, config: RunnableConfig, record: ChatMessage) -> bool:
        """Keep what a graph wrote for a checkpoint until that is written; False if it is."""
        run = self._runs.of(config["configurable"])
        if run is None:
            return False
        if run.is_overtaken:
            raise make_overtaken_error(_line(config))
        return run.hold(str(record.content), record)

    async def _store_writes(
        self, threads: Threads, config: RunnableConfig, record: ChatMessage
    ) -> None:
        async with self._writing(threads, config, str(record.content), [record.id]):
            await threads.put_writes(_line(config), [record])

    @asynccontextmanager
    async def _writing(
        self,
        threads: Threads,
        config: RunnableConfig,
        checkpoint_id: str,
        records: Sequence[str] = (),
    ) -> AsyncIterator[Run | None]:
        """Remove what is written within if the run is overtaken.

        Whichever call ends last removes it: this one removes its own writes if the run was
        overtaken before it ended; otherwise the overtaken call does, which knows of this one from
        the beginning. Of a checkpoint that stands only these records go: others continue from it.
        """
        line, run = _line(config), self._runs.of(config["configurable"])
        if run is None:
            yield None
            return
        if run.is_overtaken:
            raise make_overtaken_error(line)
        run.note(line, checkpoint_id, config["configurable"].get(PARENTS) or {})
        undo = partial(self._undo, threads, run, (line, checkpoint_id), records)
        try:
            yield run
        except (TurnOvertakenError, CheckpointNotFoundError) as error:
            failure = await threads.take_back(line.thread, run.overtake())
            raise (error if failure is None else make_overtaken_error(line, failure)) from None
        except BaseException:
            if run.is_overtaken:
                await undo()
            raise
        if run.is_overtaken:
            raise make_overtaken_error(line, await undo())

    async def _undo(
        self, threads: Threads, run: Run, place: Place, records: Sequence[str]
    ) -> Exception | None:
        """Remove what an overtaken run has written; return the error if that failed."""
        if run.is_loose(place):
            return await threads.take_back(place[0].thread, [place])
        return await threads.remove(place[0], records)

    async def _list(
        self, config: RunnableConfig | None, before: RunnableConfig | None
    ) -> "tuple[Listing, List[Place]]":
        """Return the listing that was asked for, and the places in it, the newest first."""
        listing = Listing(self._threads, await self._lines(config))
        named = get_checkpoint_id(config) if config is not None else None
        end = get_checkpoint_id(before) if before else None
        return listing, await listing.find(named, end)

    async def _lines(self, config: RunnableConfig | None) -> "List[Line]":
        if config is None:
            return await self._threads.lines()
        if config["configurable"].get("checkpoint_ns") is None:
            return await self._threads.lines(str(config["configurable"]["thread_id"]))
        return [_line(config)]

    def _matching(
        self, page: "Sequence[tuple[Line, Saved]]", wanted: Mapping[str, Any] | None
    ) -> "List[CheckpointTuple]":
        """Return the checkpoints that have the wanted metadata."""
        items = (wanted or {}).items()
        tuples = []
        for line, saved in page:
            known = self.serde.loads_typed(saved.contents.metadata) if items else {}
            if all(known.get(key) == value for key, value in items):
                place = _config(line.thread, line.ns, saved.entry.checkpoint_id)
                lists = self._read_lists(line, saved, keep=False)
                tuples.append(self._tuple(place, saved, lists))
        return tuples

    def _divide(
        self, line: Line, parent: str | None, checkpoint: Checkpoint, changed: Collection[str]
    ) -> Division:
        """Return the lists of a checkpoint as what its parent has and what is new."""
        values = checkpoint["channel_values"]
        lists = {name: value for name, value in values.items() if is_divisible(value)}
        return self._shelves.divide(line, parent, lists, changed, self._dump)

    def _read_lists(
        self, line: Line, saved: Saved, *, keep: bool = True
    ) -> "dict[str, List[Any]] | None":
        """Return the lists of a checkpoint; None if the records that were read are too few."""
        spans, log = saved.contents.lists, saved.log
        lists = self._shelves.read(line, saved.entry.checkpoint_id, spans, log.segments, keep=keep)
        if lists is None and log.is_whole:
            raise MemoryStoreBackendError(
                f"the checkpoint {saved.entry.checkpoint_id!r:.80} of thread {line.thread!r:.80} "
                "is damaged (elements of a list are missing): restore the data from a backup"
            )
        return lists

    def _tuple(
        self, config: RunnableConfig, saved: Saved, lists: "Mapping[str, List[Any]] | None"
    ) -> CheckpointTuple:
        place, above = config["configurable"], saved.entry.parent
        parent = above and _config(place["thread_id"], place["checkpoint_ns"], above)
        checkpoint = self.serde.loads_typed(saved.contents.checkpoint)
        checkpoint["channel_values"].update(lists or {})
        return CheckpointTuple(
            config=config,
            checkpoint=checkpoint,
            metadata=self.serde.loads_typed(saved.contents.metadata),
            parent_config=parent or None,
            pending_writes=[
                (each.task, each.channel, self.serde.loads_typed(each.value))
                for each in saved.writes
            ],
        )

    async def _prune(self, line: Line) -> None:
        """Keep the latest checkpoint, and the ancestors that its delta channels build on."""
        latest = await self._threads.load(line, None)
        if latest is None:
            return
        kept = {latest.entry.checkpoint_id, *await self._bases(line, latest)}
        found = [each.checkpoint_id for each in latest.log.newest_first()]
        older = found[found.index(latest.entry.checkpoint_id) :]
        await self._threads.forget(line, [each for each in older if each not in kept])

    async def _bases(self, line: Line, latest: Saved) -> "List[str]":
        """Return the ancestors back to where each channel that is stored as deltas has a value."""
        metadata = self.serde.loads_typed(latest.contents.metadata)
        open_channels = set(metadata.get("counters_since_delta_snapshot") or {})
        bases = []
        at: Saved | None = latest
        while at is not None:
            open_channels -= set(self.serde.loads_typed(at.contents.checkpoint)["channel_values"])
            above = at.entry.parent
            if not open_channels or not above:
                break
            bases.append(above)
            entry = latest.log.find(above)
            at = None if entry is None else await self._threads.complete(line, latest.log, entry)
        return bases

    @property
    def _shelves(self) -> Shelves:
        """What is remembered of threads, with objects of the serialiser that is used now."""
        if self._remembered.serde is not self.serde:  # a copy of the saver got another one
            self._remembered = Shelves(self.serde)
        return self._remembered

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


def _without_lists(checkpoint: Checkpoint, division: Division) -> dict[str, Any]:
    values = {**checkpoint["channel_values"], **dict.fromkeys(division.lists)}
    return {**checkpoint, "channel_values": values}


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

"""Threads of LangGraph in a store: each line is a session, and each step one write to it."""

import contextlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from goldfish.errors import MemoryStoreError
from goldfish.integrations.langgraph.access import Access, TakeMore
from goldfish.integrations.langgraph.log import Log
from goldfish.integrations.langgraph.records import (
    WRITES,
    Contents,
    Entry,
    Line,
    Write,
    make_stands_message,
    make_writes_message,
    read_former,
    session_prefix,
    sort_writes,
    split_session,
)
from goldfish.integrations.langgraph.runs import Place
from goldfish.messages import ChatMessage

TAIL = 8  # records that are read first: mostly they hold the newest checkpoint and its writes
PARENT = 3  # records before a checkpoint that mostly hold its parent, with the writes for that


class TurnOvertakenError(MemoryStoreError):
    """Another turn came first, or the thread was deleted: nothing of this step counts.

    Nothing of it is stored either, unless the message says that it could not be removed: then
    nobody sees it, and this saver's next step on the thread, or deleting the thread, removes it.
    """


class CheckpointNotFoundError(MemoryStoreError, LookupError):
    """The thread has no checkpoint with this id; nothing was changed."""


@dataclass(frozen=True)
class Saved:
    """A checkpoint with its writes, and the records that it was found in."""

    entry: Entry
    contents: Contents
    writes: Sequence[Write]
    log: Log
    former: Sequence[Write] = ()  # those of the writes that are not in the log


class Threads:
    """The threads that a store holds."""

    def __init__(self, store: Access) -> None:
        self._store = store
        self._left: dict[str, set[Place]] = {}  # what could not be removed, by thread

    def reach(self, store: Access) -> "Threads":
        """Return the same threads, reached in another way."""
        threads = Threads(store)
        threads._left = self._left
        return threads

    async def load(self, line: Line, named: str | None, *, tail: bool = False) -> Saved | None:
        """Return the named checkpoint, or the newest, by one read of the line.

        With ``tail`` only the newest records are read, if they are enough.
        """
        log = await self.read(line, last=TAIL if tail else None)
        newest = log.tail(TAIL)
        entry = _find_in_tail(newest, named)
        saved = None if entry is None else await self.complete(line, newest, entry)
        if saved is not None:
            return replace(saved, log=log)
        return await self._find(line, log if log.is_whole else await self.read(line), named)

    async def read(self, line: Line, *, last: int | None = None) -> Log:
        """Return all records of a line, or the newest of them."""
        found = await self._store.read(line.session, last)
        return Log(found, is_whole=last is None or len(found) < last)

    async def complete(self, line: Line, log: Log, entry: Entry) -> Saved | None:
        """Return the checkpoint of an entry; None if a former version has removed it."""
        writes = log.writes_of(entry.checkpoint_id)
        if entry.contents is not None:
            return Saved(entry, entry.contents, sort_writes(writes), log)
        messages = await self._store.get_history(line.at(entry.checkpoint_id))
        contents, former = read_former(messages)
        if contents is None:
            return None
        return Saved(entry, contents, sort_writes([*former, *writes]), log, former)

    async def lines(self, thread: str | None = None) -> list[Line]:
        """Return the namespaces of a thread, or of all threads."""
        return [Line(*parts) for parts in await self._parts(thread) if len(parts) == 2]

    async def put(
        self,
        line: Line,
        entry: Entry,
        segments: Sequence[ChatMessage],
        take_writes: TakeMore = list,
    ) -> None:
        """Write the checkpoint; if its parent is not the one it names, remove it and raise.

        ``take_writes`` is asked as late as can be for the writes that wait for the checkpoint.
        """
        if left := self._left.pop(line.thread, None):
            await self.take_back(line.thread, left)
        records = [*segments, entry.to_message()]
        found = await self._store.add_and_read(line.session, records, PARENT, take_writes)
        newest = Log(found, is_whole=len(found) < len(records) + PARENT)
        if newest.ends_with(entry):
            return
        log = newest
        if not newest.is_whole:
            log = await self.read(line, last=len(records) + 32 * PARENT)
            if log.ends_with(entry):
                return
            log = log if log.is_whole else await self.read(line)
            if _was_deleted(entry, newest, log):
                return  # after this step, which nobody takes again
        await self._settle(line, entry, log)

    async def put_writes(self, line: Line, records: Sequence[ChatMessage]) -> None:
        """Write what belongs to a checkpoint, which may not be stored yet."""
        await self._store.add_messages(line.session, records)

    async def take_back(self, thread: str, places: Iterable[Place]) -> Exception | None:
        """Remove checkpoints that do not stand, with their writes; return the error if that failed.

        The next step removes what could not be removed.
        """
        by_line: dict[Line, list[str]] = {}
        for line, checkpoint_id in places:
            by_line.setdefault(line, []).append(checkpoint_id)
        failure: Exception | None = None
        for line, ids in by_line.items():
            try:
                log = await self.read(line)
                await self._store.delete_messages(line.session, log.ids_of(ids, segments=True))
                await self._clear_former(line, log, ids)
            except MemoryStoreError as error:
                failure = error
                self._left.setdefault(thread, set()).update((line, each) for each in ids)
        return failure

    async def remove(self, line: Line, records: Sequence[str]) -> Exception | None:
        """Remove these records; return the error if that failed."""
        try:
            await self._store.delete_messages(line.session, records)
        except MemoryStoreError as error:
            return error
        return None

    async def delete(self, thread: str) -> None:
        """Remove all of the thread: first its lines, which ends it, then what is beside them."""
        for line in await self.lines(thread):
            await self._store.clear(line.session)
        for parts in await self._parts(thread):
            if len(parts) == 3:  # a former version's, or the first turn's, which came in between
                await self._store.clear(Line(*parts[:2]).at(parts[2]))

    async def forget(self, line: Line, doomed: Collection[str]) -> None:
        """Remove these checkpoints and their writes, then what only they had.

        First the checkpoints: whoever continues from one of them sees that, and takes the step
        back; so whatever is there afterwards tells all that is still needed.
        """
        log = await self.read(line)
        certified = [make_stands_message(each) for each in log.bereft_by(doomed)]
        await self._store.add_messages(line.session, certified)
        await self._store.delete_messages(line.session, log.ids_of(doomed, segments=False))
        await self._clear_former(line, log, doomed)
        left = (await self.read(line)).unneeded_segments()
        await self._store.delete_messages(line.session, left)

    async def copy(self, source: str, target: str) -> None:
        """Copy all of the source to the target, each line at one moment."""
        for line in await self.lines(source):
            records = await self._copy_records(line, await self.read(line))
            await self._store.add_messages(Line(target, line.ns).session, records)

    async def _copy_records(self, line: Line, log: Log) -> list[ChatMessage]:
        """Return the records of the checkpoints that stand, as those of branches."""
        standing = {each.id: each for each in log.standing}
        ids = {each.checkpoint_id for each in log.standing}
        segments = log.segments_of(log.standing)
        records: list[ChatMessage] = []
        for each in log.messages:
            if each.id in standing:
                records += await self._copy_entry(line, log, standing[each.id])
            elif each.id in segments or (each.role == WRITES and each.content in ids):
                records.append(each)
        return records

    async def _copy_entry(self, line: Line, log: Log, entry: Entry) -> list[ChatMessage]:
        """Return the entry as that of a branch, with the writes that are beside the log."""
        saved = await self.complete(line, log, entry)
        if saved is None:
            return []
        branch = replace(entry, continues=False, contents=saved.contents).to_message()
        former = [make_writes_message(entry.checkpoint_id, [each]) for each in saved.former]
        return [branch, *former]

    async def _find(self, line: Line, log: Log, named: str | None) -> Saved | None:
        """Return the named checkpoint, or the newest, of a whole line."""
        entries = log.newest_first() if named is None else [log.find(named)]
        for entry in entries:
            saved = None if entry is None else await self.complete(line, log, entry)
            if saved is not None:
                return saved
        return None

    async def _settle(self, line: Line, entry: Entry, log: Log) -> None:
        """Check whether the entry stands; if not, take everything back and raise."""
        doomed = log.overtaken()
        stored = log.find(entry.checkpoint_id)
        stands = stored in log.standing and _has_parent(log, entry)
        if not stands:
            doomed.add(entry.checkpoint_id)
        failure = await self.take_back(line.thread, [(line, each) for each in doomed])
        if stands:
            if stored != entry:
                await self._store.add_messages(line.session, [entry.to_message(again=True)])
            return
        with contextlib.suppress(MemoryStoreError):  # the next turn tries it again
            await self._clear_way(line, log)
        raise (
            make_overtaken_error(line, failure)
            if entry.continues
            else _make_not_found_error(line, entry.parent)
        )

    async def _clear_former(self, line: Line, log: Log, doomed: Collection[str]) -> None:
        """Remove what a former version kept of checkpoints beside their line."""
        for each in log.entries:
            if each.contents is None and each.checkpoint_id in doomed:
                await self._store.clear(line.at(each.checkpoint_id))

    async def _clear_way(self, line: Line, log: Log) -> None:
        """Remove the newest entries whose checkpoint a former version has already removed."""
        dead = []
        for each in reversed(log.standing):
            if await self.complete(line, log, each) is not None:
                break
            dead.append(each.id)
        await self._store.delete_messages(line.session, dead)

    async def _parts(self, thread: str | None) -> list[list[str]]:
        return [
            split_session(each) for each in await self._store.list_sessions(session_prefix(thread))
        ]


def _find_in_tail(log: Log, named: str | None) -> Entry | None:
    """Return the checkpoint if the newest records have all of it, and prove that it counts."""
    if named is not None:
        found = log.find(named)
    else:
        found = log.entries[-1] if log.proves_last_stands() else None
    if found is None or found.contents is None or found.contents.in_order:
        return found
    return None


def _has_parent(log: Log, entry: Entry) -> bool:
    """Return True if the entry continues its line, or branches off a checkpoint of it."""
    return (
        entry.continues
        or entry.parent is None
        or any(each.checkpoint_id == entry.parent for each in log.entries)
    )


def _was_deleted(entry: Entry, newest: Log, log: Log) -> bool:
    """Return True if the thread went after a step: its parent too, which no other turn removes."""
    parent = None if entry.parent is None else log.find(entry.parent)
    return entry.parent is not None and parent is None and not log.shares_any(newest)


def make_overtaken_error(line: Line, failure: Exception | None = None) -> TurnOvertakenError:
    """Return the error of a turn that came too late."""
    kept = "nothing of this step was kept"
    if failure is not None:
        kept = f"what this step stored does not count and is removed later ({failure})"
    return TurnOvertakenError(
        f"another turn or a deletion changed thread {line.thread!r:.80} since this turn began, and "
        f"{kept}: take the turn again"
    )


def _make_not_found_error(line: Line, checkpoint_id: str | None) -> CheckpointNotFoundError:
    return CheckpointNotFoundError(
        f"thread {line.thread!r:.80} has no checkpoint {checkpoint_id!r:.80}: "
        "get_state_history() lists those that it has"
    )

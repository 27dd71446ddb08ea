"""Threads of LangGraph in a store: each checkpoint in a session of its own, and lines of entries.

A checkpoint is written before its entry, and counts only with it: a process that is killed in
between leaves what nobody sees, and what deleting the thread removes by its name.
"""

import asyncio
import contextlib
from collections.abc import Collection, Coroutine, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from goldfish.errors import MemoryStoreError
from goldfish.integrations.langgraph.records import (
    Entry,
    Line,
    Saved,
    Write,
    certainly_stands,
    entry_ids,
    read_saved,
    session_prefix,
    split_session,
    standing_entries,
)
from goldfish.integrations.langgraph.runs import Place
from goldfish.stores.base import BaseStore

AT_ONCE = 16  # concurrent calls to the backend in one operation


class TurnOvertakenError(MemoryStoreError):
    """Another turn came first, or the thread was deleted: nothing of this step counts.

    Nothing of it is stored either, unless the message says that it could not be removed: then
    nobody sees it, and this saver's next step on the thread, or deleting the thread, removes it.
    """


class CheckpointNotFoundError(MemoryStoreError, LookupError):
    """The thread has no checkpoint with this id; nothing was changed."""


class Threads:
    """The threads that a store holds."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store
        self._left: dict[str, set[Place]] = {}  # what could not be removed, by thread

    async def latest(self, line: Line) -> Saved | None:
        """Return the newest checkpoint; this costs the same for a thread of any length."""
        tail = await self._entries(line, last=2)
        if certainly_stands(tail):
            newest = await self.saved(line, tail[-1].checkpoint_id)
            if newest is not None:
                return newest
        for entry in await self.newest_first(line) if tail else []:
            found = await self.saved(line, entry.checkpoint_id)
            if found is not None:
                return found
        return None

    async def saved(self, line: Line, checkpoint_id: str) -> Saved | None:
        """Return one checkpoint with its writes."""
        return read_saved(checkpoint_id, await self._store.get_history(line.at(checkpoint_id)))

    async def newest_first(self, line: Line) -> list[Entry]:
        """Return the entries of the line that stand, the newest first."""
        kept = {each.checkpoint_id: each for each in standing_entries(await self._entries(line))}
        return list(reversed(kept.values()))

    async def lines(self, thread: str | None = None) -> list[Line]:
        """Return the namespaces of a thread, or of all threads."""
        return [Line(*parts) for parts in await self._parts(thread) if len(parts) == 2]

    async def put(self, line: Line, saved: Saved, entry: Entry) -> None:
        """Write the checkpoint; if its parent is not the one it names, remove it and raise."""
        if line.thread in self._left:
            await self.take_back(line.thread, self._left.pop(line.thread))
        await self._store.add_messages(line.at(saved.checkpoint_id), [saved.to_message()])
        await self._store.add_messages(line.session, [entry.to_message()])
        if entry.continues or entry.parent is not None:
            await self._settle(line, entry)

    async def put_writes(self, line: Line, checkpoint_id: str, writes: Iterable[Write]) -> None:
        """Write what belongs to a checkpoint, which may not be stored yet."""
        messages = [each.to_message() for each in writes]
        await self._store.add_messages(line.at(checkpoint_id), messages)

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
                await self._store.delete_messages(line.session, entry_ids(ids))
                await _gather(self._store.clear(line.at(each)) for each in ids)
            except MemoryStoreError as error:
                failure = error
                self._left.setdefault(thread, set()).update((line, each) for each in ids)
        return failure

    async def delete(self, thread: str) -> None:
        """Remove all of the thread: first its lines, which ends it, then its checkpoints."""
        for line in await self.lines(thread):
            await self._store.clear(line.session)
        left = [Line(t, ns).at(cid) for t, ns, *ids in await self._parts(thread) for cid in ids]
        await _gather(self._store.clear(each) for each in left)

    async def forget(self, line: Line, doomed: Collection[str]) -> None:
        """Remove these checkpoints and their writes, then the entries that no other stands on."""
        await _gather(self._store.clear(line.at(each)) for each in doomed)
        entries = await self._entries(line)
        gone = {*doomed, *await self._emptied_before(line, entries, doomed)}
        surplus = _surplus(entries, gone)
        await self._store.delete_messages(line.session, [each.id for each in surplus])

    async def copy(self, source: str, target: str) -> None:
        """Copy all of the source to the target, each line at one moment."""
        for line in await self.lines(source):
            copied = (await self.newest_first(line))[::-1]
            aim = Line(target, line.ns)
            await _gather(self._copy_checkpoint(line, aim, each) for each in copied)
            entries = [replace(each, continues=False).to_message() for each in copied]
            await self._store.add_messages(aim.session, entries)

    async def _emptied_before(
        self, line: Line, entries: Sequence[Entry], doomed: Collection[str]
    ) -> list[str]:
        """Return the entries right before a doomed one that have lost their own checkpoint."""
        before = [
            one.checkpoint_id
            for one, next_one in pairwise(entries)
            if next_one.checkpoint_id in doomed and one.checkpoint_id not in doomed
        ]
        return [each for each in before if await self.saved(line, each) is None]

    async def _copy_checkpoint(self, line: Line, aim: Line, entry: Entry) -> None:
        messages = await self._store.get_history(line.at(entry.checkpoint_id))
        await self._store.add_messages(aim.at(entry.checkpoint_id), messages)

    async def _settle(self, line: Line, entry: Entry) -> None:
        """Check whether the entry stands; if not, take everything back and raise."""
        tail = await self._entries(line, last=2)
        if entry.continues and tail and tail[-1] == entry and certainly_stands(tail):
            return
        entries = await self._entries(line)
        doomed = _overtaken_ids(entries)
        stands = entry in standing_entries(entries) and _has_parent(entries, entry)
        if not stands:
            doomed.add(entry.checkpoint_id)
        failure = await self.take_back(line.thread, [(line, each) for each in doomed])
        if stands:
            return
        with contextlib.suppress(MemoryStoreError):  # the next turn tries it again
            await self._clear_way(line, entries)
        raise (
            make_overtaken_error(line, failure)
            if entry.continues
            else _make_not_found_error(line, entry.parent)
        )

    async def _clear_way(self, line: Line, entries: Sequence[Entry]) -> None:
        """Remove the newest entries whose checkpoint a deletion has already removed."""
        dead = []
        for each in reversed(standing_entries(entries)):
            if await self.saved(line, each.checkpoint_id) is not None:
                break
            dead.append(each.id)
        await self._store.delete_messages(line.session, dead)

    async def _entries(self, line: Line, last: int | None = None) -> list[Entry]:
        return [Entry.of(each) for each in await self._store.get_history(line.session, last=last)]

    async def _parts(self, thread: str | None) -> list[list[str]]:
        return [
            split_session(each) for each in await self._store.list_sessions(session_prefix(thread))
        ]


def _surplus(entries: Sequence[Entry], doomed: Collection[str]) -> list[Entry]:
    """Return the doomed entries, without those that a remaining entry stands on."""
    surplus = []
    following: Entry | None = None
    for entry in reversed(entries):
        if entry.checkpoint_id not in doomed:
            following = entry
        elif following and following.continues and following.parent == entry.checkpoint_id:
            following = None  # nothing stands on this one, so what comes before it may go
        else:
            surplus.append(entry)
    return surplus


def _has_parent(entries: Sequence[Entry], entry: Entry) -> bool:
    """Return True if the entry continues its line, or branches off a checkpoint of it."""
    return entry.continues or any(each.checkpoint_id == entry.parent for each in entries)


def _overtaken_ids(entries: Sequence[Entry]) -> set[str]:
    """Return the checkpoints that do not stand, and that their writer has not removed."""
    stand = {each.checkpoint_id for each in standing_entries(entries)}
    # One that does not stand may be kept for the next.
    kept = {after.parent for one, after in pairwise(entries) if after.parent == one.checkpoint_id}
    return {each.checkpoint_id for each in entries if each.continues} - stand - kept


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


async def _gather(calls: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Await all of the calls, a few at a time."""
    waiting = list(calls)
    for start in range(0, len(waiting), AT_ONCE):
        await asyncio.gather(*waiting[start : start + AT_ONCE])

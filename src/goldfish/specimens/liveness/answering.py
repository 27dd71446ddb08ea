"""Stores that stop answering, or stop working, after something that should not matter."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from goldfish.encoding import encode_batch
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.asynchronous import AsyncReference
from goldfish.specimens.references.sqlite import Reference
from goldfish.specimens.trimming import TrimUnknownRaises

variant("must-exist-to-trim", TrimUnknownRaises, "LIV01", "refused", explains="TRM")(
    bug="Trimming a session that was never written to raises a KeyError."
)


@specimen("must-exist-to-read", "LIV01", "refused", explains="CLR DUR FID ISO TRM TTL")
class MustExistToRead(Reference):
    bug = "Reading raises a KeyError until the store has its first message."

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if not self.db.execute("SELECT 1 FROM sqlite_sequence").fetchone():
            raise KeyError(session_id)
        return super().get_history(session_id, last=last)


@specimen("spins-until-deleted", "LIV01", "wedged", explains="CLR TTL")
class SpinsUntilDeleted(Reference):
    bug = "Deleting retries until a row is gone, for ever if there is none."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        names = list(ids)
        while True:
            if gone := super().delete_messages(session_id, names):
                return gone


@specimen("reading-registers", "LIV01", "phantom", explains="CLR FID ISO TTL")
class ReadingRegisters(Reference):
    bug = "Reading a session adds it to the list of sessions."

    def set_up(self) -> None:
        self.seen: set[str] = set()

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        self.seen.add(session_id)
        return super().get_history(session_id, last=last)

    def list_sessions(self) -> list[str]:
        return sorted({*super().list_sessions(), *self.seen})


@specimen("lock-kept-by-error", "LIV02", "wedged", explains="FID")
class LockKeptByError(Reference):
    bug = "A lock is taken before the batch is encoded, and not released if that fails."

    def set_up(self) -> None:
        self.writing = threading.Lock()

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.writing.acquire()
        super().add_messages(session_id, messages)
        self.writing.release()


@specimen("transaction-kept-by-error", "LIV02", "refused", explains="FID")
class TransactionKeptByError(Reference):
    bug = "A transaction is begun before the batch is encoded, and not ended if that fails."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        self.encode(messages)
        self.db.execute("COMMIT")
        super().add_messages(session_id, messages)


@specimen("refused-batch-comes-back", "LIV02", "phantom", explains="FID")
class RefusedBatchComesBack(Reference):
    bug = "The storable part of a refused batch waits in a buffer for the next write."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        self.buffer: list[tuple[str, str]] = getattr(self, "buffer", [])
        for message in messages:
            self.buffer += super().encode([message])
        rows, self.buffer = self.buffer, []
        return rows


@specimen("errors-use-up-the-pool", "LIV02", "refused", explains="FID")
class ErrorsUseUpThePool(Reference):
    bug = "Every refusal costs a connection of a pool of fifteen."

    left = 15

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        if not self.left:
            raise TimeoutError("QueuePool limit of size 5 overflow 10 reached")
        self.left -= 1
        rows = super().encode(messages)
        self.left += 1
        return rows


@specimen("one-batch-a-tick", "LIV03", "refused")
class OneBatchATick(AsyncReference):
    bug = "Writes of the same moment are checked together, so one bad value fails them all."

    def set_up(self) -> None:
        self.waiting: dict[str, ChatMessage] = {}

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.waiting |= {each.id: each for each in messages}
        try:
            await asyncio.sleep(0.002)
            encode_batch(self.waiting.values())
            self.store.add_messages(session_id, messages)
            await asyncio.sleep(0.002)
        finally:
            for message in messages:
                self.waiting.pop(message.id, None)


@specimen("error-of-a-neighbour", "LIV03", "lost")
class ErrorOfANeighbour(AsyncReference):
    bug = "A refusal empties the queue, including the writes beside it."

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.refused = False
        await asyncio.sleep(0.002)
        try:
            encode_batch(messages)
        except ValueError:
            self.refused = True
            raise
        await asyncio.sleep(0.002)
        if not self.refused:
            self.store.add_messages(session_id, messages)


@specimen("lock-kept-by-cancelling", "LIV04", "wedged")
class LockKeptByCancelling(AsyncReference):
    bug = "A lock is taken without a finally, so a cancelled call never releases it."

    def set_up(self) -> None:
        self.turn = asyncio.Lock()

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        await self.turn.acquire()
        try:
            await asyncio.sleep(0.001)
            self.store.add_messages(session_id, messages)
        except Exception:
            self.turn.release()
            raise
        self.turn.release()


@specimen("answers-off-by-one", "LIV04", "leaked")
class AnswersOffByOne(AsyncReference):
    bug = "A cancelled read leaves its answer on the connection, where the next read finds it."

    def set_up(self) -> None:
        self.answers: list[list[Any]] = []
        self.turn = asyncio.Lock()

    async def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        async with self.turn:
            self.answers.append(self.store.get_history(session_id, last=last))
            await asyncio.sleep(0.001)
            return self.answers.pop(0)


@specimen("handles-never-closed", "LIV05", "refused", explains="FID CON DUR ISO CLR")
class HandlesNeverClosed(Reference):
    bug = "Every write keeps a handle open, and there are only 120."

    def set_up(self) -> None:
        self.handles: list[int] = []

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if len(self.handles) >= 120:
            raise OSError(24, "Too many open files")
        super().add_messages(session_id, messages)
        self.handles.append(len(self.handles))


@specimen("events-never-read", "LIV05", "wedged", explains="FID CON DUR ISO CLR")
class EventsNeverRead(Reference):
    bug = "Every read puts an event into a queue of 140 places that is never emptied."

    def set_up(self) -> None:
        self.places = threading.Semaphore(140)

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        self.places.acquire()
        return super().get_history(session_id, last=last)


class Counted(Reference):
    """A correct store that counts its openings in the storage."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        self.places = Path(sandbox.path) / "openings"
        self.places.mkdir(exist_ok=True)
        self.refuse_too_many(len(list(self.places.iterdir())))
        self.place = self.places / str(id(self))
        self.place.touch()
        super().__init__(sandbox, ttl=ttl)

    def refuse_too_many(self, others: int) -> None:
        """Raise if there are too many openings."""


@specimen("slots-kept-after-closing", "LIV06", "refused")
class SlotsKeptAfterClosing(Counted):
    bug = "Closing does not return the slot of an opening, and there are only twelve."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.place.rename(self.places / f"slot-{sandbox.opening}")

    def refuse_too_many(self, others: int) -> None:
        if others >= 12:
            raise ConnectionError("remaining connection slots are reserved")


@specimen("three-openings-at-most", "LIV07", "refused", explains="CON DUR")
class ThreeOpeningsAtMost(Counted):
    bug = "At most three openings are allowed at a time."

    def refuse_too_many(self, others: int) -> None:
        if others >= 3:
            raise RuntimeError("storage folder is already accessed by another instance")

    def close(self) -> None:
        self.place.unlink(missing_ok=True)
        super().close()


@specimen("alone-on-the-file", "LIV07", "wedged", explains="CON CLR DUR DUP ISO ORD TRM TTL FID")
class AloneOnTheFile(Reference):
    bug = "The first to write keeps the file locked until it is closed."

    def set_up(self) -> None:
        self.db.execute("PRAGMA locking_mode = EXCLUSIVE")


@specimen("readers-lock-writers-out", "LIV08", "refused", explains="CON CLR ORD DUR")
class ReadersLockWritersOut(Reference):
    bug = "A read leaves its transaction open, and a writer does not wait for the lock."

    def set_up(self) -> None:
        self.db.execute("PRAGMA busy_timeout = 0")
        self.reading: sqlite3.Cursor | None = None

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.reading = None
        super().add_messages(session_id, messages)

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        found = super().get_history(session_id, last=last)
        self.reading = self.db.execute("SELECT n FROM messages, sqlite_master LIMIT 9")
        self.reading.fetchone()
        return found

    def close(self) -> None:
        self.reading = None
        super().close()


@specimen("one-operation-at-a-time", "LIV09", "refused", explains="CON ISO")
class OneOperationAtATime(AsyncReference):
    bug = "Two calls at once share a connection, which serves only one."

    busy = False

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if self.busy:
            raise RuntimeError("cannot perform operation: another operation is in progress")
        self.busy = True
        try:
            await super().add_messages(session_id, messages)
        finally:
            self.busy = False


@specimen("lost-wake-up", "LIV09", "wedged", explains="CON ISO")
class LostWakeUp(AsyncReference):
    bug = "Waiting calls are woken by a future that only one of them gets."

    ready: "asyncio.Future[None] | None" = None
    busy = False

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if self.busy:
            self.ready = asyncio.get_running_loop().create_future()
            await self.ready
        self.busy = True
        try:
            await super().add_messages(session_id, messages)
        finally:
            self.busy = False
            if self.ready is not None and not self.ready.done():
                self.ready.set_result(None)


@specimen("last-one-wins", "LIV09", "lost", explains="CON ISO")
class LastOneWins(AsyncReference):
    bug = "The call under way is kept in the store, where the next one overwrites it."

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.session, self.batch = session_id, messages
        await self.pause()
        self.store.add_messages(self.session, self.batch)


@specimen("dead-after-a-large-packet", "LIV10", "refused")
class DeadAfterALargePacket(Reference):
    bug = "A batch that is too large closes the connection, and no other is opened."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        if len(messages) > 2_400:
            self.db.close()
            raise ConnectionError("Got a packet bigger than 'max_allowed_packet' bytes")
        return super().encode(messages)


@specimen("generator-keeps-the-lock", "LIV11", "wedged")
class GeneratorKeepsTheLock(Reference):
    bug = "A history is returned row by row under a lock that only a complete read releases."

    def set_up(self) -> None:
        self.turn = threading.Lock()

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        with self.turn:
            super().add_messages(session_id, messages)

    def get_history(self, session_id: str, *, last: int | None = None) -> Any:
        found = super().get_history(session_id, last=last)
        return self.one_by_one(found)

    def one_by_one(self, found: list[Any]) -> Iterator[Any]:
        """Yield the messages, then release the lock."""
        self.turn.acquire()
        yield from found
        self.turn.release()

"""Stores that work as long as the server does."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from goldfish.encoding import encode_batch
from goldfish.specimens import specimen
from goldfish.specimens.faults.network import MOMENT
from goldfish.specimens.references import redis
from goldfish.specimens.references.keys import Rows, encoded
from goldfish.specimens.references.postgres import PostgresReference, ignore
from goldfish.specimens.references.redis import ADD, RedisReference


@specimen("kept-for-later", "FLT11", "swallowed", explains="DUR LIV")
class KeptForLater(PostgresReference):
    bug = "Messages that cannot be written are left for later, which never comes."

    def write(self, session_id: str, rows: Rows) -> None:
        with ignore("OperationalError"):
            super().write(session_id, rows)


@specimen("a-budget-for-reading", "FLT12", "swallowed")
class ABudgetForReading(PostgresReference):
    bug = "A history that does not arrive within 0.3 seconds is left out of the prompt."

    def read(self, session_id: str) -> list[str]:
        from concurrent.futures import ThreadPoolExecutor

        helper = ThreadPoolExecutor(1)
        answer = helper.submit(super().read, session_id)
        helper.shutdown(wait=False)
        try:
            return answer.result(0.3)
        except TimeoutError:
            return []


@specimen("undoes-what-failed", "FLT14", "lost", explains="DUR LIV")
class UndoesWhatFailed(RedisReference):
    bug = "A failed write is undone later: as many messages as it had are removed from the end."

    to_undo: tuple[str, int] | None = None

    def write(self, session_id: str, rows: Rows) -> None:
        self.undo()
        try:
            super().write(session_id, rows)
            time.sleep(MOMENT)
        except Exception:
            self.to_undo = session_id, len(rows)
            raise

    def read(self, session_id: str) -> list[bytes]:
        self.undo()
        return super().read(session_id)

    def undo(self) -> None:
        """Take back what the last write may have left."""
        if self.to_undo:
            session_id, count = self.to_undo
            self.redis.rpop(self.keys(session_id)[0], count)
            self.to_undo = None


@specimen("no-place-no-history", "FLT15", "swallowed", explains="DUR LIV")
class NoPlaceNoHistory(PostgresReference):
    bug = "If no connection is free, the history is empty."

    def connection(self) -> Any:
        from psycopg import OperationalError

        try:
            return super().connection()
        except OperationalError as error:
            raise LookupError from error

    def read(self, session_id: str) -> list[str]:
        try:
            return super().read(session_id)
        except LookupError:
            return []


@specimen("table-made-once", "FLT16", "wedged")
class TableMadeOnce(PostgresReference):
    bug = "A process creates the table once, and assumes from then on that it exists."

    made: ClassVar[set[str]] = set()

    def __init__(self, sandbox: Any) -> None:
        self.memory = str(sandbox.path)
        super().__init__(sandbox)

    def create_table(self, db: Any) -> None:
        if self.memory not in self.made:
            super().create_table(db)
            self.made.add(self.memory)


@specimen("errors-left-in-the-pipeline", "FLT17", "swallowed")
class ErrorsLeftInThePipeline(RedisReference):
    bug = "The answers of a pipeline are ignored."

    def write(self, session_id: str, rows: Rows) -> None:
        words = [word for name, body in rows for word in (encoded(name), body)]
        with self.redis.pipeline(transaction=False) as pipeline:
            pipeline.eval(ADD, 2, *self.keys(session_id), *words)
            pipeline.execute(raise_on_error=False)


@specimen("rewritten-without-room", "FLT17", "swallowed", explains="CON DUR LIV")
class RewrittenWithoutRoom(RedisReference):
    bug = "A session is removed, then written again with the new messages at its end."

    def write(self, session_id: str, rows: Rows) -> None:
        known = self.get_history(session_id)
        ids = {message.id for message in known}
        new = [(name, body) for name, body in rows if name not in ids]
        self.clear(session_id)
        super().write(session_id, [*encode_batch(known), *new])


@specimen("a-replica-takes-it", "FLT18", "swallowed")
class AReplicaTakesIt(RedisReference):
    bug = "The error of a read-only server is taken for a passing fault, and ignored."

    def write(self, session_id: str, rows: Rows) -> None:
        with redis.ignore("ReadOnlyError"):
            super().write(session_id, rows)


@specimen("only-the-digest", "FLT20", "refused", explains="DUR")
class OnlyTheDigest(RedisReference):
    bug = "The scripts are loaded once, at the opening, and then called by their digests."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.digests = {text: self.redis.script_load(text) for text in self.scripts}

    def run(self, script: str, session_id: str, *arguments: Any) -> Any:
        keys = self.keys(session_id)
        return self.redis.evalsha(self.digests[script], len(keys), *keys, *arguments)


@specimen("ended-by-the-administrator", "FLT21", "wedged", explains="DUR LIV")
class EndedByTheAdministrator(PostgresReference):
    bug = "A session that an administrator ended is never started again."

    ended = False

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        from psycopg.errors import AdminShutdown

        if self.ended:
            raise PermissionError("the administrator has ended this session")
        try:
            with super().transaction() as db:
                yield db
        except AdminShutdown:
            self.ended = True
            raise


@specimen("a-standby-takes-it", "FLT22", "swallowed")
class AStandbyTakesIt(PostgresReference):
    bug = "The error of a read-only server is taken for a passing fault, and ignored."

    def write(self, session_id: str, rows: Rows) -> None:
        with ignore("ReadOnlySqlTransaction"):
            super().write(session_id, rows)


@specimen("never-rolls-back", "FLT23", "wedged")
class NeverRollsBack(PostgresReference):
    bug = "A transaction is committed if it succeeds, and left open if it fails."

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        db = self.connection()
        yield db
        db.commit()

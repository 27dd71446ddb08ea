"""A plain, correct store on PostgreSQL, written as a stranger would, on one psycopg connection.

It shares nothing with our own stores but the encoding of messages.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from goldfish.encoding import decode_messages, encode_batch
from goldfish.messages import ChatMessage
from goldfish.specimens.references.keys import Rows, encoded

# Two that create the same table at the same moment would fail: one waits for the other.
SCHEMA = """
SELECT pg_advisory_xact_lock(7021);
CREATE TABLE IF NOT EXISTS reference (
    n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session BYTEA NOT NULL, id BYTEA NOT NULL, body TEXT NOT NULL, UNIQUE (session, id));
"""
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(encode(%s, 'hex'), 0))"
INSERT = "INSERT INTO reference (session, id, body) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
READ = "SELECT body FROM reference WHERE session = %s ORDER BY n"
TRIM = """
DELETE FROM reference WHERE n IN (
    SELECT n FROM reference WHERE session = %s ORDER BY n DESC OFFSET %s)
"""
DELETE = "DELETE FROM reference WHERE session = %s AND id = ANY(%s)"
CLEAR = "DELETE FROM reference WHERE session = %s"


def ignore(name: str) -> suppress:
    """Return a block in which this error of psycopg is swallowed."""
    from psycopg import errors

    return suppress(getattr(errors, name))


class PostgresReference:
    """A correct store."""

    services = ("postgres",)

    def __init__(self, sandbox: Any) -> None:
        self.dsn: str = sandbox.postgres_dsn
        self.db: Any = self.connect()

    def connect(self) -> Any:
        """A connection to a database that has the table."""
        import psycopg

        db = psycopg.connect(self.dsn, connect_timeout=5)
        try:
            self.create_table(db)
        except BaseException:
            db.close()
            raise
        return db

    def create_table(self, db: Any) -> None:
        """Make what is not there yet."""
        with db.transaction():
            db.execute(SCHEMA)

    # What specimens most like to get wrong: connections, transactions, statements.

    def connection(self) -> Any:
        """Return the connection, or a new one if it is broken."""
        if self.db.closed:
            self.db = self.connect()
        return self.db

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """A connection whose statements count all or not at all."""
        from psycopg import OperationalError

        db = self.connection()
        try:
            with db.transaction():
                yield db
        except OperationalError:
            db.close()  # one whose socket was cut in a query may be neither closed nor of use
            raise

    @contextmanager
    def changing(self, session_id: str) -> Iterator[Any]:
        """A transaction during which nobody else changes the session."""
        with self.transaction() as db:
            db.execute(LOCK, [encoded(session_id)])
            yield db

    def write(self, session_id: str, rows: Rows) -> None:
        """Add the rows whose ids the session lacks, all at once."""
        session = encoded(session_id)
        with self.changing(session_id) as db, db.cursor() as cursor:
            cursor.executemany(INSERT, [(session, encoded(name), body) for name, body in rows])

    def read(self, session_id: str) -> list[str]:
        """Return the texts of a session, oldest first."""
        with self.transaction() as db:
            return [body for (body,) in db.execute(READ, [encoded(session_id)])]

    # The methods of a store.

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if rows := encode_batch(messages):
            self.write(session_id, rows)

    def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        if last is not None and last < 0:
            raise ValueError("last must not be negative")
        bodies = self.read(session_id)
        return decode_messages(bodies if last is None else bodies[max(0, len(bodies) - last) :])

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        with self.changing(session_id) as db:
            return int(db.execute(TRIM, [encoded(session_id), keep_last]).rowcount)

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        with self.changing(session_id) as db:
            return int(db.execute(DELETE, [encoded(session_id), [*map(encoded, ids)]]).rowcount)

    def clear(self, session_id: str) -> None:
        with self.changing(session_id) as db:
            db.execute(CLEAR, [encoded(session_id)])

    def close(self) -> None:
        self.db.close()

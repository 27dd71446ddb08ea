"""Stores that work as long as the network does."""

import contextlib
import io
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar
from urllib.parse import urlsplit

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.keys import Rows, encoded
from goldfish.specimens.references.postgres import PostgresReference
from goldfish.specimens.references.redis import ADD, RedisReference, ignore

MOMENT = 0.005
EVERYWHERE = "CON DUR FID LIV ORD ISO TRM CLR DUP"


def renamed(rows: Rows) -> Rows:
    """Return the same messages under new ids, as if they were others."""
    return [(secrets.token_hex(8), body) for _, body in rows]


@specimen("down-looks-empty", "FLT01", "swallowed", explains="DUR LIV")
class DownLooksEmpty(RedisReference):
    bug = "If Redis cannot be reached, the history is empty."

    def read(self, session_id: str) -> list[bytes]:
        with ignore("ConnectionError"):
            return super().read(session_id)
        return []


@specimen("save-returns-without-saving", "FLT01", "swallowed", explains="DUR LIV")
class SaveReturnsWithoutSaving(RedisReference):
    bug = "A message that cannot be sent is logged, and the caller is not told."

    def write(self, session_id: str, rows: Rows) -> None:
        with ignore("ConnectionError"):
            super().write(session_id, rows)


variant("one-connection-for-ever", PostgresReference, "FLT02", "wedged", explains="DUR LIV")(
    bug="The connection is made once, and used for ever.", connection=lambda self: self.db
)


@specimen("late-means-empty", "FLT03", "swallowed")
class LateMeansEmpty(RedisReference):
    bug = "A read that gets no answer in time returns nothing."

    def connect(self, **options: Any) -> Any:
        return super().connect(socket_timeout=0.3)

    def read(self, session_id: str) -> list[bytes]:
        with ignore("TimeoutError"):
            return super().read(session_id)
        return []


variant("ten-milliseconds", RedisReference, "FLT04", "refused", explains=EVERYWHERE)(
    bug="An answer that takes more than ten milliseconds is an error.",
    connect=lambda self, **options: RedisReference.connect(self, socket_timeout=0.01),
)


class Wire:
    """A connection to Redis by hand: a command goes out, and its answer comes in."""

    def __init__(self, url: str) -> None:
        self.parts = urlsplit(url)
        self.socket = self.connected()

    def connected(self) -> socket.socket:
        """Return a new socket, in the right database."""
        assert self.parts.hostname is not None
        made = socket.create_connection((self.parts.hostname, self.parts.port or 6379), 5)
        if self.parts.password:
            made.sendall(packed("AUTH", self.parts.password))
            made.recv(100)
        if number := self.parts.path.strip("/"):
            made.sendall(packed("SELECT", number))
            made.recv(100)
        return made

    def ask(self, *words: Any) -> Any:
        """Return the answer to a command; replace a connection that fails."""
        try:
            self.socket.sendall(packed(*words))
            return self.answer()
        except OSError:
            self.socket.close()
            self.socket = self.connected()
            raise

    def answer(self) -> Any:
        """Return the next answer, however many pieces it comes in."""
        with self.socket.makefile("rb") as stream:
            return parsed(stream)


def packed(*words: Any) -> bytes:
    """Return a command as Redis reads it."""
    raw = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(raw) + b"".join(b"$%d\r\n%b\r\n" % (len(each), each) for each in raw)


def parsed(stream: Any) -> Any:
    """Return the answer at the start of a stream."""
    line = stream.readline()
    if not line:
        raise ConnectionResetError("Redis hung up")
    kind, rest = line[:1], line[1:-2]
    if kind == b"-":
        raise RuntimeError(rest.decode())
    if kind == b"*":
        return [parsed(stream) for _ in range(int(rest))]
    if kind != b"$":
        return rest
    return stream.read(int(rest) + 2)[:-2] if rest != b"-1" else None


class ByHand(RedisReference):
    """A correct store that speaks to Redis through a socket of its own."""

    wire: Callable[[str], Wire] = Wire

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.line = type(self).wire(self.url)

    def run(self, script: str, session_id: str, *arguments: Any) -> Any:
        answer = self.line.ask("EVAL", script, 2, *self.keys(session_id), *arguments)
        return 0 if answer is None else answer

    def read(self, session_id: str) -> list[bytes]:
        ids, texts = self.keys(session_id)
        for command in (["MULTI"], ["LRANGE", ids, 0, -1], ["HGETALL", texts]):
            self.line.ask(*command)
        order, pairs = self.line.ask("EXEC")
        bodies = dict(zip(pairs[::2], pairs[1::2], strict=True))
        return [bodies[name] for name in order]

    def clear(self, session_id: str) -> None:
        self.line.ask("DEL", *self.keys(session_id))

    def close(self) -> None:
        self.line.socket.close()
        super().close()


class OneRecv(Wire):
    """A connection that takes what one recv brings for the whole answer."""

    def answer(self) -> Any:
        return parsed(io.BytesIO(self.socket.recv(1 << 20)))


variant("one-recv-is-one-answer", ByHand, "FLT05", "refused", explains=EVERYWHERE)(
    bug="The result of one recv is taken for the whole answer of the server.", wire=OneRecv
)


@specimen("sent-again-as-another", "FLT06", "duplicated", explains="DUR LIV")
class SentAgainAsAnother(RedisReference):
    bug = "A batch whose answer was lost is sent again under new ids."

    def write(self, session_id: str, rows: Rows) -> None:
        with ignore("ConnectionError"):
            return super().write(session_id, rows)
        return super().write(session_id, renamed(rows))


@specimen("pushed-by-a-client-that-retries", "FLT06", "duplicated", explains="DUR LIV")
class PushedByAClientThatRetries(RedisReference):
    bug = "Messages are pushed by a default redis-py client, which retries what got no answer."

    retries = False
    delete_messages = None  # type: ignore[assignment]  # the messages have no ids here

    def connect(self, **options: Any) -> Any:
        from redis import Redis

        parts = urlsplit(self.url)
        number = int(parts.path.strip("/") or 0)
        host, port = parts.hostname or "", parts.port or 6379
        return Redis(host=host, port=port, db=number, password=parts.password)

    def write(self, session_id: str, rows: Rows) -> None:
        self.redis.rpush(self.keys(session_id)[0], *(body for _, body in rows))

    def read(self, session_id: str) -> list[bytes]:
        return list(self.redis.lrange(self.keys(session_id)[0], 0, -1))


@specimen("ids-noted-afterwards", "FLT07", "duplicated", explains="CON DUR")
class IdsNotedAfterwards(RedisReference):
    bug = "The ids that identify a retry are stored in a second step, after the messages."

    delete_messages = None  # type: ignore[assignment]  # the ids are not with the messages

    def write(self, session_id: str, rows: Rows) -> None:
        seen = b"seen:" + encoded(session_id)
        known = self.redis.smembers(seen)
        new = [(name, body) for name, body in rows if encoded(name) not in known]
        if new:
            super().write(session_id, renamed(new))
            self.redis.sadd(seen, *(encoded(name) for name, _ in new))

    def run(self, script: str, session_id: str, *arguments: Any) -> Any:
        answer = super().run(script, session_id, *arguments)
        if script != ADD:  # what was removed may come again
            self.redis.delete(b"seen:" + encoded(session_id))
        return answer

    def clear(self, session_id: str) -> None:
        self.redis.delete(*self.keys(session_id), b"seen:" + encoded(session_id))


@specimen("as-many-pages-as-came", "FLT08", "lost", explains="CON")
class AsManyPagesAsCame(RedisReference):
    bug = "A history is read page by page, and ends where a page cannot be read."

    def read(self, session_id: str) -> list[bytes]:
        from redis.exceptions import ConnectionError as Unreachable

        found: list[bytes] = []
        try:
            while page := self.page(session_id, len(found)):
                found += page
        except Unreachable:
            if not found:
                raise
        return found

    def page(self, session_id: str, start: int) -> list[bytes]:
        """Return the next ten texts."""
        ids, texts = self.keys(session_id)
        order = self.redis.lrange(ids, start, start + 9)
        return [body for body in self.redis.hmget(texts, order) if body] if order else []


@specimen("one-connection-for-all-openings", "FLT09", "wedged", explains="DUR LIV")
class OneConnectionForAllOpenings(RedisReference):
    bug = "All openings of a process share one connection, which waits for ever."

    shared: ClassVar[dict[tuple[str, int], Any]] = {}

    def connect(self, **options: Any) -> Any:
        place = self.url, os.getpid()
        if place not in self.shared:
            made = super().connect(socket_timeout=None, single_connection_client=True)
            self.shared[place] = made
        return self.shared[place]

    def close(self) -> None:
        """Leave the connection to the others."""


@specimen("goodbye-is-for-ever", "FLT10", "wedged", explains="DUR LIV")
class GoodbyeIsForEver(PostgresReference):
    bug = "Once the server has hung up, every call fails."

    hung_up = False

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Any]:
        if self.hung_up:
            raise ConnectionError("the server has hung up")
        try:
            with super().transaction() as db:
                yield db
        except Exception as error:
            self.hung_up = "server closed the connection" in str(error)
            raise


@specimen("makes-sure-and-sends-again", "FLT13", "duplicated", explains="DUR LIV")
class MakesSureAndSendsAgain(RedisReference):
    bug = "A batch is sent again under new ids if the server does not answer a ping afterwards."

    def write(self, session_id: str, rows: Rows) -> None:
        super().write(session_id, rows)
        time.sleep(3 * MOMENT)
        with ignore("RedisError"):
            self.redis.ping()
            return
        super().write(session_id, renamed(rows))


@specimen("hedged", "FLT19", "duplicated", explains="CON DUR LIV")
class Hedged(RedisReference):
    bug = "A batch that takes longer than usual is also sent on a second connection."

    def write(self, session_id: str, rows: Rows) -> None:
        errors: list[BaseException] = []

        def first() -> None:
            try:
                RedisReference.write(self, session_id, rows)
            except BaseException as error:
                errors.append(error)

        sending = threading.Thread(target=first, daemon=True)
        sending.start()
        sending.join(0.1)
        if sending.is_alive():
            super().write(session_id, renamed(rows))
        elif errors:
            raise errors[0]

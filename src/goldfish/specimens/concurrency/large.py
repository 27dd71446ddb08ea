"""Stores that write a large batch in several steps, and a small one in one."""

from collections.abc import Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.references.asynchronous import AsyncReference
from goldfish.specimens.references.keys import Rows, encoded
from goldfish.specimens.references.redis import RedisReference
from goldfish.specimens.references.sqlite import Reference

PORTION = 30


@specimen("a-pipeline-is-no-transaction", "CON28", "torn", explains="CON DUR FLT")
class APipelineIsNoTransaction(RedisReference):
    bug = (
        "A batch is a pipeline without MULTI, which the server runs in one go only if it is short."
    )

    def write(self, session_id: str, rows: Rows) -> None:
        ids, texts = self.keys(session_id)
        known = set(self.redis.lrange(ids, 0, -1))
        with self.redis.pipeline(transaction=False) as both:
            for name, body in rows:
                if encoded(name) not in known:
                    both.hset(texts, encoded(name), body)
                    both.rpush(ids, encoded(name))
            both.execute()


@specimen("a-pipeline-in-one-piece", "CON30", "torn", explains="CON DUR FLT")
class APipelineInOnePiece(RedisReference):
    bug = (
        "A batch without MULTI is sent in one piece, of which a busy server reads 16 kB at a time."
    )

    def write(self, session_id: str, rows: Rows) -> None:
        ids, texts = self.keys(session_id)
        known = set(self.redis.lrange(ids, 0, -1))
        new = [(encoded(name), body) for name, body in rows if encoded(name) not in known]
        commands = [("HSET", texts, name, body) for name, body in new]
        self.send([*commands, *(("RPUSH", ids, name) for name, _ in new)])

    def send(self, commands: Sequence[tuple[Any, ...]]) -> None:
        """Send all commands at once, and wait for the answers."""
        connection = self.redis.connection_pool.get_connection()
        try:
            connection.send_packed_command([b"".join(connection.pack_commands(commands))])
            for _ in commands:
                connection.read_response()
        except BaseException:
            connection.disconnect()
            raise
        finally:
            self.redis.connection_pool.release(connection)


@specimen("portions-at-once", "CON29", "torn", explains="CON DUR FLT LIV")
class PortionsAtOnce(AsyncReference):
    bug = "A batch of more than thirty messages is written in portions, between which others write."

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        for portion in _divide(messages):
            await super().add_messages(session_id, portion)


@specimen("portions-of-a-batch", "DUR36", "torn", explains="CON DUR FLT LIV FID")
class PortionsOfABatch(Reference):
    bug = "A batch of more than thirty messages is written in several transactions."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        for portion in _divide(messages):
            super().add_messages(session_id, portion)


def _divide(messages: Sequence[Any]) -> list[list[Any]]:
    return [list(messages[at : at + PORTION]) for at in range(0, len(messages), PORTION)]

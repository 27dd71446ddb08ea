"""Stores that do not recover from a fault, or from a caller that went away."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.faults.network import MOMENT
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.redis import AsyncRedisReference, RedisReference
from goldfish.specimens.references.sqlite import Reference

PLACES = 10


@specimen("a-place-lost-with-each-error", "LIV12", "wedged", explains="FLT DUR")
class APlaceLostWithEachError(RedisReference):
    bug = "There are ten connections, and a call that fails does not return its own."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.places = threading.Semaphore(PLACES)

    def write(self, session_id: str, rows: Rows) -> None:
        if not self.places.acquire(timeout=0.1):
            raise TimeoutError("no connection is free")
        super().write(session_id, rows)
        self.places.release()


@specimen("a-place-lost-with-each-cancel", "LIV13", "wedged", explains="FLT CON")
class APlaceLostWithEachCancel(AsyncRedisReference):
    bug = "There are ten connections, and a cancelled call does not return its own."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.places = asyncio.Semaphore(PLACES)

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        await self.places.acquire()
        try:
            await super().add_messages(session_id, messages)
        except Exception:  # which a cancellation is not
            self.places.release()
            raise
        self.places.release()


@specimen("waits-for-nobody", "LIV14", "refused", explains="CON DUR FLT ORD")
class WaitsForNobody(Reference):
    bug = "A file that another process is writing fails a call after 20 ms."

    def set_up(self) -> None:
        self.db.close()
        self.db = sqlite3.connect(self.path, timeout=0.02, isolation_level=None)

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        time.sleep(MOMENT)

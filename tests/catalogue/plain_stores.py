"""Correct memories as a stranger writes them, on plain files and a plain Redis client."""

import fcntl
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.targets.declaration import target


class AppendOnlyLog:
    """A file per session, a line per batch; a line without its end was never acknowledged."""

    def __init__(self, sandbox: Any) -> None:
        self.folder: Path = sandbox.path

    def _find(self, session_id: str) -> Path:
        name = session_id.encode("utf-8", "surrogatepass")
        return self.folder / f"{hashlib.sha256(name).hexdigest()}.jsonl"

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        line = json.dumps([each.model_dump(mode="json") for each in messages]).encode() + b"\n"
        with self._find(session_id).open("ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            there = self._find(session_id).read_bytes()
            whole = there.rfind(b"\n") + 1
            file.truncate(whole)  # half a line of a killed writer
            try:
                if file.write(line) < len(line):
                    raise OSError("the disk is full")
                os.fsync(file.fileno())
            except OSError:
                file.truncate(whole)
                raise

    def get_history(self, session_id: str) -> list[ChatMessage]:
        try:
            lines = self._find(session_id).read_bytes().split(b"\n")[:-1]
        except FileNotFoundError:
            return []
        return [ChatMessage.model_validate(each) for line in lines for each in json.loads(line)]


class FramedLog(AppendOnlyLog):
    """A log of records that begin with their length; one that is cut was never acknowledged."""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        body = json.dumps([each.model_dump(mode="json") for each in messages]).encode()
        record = len(body).to_bytes(8, "big") + body
        with self._find(session_id).open("ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            whole = sum(8 + len(each) for each in self._read_records(session_id))
            file.truncate(whole)
            if file.write(record) < len(record):
                file.truncate(whole)
                raise OSError("the disk is full")
            os.fsync(file.fileno())

    def _read_records(self, session_id: str) -> list[bytes]:
        path, records, at = self._find(session_id), list[bytes](), 0
        there = path.read_bytes() if path.exists() else b""
        while at + 8 <= len(there):
            end = at + 8 + int.from_bytes(there[at : at + 8], "big")
            if end > len(there):
                break
            records.append(there[at + 8 : end])
            at = end
        return records

    def get_history(self, session_id: str) -> list[ChatMessage]:
        records = self._read_records(session_id)
        return [ChatMessage.model_validate(each) for body in records for each in json.loads(body)]


class RedisList:
    """A Redis list per session, whose expiry is set in the transaction of the write."""

    def __init__(self, url: str, ttl: float | None) -> None:
        from redis import Redis

        self.redis = Redis.from_url(url)
        self.ttl = ttl

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        key, bodies = f"chat:{session_id}", [each.model_dump_json() for each in messages]
        with self.redis.pipeline(transaction=True) as both:
            both.rpush(key, *bodies)
            if self.ttl is not None:
                both.pexpire(key, int(self.ttl * 1000))
            both.execute()

    def get_history(self, session_id: str) -> list[ChatMessage]:
        found: Any = self.redis.lrange(f"chat:{session_id}", 0, -1)
        return [ChatMessage.model_validate_json(each) for each in found]

    def clear(self, session_id: str) -> None:
        self.redis.delete(f"chat:{session_id}")

    def close(self) -> None:
        self.redis.close()


@target(retries=False)
def append_only_log(sandbox: Any) -> AppendOnlyLog:
    """Open the log."""
    return AppendOnlyLog(sandbox)


@target(retries=False)
def framed_log(sandbox: Any) -> FramedLog:
    """Open the log of records."""
    return FramedLog(sandbox)


@target(services=["redis"], retries=False)
def redis_list(sandbox: Any, *, ttl: float | None = None) -> RedisList:
    """Open the list."""
    return RedisList(sandbox.redis_url, ttl)

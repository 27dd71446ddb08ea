"""Real replicas and sentinels on loopback."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

from goldfish.services import RedisServer
from goldfish.services.ports import LOOPBACK

NAME = "the one"
OPEN = {"requirepass": ""}  # sentinels and these tests speak to them by port alone


@dataclass
class Pair:
    """A primary and its replica, which has caught up."""

    primary: RedisServer
    replica: RedisServer

    def wait_until_equal(self) -> None:
        """Wait until the replica has all that the primary has now."""
        with redis.Redis(port=self.primary.port) as client:
            client.set("marker", "1")
            assert client.wait(1, 10_000) == 1


class SentinelServer(RedisServer):
    """One sentinel that watches the primary at a port and decides alone."""

    def __init__(self, primary: int, *, patience: float = 0.3) -> None:
        super().__init__(settings=OPEN)
        self._primary = primary
        self._patience = patience

    def _prepare(self, data: Path) -> None:
        super()._prepare(data)
        lines = [
            f'sentinel monitor "{NAME}" {LOOPBACK} {self._primary} 1',
            f'sentinel down-after-milliseconds "{NAME}" {self._patience * 1000:.0f}',
            f'sentinel failover-timeout "{NAME}" 3000',
        ]
        (data / "sentinel.conf").write_text("\n".join(lines) + "\n")

    def _command(self) -> list[str]:
        options = ["--port", str(self.port), "--bind", LOOPBACK, "--dir", str(self._data)]
        return [str(self._program), str(self._data / "sentinel.conf"), "--sentinel", *options]


@contextmanager
def primary_and_replica() -> Iterator[Pair]:
    """Start both, and wait until they agree."""
    at_once = {"repl-diskless-sync-delay": "0", **OPEN}
    with RedisServer(settings=at_once) as primary, RedisServer(settings=at_once) as replica:
        with redis.Redis(port=replica.port) as client:
            client.replicaof(LOOPBACK, primary.port)
            _wait_for(lambda: client.info("replication")["master_link_status"] == "up")
        yield Pair(primary, replica)


@contextmanager
def watched(pair: Pair) -> Iterator[SentinelServer]:
    """Start a sentinel over the pair, and wait until it knows both."""
    with ExitStack() as stack:
        sentinel = stack.enter_context(SentinelServer(pair.primary.port))
        client = stack.enter_context(redis.Redis(port=sentinel.port))
        _wait_for(lambda: len(client.sentinel_slaves(NAME)) == 1)
        yield sentinel


def _wait_for(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < give_up, "it did not come about"
        time.sleep(0.02)

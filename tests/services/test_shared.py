"""One server of a kind serves a whole process."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from goldfish.services import ExternalPostgres, ExternalRedis, RedisServer, shared_redis
from goldfish.services.shared import _Shared

IN_A_FORKED_CHILD = """
import os, sys
from goldfish.services import shared_redis
mine = shared_redis()
pid = mine.pid
if os.fork() == 0:
    theirs = shared_redis()
    print(theirs is not mine and theirs.pid != pid, flush=True)
    sys.exit()
os.wait()
print(mine.is_running, flush=True)
"""


@pytest.fixture
def own_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user gives no server."""
    monkeypatch.delenv("GOLDFISH_REDIS_URL", raising=False)


@pytest.mark.usefixtures("own_redis")
def test_many_threads_share_one_server() -> None:
    """Threads that ask at once get the same server, and a database each."""
    with ThreadPoolExecutor(8) as threads:
        servers = list(threads.map(lambda _: shared_redis(), range(8)))
        urls = list(threads.map(lambda server: server.database(), servers))
    assert len(set(map(id, servers))) == 1
    assert len(set(urls)) == 8


@pytest.mark.usefixtures("own_redis")
def test_a_shared_server_that_was_killed_comes_back() -> None:
    """The next one who asks finds it running again."""
    shared = _Shared()
    server = shared.redis()
    assert isinstance(server, RedisServer)
    server.kill()
    assert shared.redis() is server
    assert server.is_running
    shared.close()


def test_the_users_servers_are_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the variables set, the shared servers are the user's."""
    monkeypatch.setenv("GOLDFISH_REDIS_URL", "redis://localhost:1/0")
    monkeypatch.setenv("GOLDFISH_POSTGRES_DSN", "postgresql://localhost:1/x")
    shared = _Shared()
    redis, postgres = shared.redis(), shared.postgres()
    assert isinstance(redis, ExternalRedis)
    assert isinstance(postgres, ExternalPostgres)
    assert (redis.url, postgres.dsn) == ("redis://localhost:1/0", "postgresql://localhost:1/x")


def test_a_forked_child_has_its_own() -> None:
    """A child that was forked starts another server, and its end leaves the parent's running."""
    environment = {key: value for key, value in os.environ.items() if key != "GOLDFISH_REDIS_URL"}
    command = [sys.executable, "-c", IN_A_FORKED_CHILD]
    outcome = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert outcome.stdout.split() == [b"True", b"True"]
    assert outcome.stderr == b""

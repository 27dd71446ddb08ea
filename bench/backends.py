"""Where the race is held: the backends, each with empty databases and its contenders."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import peers
from bench.contenders import Contender, Goldfish
from bench.raw import Raw, RawPostgres, RawRedis, RawSQLite
from goldfish.services import PostgresServer, RedisServer


@dataclass(frozen=True)
class Backend:
    """A running backend; each call of ``database`` gives the URL of an empty database."""

    name: str
    database: Callable[[], str]


@contextmanager
def _sqlite(directory: Path) -> Iterator[Backend]:
    numbers = itertools.count()
    yield Backend("sqlite", lambda: f"sqlite:///{directory}/{next(numbers)}.db")


@contextmanager
def _redis(directory: Path) -> Iterator[Backend]:
    with RedisServer(persistence="none") as server:
        yield Backend("redis", server.database)


@contextmanager
def _postgres(directory: Path) -> Iterator[Backend]:
    with PostgresServer() as server:
        yield Backend("postgres", server.database)


BACKENDS: dict[str, Callable[[Path], AbstractContextManager[Backend]]] = {
    "sqlite": _sqlite,
    "redis": _redis,
    "postgres": _postgres,
}
RAW: dict[str, Callable[[str, str], Raw]] = {
    "sqlite": RawSQLite,
    "redis": RawRedis,
    "postgres": RawPostgres,
}
PEERS: dict[str, tuple[type[peers.Peer], ...]] = {
    "sqlite": (peers.LangChainSQL, peers.LangChainAsyncSQL, peers.OpenAIAgentsSQLite),
    "redis": (peers.LangChainRedis, peers.OpenAIAgentsRedis),
    "postgres": (),
}


def contenders(backend: Backend) -> list[Contender]:
    """Ours first, then the raw driver, then the peers that are installed."""
    ours = backend.database()
    present = [peer for peer in PEERS[backend.name] if peer.is_installed()]
    raw = RAW[backend.name](backend.database(), ours)
    return [Goldfish(ours), raw, *(peer(backend.database()) for peer in present)]


def absent_peers(backend: str) -> list[str]:
    """The names of the peers that are not installed."""
    return [peer.name for peer in PEERS[backend] if not peer.is_installed()]

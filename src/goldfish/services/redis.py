"""A real Redis (or Valkey) server of our own."""

import itertools
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal
from urllib.parse import quote, urlsplit

from goldfish.errors import ServiceError
from goldfish.services import binaries
from goldfish.services.account import write_private
from goldfish.services.ports import LOOPBACK, find_free_port
from goldfish.services.process import ServerProcess
from goldfish.services.wire import ask_redis

Persistence = Literal["none", "always"]

# One for all servers of a process: where one takes over from another, its clients may stay.
_PASSWORD = secrets.token_hex(16)

DATABASES = 4096
_PERSISTENCE: dict[Persistence, list[str]] = {
    "none": ["--appendonly", "no"],
    "always": ["--appendonly", "yes", "--appendfsync", "always"],
}


class RedisServer(ServerProcess):
    """A Redis server with a random password, unless the settings give another, or '' for none.

    With cluster=True it is a cluster of one node that owns every slot.
    """

    name: ClassVar[str] = "Redis"

    def __init__(
        self,
        *,
        persistence: Persistence = "none",
        settings: Mapping[str, str] | None = None,
        cluster: bool = False,
    ) -> None:
        super().__init__(settings={"requirepass": _PASSWORD, **(settings or {})})
        if persistence not in _PERSISTENCE:
            raise ValueError(f"persistence must be 'none' or 'always' (got {persistence!r})")
        self.persistence: Persistence = persistence
        self.cluster = cluster
        self._indexes = itertools.count(1)
        self._cluster_port = 0
        self._program = Path()

    @property
    def url(self) -> str:
        """The URL of the server's logical database 0."""
        return self._url(0)

    def database(self) -> str:
        """Return the URL of a logical database that was not handed out before; write nothing."""
        if self.cluster:
            raise ServiceError("a Redis cluster has one database: use url, or a second server")
        index = next(self._indexes)
        if index >= DATABASES:
            raise ServiceError(f"all {DATABASES} databases of this Redis were used: start another")
        return self._url(index)

    def release(self, url: str) -> None:
        """Empty a logical database that is no longer needed; it is not handed out again."""
        index = int(urlsplit(url).path.strip("/") or 0)
        try:
            reply = self.ask(["SELECT", str(index)], ["FLUSHDB"])[-1]
        except OSError as error:
            raise ServiceError(
                f"Redis does not answer ({error}): check that it is running"
            ) from error
        if not reply.startswith("+"):
            raise ServiceError(f"Redis did not empty its database {index}: {reply}")

    @property
    def password(self) -> str:
        """The password of the server; empty if it has none."""
        return self.settings["requirepass"]

    def ask(self, *commands: list[str], timeout: float = 1.0) -> list[str]:
        """Send commands; return the replies as text, errors with a leading '-'."""
        login = [["AUTH", self.password]] if self.password else []
        return ask_redis(self.port, *login, *commands, timeout=timeout)[len(login) :]

    def _url(self, index: int) -> str:
        user = f":{quote(self.password, safe='')}@" if self.password else ""
        return f"redis://{user}{LOOPBACK}:{self.port}/{index}"

    def _prepare(self, data: Path) -> None:
        self._program = binaries.find_redis()
        data.mkdir(mode=0o700)
        # In a file, because every account can read a command line.
        write_private(self.directory / "server.conf", _make_configuration(self.password))

    def _command(self) -> list[str]:
        command = [
            str(self._program),
            str(self.directory / "server.conf"),
            "--port",
            str(self.port),
            "--bind",
            LOOPBACK,
        ]
        command += ["--dir", str(self._data), "--save", "", *_PERSISTENCE[self.persistence]]
        if self.cluster:
            # The usual choice, port + 10000, would be among the ports of outgoing connections.
            self._cluster_port = self._cluster_port or find_free_port()
            command += ["--cluster-enabled", "yes", "--cluster-port", str(self._cluster_port)]
        else:
            command += ["--databases", str(DATABASES)]
        return command + [
            part
            for key, value in self.settings.items()
            if key != "requirepass"
            for part in (f"--{key}", value)
        ]

    def _answers(self, pid: int) -> bool:
        try:
            pong, info = self.ask(["PING"], ["INFO", "server"])
            # Another process's Redis may have taken the port before ours: ours is about to end.
            return pong == "+PONG" and f"process_id:{pid}\r" in info and self._has_slots()
        except OSError:
            return False

    def _has_slots(self) -> bool:
        if not self.cluster:
            return True
        info = self.ask(["CLUSTER", "INFO"])[0]
        if "cluster_slots_assigned:0\r" in info:
            self.ask(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"])
        return "cluster_state:ok" in info


def _make_configuration(password: str) -> str:
    """Return a configuration with this password, for clients and towards a primary."""
    quoted = "".join(f"\\x{byte:02x}" for byte in password.encode())
    return f'requirepass "{quoted}"\nmasterauth "{quoted}"\n'

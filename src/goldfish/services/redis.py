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
from goldfish.services.ports import LOOPBACK, free_port
from goldfish.services.process import ServerProcess
from goldfish.services.wire import redis_replies

Persistence = Literal["none", "always"]

# One for all servers of a process: where one takes over from another, its clients may stay.
_PASSWORD = secrets.token_hex(16)

DATABASES = 4096
_PERSISTENCE: dict[Persistence, list[str]] = {
    "none": ["--appendonly", "no"],
    "always": ["--appendonly", "yes", "--appendfsync", "always"],
}


class RedisServer(ServerProcess):
    """One Redis server with a random password, unless its settings have another, or '' for none.

    With cluster=True it is a cluster of this one node, which owns every slot.
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
            raise ValueError(f"persistence is 'none' or 'always', not {persistence!r}")
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
        """The URL of a logical database that nobody was given before; database() writes nothing."""
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
            raise ServiceError(f"Redis does not answer ({error}): is it running?") from error
        if not reply.startswith("+"):
            raise ServiceError(f"Redis did not empty its database {index}: {reply}")

    @property
    def password(self) -> str:
        """What clients have to say first; empty if they need not."""
        return self.settings["requirepass"]

    def ask(self, *commands: list[str], timeout: float = 1.0) -> list[str]:
        """The replies to these commands, errors included as text that begins with '-'."""
        login = [["AUTH", self.password]] if self.password else []
        return redis_replies(self.port, *login, *commands, timeout=timeout)[len(login) :]

    def _url(self, index: int) -> str:
        user = f":{quote(self.password, safe='')}@" if self.password else ""
        return f"redis://{user}{LOOPBACK}:{self.port}/{index}"

    def _prepare(self, data: Path) -> None:
        self._program = binaries.redis_server()
        data.mkdir(mode=0o700)
        # In a file, for every account can read a command line.
        write_private(self.directory / "server.conf", _configured(self.password))

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
            self._cluster_port = self._cluster_port or free_port()
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
            return pong == "+PONG" and f"process_id:{pid}\r" in info and self._owns_slots()
        except OSError:
            return False

    def _owns_slots(self) -> bool:
        if not self.cluster:
            return True
        info = self.ask(["CLUSTER", "INFO"])[0]
        if "cluster_slots_assigned:0\r" in info:
            self.ask(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"])
        return "cluster_state:ok" in info


def _configured(password: str) -> str:
    """The lines of a configuration with this password, also towards a primary."""
    quoted = "".join(f"\\x{byte:02x}" for byte in password.encode())
    return f'requirepass "{quoted}"\nmasterauth "{quoted}"\n'

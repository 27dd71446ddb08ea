"""Faults of a Redis: no memory, read-only, paused, no connections left."""

import socket
from contextlib import closing

from goldfish.errors import ServiceError
from goldfish.services import RedisServer
from goldfish.services.ports import LOOPBACK
from goldfish.world.faults.fault import Fault
from goldfish.world.faults.server import ServerFaults

_PATIENCE = 5.0


class RedisFaults(ServerFaults):
    """Faults of the Redis of one sandbox; each begins at its call and ends with heal()."""

    @property
    def forgets(self) -> str:
        """Why a restart of this server forgets what it acknowledged; empty if it does not."""
        if getattr(self._server, "persistence", "always") == "always":
            return ""
        return "this Redis keeps nothing on disk (appendonly no, save '')"

    def out_of_memory(self) -> Fault:
        """No memory is left, and nothing may be evicted: writes are refused, reads work.

        Expected of a store: a write raises and leaves nothing half-written, reads go on;
        afterwards writes work.
        """
        self._configure(**{"maxmemory-policy": "noeviction", "maxmemory": "1"})
        return self._ledger.note("Redis is out of memory", self._restore_memory)

    def read_only(self) -> Fault:
        """The server is a replica that has lost its primary: reads work, writes are refused.

        Expected of a store: a write raises, reads go on; afterwards writes work.
        """
        # Bound and not listening: no primary can be there, so nothing is ever copied.
        nobody = socket.socket()
        nobody.bind((LOOPBACK, 0))
        self._command("REPLICAOF", LOOPBACK, str(nobody.getsockname()[1]))

        def heal() -> None:
            with closing(nobody):
                self._command("REPLICAOF", "NO", "ONE")

        return self._ledger.note("Redis is a read-only replica", heal)

    def client_pause(self, seconds: float, *, reads_too: bool = False) -> Fault:
        """CLIENT PAUSE: commands wait for at most so many seconds, only writes or also reads.

        A pause of reads too stops even our command to end it: healing then waits for its end.

        Expected of a store: a call ends by its own deadline with an error, or waits; a write that
        raised may still happen, and happens at most once.
        """
        milliseconds = str(max(1, round(seconds * 1000)))
        self._command("CLIENT", "PAUSE", milliseconds, "ALL" if reads_too else "WRITE")
        patience = seconds + _PATIENCE
        return self._ledger.note(
            "Redis has paused its clients",
            lambda: self._command("CLIENT", "UNPAUSE", timeout=patience),
        )

    def exhausted_connections(self) -> Fault:
        """All clients are dropped, and no connection is left for anybody.

        Expected of a store: every call raises soon and none looks like an empty memory;
        afterwards it works.
        """
        with self._proxy.hang():  # so that no client comes back before the limit is set
            connection = _OpenConnection(self._redis)
            connection.run("CONFIG SET maxclients 1")
            connection.run("CLIENT KILL TYPE normal SKIPME yes")
            connection.run("CLIENT KILL TYPE pubsub SKIPME yes")

        def heal() -> None:
            with closing(connection):
                connection.run(f"CONFIG SET maxclients {self._default('maxclients', '10000')}")

        return self._ledger.note("Redis has no connection left", heal)

    def forget_scripts(self) -> Fault:
        """The script cache is emptied, as by a restart. There is nothing to heal.

        Expected of a store: no error at all; it loads its scripts again.
        """
        self._command("SCRIPT", "FLUSH")
        return self._ledger.note("Redis has forgotten its scripts")

    @property
    def _redis(self) -> RedisServer:
        assert isinstance(self._server, RedisServer)
        return self._server

    def _restore_memory(self) -> None:
        names = {"maxmemory": "0", "maxmemory-policy": "noeviction"}
        self._configure(**{name: self._default(name, value) for name, value in names.items()})

    def _default(self, name: str, default: str) -> str:
        return self._server.settings.get(name, default)

    def _configure(self, **settings: str) -> None:
        self._command("CONFIG", "SET", *(word for pair in settings.items() for word in pair))

    def _command(self, *words: str, timeout: float = _PATIENCE) -> None:
        try:
            (reply,) = self._redis.ask(list(words), timeout=timeout)
        except OSError as error:
            raise _no_answer(error) from error
        if reply.startswith("-"):
            raise ServiceError(f"Redis refused {words[0]}: {reply}; check its version")


class _OpenConnection:
    """A connection that stays open, and so takes the last slot."""

    def __init__(self, server: RedisServer) -> None:
        try:
            self._socket = socket.create_connection((LOOPBACK, server.port), _PATIENCE)
        except OSError as error:
            raise _no_answer(error) from error
        self._stream = self._socket.makefile("rb")
        if server.password:
            self._send(f"AUTH {server.password}", "AUTH")

    def run(self, command: str) -> None:
        """Run a command whose words have no blanks."""
        self._send(command, command)

    def _send(self, command: str, shown: str) -> None:
        try:
            self._socket.sendall(command.encode() + b"\r\n")
            reply = self._stream.readline().decode().strip()
        except OSError as error:
            self.close()
            raise _no_answer(error) from error
        if not reply.startswith(("+", ":")):
            self.close()
            raise ServiceError(f"Redis refused {shown!r}: {reply}; check its version")

    def close(self) -> None:
        """Free the slot."""
        self._stream.close()
        self._socket.close()


def _no_answer(error: OSError) -> ServiceError:
    return ServiceError(f"Redis does not answer ({error}): check that it is running")

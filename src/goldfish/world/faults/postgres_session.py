"""A connection to a PostgreSQL of our own, to configure it, to take a slot, or to hold locks."""

import socket
import struct

from goldfish.errors import ServiceError
from goldfish.services import PostgresServer
from goldfish.services.ports import LOOPBACK
from goldfish.services.postgres_template import USER
from goldfish.services.wire import encode_postgres, log_in_to_postgres

NAME = "goldfish-faults"  # what our sessions are called in pg_stat_activity
# Stronger than what a fault sets for the whole server.
_OPTIONS = "-c statement_timeout=0 -c default_transaction_read_only=off"


class PostgresSession:
    """One session that no fault reaches; ServiceError if the server refuses it or its SQL."""

    def __init__(
        self, server: PostgresServer, *, database: str = "postgres", timeout: float = 30.0
    ) -> None:
        try:
            self._socket = socket.create_connection((LOOPBACK, server.port), timeout)
        except OSError as error:
            raise ServiceError(
                f"PostgreSQL does not answer ({error}): check that it is running"
            ) from error
        self._stream = self._socket.makefile("rb")
        names = {"user": USER, "database": database, "application_name": NAME, "options": _OPTIONS}
        try:
            log_in_to_postgres(self._socket, self._stream, server.password, **names)
        except OSError as error:
            self.close()
            raise ServiceError(f"PostgreSQL refused: {error}; check that it is running") from error
        except BaseException:
            self.close()
            raise

    def run(self, sql: str) -> None:
        """Run SQL, and ignore its results."""
        try:
            self._socket.sendall(encode_postgres(b"Q", sql.encode() + b"\0"))
            refusal = self._read_refusal()
        except OSError as error:
            refusal = str(error)
        if refusal:
            raise ServiceError(f"PostgreSQL refused: {refusal}; check that it is running")

    def close(self) -> None:
        """Close; the server rolls back what was not committed."""
        self._stream.close()
        self._socket.close()

    def _read_refusal(self) -> str | None:
        """Return the server's error, if any, once it is ready for more or has hung up."""
        refusal = None
        while header := self._stream.read(5):
            kind, length = struct.unpack("!ci", header)
            body = self._stream.read(length - 4)
            if kind == b"Z":
                return refusal
            if kind == b"E":
                # Fields are a letter and a text each; M is the message for people.
                fields = {field[:1]: field[1:].decode() for field in body.split(b"\0")}
                refusal = fields.get(b"M", "no reason given")
        return refusal or "it hung up"

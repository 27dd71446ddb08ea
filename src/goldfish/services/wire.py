"""Just enough of the Redis and PostgreSQL protocols to talk to our own servers without a client."""

import socket
import struct
from collections.abc import Iterator
from typing import BinaryIO

from goldfish.errors import ServiceError
from goldfish.services.ports import LOOPBACK


def redis_replies(port: int, *commands: list[str], timeout: float = 1.0) -> list[str]:
    """The replies of a Redis to these commands, errors included as text that begins with '-'."""
    with socket.create_connection((LOOPBACK, port), timeout) as connection:
        connection.sendall(b"".join(_redis_command(command) for command in commands))
        with connection.makefile("rb") as stream:
            return [_redis_reply(stream) for _ in commands]


def postgres_command(
    port: int, user: str, sql: str = "", *, database: str = "postgres", timeout: float = 30.0
) -> None:
    """Connect to a database as a trusted user, and run SQL whose results nobody wants."""
    with (
        socket.create_connection((LOOPBACK, port), timeout) as connection,
        connection.makefile("rb") as stream,
    ):
        names = f"user\0{user}\0database\0{database}\0\0".encode()
        connection.sendall(struct.pack("!ii", len(names) + 8, 3 << 16) + names)
        _await_postgres(stream)
        if sql:
            body = sql.encode() + b"\0"
            connection.sendall(b"Q" + struct.pack("!i", len(body) + 4) + body)
            _await_postgres(stream)
        connection.sendall(b"X" + struct.pack("!i", 4))


def _redis_command(words: list[str]) -> bytes:
    parts = [word.encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)


def _redis_reply(stream: BinaryIO) -> str:
    line = stream.readline().decode().rstrip("\r\n")
    if not line:
        raise ConnectionError("the Redis server closed the connection")
    if line.startswith("$"):
        return stream.read(int(line[1:]) + 2).decode()[:-2]
    return line


def _await_postgres(stream: BinaryIO) -> None:
    for kind, body in _postgres_messages(stream):
        if kind == b"E":
            # Fields are a letter and a text each; M is the message for people.
            fields = {field[:1]: field[1:].decode() for field in body.split(b"\0")}
            raise ServiceError(f"PostgreSQL refused: {fields.get(b'M', 'no reason given')}")
        if kind == b"Z":
            return


def _postgres_messages(stream: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    while header := stream.read(5):
        if len(header) < 5:
            break
        kind, length = struct.unpack("!ci", header)
        yield kind, stream.read(length - 4)
    raise ConnectionError("the PostgreSQL server closed the connection")

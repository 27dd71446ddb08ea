"""Just enough of the Redis and PostgreSQL protocols to talk to our own servers without a client."""

import socket
import struct
from collections.abc import Iterator
from typing import BinaryIO

from goldfish.errors import ServiceError
from goldfish.services.ports import LOOPBACK
from goldfish.services.scram import MECHANISM, Proof

_SASL, _SASL_CONTINUE, _SASL_FINAL = 10, 11, 12  # what an authentication request asks for


def redis_replies(port: int, *commands: list[str], timeout: float = 1.0) -> list[str]:
    """The replies of a Redis to these commands, errors included as text that begins with '-'."""
    with socket.create_connection((LOOPBACK, port), timeout) as connection:
        connection.sendall(b"".join(_redis_command(command) for command in commands))
        with connection.makefile("rb") as stream:
            return [_redis_reply(stream) for _ in commands]


def postgres_command(
    port: int,
    sql: str = "",
    *,
    user: str,
    password: str,
    database: str = "postgres",
    timeout: float = 30.0,
) -> None:
    """Connect to a database, and run SQL whose results nobody wants."""
    with (
        socket.create_connection((LOOPBACK, port), timeout) as connection,
        connection.makefile("rb") as stream,
    ):
        postgres_login(connection, stream, password, user=user, database=database)
        if sql:
            connection.sendall(postgres_message(b"Q", sql.encode() + b"\0"))
            _await_postgres(stream)
        connection.sendall(postgres_message(b"X"))


def postgres_message(kind: bytes, body: bytes = b"") -> bytes:
    """A message of a client to PostgreSQL."""
    return kind + struct.pack("!i", len(body) + 4) + body


def postgres_login(
    connection: socket.socket, stream: BinaryIO, password: str, **names: str
) -> None:
    """Begin a session with these parameters, up to where the server is ready for SQL."""
    words = "".join(f"{name}\0{value}\0" for name, value in names.items()).encode() + b"\0"
    connection.sendall(struct.pack("!ii", len(words) + 8, 3 << 16) + words)
    proof = Proof(password)
    for kind, body in _postgres_messages(stream):
        _raise_refusal(kind, body)
        if kind == b"R":
            (request,) = struct.unpack("!i", body[:4])
            connection.sendall(postgres_proof(proof, request, body[4:]))
        if kind == b"Z":
            return


def postgres_proof(proof: Proof, request: int, body: bytes) -> bytes:
    """What to say when the server asks who we are."""
    if request == _SASL:
        first = proof.first()
        chosen = MECHANISM.encode() + b"\0" + struct.pack("!i", len(first))
        return postgres_message(b"p", chosen + first)
    if request == _SASL_CONTINUE:
        return postgres_message(b"p", proof.final(body))
    if request == _SASL_FINAL and not proof.is_genuine(body):
        raise ServiceError("another PostgreSQL answers on this port: start the server again")
    return b""


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
        _raise_refusal(kind, body)
        if kind == b"Z":
            return


def _raise_refusal(kind: bytes, body: bytes) -> None:
    if kind == b"E":
        # Fields are a letter and a text each; M is the message for people.
        fields = {field[:1]: field[1:].decode() for field in body.split(b"\0")}
        raise ServiceError(f"PostgreSQL refused: {fields.get(b'M', 'no reason given')}")


def _postgres_messages(stream: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    while header := stream.read(5):
        if len(header) < 5:
            break
        kind, length = struct.unpack("!ci", header)
        yield kind, stream.read(length - 4)
    raise ConnectionError("the PostgreSQL server closed the connection")

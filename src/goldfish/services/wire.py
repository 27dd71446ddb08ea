"""Just enough of the Redis and PostgreSQL protocols to talk to our own servers without a client."""

import socket
import struct
from collections.abc import Iterator
from typing import BinaryIO

from goldfish.errors import ServiceError
from goldfish.services.ports import LOOPBACK
from goldfish.services.scram import MECHANISM, Proof

_SASL, _SASL_CONTINUE, _SASL_FINAL = 10, 11, 12  # what an authentication request asks for


def ask_redis(port: int, *commands: list[str], timeout: float = 1.0) -> list[str]:
    """Send commands to a Redis; return the replies as text, errors with a leading '-'."""
    with socket.create_connection((LOOPBACK, port), timeout) as connection:
        connection.sendall(b"".join(_encode_command(command) for command in commands))
        with connection.makefile("rb") as stream:
            return [_read_reply(stream) for _ in commands]


def run_postgres(
    port: int,
    sql: str = "",
    *,
    user: str,
    password: str,
    database: str = "postgres",
    timeout: float = 30.0,
) -> None:
    """Connect to a database, run SQL, and ignore its results."""
    with (
        socket.create_connection((LOOPBACK, port), timeout) as connection,
        connection.makefile("rb") as stream,
    ):
        log_in_to_postgres(connection, stream, password, user=user, database=database)
        if sql:
            connection.sendall(encode_postgres(b"Q", sql.encode() + b"\0"))
            _wait_until_ready(stream)
        connection.sendall(encode_postgres(b"X"))


def encode_postgres(kind: bytes, body: bytes = b"") -> bytes:
    """Return a message of a client to PostgreSQL."""
    return kind + struct.pack("!i", len(body) + 4) + body


def log_in_to_postgres(
    connection: socket.socket, stream: BinaryIO, password: str, **names: str
) -> None:
    """Start a session with these parameters; return when the server is ready for SQL."""
    words = "".join(f"{name}\0{value}\0" for name, value in names.items()).encode() + b"\0"
    connection.sendall(struct.pack("!ii", len(words) + 8, 3 << 16) + words)
    proof = Proof(password)
    for kind, body in _read_messages(stream):
        _raise_error(kind, body)
        if kind == b"R":
            (request,) = struct.unpack("!i", body[:4])
            connection.sendall(answer_authentication(proof, request, body[4:]))
        if kind == b"Z":
            return


def answer_authentication(proof: Proof, request: int, body: bytes) -> bytes:
    """Return the client's answer to an authentication request."""
    if request == _SASL:
        first = proof.first_message()
        chosen = MECHANISM.encode() + b"\0" + struct.pack("!i", len(first))
        return encode_postgres(b"p", chosen + first)
    if request == _SASL_CONTINUE:
        return encode_postgres(b"p", proof.final_message(body))
    if request == _SASL_FINAL and not proof.is_genuine(body):
        raise ServiceError("another PostgreSQL answers on this port: start the server again")
    return b""


def _encode_command(words: list[str]) -> bytes:
    parts = [word.encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)


def _read_reply(stream: BinaryIO) -> str:
    line = stream.readline().decode().rstrip("\r\n")
    if not line:
        raise ConnectionError("the Redis server closed the connection")
    if line.startswith("$"):
        return stream.read(int(line[1:]) + 2).decode()[:-2]
    return line


def _wait_until_ready(stream: BinaryIO) -> None:
    for kind, body in _read_messages(stream):
        _raise_error(kind, body)
        if kind == b"Z":
            return


def _raise_error(kind: bytes, body: bytes) -> None:
    if kind == b"E":
        # Fields are a letter and a text each; M is the message for people.
        fields = {field[:1]: field[1:].decode() for field in body.split(b"\0")}
        raise ServiceError(f"PostgreSQL refused: {fields.get(b'M', 'no reason given')}")


def _read_messages(stream: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    while header := stream.read(5):
        if len(header) < 5:
            break
        kind, length = struct.unpack("!ci", header)
        yield kind, stream.read(length - 4)
    raise ConnectionError("the PostgreSQL server closed the connection")

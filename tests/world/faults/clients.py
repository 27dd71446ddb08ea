"""Raw clients that give up after a moment, never try twice, and say what they saw."""

import contextlib
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import psycopg
import redis


@contextlib.contextmanager
def redis_client(url: str, *, timeout: float = 5.0) -> "Iterator[redis.Redis]":
    """A client of one connection."""
    with redis.Redis.from_url(
        url, socket_timeout=timeout, retry=None, single_connection_client=False
    ) as client:
        yield client


@contextlib.contextmanager
def raw(url: str, *, timeout: float = 5.0, login: bool = True) -> Iterator[socket.socket]:
    """A bare socket to where the URL leads, which has said the password if it is to."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout) as connection:
        if login and parts.password:
            ask(connection, f"AUTH {parts.password}")
        yield connection


def ask(connection: socket.socket, command: str) -> bytes:
    """What comes first in reply to a Redis command."""
    connection.sendall(command.encode() + b"\r\n")
    return connection.recv(4096)


def postgres(dsn: str) -> "psycopg.Connection[Any]":
    """A connection that commits by itself."""
    return psycopg.connect(dsn, autocommit=True, connect_timeout=5)

"""A plugin for pytest in another process: whoever looks for another machine finds none."""

import socket
from typing import Any

LOCAL = {"localhost", "127.0.0.1", "::1"}


def _guarded(name: str) -> None:
    real = getattr(socket.socket, name)

    def connect(self: socket.socket, address: Any) -> Any:
        if self.family != socket.AF_UNIX and address[0] not in LOCAL:
            raise OSError(f"no network: {address}")
        return real(self, address)

    setattr(socket.socket, name, connect)


def _looked_up(host: Any, *arguments: Any, **options: Any) -> Any:
    if host not in LOCAL:
        raise OSError(f"no network: {host}")
    return _real_look_up(host, *arguments, **options)


_real_look_up = socket.getaddrinfo
_guarded("connect")
_guarded("connect_ex")
socket.getaddrinfo = _looked_up

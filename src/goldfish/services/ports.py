"""Free loopback ports for servers."""

import secrets
import socket

LOOPBACK = "127.0.0.1"

# Below the ports that systems give to outgoing connections (32768 upwards on Linux, 49152 on
# others): there, while a server is down, a client's own connection could take its port, and a
# client that keeps trying to reconnect can even end up connected to itself.
_LOWEST, _HIGHEST = 20000, 32767


def find_free_port() -> int:
    """Return a random port that nobody listens on; random, so that two callers rarely collide."""
    while True:
        port = _LOWEST + secrets.randbelow(_HIGHEST - _LOWEST + 1)
        if is_free(port):
            return port


def is_free(port: int) -> bool:
    """Return True if a server could listen on this loopback port now."""
    with socket.socket() as probe:
        # As servers do: connections of a dead server that linger do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True

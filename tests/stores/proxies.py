"""The address of a server by way of a proxy in front of it."""

from goldfish.services import RedisServer
from goldfish.world.faults.network import Proxy


def through(proxy: Proxy, server: RedisServer) -> str:
    """Return the server's URL, password and all, with the port of the proxy."""
    return server.url.replace(f":{server.port}/", f":{proxy.port}/")

"""A client for the primary that sentinels name: ``redis+sentinel://host,host/name/0``."""

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

if TYPE_CHECKING:
    from redis.asyncio import Redis

SCHEMES = "redis+sentinel", "rediss+sentinel"
PORT = 26379
FORM = "redis+sentinel://host:26379,host:26379/name-of-the-primary/0"


def is_sentinel(url: str) -> bool:
    """Whether the URL names sentinels."""
    return url.partition("://")[0] in SCHEMES


def sentinel_client(url: str, **options: Any) -> "Redis":
    """A client whose connections go to whatever is the primary when they are made.

    User and password in front of the hosts are those of the primary; sentinels that want some get
    ``sentinel_username`` and ``sentinel_password`` from the query. ``rediss+sentinel`` speaks TLS
    to both.
    """
    from redis.asyncio import Redis
    from redis.asyncio.sentinel import Sentinel

    class SentinelClient(Redis):
        async def aclose(self, close_connection_pool: bool | None = None) -> None:
            await super().aclose(close_connection_pool)
            for each in sentinel.sentinels:
                await each.aclose()

    name, hosts = _name(url), _hosts(url)
    primary, asked = _options(url)
    # One after the other is asked: one that is silent must leave time for the next.
    limit = options["socket_connect_timeout"] / (len(hosts) + 1)
    in_time = {"socket_connect_timeout": limit, "socket_timeout": limit}
    sentinel = Sentinel(hosts, sentinel_kwargs={**options, **asked, **in_time})
    client: Redis = sentinel.master_for(name, SentinelClient, **options, **primary)
    return client


def _name(url: str) -> str:
    name = unquote(urlsplit(url).path.strip("/").partition("/")[0])
    if not name:
        raise ValueError(f"the name of the primary is missing: {FORM}")
    return name


def _hosts(url: str) -> list[tuple[str, int]]:
    hosts = urlsplit(url).netloc.rpartition("@")[2]
    found = [urlsplit(f"//{each}") for each in hosts.split(",")]
    if not all(each.hostname for each in found):
        raise ValueError(f"a sentinel has no host: {FORM}")
    return [(str(each.hostname), each.port or PORT) for each in found]


def _options(url: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """How to connect to the primary, and how to the sentinels, as redis-py reads its URLs."""
    from redis.asyncio.connection import parse_url

    parts = urlsplit(url)
    query = parse_qsl(parts.query)
    mine = {key.removeprefix("sentinel_"): value for key, value in query if _is_mine(key)}
    rest = urlencode([(key, value) for key, value in query if not _is_mine(key)])
    credentials, at, _ = parts.netloc.rpartition("@")
    database = parts.path.strip("/").partition("/")[2]
    plain = f"{parts.scheme.partition('+')[0]}://{credentials}{at}host/{database}?{rest}"
    primary: dict[str, Any] = {**parse_url(plain)}
    for key in ("host", "port", "connection_class"):
        primary.pop(key, None)
    if parts.scheme.startswith("rediss"):
        primary["ssl"] = True
    tls = {key: value for key, value in primary.items() if key.startswith("ssl")}
    return primary, {**tls, **mine}


def _is_mine(key: str) -> bool:
    return key in ("sentinel_username", "sentinel_password")

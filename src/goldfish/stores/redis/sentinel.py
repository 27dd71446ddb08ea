"""A client for the primary that sentinels name: ``redis+sentinel://host,host/name/0``."""

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

if TYPE_CHECKING:
    from redis.asyncio import Redis

SCHEMES = "redis+sentinel", "rediss+sentinel"
PORT = 26379
FORM = "redis+sentinel://host:26379,host:26379/name-of-the-primary/0"


def is_sentinel(url: str) -> bool:
    """Return True if the URL names sentinels."""
    return url.partition("://")[0] in SCHEMES


def make_sentinel_client(url: str, **options: Any) -> "Redis":
    """Return a client whose connections go to whichever server is the primary at the time.

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

    name, hosts = _parse_name(url), _parse_hosts(url)
    primary, asked = _parse_options(url)
    # They are asked one after the other: a silent one must leave time for the next.
    limit = options["socket_connect_timeout"] / (len(hosts) + 1)
    limits = {"socket_connect_timeout": limit, "socket_timeout": limit}
    sentinel = Sentinel(hosts, sentinel_kwargs={**options, **asked, **limits})
    client: Redis = sentinel.master_for(name, SentinelClient, **options, **primary)
    return client


def _parse_name(url: str) -> str:
    name = unquote(urlsplit(url).path.strip("/").partition("/")[0])
    if not name:
        raise ValueError(f"the name of the primary is missing: {FORM}")
    return name


def _parse_hosts(url: str) -> list[tuple[str, int]]:
    hosts = urlsplit(url).netloc.rpartition("@")[2]
    found = [urlsplit(f"//{each}") for each in hosts.split(",")]
    if not all(each.hostname for each in found):
        raise ValueError(f"a sentinel has no host: {FORM}")
    return [(str(each.hostname), each.port or PORT) for each in found]


def _parse_options(url: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options for the primary and for the sentinels, as redis-py reads its URLs."""
    from redis.asyncio.connection import parse_url

    parts = urlsplit(url)
    query = parse_qsl(parts.query)
    own = {key.removeprefix("sentinel_"): value for key, value in query if _is_for_sentinels(key)}
    rest = urlencode([(key, value) for key, value in query if not _is_for_sentinels(key)])
    credentials, at, _ = parts.netloc.rpartition("@")
    database = parts.path.strip("/").partition("/")[2]
    plain = f"{parts.scheme.partition('+')[0]}://{credentials}{at}host/{database}?{rest}"
    primary: dict[str, Any] = {**parse_url(plain)}
    for key in ("host", "port", "connection_class"):
        primary.pop(key, None)
    if parts.scheme.startswith("rediss"):
        primary["ssl"] = True
    tls = {key: value for key, value in primary.items() if key.startswith("ssl")}
    return primary, {**tls, **own}


def _is_for_sentinels(key: str) -> bool:
    return key in ("sentinel_username", "sentinel_password")

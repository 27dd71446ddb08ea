"""A Redis server of the user, by its URL."""

import contextlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from goldfish.errors import MissingExtraError, ServiceError, mask
from goldfish.services.external import External

# A claim outlives a crash of its process by at most this.
_CLAIM_SECONDS = 3600
_DEFAULT_DATABASES = 16


class ExternalRedis(External):
    """A Redis server that somebody else runs."""

    @property
    def url(self) -> str:
        """The URL as it was given."""
        return self._address

    def database(self) -> str:
        """Return the URL of the next logical database that is empty and unclaimed."""
        with _connect(self._address) as base:
            own = int(base.connection_pool.connection_kwargs.get("db") or 0)
            for index in range(_count_databases(base)):
                if index != own and (url := self._claim(base, index)):
                    self._mine.append(url)
                    return url
        raise ServiceError(
            f"no empty logical database is left on {mask(self._address)}: "
            "raise 'databases' in its configuration, or empty one"
        )

    def _claim(self, base: Any, index: int) -> str | None:
        # The claim is a key in the given database, because the new one has to stay empty.
        if not base.set(_claim_key(index), "1", nx=True, ex=_CLAIM_SECONDS):
            return None
        url = _with_index(self._address, index)
        with _connect(url) as candidate:
            if candidate.dbsize() == 0:
                return url
        base.delete(_claim_key(index))
        return None

    def _remove(self, address: str) -> None:
        with _connect(address) as database:
            database.flushdb()
            index = database.connection_pool.connection_kwargs["db"]
        with _connect(self._address) as base:
            base.delete(_claim_key(index))


def _claim_key(index: int) -> str:
    return f"goldfish:claims-database:{index}"


def _with_index(url: str, index: int) -> str:
    parts = urlsplit(url)
    query = [(key, value) for key, value in parse_qsl(parts.query) if key != "db"]
    # The path of a Unix socket's URL is the socket.
    if parts.scheme == "unix":
        return parts._replace(query=urlencode([*query, ("db", str(index))])).geturl()
    return parts._replace(path=f"/{index}", query=urlencode(query)).geturl()


def _count_databases(base: Any) -> int:
    import redis

    # Hosted servers often forbid CONFIG.
    with contextlib.suppress(redis.ResponseError):
        return int(base.config_get("databases").get("databases", _DEFAULT_DATABASES))
    return _DEFAULT_DATABASES


@contextlib.contextmanager
def _connect(url: str) -> Iterator[Any]:
    try:
        import redis
    except ImportError as error:
        raise MissingExtraError.of("redis", "redis") from error
    try:
        made = redis.Redis.from_url(url)
    except ValueError as error:
        raise ServiceError(
            f"GOLDFISH_REDIS_URL is not the address of a Redis ({mask(str(error), url)}): write it "
            "as redis://host:6379/0, or unset it to let goldfish start one"
        ) from None
    try:
        with made as client:
            yield client
    except redis.RedisError as error:
        raise ServiceError(
            f"Redis at {mask(url)} failed: {mask(str(error), url).strip().rstrip('.')}; check that "
            "it is running, or unset GOLDFISH_REDIS_URL to let goldfish start one"
        ) from None

"""A sandbox as another process sees it."""

from pathlib import Path
from typing import Any

from goldfish.errors import ServiceError


class RemoteSandbox:
    """A sandbox as another process sees it: all is given, nothing is made."""

    def __init__(self, description: dict[str, Any]) -> None:
        self.path = Path(description["path"])
        self.opening = int(description["opening"])
        self._addresses: dict[str, str] = description["addresses"]

    @property
    def redis_url(self) -> str:
        """The sandbox's Redis database."""
        return self._address("redis")

    @property
    def postgres_dsn(self) -> str:
        """The sandbox's PostgreSQL database."""
        return self._address("postgres")

    def _address(self, service: str) -> str:
        if service not in self._addresses:
            raise ServiceError(
                f"another process asks for {service}: "
                f"declare @goldfish.target(services=[{service!r}])"
            )
        return self._addresses[service]

"""A sandbox as another process sees it."""

from pathlib import Path
from typing import Any

from goldfish.errors import ServiceError
from goldfish.world.environment import make_environment


class RemoteSandbox:
    """A sandbox as another process sees it: all is given, nothing is made."""

    def __init__(self, description: dict[str, Any]) -> None:
        self.path = Path(description["path"])
        self.opening = int(description["opening"])
        self._addresses: dict[str, str] = description["addresses"]
        self._model: str | None = description.get("model")

    @property
    def redis_url(self) -> str:
        """The sandbox's Redis database."""
        return self._address("redis")

    @property
    def postgres_dsn(self) -> str:
        """The sandbox's PostgreSQL database."""
        return self._address("postgres")

    @property
    def model_url(self) -> str:
        """The base URL of the model endpoint that stands in for every provider: …/v1."""
        if self._model is None:
            raise ServiceError("model_url is for agents: declare @goldfish.agent")
        return f"{self._model}/v1"

    @property
    def model_name(self) -> str:
        """The name of a model that the endpoint serves."""
        from goldfish.mirror.environment import MODEL  # few need the mirror

        return MODEL

    @property
    def model_key(self) -> str:
        """The API key that the endpoint takes."""
        from goldfish.mirror.environment import KEY

        return KEY

    def make_environment(self) -> dict[str, str | None]:
        """Return the variables by which a program in any language finds this place."""
        return make_environment(self.path, self.opening, self._addresses)

    def _address(self, service: str) -> str:
        if service not in self._addresses:
            raise ServiceError(
                f"another process asks for {service}: "
                f"declare @goldfish.target(services=[{service!r}])"
            )
        return self._addresses[service]

"""Servers that the user runs: we use them and never stop them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

from goldfish.errors import ServiceError, mask


def _make_refusal(verb: str) -> "Callable[[External], None]":
    def refuse(server: "External") -> None:
        """Refuse: the server is not ours."""
        raise ServiceError(
            f"goldfish did not start this server, so it cannot {verb} it: {mask(server._address)}"
        )

    return refuse


class External(ABC):
    """A server at an address; kill, pause and the like are refused, close() cleans up after us."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._mine: list[str] = []

    def start(self) -> Self:
        """Do nothing: the server runs already."""
        return self

    stop = _make_refusal("stop")
    kill = _make_refusal("kill")
    pause = _make_refusal("pause")
    resume = _make_refusal("resume")
    restart = _make_refusal("restart")

    def release(self, address: str) -> None:
        """Remove what is in a database that database() returned, and the database if we made it."""
        if address not in self._mine:
            raise ServiceError(
                f"goldfish did not hand out {mask(address)}: release only what database() returned"
            )
        self._remove(address)
        self._mine.remove(address)

    def close(self) -> None:
        """Release every database that database() returned."""
        for address in list(self._mine):
            self.release(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def _remove(self, address: str) -> None:
        """Remove one database's contents, and the database if we made it."""

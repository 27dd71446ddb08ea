"""State in all our stores: arguments are validated and values encoded here."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from goldfish.encoding import decode_value, encode_value, refuse_unstorable
from goldfish.errors import MemoryStoreBackendError, UnstorableError
from goldfish.stores import arguments

Named = tuple[str, str]  # the name of a value and its JSON text


class StatingStore(ABC):
    """The part of a store that is ``Stating``."""

    async def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        """Put each value under its name, replacing what was there; other names stay as they are.

        All or nothing. The state of a session ends with it: ``clear`` and expiry remove it, a
        snapshot holds it, a rollback restores it. With ``user_id`` the state is the user's, the
        same from every session, and only ``clear_all`` removes it. Nothing at all is a no-op.
        """
        self._admit(session_id)
        owner = None if user_id is None else arguments.require_text(user_id, "user_id")
        named = _encode(values)
        if not named:
            return
        if owner is None:
            await self._write_state(session_id, named)
        else:
            await self._write_user_state(owner, named)

    async def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Return all values of the session, or of the user, by name; an unknown one has none."""
        self._admit(session_id)
        if user_id is None:
            return _decode(await self._read_state(session_id))
        return _decode(await self._read_user_state(arguments.require_text(user_id, "user_id")))

    @abstractmethod
    def _admit(self, session_id: str = "") -> None:
        """Raise if the store is closed."""

    @abstractmethod
    async def _write_state(self, session_id: str, named: list[Named]) -> None:
        """Put the values under their names in one atomic, durable step, as a write of the session.

        So it renews the deadline of a store with a ``ttl``.
        """

    @abstractmethod
    async def _read_state(self, session_id: str) -> Iterable[Named]:
        """Return the values of a session that has not expired, at one moment."""

    @abstractmethod
    async def _write_user_state(self, user_id: str, named: list[Named]) -> None:
        """Put the values under their names in one atomic, durable step."""

    @abstractmethod
    async def _read_user_state(self, user_id: str) -> Iterable[Named]:
        """Return the values of a user, at one moment."""


def _encode(values: Mapping[str, Any]) -> list[Named]:
    """Return the names and JSON texts; raise before anything is written."""
    if not isinstance(values, Mapping):
        raise UnstorableError(f"values must be a dict, not {type(values).__name__}: name each one")
    kept = dict(values)
    refuse_unstorable(kept, "values")
    return [(name, encode_value(value)) for name, value in kept.items()]


def _decode(named: Iterable[Named]) -> dict[str, Any]:
    try:
        return {name: decode_value(text) for name, text in named}
    except ValueError as error:
        raise MemoryStoreBackendError(
            f"a stored value is damaged ({error}): restore the data from a backup"
        ) from error

"""The forms of ids that a memory takes for sessions and users: any text, or UUIDs or numbers only.

Checks give sessions names that can be read. A memory that takes no such names is given an id of its
own form in place of each, always the same.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from goldfish.history.operations import METHODS

IdForm = Literal["", "uuid", "digits", "number"]  # "" is any text; digits are a number as a text
OTHER_FORMS: tuple[IdForm, ...] = ("uuid", "digits", "number")
PARAMETERS = {"session_id", "session_ids", "new_session_id", "user_id"}
FIRST = 100_001  # ids of several digits, of which none begins another
Given = str | int


def _make_uuid(name: str, _: int) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return str(UUID(bytes=digest[:16], version=4))


MAKE: Mapping[IdForm, Callable[[str, int], Given]] = {
    "uuid": _make_uuid,
    "digits": lambda _, place: str(FIRST + place),
    "number": lambda _, place: FIRST + place,
}


class Ids:
    """The ids that a memory was given, by the names that checks have for them."""

    def __init__(self) -> None:
        self._given: dict[tuple[IdForm, str], Given] = {}
        self._names: dict[str, str] = {}

    def give(self, form: IdForm, name: Any) -> Any:
        """Return the id for a name; what is no name at all is handed over as it is."""
        if isinstance(name, list | tuple):
            return [self.give(form, each) for each in name]
        if not form or not isinstance(name, str):
            return name
        if (form, name) not in self._given:
            given = MAKE[form](name, len(self._given))
            self._given[form, name] = given
            self._names[str(given)] = name
        return self._given[form, name]

    def name(self, given: Any) -> Any:
        """Return the name for an id that came back; one that was never given stays as it is."""
        return self._names.get(str(given), given)

    def put(self, form: IdForm, method: str, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Return the arguments of a call with the ids of sessions and users in this form."""
        if not form or method not in METHODS:
            return tuple(arguments)
        spelled = METHODS[method].positional
        are_ids = [name in PARAMETERS for name in spelled]
        are_ids += [False] * (len(arguments) - len(are_ids))
        return tuple(
            self.give(form, each) if is_id else each
            for each, is_id in zip(arguments, are_ids, strict=False)
        )

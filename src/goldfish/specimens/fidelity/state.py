"""Stores whose named values come back as something else."""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.references.state import StateReference

ELSEWHERE = ("ISO", "DUR", "CON", "SNP", "CLR", "FLT")


@specimen("state-of-floats", caught_by="FID40", finding="corrupted")
class StateOfFloats(StateReference):
    """Numbers among the values are read as floats."""

    def decode_values(self, kept: Mapping[bytes, str]) -> dict[str, Any]:
        return {
            name.decode("utf-8", "surrogatepass"): json.loads(text, parse_int=float)
            for name, text in kept.items()
        }


@specimen("merges-under-a-name", caught_by="FID41", finding="corrupted", explains=("SNP",))
class MergesUnderAName(StateReference):
    """A dict is merged into the one that is there, as a JSON merge patch."""

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        there = self.read(owner)
        super().write(owner, {name: _merged(there.get(name), text) for name, text in kept.items()})


def _merged(old: str | None, new: str) -> str:
    before, after = json.loads(old or "0"), json.loads(new)
    both = isinstance(before, dict) and isinstance(after, dict)
    return json.dumps({**before, **after}) if both else new


@specimen("state-set-whole", caught_by="FID42", finding="lost", explains=ELSEWHERE)
class StateSetWhole(StateReference):
    """What is set takes the place of all that there is."""

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        if kept:
            self.remove_state(owner)
        super().write(owner, kept)


@specimen("sets-what-is-something", caught_by="FID43", finding="lost", explains=("SNP",))
class SetsWhatIsSomething(StateReference):
    """A value that is nothing is not set."""

    def encode_values(self, values: Mapping[str, Any]) -> dict[bytes, str]:
        return super().encode_values({name: each for name, each in values.items() if each})


@specimen("drops-none", caught_by="FID43", finding="lost", explains=("SNP",))
class DropsNone(StateReference):
    """None removes the name, as in a JSON merge patch."""

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        super().write(owner, kept)
        self.db.execute("DELETE FROM state WHERE owner = ? AND value = 'null'", (owner,))


@specimen("odd-values-as-text", caught_by="FID44", finding="corrupted")
class OddValuesAsText(StateReference):
    """What JSON does not know is described instead."""

    def encode_values(self, values: Mapping[str, Any]) -> dict[bytes, str]:
        return {
            self.key(name): json.dumps(value, default=repr, skipkeys=True)
            for name, value in values.items()
        }


@specimen("trims-names", caught_by="FID45", finding="lost")
class TrimsNames(StateReference):
    """Spaces around a name are not part of it."""

    def encode_values(self, values: Mapping[str, Any]) -> dict[bytes, str]:
        return super().encode_values({name.strip(): each for name, each in values.items()})


@specimen("hands-out-its-values", caught_by="FID46", finding="corrupted")
class HandsOutItsValues(StateReference):
    """Whoever asks for the values of an owner is given the same dict."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.known: dict[bytes, tuple[dict[bytes, str], dict[str, Any]]] = {}

    def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        owner = self.owner(session_id, user_id)
        there = {} if user_id is None and self.expired(session_id) else self.read(owner)
        if self.known.get(owner, ({}, {}))[0] != there:
            self.known[owner] = there, self.decode_values(there)
        return self.known[owner][1] if there else {}


@specimen("nothing-clears", caught_by="FID47", finding="lost")
class NothingClears(StateReference):
    """Setting no value removes all that there are."""

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        super().write(owner, kept)
        if not kept:
            self.remove_state(owner)

"""Stores whose named values come back as something else."""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.keys import decoded
from goldfish.specimens.references.state import StateReference

ELSEWHERE = "ISO DUR CON SNP CLR FLT"


variant("state-of-floats", StateReference, "FID40", "corrupted")(
    bug="Numbers among the values come back as floats.",
    decode_values=lambda self, kept: {
        decoded(name): json.loads(text, parse_int=float) for name, text in kept.items()
    },
)


@specimen("merges-under-a-name", "FID41", "corrupted", explains="SNP")
class MergesUnderAName(StateReference):
    bug = "A dict is merged into the one that is there, like a JSON merge patch."

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        there = self.read(owner)
        super().write(owner, {name: _merged(there.get(name), text) for name, text in kept.items()})


def _merged(old: str | None, new: str) -> str:
    before, after = json.loads(old or "0"), json.loads(new)
    both = isinstance(before, dict) and isinstance(after, dict)
    return json.dumps({**before, **after}) if both else new


@specimen("state-set-whole", "FID42", "lost", explains=ELSEWHERE)
class StateSetWhole(StateReference):
    bug = "Setting values replaces all that were there."

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        if kept:
            self.remove_state(owner)
        super().write(owner, kept)


variant("sets-what-is-something", StateReference, "FID43", "lost", explains="SNP")(
    bug="Empty and zero values are not set.",
    encode_values=lambda self, values: StateReference.encode_values(
        self, {name: each for name, each in values.items() if each}
    ),
)


@specimen("drops-none", "FID43", "lost", explains="SNP")
class DropsNone(StateReference):
    bug = "None removes the name, like a JSON merge patch."

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        super().write(owner, kept)
        self.db.execute("DELETE FROM state WHERE owner = ? AND value = 'null'", (owner,))


variant("odd-values-as-text", StateReference, "FID44", "corrupted")(
    bug="Values that JSON does not know are kept as their repr.",
    encode_values=lambda self, values: {
        self.key(name): json.dumps(value, default=repr, skipkeys=True)
        for name, value in values.items()
    },
)
variant("trims-names", StateReference, "FID45", "lost")(
    bug="Spaces around a name are dropped.",
    encode_values=lambda self, values: StateReference.encode_values(
        self, {name.strip(): each for name, each in values.items()}
    ),
)


@specimen("hands-out-its-values", "FID46", "corrupted")
class HandsOutItsValues(StateReference):
    bug = "Everyone who reads the values of an owner gets the same dict."

    def set_up(self) -> None:
        self.known: dict[bytes, tuple[dict[bytes, str], dict[str, Any]]] = {}

    def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        owner = self.owner(session_id, user_id)
        there = {} if user_id is None and self.expired(session_id) else self.read(owner)
        if self.known.get(owner, ({}, {}))[0] != there:
            self.known[owner] = there, self.decode_values(there)
        return self.known[owner][1] if there else {}


@specimen("nothing-clears", "FID47", "lost")
class NothingClears(StateReference):
    bug = "Setting no values removes all that there are."

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        super().write(owner, kept)
        if not kept:
            self.remove_state(owner)

"""Stores that keep named values in the process, all of them or for too long."""

from collections.abc import Mapping
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.references.redis_state import StateOnRedis
from goldfish.specimens.references.state import StateReference


@specimen("state-in-the-process", "DUR40", "lost", explains="SNP CLR CON")
class StateInTheProcess(StateReference):
    bug = "Values are kept in a dict of this opening, and nowhere else."

    def set_up(self) -> None:
        self.held: dict[bytes, dict[bytes, str]] = {}

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        self.held.setdefault(owner, {}).update(kept)

    def read(self, owner: bytes) -> dict[bytes, str]:
        return dict(self.held.get(owner, {}))

    def remove_state(self, owner: bytes) -> None:
        self.held.pop(owner, None)


@specimen("state-read-once", "DUR41", "stale", explains="SNP CON")
class StateReadOnce(StateReference):
    bug = "What was read once is not read again; only this opening's own writes change it."

    def set_up(self) -> None:
        self.known: dict[bytes, dict[bytes, str]] = {}

    def read(self, owner: bytes) -> dict[bytes, str]:
        if owner not in self.known:
            self.known[owner] = super().read(owner)
        return self.known[owner]

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        super().write(owner, kept)
        self.read(owner).update(kept)

    def remove_state(self, owner: bytes) -> None:
        super().remove_state(owner)
        self.known.pop(owner, None)


@specimen("state-written-at-the-end", "DUR42", "lost", explains="SNP CON")
class StateWrittenAtTheEnd(StateReference):
    bug = "Values are written only when the store is closed."

    def set_up(self) -> None:
        self.unwritten: dict[bytes, dict[bytes, str]] = {}

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        self.unwritten.setdefault(owner, {}).update(kept)

    def read(self, owner: bytes) -> dict[bytes, str]:
        return super().read(owner) | self.unwritten.get(owner, {})

    def remove_state(self, owner: bytes) -> None:
        super().remove_state(owner)
        self.unwritten.pop(owner, None)

    def close(self) -> None:
        for owner, kept in self.unwritten.items():
            super().write(owner, kept)
        super().close()


@specimen("state-before-the-server", "DUR43", "lost")
class StateBeforeTheServer(StateOnRedis):
    bug = "Values are collected, and sent to the server only when the store is closed."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.unsent: dict[bytes, dict[str, str]] = {}

    def send(self, place: bytes, kept: Mapping[str, str]) -> None:
        self.unsent.setdefault(place, {}).update(kept)

    def fetch(self, place: bytes) -> dict[str, str]:
        return super().fetch(place) | self.unsent.get(place, {})

    def close(self) -> None:
        for place, kept in self.unsent.items():
            super().send(place, kept)
        super().close()

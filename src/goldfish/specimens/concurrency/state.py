"""Stores of named values that work as long as one call comes after the other."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.references.asynchronous import AsyncState
from goldfish.specimens.references.guarded import locked_by_hash
from goldfish.specimens.references.state import StateReference


class WritesBackWhatItRead(StateReference):
    """A store that can write back all values of an owner, whatever others wrote meanwhile."""

    def write_back(self, session_id: str, values: Mapping[str, Any], user_id: str | None) -> None:
        """Read the values, wait, and write them back with the new ones."""
        owner = self.owner(session_id, user_id)
        kept = self.read(owner) | self.encode_values(values)
        time.sleep(0.01)
        with self.transaction():
            self.remove_state(owner)
            self.write(owner, kept)


@specimen("state-read-and-written-back", "CON40", "lost")
class StateReadAndWrittenBack(WritesBackWhatItRead):
    bug = "The values of a session are read, changed and written back."

    def put(self, session_id: str, values: Mapping[str, Any], user_id: str | None) -> None:
        write = super().put if user_id is not None else self.write_back
        write(session_id, values, user_id)


@specimen("state-locked-by-hash", "CON40", "lost")
class StateLockedByHash(WritesBackWhatItRead):
    bug = "The lock around reading and writing back is chosen by hash(), unlike in other programs."

    def put(self, session_id: str, values: Mapping[str, Any], user_id: str | None) -> None:
        with locked_by_hash(self.path, user_id or session_id):
            self.write_back(session_id, values, user_id)


@specimen("state-of-users-written-back", "CON42", "lost")
class StateOfUsersWrittenBack(WritesBackWhatItRead):
    bug = "The values of a user are read, changed and written back; those of a session are not."

    def put(self, session_id: str, values: Mapping[str, Any], user_id: str | None) -> None:
        write = super().put if user_id is None else self.write_back
        write(session_id, values, user_id)


@specimen("state-awaited-in-between", "CON41", "lost")
class StateAwaitedInBetween(AsyncState):
    bug = "Other calls come between reading the values and writing them back."

    async def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        store, owner = self.store, self.store.owner(session_id, user_id)
        kept = store.read(owner) | store.encode_values(values)
        await asyncio.sleep(0)
        with store.transaction():
            store.remove_state(owner)
            store.write(owner, kept)


@specimen("sets-name-by-name", "CON43", "torn")
class SetsNameByName(StateReference):
    bug = "Each value of one call is written by itself."

    def put(self, session_id: str, values: Mapping[str, Any], user_id: str | None) -> None:
        self.encode_values(values)
        for name, value in values.items():
            super().put(session_id, {name: value}, user_id)
            time.sleep(0.001)

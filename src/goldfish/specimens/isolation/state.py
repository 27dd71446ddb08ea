"""Stores in which named values reach somebody else, or are taken from them."""

from collections.abc import Mapping
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.state import StateReference

variant("state-by-small-letters", StateReference, "ISO40", "leaked", explains="CLR")(
    bug="The values of a session are found by its id in lower case.",
    owner=lambda self, session_id, user_id: StateReference.owner(self, session_id.lower(), user_id),
)


@specimen("state-of-users-by-prefix", "ISO41", "leaked", explains="CON")
class StateOfUsersByPrefix(StateReference):
    bug = "A user is given the values of all whose ids begin with theirs."

    def read(self, owner: bytes) -> dict[bytes, str]:
        if not owner.startswith(b"u"):
            return super().read(owner)
        query = "SELECT name, value FROM state WHERE substr(owner, 1, ?) = ? ORDER BY owner"
        rows = self.db.execute(query, (len(owner), owner))
        return {bytes(name): text for name, text in rows}


variant("users-beside-sessions", StateReference, "ISO42", "leaked", explains="CLR SNP")(
    bug="A user and a session of the same name share their values.",
    owner=lambda self, session_id, user_id: self.key(session_id if user_id is None else user_id),
)


@specimen("state-of-users-in-sessions", "ISO42", "lost")
class StateOfUsersInSessions(StateReference):
    bug = "The values of a user are kept with the session in which they were set."

    def owner(self, session_id: str, user_id: str | None) -> bytes:
        own = super().owner(session_id, user_id)
        return own if user_id is None else own + b"\0\0" + self.key(session_id)


@specimen("state-as-a-message", "ISO43", "phantom", explains="CLR SNP")
class StateAsAMessage(StateReference):
    bug = "Setting values also adds a message."

    def put(self, session_id: str, values: Mapping[str, Any], user_id: str | None) -> None:
        super().put(session_id, values, user_id)
        self.add_messages(session_id, [ChatMessage(role="system", content="state changed")])

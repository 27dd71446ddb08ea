"""Agents that keep what they were told to forget, or forget more."""

from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.agents.reference import AgentReference, Message
from goldfish.specimens.agents.reference_users import UserReference
from goldfish.specimens.agents.reference_window import SummaryReference


class ForgettingReference(AgentReference):
    """An agent that is right, and can forget a session."""

    def forget(self, session_id: str) -> None:
        """Forget a session."""
        self.remove("session = ?", session_id)

    def remove(self, condition: str, *values: str) -> None:
        """Remove the messages that fit a condition."""
        with self.open() as db:
            db.execute(f"DELETE FROM messages WHERE {condition}", values)


class ForgettingSummaryReference(ForgettingReference, SummaryReference):
    """An agent that is right, with a summary, and can forget a session."""


variant("agent-forgets-questions-only", ForgettingReference, "CTX49", "resurrected")(
    bug="Forgetting a session removes what the user said, and not the answers.",
    forget=lambda self, session_id: self.remove(
        "session = ? AND json_extract(message, '$.role') = 'user'", session_id
    ),
)


@specimen("agent-cache-remembers", "CTX50", "resurrected")
class CacheRemembers(ForgettingReference):
    bug = "What a worker has read of a session it keeps, and other workers may forget it."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.cache: dict[str, list[Message]] = {}

    def load(self, session_id: str) -> list[Message]:
        known = self.cache.get(session_id, [])
        stored = super().load(session_id)
        self.cache[session_id] = stored if len(stored) >= len(known) else [*known, *stored]
        return self.cache[session_id]

    def forget(self, session_id: str) -> None:
        self.cache.pop(session_id, None)
        super().forget(session_id)


variant("agent-forgets-one-of-two", UserReference, "CTX51", "resurrected")(
    bug="Forgetting a user forgets the first of her sessions.",
    forget_user=lambda self, user_id: self.remove(self.list_keys(user_id)[0]),
)
variant("agent-summary-stays", ForgettingSummaryReference, "CTX52", "resurrected")(
    bug="Forgetting a session leaves its summary.",
    forget=lambda self, session_id: self.remove(
        "session = ? AND json_extract(message, '$.role') != 'system'", session_id
    ),
)
variant("agent-forgets-everybody", ForgettingReference, "CTX53", "lost")(
    bug="Forgetting a session empties the table.",
    forget=lambda self, session_id: self.remove("true"),
)

"""Agents that show one user what another said."""

import json
import time
from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.agents.reference import AgentReference, Message
from goldfish.specimens.agents.reference_users import ScopedReference, UserReference

variant("agent-ignores-the-user", ScopedReference, "CTX25", "leaked")(
    bug="A session is found by its id alone, whoever names it.",
    make_key=lambda self, session_id, user_id: session_id,
)
variant("agent-key-with-a-colon", ScopedReference, "CTX26", "leaked")(
    bug="The user's id and the session's are joined by a colon, which both may have.",
    make_key=lambda self, session_id, user_id: f"{user_id}:{session_id}",
)


@specimen("agent-recalls-for-everybody", "CTX24", "leaked")
class RecallsForEverybody(UserReference):
    bug = "What is recalled is looked up without the user's id."

    def list_keys(self, user_id: str) -> list[str]:
        with self.open() as db:
            return [row[0] for row in db.execute("SELECT DISTINCT session FROM messages")]


@specimen("agent-caches-what-it-recalls", "CTX25", "leaked")
class CachesWhatItRecalls(UserReference):
    bug = "What is recalled is kept by the session's id, which another user may name too."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.recalled: dict[str, str] = {}

    def recall(self, key: str, user_id: str) -> str:
        session = json.loads(key)[1]
        return self.recalled.setdefault(session, super().recall(key, user_id))


@specimen("agent-one-current-session", "CTX27", "leaked")
class OneCurrentSession(AgentReference):
    bug = "The session of the current turn is an attribute of the one agent that serves all."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.current = ""

    def say(self, session_id: str, text: str) -> str:
        self.current = session_id
        time.sleep(0.02)  # as long as looking up a user takes
        return super().say(self.current, text)


@specimen("agent-remembers-nobody", "CTX28", "lost")
class RemembersNobody(UserReference):
    bug = "What a user said in one session is not recalled in the next."

    def recall(self, key: str, user_id: str) -> str:
        return ""


@specimen("agent-few-buckets", "CTX31", "leaked")
class FewBuckets(AgentReference):
    bug = "Sessions are spread over a hundred buckets, and a bucket is taken for a session."

    def load(self, session_id: str) -> list[Message]:
        return super().load(self.find_bucket(session_id))

    def save(self, session_id: str, messages: list[Message]) -> None:
        super().save(self.find_bucket(session_id), messages)

    def find_bucket(self, session_id: str) -> str:
        """Return the bucket of a session."""
        return str(sum(session_id.encode()) % 100)

"""An agent that is right about users: it knows what each of them said, and can forget it."""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.specimens.agents.reference import AgentReference


class UserReference(AgentReference):
    """A bot that recalls, in each session of a user, what she said in her others."""

    declares: Mapping[str, Any] = {"threads": True, "remembers": "users"}
    system = "You are the assistant of a shop for garden tools. Answer in one sentence, kindly."

    def say(self, session_id: str, text: str, user_id: str) -> str:  # type: ignore[override]
        key = self.make_key(session_id, user_id)
        question = {"role": "user", "content": text}
        recalled = {"role": "system", "content": f"{self.system}\n{self.recall(key, user_id)}"}
        answer = self.ask([recalled, *self.load(key), question])
        self.save(key, [question, answer])
        return str(answer["content"])

    def make_key(self, session_id: str, user_id: str) -> str:
        """Return the key of a session, which no other one has."""
        return json.dumps([user_id, session_id])

    def recall(self, key: str, user_id: str) -> str:
        """Return what the user said in her other sessions."""
        others = [each for each in self.list_keys(user_id) if each != key]
        said = [message for each in others for message in self.load(each)]
        texts = [str(message["content"]) for message in said if message["role"] == "user"]
        return "\n".join(["She said earlier:", *texts] if texts else [])

    def list_keys(self, user_id: str) -> list[str]:
        """Return the keys of all sessions of a user."""
        with self.open() as db:
            keys = [row[0] for row in db.execute("SELECT DISTINCT session FROM messages")]
        return [key for key in keys if json.loads(key)[0] == user_id]

    def forget(self, session_id: str, user_id: str) -> None:
        """Forget a session."""
        self.remove(self.make_key(session_id, user_id))

    def forget_user(self, user_id: str) -> None:
        """Forget all sessions of a user."""
        for key in self.list_keys(user_id):
            self.remove(key)

    def remove(self, key: str) -> None:
        """Remove the messages of a session."""
        with self.open() as db:
            db.execute("DELETE FROM messages WHERE session = ?", (key,))


class ScopedReference(AgentReference):
    """A bot with a session of its own for each user and session id, and nothing between them."""

    def say(self, session_id: str, text: str, user_id: str) -> str:  # type: ignore[override]
        return super().say(self.make_key(session_id, user_id), text)

    def make_key(self, session_id: str, user_id: str) -> str:
        """Return the key of a session, which no other one has."""
        return json.dumps([user_id, session_id])

"""Agents that lose a turn when two come at the same moment."""

import json
import threading
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.agents.reference import AgentReference, Message


class OneDocument(AgentReference):
    """An agent that writes the whole history of a session after each turn."""

    def say(self, session_id: str, text: str) -> str:
        history = self.load(session_id)
        question = {"role": "user", "content": text}
        answer = self.ask(self.build(history, question))
        self.replace(session_id, [*history, question, answer])
        return str(answer["content"])

    def replace(self, session_id: str, messages: list[Message]) -> None:
        """Write all messages of a session in place of those that are there."""
        rows = [(session_id, json.dumps(each)) for each in messages]
        with self.open() as db:
            db.execute("DELETE FROM messages WHERE session = ?", (session_id,))
            db.executemany("INSERT INTO messages (session, message) VALUES (?, ?)", rows)


@specimen("agent-last-turn-wins", "CTX29", "lost")
class LastTurnWins(OneDocument):
    bug = "A turn reads the history, and writes all of it back when it is done."


@specimen("agent-last-worker-wins", "CTX30", "lost")
class LastWorkerWins(OneDocument):
    bug = "The lock that keeps two turns of a session apart is known to one process only."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.lock = threading.Lock()

    def say(self, session_id: str, text: str) -> str:
        with self.lock:
            return super().say(session_id, text)

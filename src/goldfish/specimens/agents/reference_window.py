"""Agents that are right, with windows: of messages, of tokens, and with a summary behind it."""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.specimens.agents.reference import AgentReference, Message

SUMMARISE = "Summarise this conversation for the assistant, so that nothing of it is lost."


class WindowReference(AgentReference):
    """A bot that shows the model the last eight messages, and says so."""

    declares: Mapping[str, Any] = {"threads": True, "window": 8}

    def build(self, history: list[Message], question: Message) -> list[Message]:
        return super().build(history[-8:], question)


class BudgetReference(AgentReference):
    """A bot that shows as many of the newest messages as fit 400 tokens of four characters."""

    declares: Mapping[str, Any] = {"threads": True, "window_tokens": 400}

    def build(self, history: list[Message], question: Message) -> list[Message]:
        kept = list(history)
        while kept and sum(map(self.measure, super().build(kept, question))) > 400:
            kept = kept[1:]
        return super().build(kept, question)

    def measure(self, message: Message) -> int:
        """Return the tokens of a message."""
        return len(str(message["content"])) // 4


class SummaryReference(AgentReference):
    """A bot that keeps eight messages as they are, and a summary of what came before them."""

    declares: Mapping[str, Any] = {"threads": True, "window": 8, "summarises": True}
    system = "You are the assistant of a shop for garden tools. Answer in one sentence, kindly."
    keep = 8

    def say(self, session_id: str, text: str) -> str:
        self.compact(session_id)
        return super().say(session_id, text)

    def compact(self, session_id: str) -> None:
        """Put what left the window into the summary."""
        history = self.load(session_id)
        summary, rest = self.split(history)
        if len(rest) > self.keep:
            old = rest[: -self.keep]
            self.replace(session_id, self.summarise(summary, old), rest[-self.keep :])

    def split(self, history: list[Message]) -> tuple[list[Message], list[Message]]:
        """Return the summary, which is a system message, and the other messages."""
        count = sum(each["role"] == "system" for each in history)
        return history[:count], history[count:]

    def summarise(self, summary: list[Message], old: list[Message]) -> list[Message]:
        """Return the new summary of the old one and of messages."""
        transcript = "\n".join(f"{each['role']}: {each['content']}" for each in [*summary, *old])
        instruction = {"role": "system", "content": SUMMARISE}
        answer = self.ask([instruction, {"role": "user", "content": transcript}])
        return [{"role": "system", "content": f"Earlier: {answer['content']}"}]

    def replace(self, session_id: str, summary: list[Message], rest: list[Message]) -> None:
        """Write the summary and the messages after it in place of all that was there."""
        rows = [(session_id, json.dumps(each)) for each in [*summary, *rest]]
        with self.open() as db:
            db.execute("DELETE FROM messages WHERE session = ?", (session_id,))
            db.executemany("INSERT INTO messages (session, message) VALUES (?, ?)", rows)

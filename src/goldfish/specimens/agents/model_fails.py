"""Agents that hide that the model failed, or pay for it with their memory."""

import json
from collections.abc import Iterator
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.agents.killed import StepByStep
from goldfish.specimens.agents.reference import AgentReference, Message
from goldfish.specimens.agents.reference_stream import StreamReference
from goldfish.specimens.agents.reference_window import SummaryReference

SORRY = {"role": "assistant", "content": "Sorry, I did not understand that."}


@specimen("agent-sorry", "CTX36", "swallowed")
class Sorry(AgentReference):
    bug = "When the model fails, the agent says that it did not understand."

    def ask(self, messages: list[Message], **options: Any) -> Message:
        try:
            return super().ask(messages, **options)
        except RuntimeError:
            return SORRY


@specimen("agent-starts-anew", "CTX37", "lost")
class StartsAnew(AgentReference):
    bug = "When the model fails, the session is emptied, so that it can begin again."

    def say(self, session_id: str, text: str) -> str:
        try:
            return super().say(session_id, text)
        except RuntimeError:
            with self.open() as db:
                db.execute("DELETE FROM messages WHERE session = ?", (session_id,))
            raise


class SavesFirst(AgentReference):
    """An agent that writes what the user said before it asks the model."""

    def say(self, session_id: str, text: str) -> str:
        self.save(session_id, [{"role": "user", "content": text}])
        *history, question = self.load(session_id)
        answer = self.ask(self.build(history, question))
        self.save(session_id, [answer])
        return str(answer["content"])


@specimen("agent-retries-the-whole-turn", "CTX38", "duplicated")
class RetriesTheWholeTurn(SavesFirst):
    bug = "A turn that failed is tried again from its start, where the message is saved."

    def say(self, session_id: str, text: str) -> str:
        try:
            return super().say(session_id, text)
        except RuntimeError:
            return super().say(session_id, text)


@specimen("agent-asks-again-after-a-hang", "CTX39", "duplicated")
class AsksAgainAfterAHang(SavesFirst):
    bug = "When the connection breaks, the message is saved and asked once more."

    def say(self, session_id: str, text: str) -> str:
        try:
            return super().say(session_id, text)
        except OSError:
            return super().say(session_id, text)


@specimen("agent-takes-what-came", "CTX44", "swallowed")
class TakesWhatCame(StreamReference):
    bug = "A stream that breaks off is taken for a reply that is complete."

    def stream(self, messages: list[Message]) -> Iterator[str]:
        try:
            yield from super().stream(messages)
        except (OSError, RuntimeError):
            return


@specimen("agent-keeps-half-a-reply", "CTX44", "torn")
class KeepsHalfAReply(StreamReference):
    bug = "However a stream ends, what has come of it is written as the answer."

    def say(self, session_id: str, text: str) -> Iterator[str]:  # type: ignore[override]
        question = {"role": "user", "content": text}
        pieces: list[str] = []
        try:
            for piece in self.stream(self.build(self.load(session_id), question)):
                pieces.append(piece)
                yield piece
        finally:
            self.save(session_id, [question, {"role": "assistant", "content": "".join(pieces)}])


@specimen("agent-empty-for-no-json", "CTX45", "swallowed")
class EmptyForNoJson(AgentReference):
    bug = "An answer that is no JSON is taken for an empty one."

    def ask(self, messages: list[Message], **options: Any) -> Message:
        try:
            return super().ask(messages, **options)
        except json.JSONDecodeError:
            return {"role": "assistant", "content": ""}


@specimen("agent-drops-without-a-summary", "CTX46", "lost")
class DropsWithoutASummary(SummaryReference):
    bug = "When the summary fails, what it should have covered is dropped all the same."

    def summarise(self, summary: list[Message], old: list[Message]) -> list[Message]:
        try:
            return super().summarise(summary, old)
        except RuntimeError:
            return summary


@specimen("agent-saves-calls-first", "CTX47", "wedged")
class SavesCallsFirst(StepByStep):
    bug = "Calls are written at once, and their results with the answer to them."

    def say(self, session_id: str, text: str) -> str:
        self.save(session_id, [{"role": "user", "content": text}])
        results: list[Message] = []
        while "tool_calls" in (answer := self.think([*self.load(session_id), *results])):
            self.save(session_id, [answer])
            results = self.call_tools(answer["tool_calls"])
        self.save(session_id, [*results, answer])
        return str(answer["content"])

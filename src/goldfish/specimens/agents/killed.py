"""Agents that a kill in the middle of a turn costs more than that turn."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.agents.reference import AgentReference, Message
from goldfish.specimens.agents.reference_stream import StreamReference
from goldfish.specimens.agents.reference_tools import ToolReference


@specimen("agent-lock-stays", "CTX32", "wedged")
class LockStays(AgentReference):
    bug = "The file that locks a session stays when its process is killed."

    def say(self, session_id: str, text: str) -> str:
        lock = Path(self.path.parent, f"{session_id}.lock")
        with lock.open("x"):
            answer = super().say(session_id, text)
        lock.unlink()
        return answer


class StepByStep(ToolReference):
    """An agent that writes each message of a turn as it comes."""

    def say(self, session_id: str, text: str) -> str:
        self.save(session_id, [{"role": "user", "content": text}])
        while "tool_calls" in (answer := self.think(self.load(session_id))):
            self.save(session_id, [answer])
            self.save(session_id, self.call_tools(answer["tool_calls"]))
        self.save(session_id, [answer])
        return str(answer["content"])


@specimen("agent-call-without-result", "CTX33", "wedged")
class CallWithoutResult(StepByStep):
    bug = "A call is written before its tool runs, and stays without a result if that is killed."

    def look_up_order(self, order: str) -> str:
        time.sleep(1.5)
        return super().look_up_order(order)


@specimen("agent-call-without-quick-result", "CTX33", "wedged")
class CallWithoutQuickResult(StepByStep):
    bug = "The same with a tool that takes a tenth of a second."

    def look_up_order(self, order: str) -> str:
        time.sleep(0.1)
        return super().look_up_order(order)


@specimen("agent-empties-while-it-streams", "CTX34", "lost")
class EmptiesWhileItStreams(StreamReference):
    bug = "The history is taken out of the file, and put back when the reply is complete."

    def say(self, session_id: str, text: str) -> Iterator[str]:  # type: ignore[override]
        history = self.load(session_id)
        with self.open() as db:
            db.execute("DELETE FROM messages WHERE session = ?", (session_id,))
        question = {"role": "user", "content": text}
        pieces: list[str] = []
        for piece in self.stream(self.build(history, question)):
            pieces.append(piece)
            yield piece
        answer = {"role": "assistant", "content": "".join(pieces)}
        self.save(session_id, [*history, question, answer])


@specimen("agent-writes-later", "CTX35", "lost")
class WritesLater(AgentReference):
    bug = "A turn is written when the next one comes, or when the process ends."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.waiting: list[tuple[str, list[Message]]] = []

    def load(self, session_id: str) -> list[Message]:
        self.close()
        return super().load(session_id)

    def save(self, session_id: str, messages: list[Message]) -> None:
        self.waiting.append((session_id, messages))

    def close(self) -> None:
        """Write what waits."""
        while self.waiting:
            super().save(*self.waiting.pop(0))

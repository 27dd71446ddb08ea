"""Agents that lose or repeat their system prompt."""

from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.agents.reference import AgentReference, Message
from goldfish.specimens.agents.reference_window import SummaryReference

variant("agent-system-scrolls-out-late", AgentReference, "CTX14", "lost")(
    bug="The system prompt counts as one of the last eighty messages.",
    build=lambda self, history, question: AgentReference.build(self, history, question)[-80:],
)


@specimen("agent-summary-for-a-system-prompt", "CTX15", "lost")
class SummaryForASystemPrompt(SummaryReference):
    bug = "Once there is a summary, it stands in the place of the system prompt."

    def build(self, history: list[Message], question: Message) -> list[Message]:
        summary, _ = self.split(history)
        return super().build(history, question)[1 if summary else 0 :]


@specimen("agent-system-saved-at-each-start", "CTX16", "duplicated")
class SystemSavedAtEachStart(AgentReference):
    bug = "Each process writes the system prompt into the history that it finds."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.known: set[str] = set()

    def build(self, history: list[Message], question: Message) -> list[Message]:
        return [*history, question]

    def load(self, session_id: str) -> list[Message]:
        if session_id not in self.known:
            self.known.add(session_id)
            self.save(session_id, [{"role": "system", "content": self.system}])
        return super().load(session_id)

"""Agents whose windows hold other messages than they say, or whose summaries lose some."""

from collections.abc import Mapping
from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.agents.reference import AgentReference, Message
from goldfish.specimens.agents.reference_tools import ToolWindowReference
from goldfish.specimens.agents.reference_window import (
    BudgetReference,
    SummaryReference,
    WindowReference,
)

variant("agent-window-is-half", WindowReference, "CTX17", "lost")(
    bug="The window of eight messages is taken for turns and messages alike, so it holds four.",
    build=lambda self, history, question: AgentReference.build(self, history[-4:], question),
)
variant("agent-window-never-slides", WindowReference, "CTX18", "wrong")(
    bug="The window is only enforced where the messages are long.",
    build=lambda self, history, question: AgentReference.build(self, history, question),
)
variant("agent-budget-without-answers", BudgetReference, "CTX20", "wrong")(
    bug="Only short messages count against the budget.",
    measure=lambda self, message: min(len(str(message["content"])) // 4, 8),
)
variant("agent-summary-forgets-answers", SummaryReference, "CTX21", "lost")(
    bug="The summary is made of what the user said, and not of the answers.",
    summarise=lambda self, summary, old: SummaryReference.summarise(
        self, summary, [each for each in old if each["role"] == "user"]
    ),
)


@specimen("agent-summary-takes-the-question", "CTX22", "lost")
class SummaryTakesTheQuestion(SummaryReference):
    bug = "The newest message is among those that a compaction summarises, in a shorter form."

    def build(self, history: list[Message], question: Message) -> list[Message]:
        built = super().build(history, question)
        if len(self.split(history)[0]):
            return [*built[:-1], {"role": "user", "content": "Please go on."}]
        return built


@specimen("agent-summary-quotes-the-question", "CTX22", "lost")
class SummaryQuotesTheQuestion(SummaryReference):
    bug = "The newest message is among those that are summarised, and the model sees the summary."

    def say(self, session_id: str, text: str) -> str:
        summary, rest = self.split(self.load(session_id))
        if len(rest) <= self.keep:
            return super().say(session_id, text)
        question = {"role": "user", "content": text}
        (told,) = self.summarise(summary, [*rest, question])
        answer = self.ask(self.build([], {"role": "user", "content": told["content"]}))
        self.replace(session_id, [told], [answer])
        return str(answer["content"])


variant("agent-summary-of-the-last-part", SummaryReference, "CTX23", "lost")(
    bug="A new summary covers the messages since the last one, and replaces it.",
    summarise=lambda self, summary, old: SummaryReference.summarise(self, [], old),
)


@specimen("agent-window-cuts-through-calls", "CTX19", "torn")
class WindowCutsThroughCalls(ToolWindowReference):
    bug = "The window of eight messages may begin with the result of a call that it does not have."

    def build(self, history: list[Message], question: Message) -> list[Message]:
        return AgentReference.build(self, history[-self.room :], question)


@specimen("agent-window-of-forty-cuts-through-calls", "CTX19", "torn")
class WindowOfFortyCutsThroughCalls(WindowCutsThroughCalls):
    bug = "The same with a window of forty messages, which only a long conversation fills."
    declares: Mapping[str, Any] = {"threads": True, "tools": True, "window": 40}
    room = 40

"""Agents whose prompts lose, repeat or mix up what was said."""

from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.agents.reference import AgentReference, Message
from goldfish.specimens.agents.reference_stream import StreamReference

variant("agent-forgets-the-first-turn", AgentReference, "CTX01", "lost")(
    bug="Only the last eight messages are shown to the model, and nobody says so.",
    build=lambda self, history, question: AgentReference.build(self, history[-8:], question),
)
variant("agent-forgets-its-answers", AgentReference, "CTX02", "lost")(
    bug="Its own answers are not saved.",
    save=lambda self, session_id, messages: AgentReference.save(self, session_id, messages[:1]),
)
variant("agent-injects-anew", AgentReference, "CTX03", "duplicated")(
    bug="The whole prompt is saved after every turn, and not only what is new.",
    save=lambda self, session_id, messages: AgentReference.save(
        self, session_id, [*self.load(session_id), *messages]
    ),
)
variant("agent-newest-first", AgentReference, "CTX04", "reordered")(
    bug="The history is shown newest first.",
    build=lambda self, history, question: AgentReference.build(self, history[::-1], question),
)
variant("agent-question-first", AgentReference, "CTX05", "reordered")(
    bug="The history comes after the question.",
    build=lambda self, history, question: [*AgentReference.build(self, [], question), *history],
)
variant("agent-cuts-long-messages", AgentReference, "CTX05", "corrupted")(
    bug="A message is cut to its first 2,000 characters, and nobody says so.",
    build=lambda self, history, question: AgentReference.build(
        self, history, {**question, "content": question["content"][:2000]}
    ),
)


@specimen("agent-system-scrolls-out", "CTX06", "lost")
class SystemScrollsOut(AgentReference):
    bug = "The system prompt counts as one of the last fifteen messages."

    def build(self, history: list[Message], question: Message) -> list[Message]:
        return super().build(history, question)[-15:]


@specimen("agent-one-history", "CTX07", "leaked")
class OneHistory(AgentReference):
    bug = "All sessions share one history."

    def load(self, session_id: str) -> list[Message]:
        return super().load("")

    def save(self, session_id: str, messages: list[Message]) -> None:
        super().save("", messages)


class InItsProcess(AgentReference):
    """An agent whose history is a dict."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.histories: dict[str, list[Message]] = {}

    def load(self, session_id: str) -> list[Message]:
        return list(self.histories.get(session_id, []))

    def save(self, session_id: str, messages: list[Message]) -> None:
        self.histories.setdefault(session_id, []).extend(messages)


@specimen("agent-in-one-worker", "CTX08", "lost")
class InOneWorker(InItsProcess):
    bug = "The history is a dict, which another worker does not have."


@specimen("agent-written-at-the-end", "CTX09", "lost")
class ReadAtTheStart(AgentReference):
    bug = "The history is read from the file when the process starts, under another name."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.boot = str(sandbox.opening)

    def load(self, session_id: str) -> list[Message]:
        return super().load(self.boot + session_id)

    def save(self, session_id: str, messages: list[Message]) -> None:
        super().save(self.boot + session_id, messages)


@specimen("agent-drops-repetitions", "CTX10", "lost")
class DropsRepetitions(AgentReference):
    bug = "A message that is equal to an earlier one is taken for a copy of it."

    def build(self, history: list[Message], question: Message) -> list[Message]:
        unique = {str(each): each for each in history}
        return super().build(list(unique.values()), question)


@specimen("agent-keeps-its-reminders", "CTX11", "duplicated")
class KeepsItsReminders(AgentReference):
    bug = "The reminder that goes with each question is saved with it."

    def save(self, session_id: str, messages: list[Message]) -> None:
        reminder = {"role": "system", "content": "The shop closes at six."}
        super().save(session_id, [reminder, *messages])


@specimen("agent-keeps-what-it-recalled", "CTX11", "duplicated")
class KeepsWhatItRecalled(AgentReference):
    bug = "What is recalled for a question, another thing each time, is saved with it."

    def save(self, session_id: str, messages: list[Message]) -> None:
        said = [each["content"] for each in self.load(session_id) if each["role"] == "user"]
        recalled = {"role": "system", "content": f"She said lately: {said[-3:]}"}
        super().save(session_id, [recalled, *messages])


@specimen("agent-recalls-into-the-question", "CTX11", "duplicated")
class RecallsIntoTheQuestion(AgentReference):
    bug = "What the user said first is put before each question, and saved with it."

    def say(self, session_id: str, text: str) -> str:
        said = [each["content"] for each in self.load(session_id) if each["role"] == "user"]
        return super().say(session_id, "\n".join([*said[:1], text]))


variant("agent-forgets-after-ten-turns", AgentReference, "CTX12", "lost")(
    bug="Only the last twenty messages are shown to the model, and nobody says so.",
    build=lambda self, history, question: AgentReference.build(self, history[-20:], question),
)
variant("agent-forgets-after-twenty-turns", AgentReference, "CTX12", "lost")(
    bug="The same with the last forty messages.",
    build=lambda self, history, question: AgentReference.build(self, history[-40:], question),
)
variant("agent-saves-the-first-piece", StreamReference, "CTX13", "lost")(
    bug="Of a reply that is streamed, the first piece is saved.",
    save=lambda self, session_id, messages: AgentReference.save(
        self, session_id, [messages[0], {**messages[1], "content": "Understood."}]
    ),
)

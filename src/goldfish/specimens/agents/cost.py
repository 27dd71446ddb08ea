"""Agents whose prompts cost more than their conversations."""

from goldfish.specimens import specimen
from goldfish.specimens.agents.reference import AgentReference, Message


@specimen("agent-history-in-every-message", "CTX54", "wrong")
class HistoryInEveryMessage(AgentReference):
    bug = "Each question is saved with the history that was given with it."

    def say(self, session_id: str, text: str) -> str:
        history = self.load(session_id)
        said = "\n".join(str(each["content"]).rpartition("\n")[2] for each in history)
        question: Message = {"role": "user", "content": f"So far:\n{said}\n{text}"}
        answer = self.ask(self.build(history, question))
        self.save(session_id, [question, answer])
        return str(answer["content"])

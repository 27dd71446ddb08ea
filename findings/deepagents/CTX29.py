"""A deep agent: of two turns of one thread at once, one is forgotten.

Each turn reads the thread at its start and writes all of it at its end, and nothing refuses the
second writer: both callers get their answers. The same is behind CTX30, where the turns are in two
processes. Exit 1 if a later turn does not show the model what was answered.

What to do: let one turn of a thread run at a time: a queue, or a lock that all workers share.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from deepagents import create_deep_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.sqlite import SqliteSaver

THREAD: Any = {"configurable": {"thread_id": "chat"}}
WORDS = ("the red one", "the blue one")


class Meeting(BaseChatModel):
    """A model that answers when both questions have reached it; the third stands alone."""

    together: Any
    shown: list[Any]

    @property
    def _llm_type(self) -> str:
        return "meeting"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: Any, *others: Any, **options: Any) -> ChatResult:
        if len(self.shown) < 2:
            self.shown.append(messages)
            self.together.wait()
        self.shown.append(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage("Noted."))])


def main() -> int:
    model = Meeting(together=threading.Barrier(2), shown=[])
    with SqliteSaver.from_conn_string(":memory:") as saver:
        agent: Any = create_deep_agent(model, checkpointer=saver)

        def say(text: str) -> str:
            state = agent.invoke({"messages": [("user", text)]}, THREAD)
            return str(state["messages"][-1].content)

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(say, WORDS))
        say("Which ones did I name?")
    shown = " ".join(str(each.content) for each in model.shown[-1])
    missing = [each for each in WORDS if each not in shown]
    verdict = "broken" if missing else "held"
    print(f"{verdict}: both were answered {answers}, and the next prompt lacks {missing}")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())

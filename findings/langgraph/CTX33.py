"""An agent of create_agent: a process killed while a tool runs leaves a thread that is refused.

The call of the tool is saved before the tool runs, and nothing adds a result when the thread goes
on with the next message. OpenAI and Anthropic refuse a call without its result with a 400, in this
turn and in every later one. Exit 1 if a prompt has such a call.

What to do: before a new message, look at ``graph.get_state(config).next``; if it is not empty,
finish the turn that was cut with ``graph.invoke(None, config)``.
"""

import multiprocessing
import os
import signal
import sys
import tempfile
import time
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.sqlite import SqliteSaver

THREAD: Any = {"configurable": {"thread_id": "chat"}}
CALL = {"name": "find_order", "args": {"number": "8892"}, "id": "call_1"}


class Model(BaseChatModel):
    """A model that calls the tool once, and keeps what it was shown."""

    shown: list[Any]

    @property
    def _llm_type(self) -> str:
        return "model"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: Any, *others: Any, **options: Any) -> ChatResult:
        self.shown.append(messages)
        wants = "find" in str(messages[-1].content)
        answer = AIMessage("", tool_calls=[CALL]) if wants else AIMessage("Noted.")
        return ChatResult(generations=[ChatGeneration(message=answer)])


def say(path: str, text: str, running: Any = None) -> list[Any]:
    def find_order(number: str) -> str:
        """Find an order by its number."""
        running.set()
        time.sleep(60)
        return "on its way"

    model = Model(shown=[])
    with SqliteSaver.from_conn_string(path) as saver:
        agent: Any = create_agent(model, [find_order], checkpointer=saver)
        agent.invoke({"messages": [("user", text)]}, THREAD)
    shown: list[Any] = model.shown[-1]
    return shown


def main(path: str) -> int:
    spawning = multiprocessing.get_context("spawn")
    running = spawning.Event()
    worker = spawning.Process(target=say, args=(path, "find my order", running))
    worker.start()
    running.wait()
    time.sleep(1)  # whatever it writes in the background is written
    os.kill(worker.pid or 0, signal.SIGKILL)
    worker.join()
    refused = [turn for turn in (2, 3) if has_open_call(say(path, "hello again"))]
    verdict = "broken" if refused else "held"
    print(f"{verdict}: turns whose prompts have a call without its result: {refused}")
    return int(bool(refused))


def has_open_call(shown: list[Any]) -> bool:
    results = {each.tool_call_id for each in shown if isinstance(each, ToolMessage)}
    calls = [call for each in shown if isinstance(each, AIMessage) for call in each.tool_calls]
    return any(call["id"] not in results for call in calls)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(f"{place}/checkpoints.sqlite"))

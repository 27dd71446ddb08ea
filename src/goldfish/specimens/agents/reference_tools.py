"""An agent that is right, with a tool: a turn is written once it is complete."""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.specimens.agents.reference import AgentReference, Message

LOOK_UP = {
    "type": "function",
    "function": {
        "name": "look_up_order",
        "description": "Look up an order of the customer.",
        "parameters": {
            "type": "object",
            "properties": {"order": {"type": "string"}},
            "required": ["order"],
        },
    },
}


class ToolReference(AgentReference):
    """A bot that calls a tool as often as the model wants, and writes the whole turn at its end."""

    declares: Mapping[str, Any] = {"threads": True, "tools": True}
    system = "You are the assistant of a shop for garden tools. Look up orders before you answer."

    def say(self, session_id: str, text: str) -> str:
        history = self.load(session_id)
        turn = [{"role": "user", "content": text}]
        while "tool_calls" in (answer := self.think([*history, *turn])):
            turn += [answer, *self.call_tools(answer["tool_calls"])]
        self.save(session_id, [*turn, answer])
        return str(answer["content"])

    def think(self, messages: list[Message]) -> Message:
        """Return the next message of the model."""
        *history, newest = messages
        return self.ask(self.build(history, newest), tools=[LOOK_UP])

    def call_tools(self, calls: list[Message]) -> list[Message]:
        """Return the results of the calls, in their order."""
        return [
            {"role": "tool", "tool_call_id": each["id"], "content": self.call_tool(each)}
            for each in calls
        ]

    def call_tool(self, call: Message) -> str:
        """Return what the tool says, or that it failed."""
        try:
            return self.look_up_order(**json.loads(call["function"]["arguments"]))
        except Exception as error:
            return f"The tool failed: {error}"

    def look_up_order(self, order: str) -> str:
        """Return where an order is."""
        return f"The order {order} is on its way."


class ToolWindowReference(ToolReference):
    """The same with a window of eight messages, which begins with a message of the user."""

    declares: Mapping[str, Any] = {"threads": True, "tools": True, "window": 8}

    def build(self, history: list[Message], question: Message) -> list[Message]:
        questions = [at for at, each in enumerate(history) if each["role"] == "user"]
        begin = next((at for at in questions if len(history) - at <= self.room), len(history))
        return super().build(history[begin:], question)

    room = 8

"""Agents that lose, mix up or repeat what tools say."""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.agents.killed import StepByStep
from goldfish.specimens.agents.reference import Message
from goldfish.specimens.agents.reference_tools import ToolReference

variant("agent-results-without-calls", ToolReference, "CTX40", "torn")(
    bug="A turn is saved without the calls of its tools, but with their results.",
    save=lambda self, session_id, messages: super(ToolReference, self).save(
        session_id, [each for each in messages if "tool_calls" not in each]
    ),
)
variant("agent-results-as-they-come", ToolReference, "CTX41", "reordered")(
    bug="Results go back in the order in which the tools are done, the last one first.",
    call_tools=lambda self, calls: ToolReference.call_tools(self, calls[::-1]),
)
variant("agent-one-tool-at-a-time", ToolReference, "CTX41", "torn")(
    bug="Of several calls, the first is answered.",
    call_tools=lambda self, calls: ToolReference.call_tools(self, calls[:1]),
)


@specimen("agent-keeps-results", "CTX40", "stale")
class KeepsResults(ToolReference):
    bug = "Results are kept by the place of their call in its turn, and served in later turns too."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.kept: dict[int, str] = {}

    def call_tools(self, calls: list[Message]) -> list[Message]:
        fresh = super().call_tools(calls)
        return [
            {**each, "content": self.kept.setdefault(place, each["content"])}
            for place, each in enumerate(fresh)
        ]


@specimen("agent-tool-error-ends-it", "CTX42", "wedged")
class ToolErrorEndsIt(StepByStep):
    bug = "The error of a tool ends the turn, after the call was written."

    def call_tool(self, call: Message) -> str:
        return self.look_up_order(**json.loads(call["function"]["arguments"]))


@specimen("agent-resumes-from-the-question", "CTX43", "lost")
class ResumesFromTheQuestion(ToolReference):
    bug = "A turn that was killed is resumed from its question, and its tools run again."
    declares: Mapping[str, Any] = {"threads": True, "tools": True, "resumes": True}

"""A model endpoint on loopback that thinks nothing and records what it was shown.

It speaks what real clients speak, answers by script, and is as strict as the providers are. It
imports ``embedding`` for vectors; starlette and uvicorn (the extra ``agents``) when it starts.
"""

from goldfish.mirror.marks import MARK, find_marks
from goldfish.mirror.mirror import Mirror, Turn
from goldfish.mirror.record import Exchange, Message, Prompt, Tool, ToolCall

__all__ = [
    "MARK",
    "Exchange",
    "Message",
    "Mirror",
    "Prompt",
    "Tool",
    "ToolCall",
    "Turn",
    "find_marks",
]

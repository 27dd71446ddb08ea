"""What an agent declares of itself, and what its first turn showed."""

from dataclasses import dataclass
from typing import Literal

ANY_TOOL = "*"


@dataclass(frozen=True)
class AgentTraits:
    """What is known of an agent beyond what a memory declares.

    ``window_tokens`` is the budget of its prompt, ``remembers`` whether facts of a user reach her
    other sessions, ``tools`` the names of those that may really be called (``"*"`` for all),
    ``system`` a phrase of its system prompt, ``resumes`` says that a killed turn is taken up again.
    ``is_service`` says that a command starts it. ``powers`` is seen when it is opened: ``users``
    (its ``say`` takes a user_id), ``streams``, ``forget``, ``forget_user``; ``marks`` says that the
    model's words come back in its replies.
    """

    window_tokens: int | None = None
    remembers: Literal["session", "users"] = "session"
    tools: tuple[str, ...] = ()
    system: str = ""
    resumes: bool = False
    is_service: bool = False
    powers: frozenset[str] = frozenset()
    marks: bool = True

    def may_call(self, tool: str) -> bool:
        """Return True if the model may call this tool: it may send mail."""
        return ANY_TOOL in self.tools or tool in self.tools

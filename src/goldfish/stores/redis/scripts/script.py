"""A script, its name on the server, and its variants."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha1
from typing import Any, Protocol

# A write that its caller has given up does nothing; ``clock`` says by whose clock.
_GUARD = """
local due = table.remove(ARGV)
if due ~= '' then
  local clock = redis.call('TIME')
  if clock[1] * 1000 + clock[2] / 1000 > tonumber(due) then
    return redis.error_reply('LATE nothing was done: the caller has given up')
  end
end
"""


@dataclass(frozen=True)
class Script:
    """A script and the name that Redis has for it."""

    work: str
    lasts: bool = False  # for a server that evicts keys with a deadline: see ``parts``

    @cached_property
    def text(self) -> str:
        """The script as Redis gets it."""
        return f"local LASTING = {str(self.lasts).lower()}\n{self.work}"

    @cached_property
    def sha(self) -> str:
        """The name of the script."""
        return sha1(self.text.encode()).hexdigest()

    @cached_property
    def guarded(self) -> "Script":
        """The same script with one more argument: when its caller gives up, or ''."""
        return Script(_GUARD + self.text)

    @cached_property
    def lasting(self) -> "Script":
        """The same script for a server that evicts keys with a deadline."""
        return Script(self.work, lasts=True)


class Evaluate(Protocol):
    """How a script about a session, or about a user, reaches the server."""

    async def __call__(
        self, script: Script, owner: str, values: list[bytes], /, *, writes: bool = True
    ) -> Any: ...


@dataclass(frozen=True)
class Write:
    """One write as two scripts: for a session without snapshots, and for any session."""

    plain: Script
    full: Script

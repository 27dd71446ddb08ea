"""The network faults of a proxy that are in force; its connections ask before each step.

All of it is used in the proxy's event loop only.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

REQUEST_TAIL = 1 << 20  # how much of a request is remembered, to look for a word in it


@dataclass(eq=False)
class Cut:
    """A connection is to be reset once this much of a reply has passed, so many times."""

    after_bytes: int
    times: int
    skip: int
    asking: bytes


@dataclass(eq=False)
class Trickle:
    """Replies pass in pieces of so many bytes, with a pause after each."""

    bytes_at_a_time: int
    pause: float


class Conditions:
    """The network faults in force; several add up."""

    def __init__(self) -> None:
        self.refusals: list[object] = []
        self.resets: list[object] = []
        self.hangs: list[object] = []
        self.delays: list[float] = []
        self.trickles: list[Trickle] = []
        self.cuts: list[Cut] = []
        self._changed = asyncio.Event()

    def change(self, step: Callable[[], object]) -> None:
        """Change something, and wake the connections that wait."""
        step()
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait_to_pass(self) -> None:
        """Wait as long as a chunk has to be held back."""
        await self._wait_for_delays()
        await self.wait_while_hanging()

    async def wait_while_hanging(self) -> None:
        """Wait until nothing hangs."""
        while self.hangs:
            await self._changed.wait()

    async def _wait_for_delays(self) -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        # Computed again after each change: healing a delay lets the chunk go at once.
        while (left := began + sum(self.delays) - clock()) > 0:
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                return

    def find_cut(self, request: bytes) -> Cut | None:
        """Return the cut for the reply to this request, if there is one."""
        for cut in self.cuts:
            if cut.times > 0 and cut.asking in request:
                if cut.skip == 0:
                    return cut
                cut.skip -= 1
        return None

    def is_due(self, cut: Cut | None) -> bool:
        """Return True if a cut that was found for a reply is still to be made."""
        return cut is not None and cut.times > 0 and cut in self.cuts

"""Stores whose window loses what arrives, or whose summary loses what has left."""

from collections.abc import Sequence

from goldfish.specimens import specimen, variant
from goldfish.specimens.concurrency.messages import ELSEWHERE
from goldfish.specimens.references.windowed import Row, WindowedReference


@specimen("keeps-what-it-saw", "CON60", "lost", explains=ELSEWHERE)
class KeepsWhatItSaw(WindowedReference):
    bug = "Making a summary resets the session to the window as it was before."

    async def consolidate(self, session_id: str) -> None:
        leaving, seen = self.surplus(session_id), self.rows(session_id)
        if leaving:
            await self.think()
            kept = {number for number, _ in seen} - {number for number, _ in leaving}
            self.tell(session_id, leaving)
            self.remove([row for row in self.rows(session_id) if row[0] not in kept])


@specimen("last-summary-wins", "CON61", "lost", explains=ELSEWHERE)
class LastSummaryWins(WindowedReference):
    bug = "A new summary extends the one from before the model began, and replaces it."

    async def consolidate(self, session_id: str) -> None:
        leaving = self.surplus(session_id)
        if leaving:
            self.remove(leaving)
            query = "SELECT n, text FROM told WHERE session = ? ORDER BY n"
            key = self.store.key(session_id)
            before = list(self.store.db.execute(query, (key,)))
            await self.think()
            self.store.db.execute("DELETE FROM told WHERE session = ?", (key,))
            self.tell(session_id, [*before, *leaving])


@specimen("summary-after-clear", "CON62", "resurrected", explains=f"{ELSEWHERE} CLR")
class SummaryAfterClear(WindowedReference):
    bug = "A summary is stored even if the session was cleared meanwhile."

    thinking = 0.04  # so long that a clear at any moment of a turn comes within it

    async def consolidate(self, session_id: str) -> None:
        leaving = self.surplus(session_id)
        if leaving:
            self.remove(leaving)
            await self.think()
            self.tell(session_id, leaving)


variant("takes-from-a-copy", WindowedReference, "LIV60", "stale")(
    bug="What leaves the window is summarised, but removed only from a copy of the session.",
    remove=lambda self, leaving: list(leaving).clear(),
)
variant("full-is-full", WindowedReference, "LIV60", "lost", explains="CON LIV")(
    bug="When the window is full, the new messages are dropped.",
    surplus=lambda self, session_id: self.rows(session_id)[self.window :],
)


@specimen("summary-of-the-last", "LIV61", "lost", explains="CON")
class SummaryOfTheLast(WindowedReference):
    bug = "Each summary covers what left the window last, and replaces the one before."

    def tell(self, session_id: str, leaving: Sequence[Row]) -> None:
        self.store.db.execute("DELETE FROM told WHERE session = ?", (self.store.key(session_id),))
        super().tell(session_id, leaving)


variant("a-summary-of-forty", WindowedReference, "LIV61", "lost", explains="CON")(
    bug="A summary is made of the first forty messages that leave the window at once.",
    tell=lambda self, session_id, leaving: WindowedReference.tell(self, session_id, leaving[:40]),
)

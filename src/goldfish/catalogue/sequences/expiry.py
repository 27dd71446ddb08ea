"""SEQ: sessions expire when the model says so, whatever was done to them before.

Many short sequences, each on a session of its own, share one wait. A session whose calls are too
slow to tell whether its deadline came in between is left out.
"""

import asyncio
import time
from collections.abc import Iterable
from math import inf
from random import Random

from goldfish.catalogue.registry import check, method
from goldfish.catalogue.sequences.drawing import Drawing, Ways
from goldfish.catalogue.sequences.learning import learn_powers
from goldfish.catalogue.sequences.powers import Powers
from goldfish.catalogue.sequences.steps import Step
from goldfish.catalogue.sequences.trying import explain, shorten
from goldfish.catalogue.sequences.walking import Difference, Place, Walk
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError
from goldfish.harness.memory import Memory
from goldfish.model.answers import Left, Opening, Unsure

SOON = 2  # seconds: some stores count in whole ones, and some machines are slow
GRACE = 2.0  # seconds by which a deadline may be late, for the same reason
MARGIN = 0.05
SESSIONS = 40
SHRINK_SECONDS = 12.0
WAIT = Step("wait", (SOON + 0.1,))

WAYS: Ways = {
    "add": (6, "add"),
    "again": (2, "again"),
    "trim": (2, "trim"),
    "delete": (1, "delete"),
    "clear": (2, "clear"),
}
OWN: Ways = {**WAYS, "set_ttl": (5, "set_ttl"), "unset_ttl": (1, "unset_ttl")}
STATED: Ways = {**OWN, "set_state": (3, "state")}


class BriefDrawing(Drawing):
    """A sequence on one session, whose deadlines are a second away, or an hour."""

    def set_deadline(self) -> None:
        """Give a deadline to the session, which has messages, or values alone."""
        session = self.sessions[0]
        if not self.model.get_history(session):
            if "state" in self.powers.can and self.random.random() < 0.5:
                self._set_state()
            else:
                self._add()
        if self.model.opening.ttl is None:
            self._do("set_ttl", session, self.random.choice([SOON, SOON, SOON, 3600]))

    def _set_ttl(self) -> None:
        self.set_deadline()
        unsure = isinstance(self.model.get_ttl(self.sessions[0]), Unsure)
        if unsure and "clear" in self.powers.can and self.random.random() < 0.5:
            self._clear()  # which makes it sure

    def _choose(self, able: Iterable[str]) -> set[str]:
        return {name for name in able if self.random.random() < 0.5}

    def _look(self, session: str) -> None:
        if self.random.random() < 0.3:
            self._ask("get_history", session)

    def end(self) -> None:
        """Write once more, most of all to a session that was emptied."""
        session = self.sessions[0]
        if not self.model.get_history(session) or self.random.random() < 0.3:
            self._do("add_messages", session, [self._make()])

    def take(self) -> list[Step]:
        """Return the steps that were drawn since they were last taken."""
        steps, self.steps = self.steps, []
        return steps

    def read_all(self) -> None:
        """Read nothing: there is a wait first."""


class BriefWalk(Walk):
    """A walk that knows between which moments each session expires."""

    def __init__(self, place: Place, powers: Powers, opening: Opening) -> None:
        super().__init__(place, powers)
        self._model.opening = opening
        self._earliest: dict[str, float] = {}
        self._latest: dict[str, float] = {}
        self._left_out: set[str] = set()
        self._reads_renew = not place.memory.target.holds("idle_reads")
        self._seen: set[str] = set()
        self._gone: set[str] = set()  # sessions that were seen to have expired

    async def _take(self, step: Step) -> Difference | None:
        if step == WAIT:
            await self._wait(step)
            return None
        session, began = step.owner, time.monotonic()
        self._seen.add(session)
        if session in self._left_out:
            return None
        if isinstance(self._model.get_ttl(session), Unsure) and step.method != "clear":
            return None  # it may have expired, or never expire, until it is cleared
        while difference := await super()._take(step):
            if session in self._agreement.expired - self._gone:
                if time.monotonic() < self._latest[session] + GRACE:
                    self._taken.pop()
                    await asyncio.sleep(0.1)
                    continue
            elif time.monotonic() > self._earliest.get(session, inf) - MARGIN:
                self._taken.pop()
                self._left_out.add(session)  # its time may have been up already
                return None
            return difference
        if step.method == "get_history" and session in self._agreement.expired:
            self._gone.add(session)  # what differs from now on was not merely late
        self._note_deadlines(step, began)
        return None

    def _note_deadlines(self, step: Step, began: float) -> None:
        """Note when each session expires at the earliest and at the latest."""
        now = time.monotonic()
        if step.owner in self._earliest and now > self._earliest[step.owner] - MARGIN:
            self._left_out.add(step.owner)
        for session in {step.owner, *self._earliest}:
            if self._model.get_ttl(session) != Left(SOON):
                self._earliest.pop(session, None)
                self._latest.pop(session, None)
            elif session == step.owner:
                wide = self._model.opening.ttl is not None and step.method == "add_messages"
                if wide or step.method == "set_ttl" or session not in self._earliest:
                    self._earliest[session] = began + SOON
                if step.method != "get_history" or self._reads_renew:
                    # A memory may take any write for a renewal.
                    self._latest[session] = now + SOON

    async def _wait(self, step: Step) -> None:
        """Wait until every deadline that is near has come, also one that nobody set."""
        self._taken.append(step)
        now = time.monotonic()
        await asyncio.sleep(max([now + SOON, *self._latest.values()]) + 0.1 - now)
        unsure = [each for each in self._seen if isinstance(self._model.get_ttl(each), Unsure)]
        self._left_out.update(unsure)
        for session in list(self._earliest):
            self._model.expire(session)
            self._agreement.expired.add(session)
        self._earliest.clear()


@check(
    "SEQ03",
    "A session expires at the deadline that was set last, whatever was done to it in between.",
    incident="QueryaHub/Querya-Desktop issue 811: saving a value with SET cleared the expiry of "
    "its key, and sessions with 300 s to live were never removed.",
    needs=[method("set_ttl")],
)
async def deadlines_follow_the_model(memory: Memory) -> None:
    powers = await _learn(memory, STATED)
    if "set_ttl" not in powers.can:
        raise UnsupportedError(Reason.stated("a deadline in an hour removes the session"))
    await _follow(memory, powers, STATED if "state" in powers.can else OWN, Opening())
    if memory.target.takes_ttl:
        await _follow(memory, powers, WAYS, Opening(ttl=SOON))


async def _learn(memory: Memory, ways: Ways) -> Powers:
    return await learn_powers(memory, [*(power for _, power in ways.values()), "clear_all"])


async def _follow(memory: Memory, powers: Powers, ways: Ways, opening: Opening) -> None:
    """Take the sequences of all sessions, wait once, and look what is left of each."""

    async def walk(fresh: Memory, steps: list[Step]) -> Difference | None:
        return await BriefWalk(Place(fresh, opening.options), powers, opening).take(steps)

    steps = _draw_all(memory, powers, ways, opening)
    steps.append(WAIT)
    sessions = list(dict.fromkeys(step.owner for step in steps if step.owner))
    for session in sessions:
        steps.append(Step("get_history", (session,)))
        steps.append(Step("add_messages", (session, memory.messages(1))))
        steps.append(Step("get_history", (session,)))
    difference = await walk(memory, steps)
    if difference is not None:
        raise explain(await shorten(memory, difference, (), walk=walk, seconds=SHRINK_SECONDS))


def _draw_all(memory: Memory, powers: Powers, ways: Ways, opening: Opening) -> list[Step]:
    """Return sequences of many sessions; of some, what comes before and after a clear_all."""
    count = round(SESSIONS * min(4.0, memory.effort))
    drawings = [_begin(memory, powers, opening) for _ in range(count)]
    steps: list[Step] = []
    if "clear_all" in powers.can:
        early = drawings[: count // 2]
        for drawing in early:
            drawing.draw(drawing.random.randint(0, 2), ways)
            drawing.set_deadline()
        steps += [step for drawing in early for step in drawing.take()]
        steps.append(Step("clear_all"))
        for drawing in early:
            drawing.model.clear_all()
        drawings = [*reversed(early), *drawings[count // 2 :]]  # the latest first: time passes
    for drawing in drawings:
        drawing.draw(drawing.random.randint(0, 5), ways)
        drawing.end()
        steps += drawing.take()
    return steps


def _begin(memory: Memory, powers: Powers, opening: Opening) -> BriefDrawing:
    drawing = BriefDrawing(
        Random(memory.random.getrandbits(64)),
        powers,
        sessions=[memory.session("talk")],
        users=[],
        message=memory.message,
        window=memory.target.window,
    )
    drawing.model.opening = opening
    return drawing

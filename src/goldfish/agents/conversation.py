"""A conversation with an agent: what is said, through which worker, and what reached the prompt."""

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from goldfish.agents.prompts import count_turns_shown
from goldfish.agents.turns import Outcome, Turn, settle
from goldfish.agents.workers import Worker
from goldfish.errors import mask
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import EndedError, StoreError, is_out_of_time
from goldfish.harness.patience import Patience
from goldfish.history import FAULT, Call
from goldfish.history import Outcome as CallOutcome
from goldfish.mirror import Exchange
from goldfish.mirror import Turn as Script
from goldfish.targets.declaration import Target

if TYPE_CHECKING:
    from goldfish.agents.agent import Agent

# Ordinary sentences: an agent that routes or extracts facts finds something in them.
SENTENCES = (
    "My order number is {}, please note it.",
    "The parcel {} has not arrived yet.",
    "I live in the street {}.",
    "My colleague is called {}.",
    "The code of the door is {}.",
    "I would like to change the booking {}.",
    "My favourite colour is {}.",
    "The meeting is in room {}.",
)
WAITS = "it waits longer for a model that fails than a turn may take"
OUTCOMES: dict[Outcome, CallOutcome] = {
    "answered": "ok",
    "failed": "fail",
    "unknown": "unknown",
}
Direct = Callable[[Script], object]  # tells the mirror what to do during a turn


class Conversation:
    """One session of one user with the agent."""

    def __init__(self, agent: "Agent", session: str, user: str) -> None:
        self.session = session
        self.user = user
        self.turns: list[Turn] = []
        self._agent = agent

    async def say(
        self, text: str = "{}", *, worker: int | None = None, direct: Direct | None = None
    ) -> Turn:
        """Say something that the agent must answer, and return the turn.

        ``{}`` in the text becomes the turn's mark; by default it is an ordinary sentence.
        ``worker`` is the place of the worker that is asked; by default the first, and of a service
        any. ``direct`` tells the mirror what to do while the turn lasts.
        """
        turn = await self.attempt(text, worker=worker, direct=direct)
        if turn.outcome != "answered":
            raise self._agent.blame_silence(self, turn)
        return turn

    async def attempt(
        self,
        text: str = "{}",
        *,
        worker: int | None = None,
        direct: Direct | None = None,
        leaves: bool = False,
        lane: int = 0,
    ) -> Turn:
        """Say something that may fail, and return the turn, whatever came of it.

        ``leaves`` is a caller who goes away after the first piece of a streamed reply; ``lane``
        is for turns at once.
        """
        asked = await self._agent.choose_worker(worker)
        turn = self._begin(text, asked)
        with self._agent.mirror.turn() as script:
            if direct is not None:
                direct(script)
            try:
                await self._ask(asked, turn, leaves, lane)
            except Violation as violation:
                if violation.finding == "wedged" and _waits_for_model(script.exchanges):
                    raise UnsupportedError(Reason.stated(WAITS)) from violation
                raise
            finally:
                self._agent.underway.remove(turn)
        settle(turn, script.exchanges)
        if turn.is_certain:
            self._agent.mirror.learn(turn.reply)
        elif turn.is_acknowledged and len(turn.exchanges) == 1:
            # The agent rewrites replies, but no other request can have made this one.
            self._agent.mirror.learn_from(turn.exchanges[0])
        return turn

    @property
    def target(self) -> Target:
        """The target, with what it declares."""
        return self._agent.target

    @property
    def neighbours(self) -> "list[Conversation]":
        """The other conversations with the agent."""
        return [each for each in self._agent.talks if each is not self]

    def list_faults(self, turn: Turn) -> list[str]:
        """Return what was done to workers in a turn, or between it and the next one."""
        faults = [call for call in self._agent.history.calls if call.action == FAULT]
        later = [each.began for each in self.turns if each.began > turn.began]
        end = min(later, default=math.inf)
        return [str(call.value) for call in faults if turn.began <= call.start < end]

    def list_earlier(self, turn: Turn) -> list[Turn]:
        """Return the turns before this one that were acknowledged."""
        return [each for each in self.list_before(turn) if each.is_acknowledged]

    def list_before(self, turn: Turn) -> list[Turn]:
        """Return the turns before this one, whatever came of them."""
        return [each for each in self.turns if each.number < turn.number]

    async def say_all(self, count: int, *, worker: int | None = None) -> list[Turn]:
        """Say so many things, one after the other."""
        return [await self.say(worker=worker) for _ in range(count)]

    async def overflow(self, *, direct: Direct | None = None) -> list[Turn]:
        """Say things until not all of them are shown any more: the oldest left the window.

        Without a direction every turn must be answered. An agent that shows all of them for ever
        has an end too.
        """
        turns: list[Turn] = []
        while len(turns) < self._agent.turns_to_overflow or (
            self.target.summarises
            and len(turns) < self._agent.turns_to_compact
            and _shows_all(turns[-1], 2 * len(turns) - 2)
        ):
            turns.append(await (self.attempt(direct=direct) if direct else self.say()))
        return turns

    async def forget(self, *, worker: int | None = None) -> None:
        """Let the agent forget this session."""
        asked = await self._agent.choose_worker(worker)
        await asked.forget(self.session, user=self.user, deadline=self._agent.deadline)

    async def forget_user(self, *, worker: int | None = None) -> None:
        """Let the agent forget the user of this conversation."""
        asked = await self._agent.choose_worker(worker)
        await asked.forget_user(self.user, deadline=self._agent.deadline)

    def _begin(self, text: str, worker: Worker) -> Turn:
        mark = self._agent.mirror.draw_mark()
        number = len(self.turns) + 1
        sentence = SENTENCES[(number - 1) % len(SENTENCES)] if text == "{}" else text
        said = sentence.replace("{}", mark)
        turn = Turn(number, self.session, self.user, mark, said, worker.name)
        self.turns.append(turn)
        underway = self._agent.underway
        underway.append(turn)
        for each in underway if len(underway) > 1 else ():
            each.overlaps = True
        return turn

    async def _ask(self, worker: Worker, turn: Turn, leaves: bool, lane: int) -> None:
        patience = Patience(self._agent.deadline)
        turn.began = start = time.perf_counter()
        try:
            turn.reply = await patience.spend_on(
                worker.say(
                    self.session,
                    turn.text,
                    user=self.user,
                    deadline=self._agent.deadline,
                    lane=lane,
                    leaves=leaves,
                )
            )
            turn.outcome = "unknown" if leaves else "answered"
        except StoreError as error:
            ended = isinstance(error.error, EndedError)
            turn.outcome, turn.error = "unknown" if ended else "failed", mask(str(error))
            turn.is_late = patience.is_late and is_out_of_time(error.error, patience.wall)
        finally:
            self._agent.history.calls.append(
                Call(
                    self.user,
                    self.session,
                    "say",
                    (turn.text,),
                    (turn.reply,) if turn.outcome == "answered" else None,
                    start,
                    time.perf_counter(),
                    OUTCOMES[turn.outcome],
                    turn.error,
                    worker.name,
                )
            )


def _waits_for_model(exchanges: Sequence[Exchange]) -> bool:
    """Return True if all requests of a turn failed: it may wait before it asks the model again.

    Some wait a minute after a 429, and no turn is granted so long.
    """
    return bool(exchanges) and all(each.ended in ("failed", "cut") for each in exchanges)


def _shows_all(turn: Turn, messages: int) -> bool:
    """Return True if a turn shows so many messages before the newest one."""
    return turn.main is not None and count_turns_shown(turn.main.prompt) >= messages

"""The work that is timed, the same for everybody, in short rounds that alternate.

So the noise of the machine hits all alike; each contender's figure is the median of its rounds.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

from bench.contenders import Contender, Conversation
from bench.figures import Rate, Workload
from goldfish import ChatMessage

Round = Callable[[Contender, str], Awaitable[float]]
FILL_STEP = 1_000  # messages in one step when a history is filled, not timed


@dataclass(frozen=True)
class Sizes:
    """How much work is done."""

    rounds: int = 7
    turns: int = 400  # in one round
    tasks: int = 50
    histories: tuple[int, ...] = (100, 1_000, 10_000)
    read_in_round: int = 10_000  # messages at least
    few: int = 1_000
    many: int = 1_000_000
    short: int = 100
    long: int = 100_000
    samples: int = 400


QUICK = Sizes(
    rounds=2,
    turns=20,
    tasks=5,
    histories=(10, 100),
    read_in_round=100,
    few=100,
    many=2_000,
    short=20,
    long=2_000,
    samples=20,
)


def messages(count: int) -> list[ChatMessage]:
    """New messages of 180 characters each, user and assistant in turn."""
    roles = ("user", "assistant")
    return [ChatMessage(role=roles[n % 2], content=f"{n:9} ".ljust(180, "x")) for n in range(count)]


async def append(contenders: Sequence[Contender], sizes: Sizes) -> list[Rate]:
    """Turns per second, each awaited before the next, in one session."""

    async def one_round(contender: Contender, session: str) -> float:
        turns = _turns(contender, sizes.turns)
        conversation = await _warm(contender, session)
        began = perf_counter()
        await _append_all(conversation, turns)
        seconds = perf_counter() - began
        await conversation.close()
        return sizes.turns / seconds

    return await _race("append", 1, contenders, one_round, sizes.rounds)


async def at_once(contenders: Sequence[Contender], sizes: Sizes) -> list[Rate]:
    """Turns per second when many sessions write at the same time."""

    async def one_round(contender: Contender, session: str) -> float:
        share = sizes.turns // sizes.tasks
        turns = [_turns(contender, share) for _ in range(sizes.tasks)]
        own = [await _warm(contender, f"{session}-{task}") for task in range(sizes.tasks)]
        began = perf_counter()
        await asyncio.gather(*map(_append_all, own, turns))
        seconds = perf_counter() - began
        for conversation in own:
            await conversation.close()
        return share * sizes.tasks / seconds

    return await _race("at once", sizes.tasks, contenders, one_round, sizes.rounds)


async def read(contenders: Sequence[Contender], sizes: Sizes, length: int) -> list[Rate]:
    """Messages per second when whole histories of this length are read."""
    session = f"history of {length}"
    for contender in contenders:
        if contender.family != "raw":  # which reads the rows that ours wrote
            await fill(contender, session, length)
    times = max(1, sizes.read_in_round // length)

    async def one_round(contender: Contender, _: str) -> float:
        conversation = await contender.conversation(session)
        assert len(await conversation.read()) == length, f"{contender.name} lost messages"
        began = perf_counter()
        for _nth in range(times):
            await conversation.read()
        seconds = perf_counter() - began
        await conversation.close()
        return length * times / seconds

    return await _race("read", length, contenders, one_round, sizes.rounds)


async def fill(contender: Contender, session: str, length: int) -> None:
    """Store a history of this length."""
    conversation = await contender.conversation(session)
    batch = contender.prepare(messages(length))
    for start in range(0, length, FILL_STEP):
        await conversation.append(batch[start : start + FILL_STEP])
    await conversation.close()


@dataclass
class _Laps:
    """What one contender did in its rounds so far."""

    contender: Contender
    rates: list[float] = field(default_factory=list)
    failure: str | None = None

    async def run(self, one_round: Round, session: str) -> None:
        """Add a round. A peer that cannot do the work is a result; if we cannot, there is none."""
        gc.collect()
        gc.freeze()  # nobody's round pays for a walk through the objects of the others
        try:
            self.rates.append(await one_round(self.contender, session))
        except Exception as error:
            if self.contender.family in ("goldfish", "raw"):
                raise
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            gc.unfreeze()

    def rate(self, workload: Workload, size: int) -> Rate:
        """The median of the rounds."""
        name, family = self.contender.name, self.contender.family
        per_second = None if self.failure else median(self.rates)
        return Rate(workload, size, name, family, per_second, self.failure)


async def _race(
    workload: Workload, size: int, contenders: Sequence[Contender], one_round: Round, rounds: int
) -> list[Rate]:
    all_laps = [_Laps(contender) for contender in contenders]
    for nth in range(rounds):
        for laps in _rotated(all_laps, nth):
            if laps.failure is None:
                await laps.run(one_round, f"{workload} {nth}")
    return [laps.rate(workload, size) for laps in all_laps]


def _rotated(all_laps: Sequence[_Laps], steps: int) -> list[_Laps]:
    start = steps % len(all_laps)
    return [*all_laps[start:], *all_laps[:start]]


def _turns(contender: Contender, count: int) -> list[list[object]]:
    prepared = contender.prepare(messages(2 * count))
    return [prepared[start : start + 2] for start in range(0, 2 * count, 2)]


async def _warm(contender: Contender, session: str) -> Conversation:
    """A new conversation whose first turn, which may connect and compile, is not timed."""
    conversation = await contender.conversation(session)
    await conversation.append(_turns(contender, 1)[0])
    return conversation


async def _append_all(conversation: Conversation, turns: Sequence[Sequence[object]]) -> None:
    for turn in turns:
        await conversation.append(turn)

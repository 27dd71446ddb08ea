"""Tries sequences on a memory until one differs from the model, and makes that one short."""

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from goldfish.catalogue.sequences.drawing import Drawing, Ways
from goldfish.catalogue.sequences.powers import Powers
from goldfish.catalogue.sequences.steps import HERE, THERE, Step, show_script
from goldfish.catalogue.sequences.walking import Difference, Place, Walk
from goldfish.catalogue.support.subjects import Subject
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory
from goldfish.harness.patience import Patience
from goldfish.history.excerpt import make_excerpt
from goldfish.messages import ChatMessage
from goldfish.stress.reduction import reduce_sequence

Show = Callable[[list[Step]], Awaitable[Difference | None]]
TakeWalk = Callable[[Memory, list[Step]], Awaitable[Difference | None]]
SESSIONS, USERS = ("talk", "chat", "call"), ("ann", "ben")
LENGTH = (4, 18)  # changes of a sequence
SECONDS = 8.0  # for all sequences of a check, if each of them is slow
LEAST = 20  # sequences that are tried even if they take longer than that
LONGEST = 16.0  # seconds granted by the machine, as where each opening starts a program
FEWEST = 5  # sequences that are tried however slow they are
SHRINK_SECONDS = 8.0
MOST = 60  # lines of calls that are shown


@dataclass(frozen=True)
class Openings:
    """The openings that sequences go through: who reads, who writes, and whether they reopen."""

    readers: tuple[str, ...] = (HERE,)
    writers: tuple[str, ...] = (HERE,)
    reopens: bool = False


async def learn_openings(memory: Memory, subject: Subject) -> Openings:
    """Return which openings see what others wrote, when nothing else happens.

    What does not outlive an opening, or is not seen by another process, is told by other checks.
    """
    await subject.write(memory.client)
    reopens = await _is_seen(subject, await memory.reopen())
    alone = {"one at a time", "one process"}
    if memory.target.claims in alone or memory.target.location is None:
        return Openings(reopens=reopens)
    other = await memory.elsewhere()
    sees = await _is_seen(subject, other)
    if memory.target.claims == "one writer":
        return Openings((HERE, THERE) if sees else (HERE,), reopens=reopens)
    await subject.write(other)
    both = (HERE, THERE) if sees and await _is_seen(subject, memory.client) else (HERE,)
    return Openings(both, both, reopens)


async def _is_seen(subject: Subject, client: Client) -> bool:
    try:
        await subject.expect(client)
    except Violation as violation:
        if violation.finding == "wedged":
            raise
        return False
    return True


async def follow_model(
    memory: Memory,
    powers: Powers,
    ways: Ways,
    *,
    count: int = 40,
    openings: Openings | None = None,
    always: Iterable[str] = (),
) -> None:
    """Raise the violation of the shortest sequence that differs from the model, if one does."""

    async def walk(fresh: Memory, steps: list[Step]) -> Difference | None:
        return await Walk(Place(fresh), powers).take(steps)

    place = Place(memory)
    give_up = time.monotonic() + SECONDS * memory.effort
    patience = Patience(LONGEST * memory.effort)
    walked: list[Step] = []
    for number in range(max(1, round(count * memory.effort))):
        steps = _draw(memory, powers, ways, openings or Openings(), always)
        if difference := await patience.spend_on(Walk(place, powers).take(steps)):
            raise explain(await shorten(memory, difference, walked, walk=walk))
        walked += steps
        if number + 1 >= LEAST and time.monotonic() > min(give_up, memory.until):
            break
        if number + 1 >= FEWEST and patience.is_over:
            break


def _draw(
    memory: Memory, powers: Powers, ways: Ways, openings: Openings, always: Iterable[str]
) -> list[Step]:
    drawing = Drawing(
        Random(memory.random.getrandbits(64)),
        powers,
        sessions=[memory.session(hint) for hint in SESSIONS[: memory.random.choice([1, 1, 2, 3])]],
        users=[memory.session(hint) for hint in USERS],
        message=memory.message,
        window=memory.target.window,
        openings=openings.readers,
        writers=openings.writers,
    )
    return drawing.draw(drawing.random.randint(*LENGTH), ways, always)


async def shorten(
    memory: Memory,
    difference: Difference,
    before: Sequence[Step],
    *,
    walk: TakeWalk,
    seconds: float | None = None,
) -> Difference:
    """Return the same difference by as few steps as possible, each try on a storage of its own.

    What does not differ there may need what was written before; what never differs again stays as
    it was seen.
    """

    async def show(steps: list[Step]) -> Difference | None:
        async with memory.afresh() as fresh:
            seen = await walk(fresh, steps)
        return seen if seen is not None and seen.mark == difference.mark else None

    limit = seconds or SHRINK_SECONDS
    for whole in _list_candidates(difference, before):
        if again := await show(whole):
            _, shorter = await reduce_sequence(again.steps, again, show, seconds=limit)
            return await _thin_batches(shorter, show, seconds=limit / 2)
    return difference


async def _thin_batches(difference: Difference, show: Show, *, seconds: float) -> Difference:
    """Return the same difference with as few messages in each batch as possible."""
    give_up = time.monotonic() + seconds
    for place in range(len(difference.steps)):
        if place < len(difference.steps) and difference.steps[place].method == "add_messages":
            left = give_up - time.monotonic()
            difference = await _thin_batch(difference, place, show, seconds=left)
    return difference


async def _thin_batch(
    difference: Difference, place: int, show: Show, *, seconds: float
) -> Difference:
    steps = difference.steps
    session, messages = steps[place].arguments

    async def show_batch(batch: list[ChatMessage]) -> Difference | None:
        smaller = replace(steps[place], arguments=(session, batch))
        return await show([*steps[:place], smaller, *steps[place + 1 :]])

    return (await reduce_sequence(messages, difference, show_batch, seconds=seconds))[1]


def _list_candidates(difference: Difference, before: Sequence[Step]) -> Iterator[list[Step]]:
    """Yield the steps about the same session or user, then all, then those before as well."""
    owner = difference.steps[-1].owner
    yield [step for step in difference.steps if step.owner in {"", owner}]
    yield list(difference.steps)
    yield [*before, *difference.steps]


def _shorten_script(lines: list[str]) -> list[str]:
    more = len(lines) - MOST
    return [f"… {more} lines of calls before", *lines[more:]] if more > 0 else lines


def explain(difference: Difference) -> Violation:
    """Return the violation with the calls that show it, what was expected, and what came."""
    seen = difference.violation
    told = Violation(
        f"{seen.finding}: {seen.summary}",
        *_shorten_script(show_script(difference.steps)),
        f"expected: {difference.expected}",
        f"got:      {difference.got}",
        session=seen.session,
        about=seen.about,
        excerpt=make_excerpt(difference.calls, seen.about, ()),
    )
    told.__cause__ = seen.__cause__
    return told

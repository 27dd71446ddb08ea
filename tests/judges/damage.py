"""Ways to damage the history of a correct store: one anomaly each, or anything at random.

The single anomalies take the calls of session s in the order of their effects, without removals
and all answered; the last one is a read.
"""

import random
from collections.abc import Callable
from itertools import pairwise

from goldfish.history import Call

Damage = Callable[[random.Random, list[Call]], list[Call]]
LATE = 1e6  # after everything that a simulation does


def lost(choice: random.Random, calls: list[Call]) -> list[Call]:
    """A message is in no read that begins after it was acknowledged."""
    add, content = _acknowledged_and_read(choice, calls)
    return [_without(call, content) if call.start > add.end else call for call in calls]


def stale(choice: random.Random, calls: list[Call]) -> list[Call]:
    """One read misses a message that was acknowledged, and a later read has it."""
    add, content = _acknowledged_and_read(choice, calls, times=2)
    *later, _ = (read for read in _showing(calls, content) if read.start > add.end)
    missing = choice.choice(later)
    return [_without(call, content) if call is missing else call for call in calls]


def duplicated(choice: random.Random, calls: list[Call]) -> list[Call]:
    """A read shows a message twice."""
    read = choice.choice([call for call in _reads(calls) if call.result])
    return _replaced(calls, read, _inserted(choice, read, choice.choice(read.result)))


def phantom(choice: random.Random, calls: list[Call]) -> list[Call]:
    """A read shows a message that nobody wrote."""
    read = choice.choice(_reads(calls))
    return _replaced(calls, read, _inserted(choice, read, "[ghost] boo"))


def leaked(choice: random.Random, calls: list[Call]) -> list[Call]:
    """A read shows a message of another session."""
    read = choice.choice(_reads(calls))
    other = Call("other", "t", "add", ("[t] mine",), None, 0.0, 1.0)
    return [other, *_replaced(calls, read, _inserted(choice, read, "[t] mine"))]


def corrupted(choice: random.Random, calls: list[Call]) -> list[Call]:
    """A read shows a message with other words than were written."""
    read = choice.choice([call for call in _reads(calls) if call.result])
    place = choice.randrange(len(read.result))
    result = list(read.result)
    result[place] = result[place][:-2]
    return _replaced(calls, read, result)


def reordered(choice: random.Random, calls: list[Call]) -> list[Call]:
    """All reads show two messages the wrong way round."""
    added = {content: call for call in calls if call.action == "add" for content in call.value}
    pairs = [
        (first, then)
        for first, then in pairwise(_final(calls).result)
        if added[first] is added[then]
        or (
            len(added[first].value + added[then].value) == 2
            and added[first].end < added[then].start
        )
    ]
    first, then = choice.choice(pairs)
    swap = {first: then, then: first}
    both = [read for read in _reads(calls) if first in read.result and then in read.result]
    for read in both:
        calls = _replaced(calls, read, [swap.get(each, each) for each in read.result])
    return calls


def torn(choice: random.Random, calls: list[Call]) -> list[Call]:
    """Nobody sees the last message of a batch whose add got no answer."""
    batch = choice.choice([call for call in calls if call.action == "add" and len(call.value) > 1])
    calls = [call._replace(outcome="unknown") if call is batch else call for call in calls]
    return [_without(call, batch.value[-1]) for call in calls]


def resurrected(choice: random.Random, calls: list[Call]) -> list[Call]:
    """After a clear there is something again that was acknowledged before it."""
    _, content = _acknowledged_and_read(choice, calls)
    clear = Call("late", "s", "clear", None, None, LATE, LATE + 1)
    return [*calls, clear, Call("late", "s", "read", None, (content,), LATE + 2, LATE + 3)]


def wrong(choice: random.Random, calls: list[Call]) -> list[Call]:
    """A read of the last ones has one more than was asked for."""
    result = _final(calls).result
    asked = choice.randrange(min(4, len(result)))
    read = Call("late", "s", "read", asked, result[-asked - 1 :], LATE, LATE + 1)
    return [*calls, read]


def refused(choice: random.Random, calls: list[Call]) -> list[Call]:
    """A call ends with an error though all is well."""
    victim = choice.choice(calls)
    failed = victim._replace(result=None, outcome="fail", error="busy")
    return [failed if call is victim else call for call in calls]


def wedged(choice: random.Random, calls: list[Call]) -> list[Call]:
    """A call never ends though all is well."""
    victim = choice.choice(calls)
    stuck = victim._replace(result=None, outcome="unknown", timed_out=True)
    return [stuck if call is victim else call for call in calls]


DAMAGES: tuple[Damage, ...] = (
    leaked,
    lost,
    resurrected,
    corrupted,
    phantom,
    duplicated,
    torn,
    reordered,
    wrong,
    stale,
    refused,
    wedged,
)


def anything(choice: random.Random, calls: list[Call]) -> list[Call]:
    """One or two random changes, after which the history may or may not be that of a store."""
    changes = (_dropped, _exchanged, _intruded, _shortened, _beheaded, _moved, _swapped, _answered)
    for _ in range(choice.randint(1, 2)):
        calls = choice.choice(changes)(choice, calls)
    return calls


def _dropped(choice: random.Random, calls: list[Call]) -> list[Call]:
    reads = [read for read in _reads(calls) if read.result]
    if not reads:
        return calls
    read = choice.choice(reads)
    return _replaced(calls, read, _without(read, choice.choice(read.result)).result)


def _exchanged(choice: random.Random, calls: list[Call]) -> list[Call]:
    reads = [read for read in _reads(calls) if len(read.result) > 1]
    if not reads:
        return calls
    read = choice.choice(reads)
    result, place = list(read.result), choice.randrange(len(read.result) - 1)
    result[place], result[place + 1] = result[place + 1], result[place]
    return _replaced(calls, read, result)


def _intruded(choice: random.Random, calls: list[Call]) -> list[Call]:
    contents = [content for call in calls if call.action == "add" for content in call.value]
    if not contents or not _reads(calls):
        return calls
    read = choice.choice(_reads(calls))
    return _replaced(calls, read, _inserted(choice, read, choice.choice(contents)))


def _shortened(choice: random.Random, calls: list[Call]) -> list[Call]:
    if not _reads(calls):
        return calls
    read = choice.choice(_reads(calls))
    return _replaced(calls, read, read.result[: choice.randrange(len(read.result) + 1)])


def _beheaded(choice: random.Random, calls: list[Call]) -> list[Call]:
    if not _reads(calls):
        return calls
    read = choice.choice(_reads(calls))
    return _replaced(calls, read, read.result[choice.randrange(len(read.result) + 1) :])


def _moved(choice: random.Random, calls: list[Call]) -> list[Call]:
    victim, by = choice.choice(calls), choice.uniform(-2, 2)
    moved = victim._replace(start=victim.start + by, end=victim.end + by)
    return [moved if call is victim else call for call in calls]


def _swapped(choice: random.Random, calls: list[Call]) -> list[Call]:
    if len(_reads(calls)) < 2:
        return calls
    one, other = choice.sample(_reads(calls), 2)
    return _replaced(_replaced(calls, one, other.result), other, one.result)


def _answered(choice: random.Random, calls: list[Call]) -> list[Call]:
    victim = choice.choice(calls)
    if victim.action == "read":
        return calls
    return [call._replace(outcome="ok") if call is victim else call for call in calls]


def _reads(calls: list[Call]) -> list[Call]:
    return [call for call in calls if call.action == "read" and call.outcome == "ok"]


def _showing(calls: list[Call], content: str) -> list[Call]:
    return [read for read in _reads(calls) if content in read.result]


def _final(calls: list[Call]) -> Call:
    """The last read, which shows everything."""
    return _reads(calls)[-1]


def _acknowledged_and_read(
    choice: random.Random, calls: list[Call], times: int = 1
) -> tuple[Call, str]:
    """An acknowledged message, with its add, that as many reads have which began later."""
    found = [
        (add, content)
        for add in calls
        if add.action == "add" and add.outcome == "ok"
        for content in add.value
        if sum(read.start > add.end for read in _showing(calls, content)) >= times
    ]
    return choice.choice(found)


def _without(call: Call, content: str) -> Call:
    if call.action != "read" or call.result is None:
        return call
    return call._replace(result=tuple(each for each in call.result if each != content))


def _inserted(choice: random.Random, read: Call, content: str) -> list[str]:
    result = list(read.result)
    result.insert(choice.randrange(len(result) + 1), content)
    return result


def _replaced(calls: list[Call], read: Call, result: object) -> list[Call]:
    new = read._replace(result=tuple(result))  # type: ignore[arg-type]  # a list or a tuple
    return [new if call is read else call for call in calls]

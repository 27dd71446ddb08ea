"""Who is to blame: the runner tells the target's faults from the harness's and the world's."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import goldfish
from goldfish.catalogue.registry import Check, Need, Reopening, catalogue, method
from goldfish.engine.events import Finished, Started
from goldfish.engine.runner import Plan, run
from goldfish.errors import MissingExtraError, NotPossibleError
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Result, UnprovenError, UnsupportedError, Verdict
from goldfish.harness.memory import Memory, more_patience
from goldfish.harness.patience import LateError, is_second_try
from goldfish.history import History
from goldfish.messages import ChatMessage

PLAN = Plan(deadline=1.0)


class Dict:
    """The smallest memory there is."""

    def __init__(self) -> None:
        self.sessions: dict[str, list[Any]] = {}

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        self.sessions.setdefault(session_id, []).extend(messages)

    def get_history(self, session_id: str) -> list[Any]:
        return list(self.sessions.get(session_id, []))


async def remembers(memory: Memory) -> None:
    """What was added is there.

    Incident: none, this is a test of the runner.
    """
    session, batch = memory.session(), memory.messages(2)
    await memory.client.add(session, batch)
    await memory.client.expect(session, [message.content for message in batch])


def ask(factory: Any, function: Any = remembers, *needs: Need, plan: Plan = PLAN) -> Result:
    check = Check("LIV01", function, needs, "standard")
    (result,) = run(goldfish.target(factory), [check], plan).results
    return result


def test_every_kind_of_factory_works() -> None:
    """Plain functions, generators, async generators and coroutines; sync and async methods."""

    class Async(Dict):
        async def add_messages(self, session_id: str, messages: list[Any]) -> None:  # type: ignore[override]
            super().add_messages(session_id, messages)

        async def get_history(self, session_id: str) -> Any:  # type: ignore[override]
            return (message for message in super().get_history(session_id))

    closed: list[str] = []

    def generator(sandbox: Any) -> Iterator[Dict]:
        yield Dict()
        closed.append("generator")

    async def async_generator(sandbox: Any) -> AsyncIterator[Async]:
        yield Async()
        closed.append("async generator")

    async def coroutine(sandbox: Any) -> Async:
        return Async()

    for factory in (lambda sandbox: Dict(), generator, async_generator, coroutine):
        assert ask(factory).verdict is Verdict.HELD
    assert closed == ["generator", "async generator"]


def test_a_history_may_be_any_iterable_also_async() -> None:
    """Generators and async generators are read to their end."""

    class Lazy(Dict):
        async def get_history(self, session_id: str) -> AsyncIterator[Any]:  # type: ignore[override]
            for message in super().get_history(session_id):
                yield message

    assert ask(lambda sandbox: Lazy()).verdict is Verdict.HELD


def test_a_broken_promise_is_broken_with_finding_and_evidence() -> None:
    """The finding names the fault, the reproduction names check and seed."""

    class Forgetful(Dict):
        def add_messages(self, session_id: str, messages: list[Any]) -> None:
            super().add_messages(session_id, messages[:-1])

    result = ask(lambda sandbox: Forgetful(), plan=Plan(seed=7, spelled="mine.py:memory"))
    assert (result.verdict, result.finding) == (Verdict.BROKEN, "lost")
    assert len(result.evidence) == 2
    assert result.reproduce == "goldfish check mine.py:memory --only LIV01 --seed 7"


def test_an_error_where_none_is_due_is_refused() -> None:
    """An ordinary write that raises is the store's fault."""

    class Refusing(Dict):
        def add_messages(self, session_id: str, messages: list[Any]) -> None:
            raise RuntimeError("no")

    result = ask(lambda sandbox: Refusing())
    assert (result.verdict, result.finding) == (Verdict.BROKEN, "refused")
    assert "add_messages raised RuntimeError: no" in result.summary


def never_returns(self: Any, session_id: str) -> list[Any]:
    threading.Event().wait(30)
    return []


def never_yields(self: Any, session_id: str) -> list[Any]:
    while True:
        time.sleep(0)


async def never_resolves(self: Any, session_id: str) -> list[Any]:
    await asyncio.Event().wait()
    return []


@pytest.mark.parametrize("hang", [never_returns, never_yields, never_resolves])
def test_a_call_that_does_not_return_is_wedged_and_never_a_hang(hang: Any) -> None:
    """Even if the target never yields to the event loop, and closing it is not waited for."""
    stuck = type("Stuck", (Dict,), {"get_history": hang})
    result = ask(lambda sandbox: stuck())
    assert (result.verdict, result.finding) == (Verdict.BROKEN, "wedged")


def test_a_crash_of_the_check_itself_is_unknown() -> None:
    """A harness that fails says nothing about the target."""

    async def clumsy(memory: Memory) -> None:
        """Promise."""
        raise ZeroDivisionError("mine")

    result = ask(lambda sandbox: Dict(), clumsy)
    assert result.verdict is Verdict.UNKNOWN
    assert "ZeroDivisionError: mine" in result.summary


def test_a_first_opening_that_raises_is_unknown_and_a_later_one_broken() -> None:
    """A set-up problem is not the memory's; an opening that spoils the next one is."""

    def never(sandbox: Any) -> Dict:
        raise OSError("no such place")

    def once(sandbox: Any) -> Dict:
        if sandbox.opening > 1:
            raise OSError("locked")
        return Dict()

    async def reopens(memory: Memory) -> None:
        """Promise."""
        await memory.reopen()

    result = ask(never)
    assert result.verdict is Verdict.UNKNOWN
    assert "no such place" in result.summary
    result = ask(once, reopens)
    assert (result.verdict, result.finding) == (Verdict.BROKEN, "refused")


def test_a_target_that_no_other_process_can_import_is_unknown_there() -> None:
    """The reason says what to do; the other checks go on."""

    async def elsewhere(memory: Memory) -> None:
        """Promise."""
        await memory.elsewhere()

    result = ask(lambda sandbox: Dict(), elsewhere)
    assert result.verdict is Verdict.UNKNOWN
    assert "move it to the top of a module" in result.summary


def test_a_missing_package_stops_the_run() -> None:
    """No check can be asked, and the user is told what to install."""

    def lacking(sandbox: Any) -> Dict:
        raise MissingExtraError.of("mem0", "mem0")

    with pytest.raises(MissingExtraError, match=r"pip install 'goldfish\[mem0\]'"):
        ask(lacking)


def test_what_the_store_lacks_is_unsupported() -> None:
    """Methods and their parameters are looked for one by one."""
    result = ask(lambda sandbox: Dict(), remembers, method("trim", "keep_last"))
    assert (result.verdict, result.summary) == (Verdict.UNSUPPORTED, "the store has no trim")
    result = ask(lambda sandbox: Dict(), remembers, method("get_history", "last"))
    assert (result.verdict, result.summary) == (
        Verdict.UNSUPPORTED,
        "its get_history takes no last",
    )


def test_what_was_never_claimed_is_not_asked() -> None:
    """By the decorator, or by an attribute of the store; other meanings of a name are ignored."""

    class Modest(Dict):
        claims = "one opening"

    class Unlucky(Dict):
        claims = ("a tuple of something else",)
        threads: dict[str, str] = {}  # noqa: RUF012 - a stranger's attribute
        carries = 5

    assert ask(lambda sandbox: Modest(), remembers, Reopening).verdict is Verdict.UNSUPPORTED
    assert ask(lambda sandbox: Unlucky(), remembers, Reopening).verdict is Verdict.HELD
    declared = goldfish.target(claims="one opening")(lambda sandbox: Dict())
    check = Check("LIV01", remembers, (Reopening,), "standard")
    (result,) = run(declared, [check], PLAN).results
    assert result.summary == "not claimed: one opening only"


def test_a_promise_that_is_declined_is_not_asked() -> None:
    """By the decorator, or by an attribute of the store, with the reason; the others are asked."""

    class Modest(Dict):
        declines = {"LIV01": "it says so in its documentation"}  # noqa: RUF012 - as adapters do

    class Unlucky(Dict):
        declines = True

    def asked(target: goldfish.Target) -> list[tuple[str, str]]:
        checks = [Check(code, remembers, (), "standard") for code in ("LIV01", "LIV02")]
        return [(each.verdict.value, each.summary) for each in run(target, checks, PLAN).results]

    not_asked = ("unsupported", "not claimed: it says so in its documentation")
    held = ("held", "")
    assert asked(goldfish.target(lambda sandbox: Modest())) == [not_asked, held]
    assert asked(goldfish.target(lambda sandbox: Unlucky())) == [held, held]
    declared = goldfish.target(declines=Modest.declines)(lambda sandbox: Dict())
    assert asked(declared) == [not_asked, held]


def test_events_tell_what_is_being_asked() -> None:
    """Each check is announced and then reported, in that order."""
    events: list[object] = []
    checks = [Check(f"LIV0{number}", remembers, (), "standard") for number in (1, 2, 3)]
    run(goldfish.target(lambda sandbox: Dict()), checks, PLAN, events.append)
    assert [type(event) for event in events].count(Started) == 3
    assert [type(event) for event in events].count(Finished) == 3


def test_when_the_time_is_up_the_rest_is_skipped() -> None:
    """Nothing that was not asked is called held."""

    async def dawdles(memory: Memory) -> None:
        """Promise."""
        await asyncio.sleep(0.2)

    checks = [Check(f"LIV0{number}", dawdles, (), "standard") for number in (1, 2, 3)]
    plan = Plan(workers=1, max_time=0.1)
    report = run(goldfish.target(lambda sandbox: Dict()), checks, plan)
    assert [result.verdict for result in report.results][1:] == [Verdict.SKIPPED] * 2


def test_when_the_time_is_up_a_running_check_is_cut_off() -> None:
    """Half of a check tells nothing, so it is not asked, neither held nor unknown."""

    async def never_ends(memory: Memory) -> None:
        await asyncio.Event().wait()

    result = ask(lambda sandbox: Dict(), never_ends, plan=Plan(max_time=0.2))
    assert (result.verdict, result.summary) == (Verdict.SKIPPED, "the time was up")


def test_codes_are_unique_and_of_a_known_family() -> None:
    """The catalogue loads, sorted by family and number."""
    codes = list(catalogue())
    assert len(codes) == len(set(codes))
    assert "DUR02" in codes


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (UnprovenError("nothing was read back"), Verdict.UNKNOWN),
        (UnsupportedError(Reason.stated("it writes no files")), Verdict.UNSUPPORTED),
        (NotPossibleError("permissions do not bind root"), Verdict.UNSUPPORTED),
    ],
)
def test_what_could_not_be_shown_is_neither_held_nor_broken(
    error: Exception, verdict: Verdict
) -> None:
    """The reason is told as it is."""

    async def cannot(memory: Memory) -> None:
        raise error

    result = ask(lambda sandbox: Dict(), cannot)
    assert (result.verdict, result.summary) == (verdict, str(error))


def test_a_soak_goes_on_with_more_effort_until_the_time_is_up() -> None:
    """Each pass tries twice as hard as the one before, and the counts of all are added up."""
    efforts: list[float] = []

    async def counted(memory: Memory) -> None:
        efforts.append(memory.effort)
        memory.record.add(History(), acknowledged=10, lost=1)
        await asyncio.sleep(0.01)

    result = ask(lambda sandbox: Dict(), counted, plan=Plan(grow=True, max_time=0.3))
    assert efforts[:3] == [1, 2, 4]
    assert (result.acknowledged, result.lost) == (10 * len(efforts), len(efforts))
    assert result.verdict is Verdict.HELD


def test_a_soak_ends_with_what_it_found() -> None:
    """More effort could only bury it."""
    calls: list[int] = []

    async def breaks_later(memory: Memory) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise goldfish.Violation("lost: the third time")

    result = ask(lambda sandbox: Dict(), breaks_later, plan=Plan(grow=True, max_time=60))
    assert (len(calls), result.verdict, result.finding) == (3, Verdict.BROKEN, "lost")


def test_what_is_handed_in_gives_a_call_more_time() -> None:
    """A store that writes thousands of messages one by one is slow, and not wedged."""
    few = [ChatMessage(role="user", content="hello")]
    assert more_patience(["session"]) == 0
    assert more_patience(["session", few]) < 0.1
    assert more_patience(["session", few * 2000]) > 30
    assert more_patience(["session", [ChatMessage(role="user", content="x" * 10**7)]]) > 5


def test_a_late_check_that_there_is_no_time_to_try_again_is_unknown() -> None:
    """It is not told as one that was never asked."""

    async def comes_late(memory: Memory) -> None:
        if is_second_try.get():
            await asyncio.sleep(60)  # past the time that there is
        raise LateError("wedged: add_messages did not return")

    result = ask(lambda sandbox: Dict(), comes_late, plan=Plan(max_time=1.5))
    assert (result.verdict, result.reason and result.reason.why) == (
        Verdict.UNKNOWN,
        Why.MACHINE_LATE,
    )

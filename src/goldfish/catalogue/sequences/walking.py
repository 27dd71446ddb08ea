"""Walks a memory through a sequence of calls, the model beside it, until they differ."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from goldfish.catalogue.sequences.agreement import Agreement, show_expected, show_got
from goldfish.catalogue.sequences.powers import Powers
from goldfish.catalogue.sequences.steps import HERE, THERE, Step, Variable
from goldfish.catalogue.support.facts import find_id, unwrap_fact
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import MISSING, Client, Memory, field, identity
from goldfish.history import Call
from goldfish.model.answers import FactSeen
from goldfish.model.small_print import Model


@dataclass(frozen=True)
class Difference:
    """The call whose answer differs: the steps up to it, what was due, and what came."""

    steps: tuple[Step, ...]
    violation: Violation
    expected: str
    got: str
    calls: tuple[Call, ...]

    @property
    def mark(self) -> tuple[str, str]:
        """The kind of the finding, and the method that shows it."""
        return self.violation.finding, self.steps[-1].method


class Place:
    """The openings of one storage that a sequence goes through."""

    def __init__(self, memory: Memory, options: dict[str, Any] | None = None) -> None:
        self.memory = memory
        self._options = options or {}
        self._here: Client | None = None
        self._there: Client | None = None

    async def client(self, who: str = HERE) -> Client:
        """Return an opening, which is made if there is none."""
        if who == THERE:
            self._there = self._there or await self.memory.elsewhere(**self._options)
            return self._there
        if self._here is None:
            opened = self.memory.open(**self._options) if self._options else self.memory.first()
            self._here = await opened
        return self._here

    async def reopen(self) -> None:
        """Close all openings, and open the storage once more."""
        self._here = await self.memory.reopen(**self._options)
        self._there = None


class Walk:
    """One sequence on one storage."""

    def __init__(self, place: Place, powers: Powers) -> None:
        self._place = place
        self._powers = powers
        self._model = Model(powers.traits)
        self._agreement = Agreement(place.memory, powers, self._model)
        self._taken: list[Step] = []
        self._made: dict[str, tuple[Any, Any]] = {}  # by variable the model's id and the memory's
        self._removed: list[Any] = []  # snapshots, by the memory's ids
        self._calls = place.memory.record.history.calls
        self._first = len(self._calls)

    async def take(self, steps: Sequence[Step]) -> Difference | None:
        """Take the steps that make sense; return the first difference, or None."""
        for step in steps:
            if difference := await self._take(step):
                return difference
        return None

    async def _take(self, step: Step) -> Difference | None:
        if step.method == "reopen":
            self._taken.append(step)
            try:
                await self._place.reopen()
            except StoreError as error:
                return self._differ(Violation(f"refused: {error}"), "an opening", str(error))
            return None
        if step.method == "wait":
            self._taken.append(step)
            await asyncio.sleep(step.arguments[0])
            return None
        known = self._foretell(step)
        if known is None:
            return None
        self._taken.append(step)
        self._agreement.note(step)
        return await self._call(step, *known)

    def _foretell(self, step: Step) -> tuple[Any] | None:
        """Return what the model answers; None if the step makes no sense here."""
        if any(
            isinstance(each, Variable) and each.name not in self._made for each in step.arguments
        ):
            return None
        arguments = [
            self._made[each.name][0] if isinstance(each, Variable) else each
            for each in step.arguments
        ]
        if step.method == "search_history":
            return (None,)
        if step.method == "delete_messages":
            there = {each.id for each in self._model.get_history(arguments[0])}
            if not there.issuperset(arguments[1]):
                return None
        try:
            return (getattr(self._model, step.method)(*arguments, **step.options),)
        except Exception:  # the model refuses it: what a memory does then is not asked here
            return None

    async def _call(self, step: Step, expected: Any) -> Difference | None:
        client = await self._place.client(step.who)
        arguments = [
            self._made[each.name][1] if isinstance(each, Variable) else each
            for each in step.arguments
        ]
        got: Any = None
        try:
            got = await client.call(step.method, *arguments, **step.options)
            await self._learn_ids(client, step, expected, got)
            if step.method == "list_snapshots":
                self._compare_snapshots(step, got)
            else:
                self._agreement.compare(step, expected, got)
        except StoreError as error:
            violation = Violation(f"refused: {error}", session=step.owner or None)
            violation.__cause__ = error
            return self._differ(violation, "an answer", str(error))
        except Violation as violation:
            if violation.finding == "wedged":
                raise
            return self._differ(violation, show_expected(expected), show_got(got))
        if step.method == "delete_snapshot":
            self._removed.append(arguments[1])
        return None

    async def _learn_ids(self, client: Client, step: Step, expected: Any, got: Any) -> None:
        """Bind the variable of a step to the ids of both sides."""
        if step.method == "save_snapshot":
            name = identity(got)
            if name is None:
                raise Violation("wrong: save_snapshot returned None, not the id of a snapshot")
            self._made[step.makes] = expected, name
        elif step.method == "remember":
            assert isinstance(expected, FactSeen)
            name = field(unwrap_fact(got), "id") if got is not None else MISSING
            if name in (MISSING, None) and {"revise", "forget", "get_fact"} & self._powers.can:
                name = await find_id(client, step.arguments[0], expected.text)
            self._made[step.makes] = expected.id, name

    def _compare_snapshots(self, step: Step, got: Any) -> None:
        real = dict(self._made.values())
        names = [real[each.id] for each in self._model.list_snapshots(step.owner)]
        self._agreement.compare_snapshots(names, self._removed, got)

    def _differ(self, violation: Violation, expected: str, got: str) -> Difference:
        calls = tuple(self._calls[self._first :])
        return Difference(tuple(self._taken), violation, expected, got, calls)

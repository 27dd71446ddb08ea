"""Walking a storage and the model side by side, until they differ."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from goldfish import ChatMessage, Fact, Found, Recollection, Snapshot
from goldfish.model.answers import WHOLE, FactSeen, Left, Made, Moment, Ranked, SnapshotSeen
from goldfish.model.small_print import Model
from goldfish.stores.trimming import Limits, messages_to_remove
from tests.stores.model.places import Call, Place
from tests.stores.model.steps import NOON, UNKNOWN, Newest, Owner, Step, Walk, count_characters

BRIEF, PATIENCE = 0.002, 0.005  # a deadline in seconds, and how long to wait for it
SLACK = 600.0  # seconds by which a deadline may be nearer than when it was set

PROBES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("list_facts", (), {"limit": 1, "offset": 1, "filter": {"n": {"$exists": True}}}),
    ("recall", ("tea",), {"limit": WHOLE}),
]


class Difference(AssertionError):  # noqa: N818 - a finding, not a failure
    """A store answers something else than the model."""


@dataclass
class Bindings:
    """Which ids and times of the store are those of the model."""

    real: dict[Made | Moment, Any] = field(default_factory=dict)
    taken: dict[Any, Made | Moment] = field(default_factory=dict)

    def bind(self, made: Made | Moment, got: Any) -> bool:
        """Whether this is what it was before; at first it is what the store says, but new."""
        if made not in self.real:
            if isinstance(made, Made) and got in self.taken:
                return False
            self.real[made] = got
            self.taken[got] = made
        return bool(self.real[made] == got)


class Side:
    """One walk on one storage, with the model beside it."""

    def __init__(self, place: Place, walk: Walk) -> None:
        self._place = place
        self._walk = walk
        self._model = Model(policy=lambda history, o: messages_to_remove(history, Limits(**o)))
        self._bindings = Bindings()
        self._script: list[str] = []
        self._variables: dict[Made, str] = {}

    async def go(self) -> None:
        """Take every step, then look at all there is.

        One opening tells it all, for all read the same storage; the others tell what each of them
        keeps in memory, too.
        """
        await self.take_steps()
        *others, who = self._place.openings
        for other in others:
            await self._check(other, self._in_memory(other))
        await self._look(who)

    async def take_steps(self) -> None:
        """Take every step."""
        for step in self._walk.steps:
            await self._take(step)

    async def _take(self, step: Step) -> None:
        if step.name == "look":
            await self._look(step.who)
        elif step.name == "reopen":
            self._script.append(f"await reopen({step.who})")
            await self._place.reopen(step.who)
        elif step.name == "expire":
            call = Step(step.who, "set_ttl", (*step.arguments, BRIEF))
            await self._do(call, lambda: self._model.expire(*step.arguments), wait=True)
        elif step.name == "remember_briefly":
            call = Step(step.who, "remember", step.arguments, {**step.options, "ttl": BRIEF})
            model = self._model
            await self._do(
                call, lambda: model.remember_briefly(*step.arguments, **step.options), wait=True
            )
        else:
            await self._do(step)
            await self._compare_openings(step)

    async def _do(self, step: Step, foretell: Any = None, *, wait: bool = False) -> None:
        resolved = Step(step.who, step.name, self._resolved(step.arguments), step.options)
        expected = self._expected(resolved, foretell)
        (got,) = await self._place.ask(step.who, [self._call(resolved)])
        self._note(resolved, expected)
        self._compare(expected, got)
        if wait:
            await asyncio.sleep(PATIENCE)
            self._script.append(f"await asyncio.sleep({PATIENCE})")

    async def _look(self, who: str) -> None:
        """Everything that can be read is what the model has."""
        await self._check(who, [*self._stored(who), *self._in_memory(who)])

    def _stored(self, who: str) -> list[Step]:
        """What is read from the storage whenever it is asked for."""
        steps = [Step(who, "list_sessions")]
        for name in self._walk.names:
            for reading in ("get_history", "get_ttl", "get_state", "list_snapshots"):
                steps.append(Step(who, reading, (name,)))
            steps.append(Step(who, "get_history", (name,), {"last": 1}))
            steps.append(Step(who, "get_state", (name,), {"user_id": name}))
            for fact in self._model.facts_of(name):
                steps.append(Step(who, "fact_history", (name, fact)))
        return steps

    def _in_memory(self, who: str) -> list[Step]:
        """What a store has an index of, which it must bring up to date."""
        steps = []
        for name in self._walk.names:
            steps.append(Step(who, "list_facts", (name,)))
            steps += [Step(who, reading, (name, *rest), how) for reading, rest, how in PROBES]
        if self._place.openings[who].search:
            names = list(self._walk.names)
            steps.append(Step(who, "search_history", (names, "tuna"), {"limit": WHOLE}))
        return steps

    async def _check(self, who: str, steps: list[Step]) -> None:
        answers = await self._place.ask(who, [self._call(step) for step in steps])
        for step, got in zip(steps, answers, strict=True):
            self._note(step, None)
            self._compare(self._expected(step), got)
            self._script.pop()

    async def _compare_openings(self, step: Step) -> None:
        """A page of what is ranked is cut from the same whole, whoever is asked."""
        if step.name not in ("recall", "search_history"):
            return
        cut = {"limit": WHOLE, "offset": 0} if step.name == "recall" else {"limit": WHOLE}
        options = {**step.options, **cut}
        (page,) = await self._place.ask(step.who, [self._call(step)])
        if isinstance(page, Exception):
            return
        first, count = step.options.get("offset", 0), step.options["limit"]
        for who, opening in self._place.openings.items():
            if step.name == "recall" or opening.search:
                whole = Step(who, step.name, step.arguments, options)
                (answer,) = await self._place.ask(who, [self._call(whole)])
                self._note(whole, None)
                expected = list(map(_key, page))
                got = [] if isinstance(answer, Exception) else list(map(_key, answer))
                if got[first : first + count] != expected:
                    raise self._difference(f"{expected} from {first} on", answer)
                self._script.pop()

    def _expected(self, step: Step, foretell: Any = None) -> Any:
        self._model.opening = self._place.openings[step.who]
        foretold = foretell or getattr(self._model, step.name)
        try:
            if foretell:
                return foretell()
            return foretold(*step.arguments, **step.options)
        except Exception as error:
            return error

    def _resolved(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments with ids that were answered, and whose they are."""
        owner = self._walk.names[0]
        resolved = list(arguments)
        for place, value in enumerate(arguments):
            if isinstance(value, Newest):
                made = self._model.made[value.kind]
                resolved[place] = list(made)[-1 - value.back % len(made)] if made else UNKNOWN
                owner = made.get(resolved[place], owner)
        return tuple(owner if isinstance(value, Owner) else value for value in resolved)

    def _call(self, step: Step) -> Call:
        arguments = tuple(
            self._bindings.real[value] if isinstance(value, Made) else value
            for value in step.arguments
        )
        return step.name, arguments, dict(step.options)

    def _compare(self, expected: Any, got: Any) -> None:
        if not agrees(expected, got, self._bindings):
            raise self._difference(expected, got)

    def _difference(self, expected: Any, got: Any) -> Difference:
        openings = [
            f"{who} = opened({', '.join(f'{k}={v!r}' for k, v in opening.options.items())})"
            for who, opening in self._place.openings.items()
            if any(who in line for line in self._script)
        ]
        script = "\n".join(f"    {line}" for line in [*openings, *self._script])
        return Difference(
            f"the last call is answered otherwise than by the model\n\n{script}\n\n"
            f"    expected: {shown(expected)}\n    got:      {shown(got)}\n"
        )

    def _note(self, step: Step, expected: Any) -> None:
        """Write the call down as it can be pasted into a test."""
        made = expected.id if isinstance(expected, FactSeen) else expected
        variable = ""
        if isinstance(made, Made):
            kind = "fact" if isinstance(expected, FactSeen) else "snapshot"
            name = f"{kind}_{len(self._variables)}"
            name = self._variables.setdefault(made, name)
            variable = f"{name} = "
        arguments = [self._argument(value) for value in step.arguments]
        arguments += [f"{key}={self._argument(value)}" for key, value in step.options.items()]
        call = f"await {step.who}.{step.name}({', '.join(arguments)})"
        self._script.append(variable + call)

    def _argument(self, value: Any) -> str:
        if isinstance(value, Made):
            suffix = ".id" if value.name.startswith("fact") else ""
            return self._variables[value] + suffix
        return shown(value)


class Trail:
    """Walks on one storage, one after the other, which is emptied in between.

    That is quicker than a new storage for each, and a storage that was emptied is as good as new.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._before: Walk | None = None
        self._astray = False

    async def follow(self, walk: Walk) -> None:
        """Take one more walk; what is different here is different in a new storage, too."""
        if self._astray or not self._place.reopens:
            await self._differ(walk)
            return
        seen = await self._step_out(walk)
        if seen is not None:
            self._astray = True
            await self._differ(walk)
            raise await self._smallest(seen, walk)

    async def _step_out(self, walk: Walk) -> Difference | None:
        """Walk where others have walked before."""
        try:
            await Side(self._place, walk).go()
            await Side(self._place, walk.emptying()).take_steps()
        except Difference as difference:
            return difference
        self._before = walk
        return None

    async def _differ(self, walk: Walk) -> None:
        """Raise the Difference that the walk meets in a new storage, if it meets one."""
        await self._place.renew()
        await Side(self._place, walk).go()

    async def _smallest(self, seen: Difference, walk: Walk) -> Difference:
        """What differs only after another walk, with as few steps of both as possible."""
        whole = walk if self._before is None else self._before.then(walk)
        found = Difference(f"a storage that was emptied is not as a new one: {seen}")
        for number in reversed(range(-1, len(whole.steps))):
            shorter = whole.without(number)
            try:
                await self._differ(shorter)
            except Difference as difference:
                whole, found = shorter, difference
        return found


def agrees(expected: Any, got: Any, bindings: Bindings) -> bool:
    """Whether an answer is the one that the model foretells."""
    if isinstance(expected, Exception):
        return isinstance(got, type(expected))
    if isinstance(expected, Made | Moment):
        kind = str if isinstance(expected, Made) else datetime
        return isinstance(got, kind) and bindings.bind(expected, got)
    if isinstance(expected, Left):
        return isinstance(got, float) and 0 <= expected.seconds - got < SLACK
    if isinstance(expected, Ranked):
        return isinstance(got, list) and _is_ranking(expected, got, bindings)
    if isinstance(expected, FactSeen):
        return isinstance(got, Fact) and _is_fact(expected, got, bindings)
    if isinstance(expected, SnapshotSeen):
        return isinstance(got, Snapshot) and all(
            agrees(value, getattr(got, name), bindings) for name, value in vars(expected).items()
        )
    if isinstance(expected, list):
        return (
            isinstance(got, list)
            and len(got) == len(expected)
            and all(
                agrees(each, other, bindings) for each, other in zip(expected, got, strict=True)
            )
        )
    return is_same(expected, got)


def is_same(expected: Any, got: Any) -> bool:
    """Equality that tells 1 from 1.0 and True; dicts may have another order."""
    if type(expected) is not type(got):
        return False
    if isinstance(expected, ChatMessage):
        return (
            bool(expected == got)
            and repr(expected.created_at) == repr(got.created_at)
            and (
                repr((expected.tool_calls, expected.metadata))
                == repr((got.tool_calls, got.metadata))
            )
        )
    if isinstance(expected, dict):
        return expected.keys() == got.keys() and all(is_same(expected[k], got[k]) for k in got)
    if isinstance(expected, list):
        return len(expected) == len(got) and all(map(is_same, expected, got))
    return repr(expected) == repr(got)


def _is_fact(expected: FactSeen, got: Fact, bindings: Bindings) -> bool:
    made_of = bindings.taken
    near = {made_of.get(other) for other in got.near}
    return (
        all(
            agrees(getattr(expected, name), getattr(got, name), bindings)
            for name in ("id", "user_id", "text", "created_at", "updated_at", "times_seen")
        )
        and is_same(dict(expected.metadata), got.metadata)
        and len(near) == len(got.near)
        and near <= expected.may_be_near
    )


def _is_ranking(expected: Ranked, got: list[Any], bindings: Bindings) -> bool:
    may = {_model_key(each, bindings): each for each in expected.may}
    must = {_model_key(each, bindings) for each in expected.must}
    keys = [_key(each) for each in got]
    if len(set(keys)) < len(keys) or len(keys) > expected.limit or not set(keys) <= may.keys():
        return False
    if len(keys) < expected.limit and not must <= set(keys):
        return False
    return all(_is_hit(may[key], hit, bindings) for key, hit in zip(keys, got, strict=True))


def _is_hit(expected: Any, hit: Recollection | Found, bindings: Bindings) -> bool:
    if isinstance(hit, Recollection):
        return agrees(expected, hit.fact, bindings)
    return is_same(expected[1], hit.message)


def _key(hit: Recollection | Found) -> Any:
    """What is found, by its ids."""
    if isinstance(hit, Recollection):
        return hit.fact.id
    return hit.session_id, hit.message.id


def _model_key(expected: Any, bindings: Bindings) -> Any:
    if isinstance(expected, FactSeen):
        return bindings.real[expected.id]
    session_id, message = expected
    return session_id, message.id


def shown(value: Any) -> str:
    """The value as it is written in Python, without what goes without saying."""
    if isinstance(value, ChatMessage):
        fields = {name: getattr(value, name) for name in sorted(value.model_fields_set)}
        told = {k: v for k, v in fields.items() if v not in (None, [], {}) and v is not NOON}
        return f"ChatMessage({', '.join(f'{k}={shown(v)}' for k, v in told.items())})"
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{shown(k)}: {shown(v)}' for k, v in value.items())}}}"
    if value is count_characters:
        return "lambda message: len(message.content)"
    if isinstance(value, str) and len(value) > 500:
        unit = value[: (value * 2).index(value, 1)]  # of what the text is a repetition
        return f"{unit!r} * {len(value) // len(unit)}"
    return repr(value)

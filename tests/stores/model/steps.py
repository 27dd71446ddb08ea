"""Random sequences of calls for the model: which there are, with what, and how they are shown.

Names are few, so that calls meet, and hostile, so that they must not. Every step is a plain value:
a sequence that shows a difference is made smaller by leaving out steps and simplifying values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from goldfish import ChatMessage

LENGTH = 30  # steps at most
HOUR = 3600.0
CENTURY = 100 * 366 * 86_400.0
PAIR = "\ud83d\udc20"  # two code points that are not the one character of the pair
UNKNOWN = "unknown"

IDS = [
    *("s", "t", "", "s:", "S", "s*", "s\0", "s\0b", "[s]", "{s}", "%s", "s%", "s_", "\\"),
    *("é", "e\u0301", "\ud800", "\udc20", PAIR, "🐠", "\n", "'; DROP TABLE goldfish_sessions; --"),
    *("goldfish", "goldfish:layout", "s" * 3000, "s" * 2999),
]
MESSAGE_IDS = [*["a", "b", "c"] * 3, "", "a\0", "🐠", PAIR, "\ud83d", "d" * 3000]
KEYS = [None, None, None, "k", "", "\ud800", PAIR]
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "tuna"},
    {"role": "assistant", "content": "the tuna swims"},
    {"role": "system", "content": "be kind to every tuna"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "f", "n": 1.0}]},
    {"role": "tool", "content": "one tuna", "tool_call_id": "c1"},
    {"role": "user", "content": [{"type": "text", "text": "NUL \0, \ud800, a tuna"}]},
    {"role": "user", "content": f"{PAIR} or 🐠", "metadata": {PAIR: [PAIR, "🐠"]}},
    {"role": "user", "content": "", "name": "Ann \0", "metadata": {"n": [1, 1.0, True, -0.0]}},
    {
        "role": "\ud800",
        "content": "late",
        "created_at": datetime(2026, 10, 25, 2, 30, 0, 1, ZoneInfo("Europe/Berlin"), fold=1),
        "metadata": {"big": 2**200, "deep": {"a": [{"b": None}]}},
    },
]
UNKEEPABLE: dict[str, Any] = {"role": "user", "content": "tuna", "metadata": {"t": (1, 2)}}
STATES: list[dict[Any, Any]] = [
    {"a": 1},
    {"a": {"b": [True, 1, 1.0]}, "b": None},
    {"": "", "\0": "\0"},
    {"a": 2},
    {PAIR: PAIR, "🐠": "🐠", "\ud800": ["\ud800"]},
    {"big": 2**200, "x" * 3000: {}},
    {},
    {"a": 2, "t": (1, 2)},
    {"a": 2, 3: 4},
]
TEXTS = [
    *["likes tea", "Likes\n TEA.", "likes green tea", "lives in Bonn"] * 2,
    "ﬁsh is tea",  # a ligature: NFKC makes it two letters
    "FISH is tea",
    "tea\0",
    "\ud800 tea",
    f"{PAIR} tea",
    "🐠 tea",
    "likes tea..",
    "tea " * 200,
    " \n",
]
METADATA: list[dict[str, Any] | None] = [
    None,
    {"n": 1},
    {"n": 1.5, "who": "Ann"},
    {"n": True},
    {"n": "1"},
    {"n": None},
    {"n": [1, {"a": PAIR}]},
    {"when": "2026-01-01T00:00:00+02:00"},
    {"when": "9999-12-31T23:59:59-05:00"},
    {"when": "soon", "n": -(2**70)},
    {"t": (1, 2)},
]
FILTERS: list[dict[str, Any] | None] = [
    None,
    {"n": 1},
    {"n": 1.0},
    {"n": True},
    {"n": {"$gt": 0}},
    {"n": {"$ne": 1}},
    {"n": {"$exists": False}},
    {"n": {"$gte": 1, "$lt": 1.5}},
    {"when": {"$lt": datetime(2026, 1, 1, tzinfo=UTC)}},
    {"n": None, "when": {"$exists": False}},
]


@dataclass(frozen=True)
class Name:
    """The nth name of the sequence, for a session or a user."""

    number: int


@dataclass(frozen=True)
class Newest:
    """An id that a store has answered: that of the newest snapshot or fact, or one before it."""

    kind: str
    back: int


@dataclass(frozen=True)
class Owner:
    """The session or user that the id beside it belongs to."""


@dataclass(frozen=True)
class Step:
    """One call of one of the stores that are open on a storage."""

    who: str
    name: str
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Walk:
    """The names of sessions and users, and the steps in which they occur."""

    names: tuple[str, ...]
    steps: tuple[Step, ...]

    def __repr__(self) -> str:
        return f"<a walk of {len(self.steps)} steps>"

    def emptying(self) -> "Walk":
        """The walk that removes all that this one can have left behind."""
        everybody = [Step("here", "forget_all", (name,)) for name in self.names]
        return Walk(self.names, (Step("here", "clear_all"), *everybody))

    def then(self, walk: "Walk") -> "Walk":
        """This walk, what removes all of it, and the other one."""
        names = dict.fromkeys([*self.names, *walk.names])
        return Walk(tuple(names), (*self.steps, *self.emptying().steps, *walk.steps))

    def without(self, number: int) -> "Walk":
        """This walk without one of its steps; all of it without the one before the first."""
        return Walk(self.names, tuple(s for n, s in enumerate(self.steps) if n != number))


def count_characters(message: ChatMessage) -> int:
    """Count a message for a trim to a budget."""
    return len(message.content)


def walks(openings: Sequence[str], *, reopens: bool) -> SearchStrategy[Walk]:
    """Any calls in any order, each by one of these openings."""
    # Nothing is a step, too: so a walk gets shorter by making steps simpler.
    choices = [st.none(), *_calls(st.sampled_from(openings), reopens)]
    choice = st.integers(0, len(choices) - 1)  # one_of() has no weights
    names = st.lists(st.sampled_from(IDS), min_size=3, max_size=3, unique=True)

    @st.composite
    def walk(draw: st.DrawFn) -> Walk:
        return _walk(draw(names), [draw(choices[draw(choice)]) for _ in range(LENGTH)])

    return walk()


def _walk(names: list[str], steps: list[Step | None]) -> Walk:
    def put(value: Any) -> Any:
        if isinstance(value, Name):
            return names[value.number]
        return [put(each) for each in value] if isinstance(value, list) else value

    named = [
        Step(
            step.who,
            step.name,
            tuple(map(put, step.arguments)),
            {key: put(value) for key, value in step.options.items() if value is not None},
        )
        for step in steps
        if step is not None
    ]
    return Walk(tuple(names), tuple(named))


def _calls(who: SearchStrategy[str], reopens: bool) -> list[SearchStrategy[Step]]:
    """All calls; those that sequences thrive on several times."""

    def call(name: str, *arguments: Any, **options: Any) -> SearchStrategy[Step]:
        return st.builds(
            Step, who, st.just(name), st.tuples(*arguments), st.fixed_dictionaries(options)
        )

    session = st.sampled_from([Name(0), Name(0), Name(0), Name(1), Name(1), Name(2)])
    user = st.sampled_from([Name(0), Name(0), Name(1)])
    another = st.sampled_from([Name(2), Name(2), Name(1), Name(0)])
    its_session = st.sampled_from([*[Owner()] * 7, Name(0), Name(1)])
    its_user = its_session
    snapshot = _newest("snapshot")
    fact = _newest("fact")
    key = st.sampled_from(KEYS)
    few = st.sampled_from([1, 0, 2, 3, 1000])
    any_few = st.sampled_from([*[1, 0, 2, 3, 1000] * 3, -1])
    text = st.sampled_from(TEXTS)
    wanted = st.sampled_from(FILTERS)
    flag = st.sampled_from([None, True])
    message = st.builds(
        lambda key, fields: ChatMessage(**{"created_at": NOON, **fields, "id": key}),
        st.sampled_from(MESSAGE_IDS),
        st.sampled_from([*MESSAGES * 3, UNKEEPABLE]),
    )
    state = st.sampled_from(STATES)
    add = call("add_messages", session, st.lists(message, max_size=4, unique_by=lambda m: m.id))
    save = call("save_snapshot", session, label=st.sampled_from([None, "", "\0 \ud800"]), key=key)
    rollback = call("rollback_to_snapshot", its_session, snapshot)
    fork = call("fork", its_session, snapshot, another, key=key)
    set_state = call("set_state", session, state)
    metadata = st.sampled_from(METADATA)
    remember = call("remember", user, text, metadata=metadata, key=key)
    seconds = st.sampled_from([HOUR, None, 2 * HOUR, 3 * HOUR + 0.5, CENTURY, 0, -1])
    calls = [
        *[add] * 8,
        *[call("add_messages", session, st.lists(message, min_size=1, max_size=1))] * 3,
        call("add_messages", session, st.lists(message, min_size=2, max_size=2)),
        *[call("set_ttl", session, seconds)] * 3,
        *[call("expire", session)] * 2,
        *[call("trim", session, keep_last=any_few)] * 2,
        call(
            "trim",
            session,
            keep_last=st.sampled_from([None, 1, 2, 3]),
            max_tokens=st.sampled_from([10, 0, 20, 40]),
            count=st.just(count_characters),
            keep_pairs=flag,
            keep_system=flag,
        ),
        call("trim", session, keep_last=few, keep_pairs=flag, keep_system=flag),
        *[call("delete_messages", session, st.lists(st.sampled_from(MESSAGE_IDS), max_size=3))] * 3,
        *[call("clear", session, snapshots=st.sampled_from([None, None, True]))] * 2,
        call("clear_all"),
        *[save] * 7,
        *[rollback] * 6,
        *[fork] * 5,
        call("delete_snapshot", its_session, snapshot),
        *[set_state] * 5,
        *[call("set_state", session, state, user_id=user)] * 2,
        *[remember] * 6,
        call("remember", user, text, ttl=st.sampled_from([HOUR, 0, CENTURY]), key=key),
        call("remember_briefly", user, text, key=key),
        *[call("revise", its_user, fact, text, key=key)] * 4,
        *[call("forget", its_user, fact)] * 2,
        call("forget_all", user),
        call("get_history", session, last=any_few),
        call("list_sessions", st.sampled_from(["", "s", "s\0", "s*", "\ud83d", "e", "%"])),
        call("get_fact", its_user, fact),
        call("list_facts", user, limit=any_few, offset=any_few, filter=wanted),
        call("list_facts", user, filter=wanted),
        *[call("recall", user, st.just("tea"), limit=any_few, offset=any_few, filter=wanted)] * 2,
        *[call("search_history", st.lists(session, max_size=3), st.just("tuna"), limit=any_few)]
        * 2,
        *[call("look")] * 2,
    ]
    return [*calls, call("reopen")] if reopens else calls


def _newest(kind: str) -> SearchStrategy[Any]:
    newest = [Newest(kind, back) for back in (0, 0, 0, 1, 1, 2, 3)]
    return st.sampled_from([*newest * 2, UNKNOWN])

"""The table of what a check may require: how it is said, how it is seen, and why it is missing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from goldfish.findings.reason import Reason, Why
from goldfish.targets.traits import TRAITS

if TYPE_CHECKING:
    from goldfish.targets.declaration import Target
    from goldfish.targets.methods import Interface


@dataclass(frozen=True)
class Need:
    """Something that a check requires of a target.

    ``text`` says it to people. ``in_target`` and ``in_store`` look for it in what was declared and
    in the store that was opened, and return the reason why it is missing, or None. ``excluded_by``
    are the claims that promise less than this.
    """

    text: str
    in_target: "Callable[[Target], Reason | None]" = lambda target: None
    in_store: "Callable[[Interface], Reason | None]" = lambda store: None
    excluded_by: frozenset[str] = frozenset()
    before_opening: bool = False  # the target alone shows it: nothing need be started to see it

    def find_missing(self, target: "Target", store: "Interface") -> Reason | None:
        """Return why the target does not have it, or None if it has."""
        if target.claims in self.excluded_by:
            return Reason.of(Why.NOT_CLAIMED, f"{target.claims} only")
        return self.in_target(target) or self.in_store(store)


def _declared(text: str, is_there: "Callable[[Target], bool]", reason: Reason) -> Need:
    """Return a need that the declaration of a target shows."""
    return Need(text, lambda target: None if is_there(target) else reason)


def method(name: str, *parameters: str) -> Need:
    """The store has this method, and it takes these parameters by name."""

    def find_missing(store: "Interface") -> Reason | None:
        if why := store.lacking.get(name):
            return Reason.of(Why.NOT_ASKED, why)
        if store.counts_replies(name, *parameters):
            return Reason(Why.COUNTS_REPLIES)
        if not store.has(name):
            return Reason.of(Why.LACKS_METHOD, name)
        missing = [each for each in parameters if not store.has(name, each)]
        return Reason.of(Why.LACKS_PARAMETER, name, ", ".join(missing)) if missing else None

    return Need(f"the method {name}({', '.join(parameters)})", in_store=find_missing)


def spelled(name: str, *parameters: str) -> Need:
    """The store has this method, and its signature spells these parameters out.

    A method that takes anything may ignore what only some stores know.
    """
    need = method(name, *parameters)

    def find_missing(store: "Interface") -> Reason | None:
        if reason := need.in_store(store):
            return reason
        if store.spells(name, *parameters):
            return None
        return Reason.of(Why.LACKS_PARAMETER, name, ", ".join(parameters))

    return Need(need.text, in_store=find_missing)


def carries(name: str) -> Need:
    """The store gives back this field of a message."""
    reason = Reason.of(Why.LACKS_FIELD, name)
    return _declared(f"messages that carry {name}", lambda target: name in target.carries, reason)


def trait(name: str) -> Need:
    """The memory has this trait of the table, when it is asked alone and quietly."""
    known = TRAITS[name]
    reason = Reason.of(Why.LACKS_TRAIT, known.absence.rstrip("."))
    return _declared(known.needed, lambda target: target.holds(name), reason)


def service(name: str = "") -> Need:
    """The memory is on a server; with a name, on one of this kind: redis or postgres."""

    def find_missing(target: "Target") -> Reason | None:
        if any(name in {"", each} for each in target.services):
            return None
        return Reason.of(
            Why.LACKS_SERVICE, f"a store on {name}" if name else "a server-backed store"
        )

    return Need(f"a memory on {name or 'a server'}", find_missing, before_opening=True)


def recalls(by: Literal["words", "meaning"]) -> Need:
    """The target declares that facts are found by this."""
    reason = Reason.stated("it recalls by words, not by meaning")
    return _declared(
        f"facts that are found by {by}", lambda target: by in {"words", target.recalls}, reason
    )


def filters(by: Literal["equality", "comparison"]) -> Need:
    """The target declares that facts can be chosen by this."""

    def find_missing(target: "Target") -> Reason | None:
        if by == "comparison" != target.filters:
            return Reason.of(Why.LACKS_ANSWER, "filters do not compare")
        return Reason.stated("it has no filters") if target.filters is None else None

    return Need(f"facts that are chosen by {by}", find_missing)


def power(name: str, text: str) -> Need:
    """The agent can do this, as its methods show when it is opened."""

    def find_missing(target: "Target") -> Reason | None:
        is_there = target.agent is not None and name in target.agent.powers
        return None if is_there else Reason.of(Why.LACKS_POWER, text)

    return Need(f"an agent with {text}", find_missing)


AnAgent = Need(
    "an agent",
    lambda target: None if target.agent else Reason.stated("it is a memory, not an agent"),
    before_opening=True,
)
Reopening = Need("a storage that can be opened again", excluded_by=frozenset({"one opening"}))
OtherProcess = Need(
    "a storage that another process can open",
    excluded_by=frozenset({"one opening", "one process"}),
)
Server = service()
Retries = _declared(
    "ids that make a retry a no-op",
    lambda target: target.retries,
    Reason.of(Why.LACKS_ANSWER, "ids do not make a retry a no-op"),
)
StoreTTL = _declared(
    "a factory that takes ttl",
    lambda target: target.takes_ttl,
    Reason.of(Why.LACKS_PARAMETER, "factory", "ttl"),
)
ScopedIds = _declared(
    "ids of facts that serve nobody but their user",
    lambda target: target.scoped_ids,
    Reason.stated("the id of a fact is not scoped to its user"),
)
TextIds = trait("text_ids")
Window = _declared(
    "a window of the newest messages",
    lambda target: target.window is not None,
    Reason.stated("it has no window"),
)
Summaries = _declared(
    "a summary of what left the window",
    lambda target: target.summarises,
    Reason.stated("it keeps no summary"),
)

"""What a check sets as named values, what it gets of them, and what is wrong with that."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from goldfish.catalogue.registry import method
from goldfish.catalogue.support.comparison import describe_difference
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import Client, Memory

UserState = (method("set_state", "user_id"), method("get_state", "user_id"))


class Owner(NamedTuple):
    """Whose values they are: a session's, or a user's, asked for in that session."""

    session: str
    user: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """What names the user in a call."""
        return {} if self.user is None else {"user_id": self.user}

    @property
    def whose(self) -> "Owner":
        """The same for every session of a user."""
        return self if self.user is None else Owner("", self.user)

    def __str__(self) -> str:
        return f"session {quote(self.session)}" if self.user is None else f"user {quote(self.user)}"


async def put(client: Client, owner: Owner, values: Mapping[str, Any]) -> None:
    """Set values; when this returns, they are acknowledged."""
    await client.call("set_state", owner.session, values, **owner.options)


async def offer(client: Client, owner: Owner, values: Mapping[str, Any]) -> StoreError | None:
    """Set values that the store may refuse; the refusal, or None if they were acknowledged."""
    try:
        await put(client, owner, values)
    except StoreError as error:
        return error
    return None


async def fetch(client: Client, owner: Owner) -> dict[str, Any]:
    """The values as the store hands them out."""
    found = await client.call("get_state", owner.session, **owner.options)
    if not isinstance(found, Mapping):
        raise Violation(f"wrong: get_state returned {type(found).__name__}, not values by name")
    return dict(found)


class ExpectedState:
    """What was set for whom, and the judgement of what the store has of it."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.values: dict[Owner, dict[str, Any]] = {}
        self.past: dict[Owner, list[tuple[str, Any]]] = {}
        self.owners: dict[Owner, Owner] = {}  # how each was first asked for

    async def put(
        self, owner: Owner, values: Mapping[str, Any], *, client: Client | None = None
    ) -> None:
        """Set values, and note that they were acknowledged."""
        await put(client or self.memory.client, owner, values)
        self.note(owner, values)

    def note(self, owner: Owner, values: Mapping[str, Any]) -> None:
        """Values were set and acknowledged."""
        self.owners.setdefault(owner.whose, owner)
        own = self.values.setdefault(owner.whose, {})
        over = [(name, own[name]) for name in values if name in own]
        self.past.setdefault(owner.whose, []).extend(over)
        own.update(values)

    def restore(self, owner: Owner, values: Mapping[str, Any]) -> None:
        """The values are to be these again, and whatever else there was is past."""
        own = self.values.get(owner.whose, {})
        self.past.setdefault(owner.whose, []).extend(own.items())
        self.values[owner.whose] = dict(values)

    def forget(self, owner: Owner) -> None:
        """Nothing is asked about these values any more."""
        del self.values[owner.whose], self.owners[owner.whose]

    async def expect(self, *owners: Owner, client: Client | None = None) -> None:
        """Raise what is wrong with the values of these, or of all."""
        for owner in owners or list(self.owners.values()):
            self.compare(owner, await fetch(client or self.memory.client, owner))

    def compare(self, owner: Owner, found: Mapping[str, Any]) -> None:
        """Raise what is wrong with these values of one owner."""
        expected = self.values.get(owner.whose, {})
        evidence = (f"set {quote(expected, 300)}", f"found {quote(dict(found), 300)}")
        strange = {
            name: value
            for name, value in found.items()
            if name not in expected or describe_difference(expected[name], value, "")
        }
        self._blame(owner, strange, *evidence)
        missing = [name for name in expected if name not in found]
        if missing:
            many = f"{len(missing)} of {len(expected)} names are missing"
            raise Violation(f"lost: {owner} has no {quote(missing[0])}: {many}", *evidence)
        for name, value in strange.items():
            if name not in expected:
                raise Violation(f"phantom: {owner} has {quote(name)}, which nobody set", *evidence)
            changed = describe_difference(expected[name], value, f"[{quote(name, 40)}]")
            raise Violation(f"corrupted: of {owner}, {changed}", *evidence)

    def _blame(self, owner: Owner, strange: Mapping[str, Any], *evidence: str) -> None:
        """Raise if one of these values is another's, or was replaced."""
        for name, value in strange.items():
            for other, theirs in self.values.items():
                if other != owner.whose and name in theirs and _same(theirs[name], value):
                    raise Violation(
                        f"leaked: {owner} was given {quote(name)} = {quote(value)}, "
                        f"which was set for {other}",
                        *evidence,
                    )
            past = self.past.get(owner.whose, [])
            if any(name == old and _same(was, value) for old, was in past):
                raise Violation(
                    f"stale: {owner} still has {quote(name)} = {quote(value)}", *evidence
                )


def _same(one: Any, other: Any) -> bool:
    return describe_difference(one, other, "") is None

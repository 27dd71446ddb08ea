"""Named values as checks set, get and compare them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from goldfish.catalogue.registry import method
from goldfish.catalogue.support.comparison import describe_difference
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory

UserState = (method("set_state", "user_id"), method("get_state", "user_id"))


class Owner(NamedTuple):
    """The owner of values: a session, or a user who is asked for in that session."""

    session: str
    user: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that name the user in a call."""
        return {} if self.user is None else {"user_id": self.user}

    @property
    def key(self) -> "Owner":
        """The same owner for every session of a user."""
        return self if self.user is None else Owner("", self.user)

    @property
    def name(self) -> str:
        """The id of whose values they are."""
        return self.session if self.user is None else self.user

    def __str__(self) -> str:
        return f"session {quote(self.session)}" if self.user is None else f"user {quote(self.user)}"


def has_user_state(client: Client) -> bool:
    """Return True if the store keeps values of users."""
    return all(client.has(name, "user_id") for name in ("set_state", "get_state"))


async def put(client: Client, owner: Owner, values: Mapping[str, Any]) -> None:
    """Set values; when this returns, they are acknowledged."""
    await client.call("set_state", owner.session, values, **owner.options)


async def offer(client: Client, owner: Owner, values: Mapping[str, Any]) -> StoreError | None:
    """Set values that the store may refuse; return the refusal, or None."""
    try:
        await put(client, owner, values)
    except StoreError as error:
        return error
    return None


async def fetch(client: Client, owner: Owner) -> dict[str, Any]:
    """Return the values of an owner as the store has them."""
    found = await client.call("get_state", owner.session, **owner.options)
    if not isinstance(found, Mapping):
        raise Violation(f"wrong: get_state returned {type(found).__name__}, not values by name")
    return dict(found)


class ExpectedState:
    """The values that were acknowledged, by owner, those that they replaced, and those in doubt.

    A value is in doubt if setting it failed: it may be there or not, but once seen it has to stay.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.values: dict[Owner, dict[str, Any]] = {}
        self.past: dict[Owner, list[tuple[str, Any]]] = {}
        self.doubtful: dict[Owner, dict[str, Any]] = {}
        self.owners: dict[Owner, Owner] = {}  # the session by which each was first named

    async def put(
        self, owner: Owner, values: Mapping[str, Any], *, client: Client | None = None
    ) -> None:
        """Set values and note them."""
        self.doubtful.setdefault(owner.key, {}).update(values)
        await put(client or self.memory.client, owner, values)
        self.note(owner, values)

    def note(self, owner: Owner, values: Mapping[str, Any]) -> None:
        """Note that values were acknowledged."""
        self.owners.setdefault(owner.key, owner)
        own = self.values.setdefault(owner.key, {})
        over = [(name, own[name]) for name in values if name in own]
        self.past.setdefault(owner.key, []).extend(over)
        own.update(values)
        doubtful = self.doubtful.get(owner.key, {}).items()
        self.doubtful[owner.key] = {name: value for name, value in doubtful if name not in values}

    def restore(self, owner: Owner, values: Mapping[str, Any]) -> None:
        """Note that the owner has only these values again."""
        own = self.values.get(owner.key, {})
        self.past.setdefault(owner.key, []).extend(own.items())
        self.values[owner.key] = dict(values)

    def forget(self, owner: Owner) -> None:
        """Stop expecting anything of an owner."""
        del self.values[owner.key], self.owners[owner.key]

    async def expect(self, *owners: Owner, client: Client | None = None) -> None:
        """Raise if the store does not return exactly the values of these owners, or of all."""
        for owner in owners or list(self.owners.values()):
            self.compare(owner, await fetch(client or self.memory.client, owner))

    def compare(self, owner: Owner, found: Mapping[str, Any]) -> None:
        """Raise what is wrong with the values that were found for an owner."""
        doubtful = self.doubtful.get(owner.key, {}).items()
        self.note(owner, {n: v for n, v in doubtful if n in found and _is_same(v, found[n])})
        expected = self.values.get(owner.key, {})
        evidence = (f"set {quote(expected, 300)}", f"found {quote(dict(found), 300)}")
        strange = {
            name: value
            for name, value in found.items()
            if name not in expected or not _is_same(expected[name], value)
        }
        self._blame(owner, strange, *evidence)
        if missing := [name for name in expected if name not in found]:
            raise Violation(
                f"lost: {quote(missing[0])} was set for {owner}, but a later read does not return "
                f"it ({len(missing)} of {len(expected)} names missing)",
                *evidence,
            )
        for name, value in strange.items():
            if name not in expected:
                raise Violation(
                    f"phantom: {owner} has {quote(name)}, which was never set", *evidence
                )
            changed = describe_difference(expected[name], value, f"[{quote(name, 40)}]")
            raise Violation(f"corrupted: of {owner}, {changed}", *evidence)

    def _blame(self, owner: Owner, strange: Mapping[str, Any], *evidence: str) -> None:
        """Raise if one of these values belongs to another owner, or was replaced."""
        for name, value in strange.items():
            shown = f"{quote(name)} = {quote(value)}"
            for other, theirs in self.values.items():
                if other != owner.key and name in theirs and _is_same(theirs[name], value):
                    raise Violation(
                        f"leaked: {shown} was set for {other}, but {owner} has it", *evidence
                    )
            past = self.past.get(owner.key, [])
            if any(name == old and _is_same(was, value) for old, was in past):
                raise Violation(
                    f"stale: {shown} of {owner} was replaced, but is still returned", *evidence
                )


def _is_same(one: Any, other: Any) -> bool:
    return describe_difference(one, other, "") is None

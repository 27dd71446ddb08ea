"""Snapshots as checks save them, roll back to them and list them."""

from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, contents_of, identity


async def save(client: Client, session: str, **options: Any) -> Any:
    """Save a session and return the id of the snapshot."""
    name = identity(await client.call("save_snapshot", session, **options))
    if name is None:
        raise Violation("wrong: save_snapshot returned None, not the id of a snapshot")
    return name


async def roll_back(client: Client, session: str, name: Any) -> None:
    """Roll a session back; when this returns, it is acknowledged."""
    await client.call("rollback_to_snapshot", session, name)


async def list_snapshots(client: Client, session: str) -> list[Any]:
    """Return the ids of a session's snapshots in the order in which the store lists them."""
    return [identity(each) for each in await client.call("list_snapshots", session)]


async def expect_listed(client: Client, session: str, names: Sequence[Any]) -> None:
    """Raise unless these snapshots are listed in this order; a store may list others, too.

    Some stores return one id for two saves of the same state; it is listed once. A store without
    list_snapshots is not asked.
    """
    if not client.has("list_snapshots"):
        return
    names = [name for at, name in enumerate(names) if name not in names[:at]]
    found = await list_snapshots(client, session)
    missing = [name for name in names if name not in found]
    evidence = (f"saved {quote_list(names)}", f"listed {quote_list(found)}")
    if missing:
        raise Violation(
            f"lost: snapshot {quote(missing[0])} of session {quote(session)} was saved, but is not "
            f"listed ({len(missing)} of {len(names)} missing)",
            *evidence,
        )
    if [name for name in found if name in names] != list(names):
        raise Violation(
            f"reordered: the snapshots of session {quote(session)} are not listed oldest first",
            *evidence,
        )


async def expect_state(
    client: Client,
    session: str,
    name: Any,
    messages: Iterable[Any],
    *,
    gone: Iterable[Any] = (),
    foreign: Iterable[Any] = (),
) -> None:
    """Raise unless rolling a session back to a snapshot succeeds and restores these messages."""
    try:
        await roll_back(client, session, name)
    except StoreError as error:
        raise Violation(f"lost: a snapshot was saved, but rolling back fails: {error}") from error
    await client.expect(
        session, contents_of(messages), gone=contents_of(gone), foreign=contents_of(foreign)
    )


def expect_new_id(session: str, name: Any, others: Iterable[Any]) -> None:
    """Raise if a snapshot has the id of another one, which was saved in another state."""
    if name in list(others):
        raise Violation(
            f"lost: two snapshots of session {quote(session)} have the id {quote(name)}, so one "
            "state cannot be restored"
        )


async def expect_refused(client: Client, what: str, method: str, *arguments: Any) -> None:
    """Raise if a call that has to fail returns, and does not answer False, which is telling too."""
    try:
        answer = await client.call(method, *arguments)
    except StoreError:
        return
    if answer is False:
        return
    raise Violation(f"swallowed: {method} of {what} raised nothing")


async def expect_one_of(
    client: Client, session: str, states: Sequence[Sequence[Any]], after: str
) -> int:
    """Return which of these states a session is in; raise ``torn`` if it is in none."""
    found = await client.contents(session)
    for number, state in enumerate(states):
        if found == contents_of(state):
            return number
    raise Violation(
        f"torn: after {after}, session {quote(session)} is in a state that it never had",
        *(f"may be {quote_list(contents_of(state))}" for state in states),
        f"read back {quote_list(found)}",
    )

"""FID: metadata that a store cannot keep is refused and harms nothing else."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from goldfish.catalogue.fidelity.facts import expect_metadata
from goldfish.catalogue.registry import Reopening, carries, check, method, trait
from goldfish.catalogue.support.facts import ExpectedFacts, offer
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import Memory, contents_of

FORGETFUL = "what a reopen reads is wrong with or without such metadata: see DUR"
UNKEEPABLE: dict[str, Any] = {
    "a time": datetime(2026, 11, 16, 7, 30, tzinfo=UTC),
    "a set": {1, 2},
    "bytes": b"\xff",
    "a function": len,
}
OWN_NAMES = ("data", "hash", "id", "text", "memory", "content", "role", "created_at", "metadata")


@check(
    "FID60",
    "Metadata that cannot be kept costs no user an acknowledged fact, even after a reopen.",
    incident="mem0ai 2.2.1 on FAISS, in our own runs: a fact with a datetime in its metadata was "
    "acknowledged, the file of all users was left half written, and it read as empty after a "
    "restart.",
    about="facts",
    needs=[method("remember", "metadata"), Reopening],
)
async def facts_outlive_metadata_that_cannot_be_kept(memory: Memory) -> None:
    facts = ExpectedFacts(memory)
    ann, ben = memory.session("ann"), memory.session("ben")
    await facts.tell(ann, "Ann lives in Berlin")
    await require_persistence(memory, facts.expect)
    client = memory.client
    for what, value in UNKEEPABLE.items():
        await facts.tell(ann, f"Ann was told this before {what}")
        odd = f"Ann was told this with {what}"
        if await offer(client, ann, odd, metadata={"odd": value}) is None:
            facts.note(ann, odd)
        await facts.tell(ben, f"Ben was told this after {what}")
    await memory.reopen()
    await facts.expect()


@check(
    "FID62",
    "Metadata under a name that the store may use itself is kept as it is or refused.",
    incident="mem0ai 2.2.1, in our own runs: metadata called data, hash, id or role was silently "
    "dropped, and one called created_at became the time of the memory.",
    about="facts",
    needs=[method("remember", "metadata"), trait("fact_metadata")],
)
async def metadata_named_as_the_stores_own_fields_are_kept_or_refused(memory: Memory) -> None:
    facts, client, user = ExpectedFacts(memory), memory.client, memory.session("ann")
    for name in OWN_NAMES:
        text = f"This fact has metadata called {name}"
        if await offer(client, user, text, metadata={name: "mine"}) is None:
            facts.note(user, text)
            await expect_metadata(client, user, text, {name: "mine"})
    await facts.expect(user)


@check(
    "FID61",
    "Metadata that cannot be kept costs no session an acknowledged message, even after a reopen.",
    incident="The same as FID60, where one bad value emptied the file of all users.",
    needs=[carries("metadata"), Reopening],
)
async def messages_outlive_metadata_that_cannot_be_kept(memory: Memory) -> None:
    session, other = memory.session(), memory.session()
    await memory.client.add(session, batch := memory.messages(2))
    there: list[Any] = contents_of(batch)
    beside: list[Any] = []
    await require_persistence(memory, lambda: memory.client.expect(session, there))
    client = memory.client
    for value in UNKEEPABLE.values():
        await client.add(session, batch := memory.messages(2))
        there += contents_of(batch)
        odd = memory.message(metadata={"odd": value})
        if await client.offer(session, [odd]) is None:
            there += contents_of([odd])
        await client.add(other, batch := memory.messages(2))
        beside += contents_of(batch)
    again = await memory.reopen()
    await again.expect(session, there, foreign=beside)
    await again.expect(other, beside, foreign=there)


async def require_persistence(memory: Memory, expect: Callable[[], Awaitable[None]]) -> None:
    """Raise UnsupportedError if a reopen loses what is expected anyway: DUR reports that."""
    await memory.reopen()
    try:
        await expect()
    except Violation:
        raise UnsupportedError(Reason.stated(FORGETFUL)) from None

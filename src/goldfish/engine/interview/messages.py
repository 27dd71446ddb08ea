"""What the interview asks about messages."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from goldfish.catalogue.support.comparison import parse_instant
from goldfish.catalogue.support.refusals import is_rule_about_ids
from goldfish.catalogue.support.sessions import list_sessions
from goldfish.catalogue.support.trims import limit_tokens, trim
from goldfish.findings.result import Violation
from goldfish.harness.dialect import read_naive
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import MISSING, Memory, contents_of, field
from goldfish.harness.transcript import ROLES
from goldfish.messages import ChatMessage

LONG_AGO = datetime(2021, 2, 3, 4, 5, 6, 789012, tzinfo=UTC)
INDIA = timezone(timedelta(hours=5, minutes=30))
RECENT = timedelta(days=2)
A_PIECE = 6  # characters of an id that are surely not a number of the memory's own
IDS = [
    *("my chat", "team:chat", "team/chat", "team.chat", "ann@example.com", "100%", "o'brien"),
    *("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "\u4f1a\u8bdd", "*", "{chat}", "x" * 200),
]


async def find_missing_fields(memory: Memory) -> frozenset[str]:
    """Return the fields of a message that never come back; one that comes back changed does."""
    client = memory.client
    if not (client.has("add_messages") and client.has("get_history")):
        return frozenset()
    missing = set(memory.target.carries)
    for _ in range(2):
        session, batch = memory.session(), _make_batch(memory)
        try:
            await client.add(session, batch)
            found = await client.history(session)
        except (StoreError, Violation):
            return frozenset()
        if contents_of(found) != contents_of(batch):
            return frozenset()
        missing &= {name for name in missing if _is_missing_everywhere(batch, found, name)}
    return frozenset(missing)


async def find_stamps(memory: Memory) -> frozenset[str]:
    """Return the names of what the memory adds to the metadata of every message."""
    session, batch = memory.session(), _make_batch(memory)
    await memory.client.add(session, batch)
    found = await memory.client.history(session)
    if contents_of(found) != contents_of(batch):
        return frozenset()
    return name_additions([given.metadata for given in batch], found)


def name_additions(given: Sequence[Mapping[str, Any]], found: Sequence[Any]) -> frozenset[str]:
    """Return the names that all metadata have which came back, and that were given to none."""
    back = [field(each, "metadata") for each in found]
    if not back or not all(isinstance(each, Mapping) for each in back):
        return frozenset()
    named = frozenset.intersection(*(frozenset(each) for each in back))
    return named - {name for each in given for name in each}


def _make_batch(memory: Memory) -> list[ChatMessage]:
    """Return a message with every field, one without any, and one with each field alone."""
    call = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    fields = {
        "role": "assistant",
        "created_at": LONG_AGO,
        "name": "ann",
        "tool_calls": [call],
        "tool_call_id": "call_0",
        "metadata": {"asked in": "interview"},
    }
    alone = [memory.message(**{name: value}) for name, value in fields.items()]
    name = f"Msg-{memory.random.getrandbits(64):016x}-Q"
    return [memory.message(**fields, id=name), memory.message(), *alone]


def _is_missing_everywhere(batch: list[ChatMessage], found: list[Any], name: str) -> bool:
    pairs = zip(batch, found, strict=True)
    return all(_is_missing(given, back, name) for given, back in pairs if _has(given, name))


def _has(given: ChatMessage, name: str) -> bool:
    """Return True if a message has something in this field that the store could give back."""
    if name == "created_at":
        return given.created_at == LONG_AGO
    return bool(getattr(given, name))


def _is_missing(given: ChatMessage, back: Any, name: str) -> bool:
    """Return True if nothing of a field came back, or something that the store made itself."""
    value, found = getattr(given, name), field(back, name)
    if found is MISSING or found is None or found in ("", [], {}, ()):
        return True
    if name == "created_at":
        moment = parse_instant(found) or parse_instant(f"{found}Z")  # it may have no time zone
        return moment is not None and abs(moment - datetime.now(UTC)) < RECENT
    if name == "id":  # one that is cut or in another case is the client's, and damaged
        own = str(found).casefold()
        is_cut = len(own) >= A_PIECE and own in value.casefold()
        return not is_cut and value.casefold() not in own
    return name == "role" and found != value and ROLES.get(found) == value


async def is_retry_a_no_op(memory: Memory) -> bool | None:
    """Return False if messages with known ids are all stored again."""
    session, batch = memory.session(), memory.messages(2)
    await memory.client.add(session, batch)
    await memory.client.add(session, batch)
    await memory.client.add(session, batch[:1])
    found = await memory.client.contents(session)
    return found != contents_of([*batch, *batch, batch[0]])


async def do_first_contents_stay(memory: Memory) -> bool | None:
    """Return False if a message with a known id and other contents takes the first one's place."""
    if not memory.target.retries:
        return None
    session, batch = memory.session(), memory.messages(3)
    other = memory.message(id=batch[1].id)
    await memory.client.add(session, batch)
    await memory.client.add(session, [other])
    found = await memory.client.contents(session)
    return found != contents_of([batch[0], other, batch[2]])


async def are_times_aware(memory: Memory) -> bool | None:
    """Return False if times come back in UTC and do not say so, whatever zone they were in."""
    session, times = memory.session(), [LONG_AGO, LONG_AGO.astimezone(INDIA)]
    await memory.client.add(session, [memory.message(created_at=each) for each in times])
    back = [field(each, "created_at") for each in await memory.client.history(session)]
    return [read_naive(each) for each in back] != times


async def is_negative_last_refused(memory: Memory) -> bool | None:
    """Return False if a negative ``last`` returns messages."""
    session = memory.session()
    await memory.client.add(session, memory.messages(3))
    try:
        return not await memory.client.contents(session, last=-1)
    except StoreError:
        return True


async def is_last_zero_nothing(memory: Memory) -> bool | None:
    """Return False if the last 0 messages are all of them, or may not be asked for."""
    session, batch = memory.session(), memory.messages(3)
    await memory.client.add(session, batch)
    try:
        return await memory.client.contents(session, last=0) != contents_of(batch)
    except StoreError:
        return False


async def is_trim_counted(memory: Memory) -> bool | None:
    """Return False if a trim does not return how many messages it removed."""
    session = memory.session()
    await memory.client.add(session, memory.messages(5))
    said = await memory.client.call("trim", session, keep_last=2)
    return said == 3 and not isinstance(said, bool)


async def is_negative_trim_refused(memory: Memory) -> bool | None:
    """Return False if a trim to a negative number removes messages."""
    session, batch = memory.session(), memory.messages(4)
    await memory.client.add(session, batch)
    try:
        await memory.client.call("trim", session, keep_last=-1)
    except StoreError:
        return True
    return await memory.client.contents(session) == contents_of(batch)


async def are_empty_sessions_unlisted(memory: Memory) -> bool | None:
    """Return False if a session without messages is listed beside those that have some."""
    client, emptied, kept = memory.client, memory.session("emptied"), memory.session("kept")
    empty = memory.session("empty")
    await client.offer(empty, [])
    for session in (emptied, kept):
        await client.add(session, memory.messages(1))
    if client.has("clear"):
        await client.call("clear", emptied)
    listed = await list_sessions(client)
    if kept not in listed:
        return None
    return empty not in listed and not (client.has("clear") and emptied in listed)


async def is_empty_batch_taken(memory: Memory) -> bool | None:
    """Return False if a batch of no messages is refused."""
    return await memory.client.offer(memory.session(), []) is None


async def is_a_trim_to_tokens_taken(memory: Memory) -> bool | None:
    """Return False if a trim to very many tokens is refused, or has another limit by default."""
    if not memory.client.spells("trim", "max_tokens"):
        return None
    session, batch = memory.session(), memory.messages(30)
    await memory.client.add(session, batch)
    try:
        await trim(memory.client, session, **limit_tokens(memory.client, 1_000_000))
    except StoreError:
        return False
    kept = await memory.client.contents(session)
    return kept == contents_of(batch) or not memory.client.spells("trim", "keep_last")


async def are_all_ids_taken(memory: Memory) -> bool | None:
    """Return False if a rule refuses some ids before anything is written."""
    for session in IDS:
        refusal = await memory.client.offer(session, [memory.message()])
        if refusal is not None and is_rule_about_ids(refusal):
            return False
    return True

"""FID: the role, id, time, name, tool calls and metadata of a message come back unchanged."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from goldfish.catalogue.registry import carries, check
from goldfish.catalogue.support.comparison import (
    expect_kept_or_refused,
    expect_messages,
    label_findings,
)
from goldfish.catalogue.support.sessions import write_session
from goldfish.harness.memory import Memory


async def expect_field(memory: Memory, name: str, values: Mapping[str, Any]) -> None:
    """Raise unless each value of the field comes back, on a message alone in its session."""
    for variant, value in values.items():
        session, batch = memory.session(), [memory.message(**{name: value})]
        with label_findings(variant):
            await memory.client.add(session, batch)
            await expect_messages(memory.client, session, batch, [name])


async def expect_field_or_refusal(memory: Memory, name: str, values: Mapping[str, Any]) -> None:
    """Raise unless each value of the field comes back, or is refused and leaves nothing behind."""
    for variant, value in values.items():
        with label_findings(variant):
            await expect_kept_or_refused(memory, memory.message(**{name: value}), name)


def name_by_repr(values: Iterable[str]) -> dict[str, str]:
    """Return the values, each under its repr, which names it in findings."""
    return {repr(value): value for value in values}


@check(
    "FID09",
    "A role comes back as it was given; an unusual role is kept or refused, never replaced.",
    incident="trusty-tools issue 870: reading a history silently turned every unknown role, "
    '"system" included, into a user message.',
    needs=[carries("role")],
    suite="smoke",
)
async def a_role_is_kept_as_it_was_given(memory: Memory) -> None:
    batch = [memory.message(role=role) for role in ("system", "user", "assistant", "tool", "user")]
    session = memory.session()
    await memory.client.add(session, batch)
    await expect_messages(memory.client, session, batch, ["role"])
    unusual = ["developer", "function", "critic", "human", "ai", "User", "ASSISTANT", "agent/2"]
    await expect_field_or_refusal(memory, "role", name_by_repr([*unusual, "0"]))


@check(
    "FID10",
    "Every read returns the id that the client gave the message.",
    incident="mastra issue 6087: messages were converted under one id and overwrote each other, "
    "and the tool calls of a conversation could not be found again.",
    needs=[carries("id")],
)
async def an_id_is_kept_as_it_was_given(memory: Memory) -> None:
    session, batch = await write_session(memory, 3)
    await expect_messages(memory.client, session, batch, ["id"])
    await expect_messages(memory.client, session, batch, ["id"])  # not a new one for each read
    names = [
        "123e4567-E89B-12d3-a456-426614174000", "007", "1e5", "msg_ABCdef", "a:b/c.d-e_f", "x" * 99,
        "9007199254740993", "run 1, step 2", "b\u00e9b\u00e9-\U0001f420", "None",
    ]  # fmt: skip
    await expect_field(memory, "id", name_by_repr(names))


@check(
    "FID11",
    "A timestamp comes back as the same instant, to the microsecond and in any time zone.",
    incident="SQLite's CURRENT_TIMESTAMP has no fractions (Arize phoenix pull request 14460); "
    "langflow issue 8948: the time of a stored message moved by the zone's offset with every "
    "read.",
    needs=[carries("created_at")],
)
async def a_moment_is_kept_to_the_microsecond(memory: Memory) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    await expect_field(
        memory,
        "created_at",
        {
            "microseconds": datetime(2026, 3, 1, 12, 30, 15, 123457, tzinfo=UTC),
            "one microsecond": datetime(2026, 3, 1, 12, 30, 15, 1, tzinfo=UTC),
            "a whole second": datetime(2026, 3, 1, 12, 30, 15, tzinfo=UTC),
            "midnight": datetime(2026, 3, 1, tzinfo=UTC),
            "east of Greenwich": datetime(2026, 3, 1, 2, tzinfo=timezone(timedelta(hours=5.75))),
            "west of Greenwich": datetime(2026, 3, 1, 22, tzinfo=timezone(timedelta(hours=-8))),
            "summer": datetime(2026, 7, 1, 12, tzinfo=berlin),
            "the hour that comes twice": datetime(2026, 10, 25, 2, 30, tzinfo=berlin),
            "the same hour again": datetime(2026, 10, 25, 2, 30, tzinfo=berlin, fold=1),
            "a leap day": datetime(2028, 2, 29, 23, 59, 59, 999999, tzinfo=UTC),
            "years ago": datetime(2001, 9, 9, 1, 46, 40, 500000, tzinfo=UTC),
            "beyond 2038": datetime(2100, 1, 1, 0, 0, 0, 250000, tzinfo=UTC),
        },
    )
    far = {
        "before 1970": datetime(1969, 12, 31, 23, 59, 58, 500000, tzinfo=UTC),
        "the year 1": datetime(1, 1, 2, tzinfo=UTC),
        "the year 9999": datetime(9999, 12, 30, tzinfo=UTC),
    }
    await expect_field_or_refusal(memory, "created_at", far)


@check(
    "FID12",
    "The name of a speaker comes back unchanged, whatever it looks like.",
    incident="OpenAI's API reference says that the name tells participants with the same role "
    "apart: a memory that keeps only role and content turns a whole group into one speaker.",
    needs=[carries("name")],
)
async def a_name_is_kept_as_it_was_given(memory: Memory) -> None:
    names = ["ann", "Ann-Marie O'Brien", "\u674e\u96f7", "\U0001f420", "None", "null", "0", "a_1.b"]
    await expect_field(memory, "name", name_by_repr([*names, " spaced ", "n" * 300]))


@check(
    "FID13",
    "A tool result comes back with the id of the call that it answers.",
    incident="mcp-use issue 276: tool calls were not remembered because the id that links the "
    "assistant's call to the tool's message was not kept; every model refuses such a history.",
    needs=[carries("tool_call_id")],
    suite="smoke",
)
async def a_tool_result_knows_its_call(memory: Memory) -> None:
    ids = ["call_9pQ2", "toolu_01A09q90qw90lq917835lq9", "1", "007", "a:b|c", "x" * 80]
    for name in ids:
        call = {"id": name, "type": "function", "function": {"name": "now", "arguments": "{}"}}
        batch = [
            memory.message(role="assistant", tool_calls=[call]),
            memory.message(role="tool", tool_call_id=name),
        ]
        session = memory.session()
        with label_findings(repr(name)):
            await memory.client.add(session, batch)
            await expect_messages(memory.client, session, batch, ["tool_call_id"])


def make_call(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    """Return a tool call as OpenAI's API writes it."""
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{name}", "type": "function", "function": function, **more}


@check(
    "FID14",
    "All tool calls come back in order, with their arguments exactly as the model wrote them.",
    incident="spring-ai issue 2101 and nixopus pull request 1345: the memory kept an assistant's "
    "words but not its tool calls, so a reloaded agent did not know what it had done.",
    needs=[carries("tool_calls")],
    suite="smoke",
)
async def tool_calls_come_back_call_by_call(memory: Memory) -> None:
    await expect_field(
        memory,
        "tool_calls",
        {
            "one call": [make_call("weather", '{"city": "Oslo"}')],
            "several calls": [make_call(f"f{place}", f'{{"n": {place}}}') for place in range(4)],
            "the same call twice": [make_call("roll", "{}"), make_call("roll", "{}")],
            "arguments spaced oddly": [make_call("f", '{ "b":1,\n\t"a" : 2.0 , "a":3}')],
            "arguments cut short": [make_call("f", '{"text": "never end')],
            "no arguments": [make_call("f", "")],
            "arguments with quotes": [
                make_call("f", '{"q": "say \\"hi\\" \\u00e9 \\\\n", "e": "\u00e9"}')
            ],
            "arguments as values": [
                make_call("f", {"x": {"y": [1, 2.5, None, True, "1"]}, "z": []})
            ],
            "another maker's shape": [{"name": "f", "args": {"a": 1}, "id": "t1", "index": 0}],
            "more keys": [make_call("f", "{}", index=0, extra={"cache": {"ttl": None}})],
            "a large integer": [make_call("f", {"id": 2**53 + 1})],
        },
    )


@check(
    "FID15",
    "Metadata comes back value by value: nested, empty, None, booleans, and text as text.",
    incident="upstash/rag-chat issue 42: the metadata of every message was undefined when the "
    'history was read; dify pull request 1429 is called "metadata not saved".',
    needs=[carries("metadata")],
    suite="smoke",
)
async def metadata_comes_back_in_its_shape(memory: Memory) -> None:
    await expect_field(
        memory,
        "metadata",
        {
            "texts": {"heard on": "web", "lang": "de", "empty": "", "blank": " a "},
            "nested values": {"user": {"name": "Ann", "tags": ["a", {"b": ["c"]}]}},
            "empty containers": {"list": [], "dict": {}, "inside": {"list": [[], {}]}},
            "None": {"gone": None, "inside": [None, {"x": None}]},
            "truth and numbers": {"yes": True, "no": False, "one": 1, "zero": 0, "list": [True, 1]},
            "texts that look like numbers": {"zip": "00501", "n": "42", "f": "1.0", "t": "true"},
            "texts that look like nothing": {"a": "null", "b": "None", "c": "[]", "d": "{}"},
            "a text that is JSON": {"json": '{"a": 1}', "list": "[1, 2]"},
            "times as text": {"at": "2026-03-01T12:00:00Z", "day": "2026-03-01"},
            "lists in order": {"order": [3, 1, 2, 2, 1], "mixed": [1, "1", 1.5, None, [1]]},
            "scripts and signs": {"t": "\U0001f420 \u8bb0\u5fc6 e\u0301 a\nb \"q\" 'r' \\ %s {x}"},
            "a long text": {"document": "word " * 20_000},
        },
    )


@check(
    "FID16",
    "Integers beyond 2**53 and floats come back as exactly the same numbers.",
    incident="beads issue 6330: every integer above 2**53 in metadata was read back rounded, so "
    "ids of 19 digits became other ids; RFC 8259 section 6 warns that only smaller ones are "
    "interoperable.",
    needs=[carries("metadata")],
)
async def numbers_come_back_as_the_same_numbers(memory: Memory) -> None:
    integers = [0, -1, 2**31, -(2**31) - 1, 2**53 - 1, 2**53 + 1, -(2**53) - 1, 1546130668394913822]
    floats = [0.1, 0.1 + 0.2, -2.5, 1e-7, 1e22, 1.7976931348623157e308, 5e-324, 3.141592653589793]
    numbers = [*integers, 2**63 - 1, -(2**63), *floats]
    kept: dict[str, Any] = {repr(each): {"n": each} for each in numbers}
    kept["all in a list"] = {"n": [*numbers, {"deep": 2**60 + 1}]}
    await expect_field(memory, "metadata", kept)
    beyond = [2**63, 2**64 + 1, -(2**64), 10**30 + 7]
    await expect_field_or_refusal(memory, "metadata", {repr(each): {"n": each} for each in beyond})


@check(
    "FID17",
    "Metadata keys with signs, in another case, or named like fields are kept apart.",
    incident="MongoDB's manual restricts field names with dots and dollars before 5.0; mem0 pull "
    'request 4529: the library wrote its own "data" and "hash" into the caller\'s metadata.',
    needs=[carries("metadata")],
)
async def every_key_of_metadata_stays_that_key(memory: Memory) -> None:
    fields = ["id", "role", "content", "created_at", "name", "metadata", "session_id", "type"]
    await expect_field(
        memory,
        "metadata",
        {
            "keys named as fields": {name: f"my {name}" for name in (*fields, "data")},
            "keys that differ by case": {"Key": 1, "key": 2, "KEY": 3},
            "keys with blanks and dashes": {"a b": 1, "a-b": 2, "a_b": 3, "aB": 4},
            "keys in other scripts": {"\u00e9": 1, "e\u0301": 2, "\u952e": 3, "\U0001f511": 4},
            "keys that are numbers": {"1": "a", "01": "b", "1.0": "c", "true": "d", "null": "e"},
            "keys that begin with an underscore": {"_private": 1, "__class__": 2, "__type__": "x"},
            "a key inside a key": {"a": {"a": {"a": 1}}, "b": {"a": 2}},
        },
    )
    odd = [".", "a.b", "$set", "$type", "", " ", "a\nb", "a:b", "a/b", "a'b\"c", "%s", "{x}"]
    await expect_field_or_refusal(
        memory,
        "metadata",
        {f"the key {key!r:.20}": {key: 1, "a": {key: [1]}} for key in (*odd, "k" * 500)},
    )


@check(
    "FID18",
    "Metadata that is twenty levels deep or has five hundred keys comes back whole.",
    incident="Elasticsearch documents default limits of 20 levels and 1,000 fields for an object; "
    "bedrock-agentcore pull request 339 documents 15 keys for an event's metadata.",
    needs=[carries("metadata")],
)
async def deep_and_wide_metadata_comes_back_whole(memory: Memory) -> None:
    deep: Any = "the bottom"
    for level in range(20):
        deep = {"level": level, "next": deep} if level % 2 else [deep]
    wide = {f"key{place}": {"place": place, "text": f"value {place}"} for place in range(500)}
    values = {
        "twenty levels": {"deep": deep},
        "five hundred keys": wide,
        "a list of two thousand": {"list": list(range(2_000))},
        "a table": {"rows": [{"n": n, "tags": [str(n)] * 3} for n in range(200)]},
    }
    await expect_field(memory, "metadata", values)


@check(
    "FID19",
    "A message without a name, tool calls or metadata comes back without them.",
    incident="A str() around an optional column turns a missing name into text: codex-relay pull "
    'request 47 had to treat a content of null as empty "rather than the literal string null".',
)
async def what_was_not_given_stays_absent(memory: Memory) -> None:
    session, batch = await write_session(memory, 2)
    optional = {"name", "tool_calls", "tool_call_id", "metadata"}
    await expect_messages(memory.client, session, batch, optional & memory.target.carries)


@check(
    "FID20",
    "In a batch, the fields of one message do not appear on another.",
    incident="bountybench pull request 689: all messages shared one dict as their default, so the "
    "metadata of one appeared on the others.",
    suite="smoke",
)
async def each_message_of_a_batch_keeps_its_own_fields(memory: Memory) -> None:
    call = [make_call("f", '{"a": 1}')]
    batch = [
        memory.message(role="system", name="boss", metadata={"a": 1}),
        memory.message(role="user"),
        memory.message(role="assistant", tool_calls=call, metadata={"b": {"c": [2]}}),
        memory.message(role="tool", tool_call_id="call_f", name="f"),
        memory.message(role="assistant", metadata={"a": {"d": 3}}),
        memory.message(role="user", name="ann", metadata={"z": None}),
        memory.message(role="user"),
    ]
    session, fields = memory.session(), sorted(memory.target.carries)
    await memory.client.add(session, batch)
    await expect_messages(memory.client, session, batch, fields)
    more = [memory.message(), memory.message(role="user", name="bob", metadata={"e": 5})]
    await memory.client.add(session, more)
    await expect_messages(memory.client, session, [*batch, *more], fields)

"""The calls by which a command is tried, and what their answers look like."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from goldfish.commands.introduction import Introduction
from goldfish.commands.values import encode_parameters
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import MESSAGE_FIELDS

SESSION, USER, FORK = "protocol-check", "protocol-check-user", "protocol-check-fork"
# Line ends of all kinds, other scripts, an emoji, quotes: what a reader of lines may cut.
TEXT = 'The caf\u00e9 \u8a18\u61b6 \U0001f41f says "hi"\r\n\u2028 \u2029 \\n'
FACT = "Ann sails on Sundays"
LONG = 300_000  # characters; more than what a pipe holds
Problems = Iterable[str]


@dataclass(frozen=True)
class Call:
    """A call, what is expected of its answer, and what of it the calls after it need."""

    method: str
    parameters: Mapping[str, Any]
    find_problems: Callable[[Any], Problems] = lambda answer: ()
    learn: Callable[[Any], dict[str, Any]] = lambda answer: {}


def list_calls(introduction: Introduction) -> Iterator[Call]:
    """Return ordinary calls of each method that the command has, in an order that makes sense."""
    message = ChatMessage(
        role="user",
        content=TEXT,
        name="ann",
        tool_calls=[{"id": "t1", "name": "f", "args": {"a": 1}}],
        tool_call_id="t0",
        metadata={"deep": {"list": [1, None, 0.5, True]}, "large": 2**53 + 1},
    )
    long = ChatMessage(role="assistant", content="x" * LONG)
    given = [_encode(each, introduction) for each in (message, long)]
    in_order = [
        Call("add_messages", {"session_id": SESSION, "messages": given}),
        Call("get_history", {"session_id": SESSION}, lambda it: _compare(given, it, introduction)),
        Call("list_sessions", {}, _expect("list_sessions", list, "a list of session ids")),
        Call("save_snapshot", {"session_id": SESSION}, _expect_snapshot, _learn_snapshot),
        Call("list_snapshots", {"session_id": SESSION}, _expect_records("list_snapshots", "id")),
        Call("rollback_to_snapshot", {"session_id": SESSION, "snapshot_id": ""}),
        Call("set_state", {"session_id": SESSION, "values": {"mood": "calm"}}),
        Call("get_state", {"session_id": SESSION}, _expect("get_state", dict, "an object")),
        Call("set_ttl", {"session_id": SESSION, "seconds": 3600}),
        Call("get_ttl", {"session_id": SESSION}, _expect("get_ttl", (int, float), "seconds")),
        Call("trim", {"session_id": SESSION, "keep_last": 1}),
        Call("remember", {"user_id": USER, "text": FACT}, _expect_fact, _learn_fact),
        Call("list_facts", {"user_id": USER}, _expect_records("list_facts", "id", "text")),
        Call("recall", {"user_id": USER, "query": FACT}, _expect_recollections),
        Call("get_fact", {"user_id": USER, "fact_id": ""}),
        Call("forget_all", {"user_id": USER}),
        Call("clear", {"session_id": SESSION}),
    ]
    return (call for call in in_order if call.method in introduction.methods)


def list_calls_at_once(introduction: Introduction, count: int) -> list[tuple[Call, Call]]:
    """Return writes, each with a read that is asked together with the others' reads."""
    if "get_history" not in introduction.methods:
        return []
    calls = []
    for number in range(count):
        session, content = f"{SESSION}-{number}", f"message {number}"
        message = _encode(ChatMessage(role="user", content=content), introduction)
        calls.append(
            (
                Call("add_messages", {"session_id": session, "messages": [message]}),
                Call("get_history", {"session_id": session}, _expect_own(session, content)),
            )
        )
    return calls


def _encode(message: ChatMessage, introduction: Introduction) -> dict[str, Any]:
    made = encode_parameters({"message": message}, doubles=introduction.doubles)
    encoded: dict[str, Any] = made["message"]
    return encoded


def _expect_own(session: str, content: str) -> Callable[[Any], Problems]:
    def find(answer: Any) -> Problems:
        found = [each.get("content") for each in answer if isinstance(each, dict)]
        if found == [content]:
            return []
        return [
            "mixes up calls that are in flight at once: repeat the id of the request in its answer "
            f"(get_history of {session!r} was answered with {found!r:.60})"
        ]

    return find


def _compare(given: list[dict[str, Any]], answer: Any, introduction: Introduction) -> Problems:
    """Yield how messages came back changed."""
    if not isinstance(answer, list) or not all(isinstance(each, dict) for each in answer):
        yield f"answered get_history with {answer!r:.80}: answer with a list of messages"
        return
    if len(answer) != len(given):
        yield f"answered get_history with {len(answer)} messages where {len(given)} were added"
        return
    carries = set(introduction.declares.get("carries", MESSAGE_FIELDS)) | {"content"}
    for sent, back in zip(given, answer, strict=True):
        named = (_compare_field(name, sent[name], back) for name in sorted(carries) if sent[name])
        yield from filter(None, named)


def _compare_field(name: str, sent: Any, back: dict[str, Any]) -> str:
    if name not in back:
        return (
            f"returns messages without {name}: return all fields, or declare "
            '"carries" with those that are kept'
        )
    found = back[name]
    if name == "created_at":
        return _find_wrong_time(sent, found)
    if found == sent:
        return ""
    if name == "metadata" and _round(sent) == _round(found):
        return (
            "rounds integers beyond 2**53: keep them exactly, or declare "
            '"numbers": "double" and get them as text'
        )
    return f"changes the {name} of a message: {sent!r:.60} came back as {found!r:.60}"


def _find_wrong_time(sent: str, found: Any) -> str:
    try:
        moment = datetime.fromisoformat(found)
    except (TypeError, ValueError):
        return f"returns {found!r:.60} as created_at: write ISO 8601, as in {sent}"
    if moment.tzinfo is None:
        return f"returns a created_at without its offset from UTC ({found}): keep it, as in {sent}"
    if moment != datetime.fromisoformat(sent):
        return f"changes the created_at of a message: {sent} came back as {found}"
    return ""


def _round(metadata: Any) -> Any:
    """Return metadata with the large integer as a double has it."""
    if not isinstance(metadata, dict) or not isinstance(metadata.get("large"), int | float):
        return None
    return {**metadata, "large": float(metadata["large"])}


def _expect(method: str, kind: Any, what: str) -> Callable[[Any], Problems]:
    def find(answer: Any) -> Problems:
        if isinstance(answer, kind) or (method == "get_ttl" and answer is None):
            return []
        return [f"answered {method} with {answer!r:.60}: answer with {what}"]

    return find


def _expect_records(method: str, *fields: str) -> Callable[[Any], Problems]:
    def find(answer: Any) -> Problems:
        if not isinstance(answer, list) or not all(isinstance(each, dict) for each in answer):
            return [f"answered {method} with {answer!r:.60}: answer with a list of objects"]
        return [
            f"answered {method} with an object without {name}: {each!r:.60}"
            for each in answer
            for name in fields
            if name not in each
        ]

    return find


def _expect_snapshot(answer: Any) -> Problems:
    return (
        []
        if _learn_snapshot(answer)
        else [f"answered save_snapshot with {answer!r:.60}: answer with the snapshot's id"]
    )


def _learn_snapshot(answer: Any) -> dict[str, Any]:
    identity = answer.get("id") if isinstance(answer, dict) else answer
    return {"snapshot_id": identity} if isinstance(identity, str) and identity else {}


def _expect_fact(answer: Any) -> Problems:
    if isinstance(answer, dict) and isinstance(answer.get("id"), str):
        return []
    return [f"answered remember with {answer!r:.60}: answer with the fact, as an object with an id"]


def _learn_fact(answer: Any) -> dict[str, Any]:
    return {} if list(_expect_fact(answer)) else {"fact_id": answer["id"]}


def _expect_recollections(answer: Any) -> Problems:
    if not isinstance(answer, list):
        return [f"answered recall with {answer!r:.60}: answer with a list"]
    if strange := [each for each in answer if not _has_fact(each)]:
        example = '{"fact": {"id": …, "text": …}, "score": 0.9}'
        return [f"answered recall with {strange[0]!r:.60}: each is an object such as {example}"]
    return []


def _has_fact(each: Any) -> bool:
    return isinstance(each, dict) and isinstance(each.get("fact"), dict) and "text" in each["fact"]

"""TRM: a trim by pairs, with the system prompt, or to a number of tokens cuts where it may."""

from collections.abc import Sequence
from typing import Any

from goldfish.catalogue.registry import carries, check, spelled, trait
from goldfish.catalogue.support.comparison import label_findings
from goldfish.catalogue.support.trims import limit_tokens, trim
from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory, contents_of
from goldfish.messages import ChatMessage

SIZES = (1, 2, 3, 4, 5, 6, 8, 20)
BUDGETS = (10, 40, 160, 640, 1_000_000)


def make_conversation(memory: Memory, *, with_system: bool = False) -> list[ChatMessage]:
    """Return a conversation with two tool calls, one of them twofold."""
    one = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    two = [{**one, "id": "c2"}, {**one, "id": "c3"}]
    return [
        *memory.messages(1 if with_system else 0, role="system"),
        *memory.messages(2),
        memory.message(role="assistant", tool_calls=[one]),
        memory.message(role="tool", tool_call_id="c1"),
        memory.message(role="assistant"),
        memory.message(),
        memory.message(role="assistant", tool_calls=two),
        memory.message(role="tool", tool_call_id="c2"),
        memory.message(role="tool", tool_call_id="c3"),
        memory.message(role="assistant"),
    ]


async def trim_conversation(
    memory: Memory, said: Sequence[ChatMessage], **options: Any
) -> list[ChatMessage]:
    """Trim a new session with these messages; return those that it keeps."""
    session = memory.session("trimmed")
    await memory.client.add(session, said)
    await trim(memory.client, session, **options)
    found = await memory.client.contents(session)
    if strangers := [each for each in found if each not in contents_of(said)]:
        raise Violation(f"phantom: a trim left {quote(strangers[0])}, which nobody wrote")
    if twice := [each for each in found if found.count(each) > 1]:
        raise Violation(
            f"duplicated: a trim left {quote(twice[0])} more than once",
            f"read back {quote_list(found)}",
        )
    return [next(each for each in said if each.content == content) for content in found]


def expect_end(kept: Sequence[ChatMessage], said: Sequence[ChatMessage]) -> None:
    """Raise unless what is kept is the end of what was said, in order and without a gap."""
    wanted = contents_of(said[len(said) - len(kept) :])
    if contents_of(kept) != wanted:
        raise Violation(
            f"wrong: a trim kept {len(kept)} messages that are not the newest in a row",
            f"said {quote_list(contents_of(said), most=12)}",
            f"kept {quote_list(contents_of(kept), most=12)}",
        )


def expect_pairs(kept: Sequence[ChatMessage]) -> None:
    """Raise if a tool result is kept without the call that asked for it, or the reverse."""
    asked = {call["id"] for each in kept for call in each.tool_calls or []}
    answered = {each.tool_call_id for each in kept if each.role == "tool"}
    if orphans := answered - asked:
        raise Violation(
            f"torn: the result of tool call {quote(min(map(str, orphans)))} is kept without the "
            "call",
            f"kept {quote_list(contents_of(kept), most=12)}",
        )
    if open_calls := asked - answered:
        raise Violation(
            f"torn: tool call {quote(min(open_calls))} is kept without its result",
            f"kept {quote_list(contents_of(kept), most=12)}",
        )


def _count_option(memory: Memory, count: int) -> dict[str, Any]:
    """Return how a trim is told how much to keep, by the parameters that it has."""
    client = memory.client
    if client.spells("trim", "keep_last"):
        return {"keep_last": count}
    return limit_tokens(client, 12 * count) if client.spells("trim", "max_tokens") else {}


@check(
    "TRM17",
    "trim(keep_pairs=…) keeps no tool result without its call, and no call without its result.",
    incident="langchain pull request 33265: trim_messages kept a tool message whose call it had "
    "cut off, and model APIs refuse such a history.",
    needs=[spelled("trim", "keep_pairs"), carries("tool_call_id"), carries("tool_calls")],
)
async def trimming_by_pairs_orphans_no_tool_result(memory: Memory) -> None:
    said = make_conversation(memory)
    for size in SIZES:
        options = _count_option(memory, size)
        # Without a number beside it, keep_pairs is the number; else it says that pairs matter.
        with label_findings(f"trim to {size}"):
            kept = await trim_conversation(
                memory, said, keep_pairs=True if options else size, **options
            )
            expect_end(kept, said)
            expect_pairs(kept)


@check(
    "TRM18",
    "trim(keep_system=True) keeps the system prompt once, in the first place, however often.",
    incident="lastmile-ai/mcp-agent pull request 89: the system prompt was put in front of a "
    "history that had it already, again with every turn.",
    needs=[spelled("trim", "keep_system"), carries("role")],
)
async def trimming_keeps_the_system_prompt_once(memory: Memory) -> None:
    for size in SIZES:
        prompt, said = memory.messages(1, role="system"), memory.messages(9)
        options, session = _count_option(memory, size), memory.session("prompted")
        await memory.client.add(session, [*prompt, *said])
        for _ in range(3):
            await trim(memory.client, session, keep_system=True, **options)
            found, first = await memory.client.contents(session), prompt[0].content
            evidence = f"read back {quote_list(found, most=12)}"
            if first not in found:
                raise Violation(f"lost: trim(keep_system=True, {size}) removed it", evidence)
            if found.count(first) > 1:
                raise Violation(f"duplicated: the system prompt is kept twice ({size})", evidence)
            if found[0] != first:
                raise Violation(f"reordered: the system prompt is not the first ({size})", evidence)
            kept = [each for each in said if each.content in found]
            expect_end(kept, said)
            if "keep_last" in options and len(kept) not in {min(size, 9), min(size, 9) - 1}:
                raise Violation(
                    f"wrong: trim(keep_last={size}, keep_system=True) of 10 messages left "
                    f"{len(kept)} beside the system prompt",
                    evidence,
                )


@check(
    "TRM19",
    "trim(max_tokens=…) keeps the newest messages in a row, and more of them if more may stay.",
    incident="freelabz/secator pull request 1244: a trim to a number of tokens dropped the oldest "
    "messages one by one, and what it left could begin with half of an exchange.",
    needs=[spelled("trim", "max_tokens"), trait("token_limits")],
)
async def trimming_to_a_number_of_tokens_keeps_the_end(memory: Memory) -> None:
    said = [memory.message(memory.text("word " * 8)) for _ in range(30)]
    most = 0
    for budget in BUDGETS:
        with label_findings(f"max_tokens={budget}"):
            kept = await trim_conversation(memory, said, **limit_tokens(memory.client, budget))
            expect_end(kept, said)
            if len(kept) < most:
                raise Violation(f"wrong: it keeps {len(kept)} messages, and a smaller one {most}")
            most = len(kept)
    if most < len(said):
        raise Violation(f"lost: max_tokens={BUDGETS[-1]} removed {len(said) - most} messages")

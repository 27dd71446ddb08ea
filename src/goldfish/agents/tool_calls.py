"""Tool calls of a turn: which results went back to the model, and whether they belong to it."""

from collections.abc import Callable
from dataclasses import replace

from goldfish.agents.conversation import Conversation
from goldfish.agents.evidence import describe_turn
from goldfish.agents.turns import Turn
from goldfish.findings.result import UnprovenError, Violation
from goldfish.mirror import Exchange, Message, Prompt, ToolCall, find_marks


def has_called(exchange: Exchange) -> bool:
    """Return True if the model called tools in its answer, which the agent has."""
    return bool(exchange.calls) and exchange.ended == "answered"


def has_result(exchange: Exchange) -> bool:
    """Return True if the newest message of a request is the result of a tool."""
    return bool(exchange.prompt.messages) and exchange.prompt.messages[-1].role == "tool"


def offers(tool: str) -> Callable[[Prompt], bool]:
    """Return what tells a prompt that offers a tool: not that of a router, or of a summary."""
    return lambda prompt: any(each.name == tool for each in prompt.tools)


def measure_tools(turn: Turn) -> float | None:
    """Return the seconds from a tool call of the model to the request that shows its result."""
    called = next((each for each in turn.exchanges if has_called(each)), None)
    if called is None:
        return None
    shown = [each for each in turn.exchanges if each.number > called.number and has_result(each)]
    return shown[0].began - called.began - (called.seconds or 0.0) if shown else None


def list_calls(turn: Turn) -> list[ToolCall]:
    """Return the tool calls that the model made in a turn."""
    return [call for each in turn.exchanges for call in each.calls]


def shows_results(prompt: Prompt, calls: list[ToolCall]) -> bool:
    """Return True if the results of all these calls are in a prompt."""
    given = {each.call_id for each in prompt.messages if each.role == "tool"}
    return all(call.id in given for call in calls)


def expect_results(talk: Conversation, turn: Turn) -> None:
    """Expect that the model was shown each result after its call, in the order of the calls."""
    calls = list_calls(turn)
    if not calls:
        raise UnprovenError("the mirror called no tool: the agent offers none in this turn")
    has_ids = shows_results(turn.prompt, calls)
    mine = _list_results(turn.prompt, calls)
    wanted = [call.id for call in calls]
    given = [str(each.call_id) for each in mine]
    if sorted(given) != sorted(wanted):
        what = f"the model called {len(wanted)} tools and was shown {len(given)} results"
        raise _blame(talk, turn, "lost", what)
    if given != wanted:
        raise _blame(talk, turn, "reordered", "results are not in the order of their calls")
    earlier = _find_earlier_arguments(talk, turn)
    for call, result in zip(calls, mine, strict=True):
        own, others = find_marks(call.arguments), [*calls]
        shown = set(find_marks(result.text))
        foreign = [m for each in others if each is not call for m in find_marks(each.arguments)]
        if shown & set(foreign) and not shown & set(own):
            raise _blame(talk, turn, *_name_mistake(call, has_ids=has_ids))
        if not shown & set(own) and (old := shown & earlier.keys()):
            number = earlier[min(old)]
            what = f"the call {call.id} has the result of a call of turn {number}"
            raise _blame(talk, turn, "stale", what)


def _find_earlier_arguments(talk: Conversation, turn: Turn) -> dict[str, int]:
    """Return the marks in the arguments of earlier calls, with the number of their turn."""
    return {
        mark: each.number
        for each in talk.list_before(turn)
        for call in list_calls(each)
        for mark in find_marks(call.arguments)
    }


def _name_mistake(call: ToolCall, *, has_ids: bool) -> tuple[str, str]:
    """Return what it is that a call has the result of another one."""
    if has_ids:
        return "corrupted", f"the call {call.id} has the result of another one"
    return "reordered", "results are not in the order of their calls, and have no ids to tell"


def _list_results(prompt: Prompt, calls: list[ToolCall]) -> list[Message]:
    """Return the results of these calls in a prompt, with the ids of the calls.

    Some providers know no ids, and name the tool at most: the order tells which result is whose.
    """
    ids, names = {call.id for call in calls}, {call.name for call in calls}
    results = [each for each in prompt.messages if each.role == "tool"]
    if any(each.call_id in ids for each in results):
        return [each for each in results if each.call_id in ids]
    newest = max(at for at, each in enumerate(prompt.messages) if each.role == "user")
    unnamed = [
        each
        for each in prompt.messages[newest:]
        if each.role == "tool" and (not each.call_id or each.call_id in names)
    ]
    spare = ["" for _ in unnamed[len(calls) :]]
    places = [*(call.id for call in calls), *spare]
    return [replace(each, call_id=place) for each, place in zip(unnamed, places, strict=False)]


def _blame(talk: Conversation, turn: Turn, finding: str, what: str) -> Violation:
    text = f"{finding}: in turn {turn.number} {what}"
    return Violation(text, *describe_turn(turn), session=talk.session, about=(turn.text,))

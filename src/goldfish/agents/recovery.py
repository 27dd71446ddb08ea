"""What a conversation must be like after a turn that was cut or failed."""

from goldfish.agents.agent import Agent
from goldfish.agents.conversation import Conversation
from goldfish.agents.evidence import describe_turn
from goldfish.agents.expectations import expect_remembered
from goldfish.agents.prompts import count_copies, find_half
from goldfish.agents.turns import Turn
from goldfish.findings.result import Violation

MORE = 2  # turns after which an agent that does not answer never will


async def expect_recovered(
    agent: Agent, talk: Conversation, cut: Turn, *, worker: int | None = None
) -> Turn:
    """Expect that the next turn is answered, and shows all but the cut turn, which is not half."""
    turn = await expect_answer(agent, talk, worker=worker)
    expect_remembered(talk, turn)
    expect_whole(talk, cut, turn)
    expect_said_once(talk, cut, turn)
    return turn


async def expect_answer(agent: Agent, talk: Conversation, *, worker: int | None = None) -> Turn:
    """Expect an answer to the next turn; an agent that never answers again is wedged."""
    turn = await talk.attempt(worker=worker)
    if _is_good(turn):
        return turn
    blame = _blame(agent, talk, turn)
    for _ in range(MORE):
        if _is_good(await talk.attempt(worker=worker)):
            raise blame
    why = f"{blame.summary}; and so it is in every turn after it"
    raise Violation(f"wedged: {why}", *blame.evidence, session=talk.session, about=blame.about)


def _is_good(turn: Turn) -> bool:
    """Return True if a turn was answered, to prompts that no provider refuses."""
    return turn.is_acknowledged and not any(find_half(each) for each in turn.prompts)


def _blame(agent: Agent, talk: Conversation, turn: Turn) -> Violation:
    half = next(filter(None, map(find_half, turn.prompts)), None)
    if half is None:
        return agent.blame_silence(talk, turn)
    what = f"the prompt of turn {turn.number} has {half}"
    return Violation(f"torn: {what}", *describe_turn(turn), session=talk.session)


def expect_whole(talk: Conversation, cut: Turn, turn: Turn) -> None:
    """Expect the cut turn in a later prompt whole, or without its answer, or not at all."""
    marks = cut.marks_seen
    half = find_half(turn.prompt)
    if half is None and cut.mark not in turn.prompt.text:
        answers = [mark for mark in marks[1:] if mark in turn.prompt.text]
        half = f"{answers[0]!r}, the answer, without its question" if answers else None
    if half:
        what = f"of turn {cut.number}, which was cut, the prompt of turn {turn.number} has {half}"
        raise Violation(f"torn: {what}", *describe_turn(turn, marks), session=talk.session)


def expect_said_once(talk: Conversation, cut: Turn, turn: Turn) -> None:
    """Expect no message more than once in a later prompt, however often its turn failed."""
    marks = cut.marks_seen
    if (copies := count_copies(turn.prompt, cut.mark)) > 1:
        what = f"{cut.mark!r}, said once in turn {cut.number}, is in the prompt {copies} times"
        raise Violation(f"duplicated: {what}", *describe_turn(turn, marks), session=talk.session)


def expect_no_half(talk: Conversation, cut: Turn, turn: Turn) -> None:
    """Expect that what had come of a reply is not in a later prompt as if it were all of it."""
    replies = [each.reply.strip() for each in cut.exchanges if each.is_main]
    for message in turn.prompt.messages:
        text = message.text.strip()
        halves = [each for each in replies if each.startswith(text) and each != text]
        if message.role == "assistant" and text and halves:
            what = f"of the reply that broke off in turn {cut.number}, the prompt of turn "
            what += f"{turn.number} has {text!r} as if it were all of it"
            about = [cut.mark]
            raise Violation(f"torn: {what}", *describe_turn(turn, about), session=talk.session)


def expect_seen(turn: Turn) -> None:
    """Expect that the caller saw that the model failed."""
    if turn.is_swallowed:
        ends = ", ".join(str(each.ended) for each in turn.exchanges)
        what = f"the model failed at every request of turn {turn.number} ({ends}), and the agent"
        raise Violation(f"swallowed: {what} answered {turn.reply[:80]!r}", *describe_turn(turn))

"""The turns of an agent's conversation: what was said, the prompt, what it lacks or has twice."""

from collections.abc import Iterator

from goldfish.history.dialogue import (
    AGAIN,
    ASKED,
    FOREIGN,
    FORGOTTEN,
    GRAVE,
    LEFT_OUT,
    MISSING,
    NO_CALL,
    NO_RESULT,
    Dialogue,
    ShownMessage,
    ShownTurn,
)
from goldfish.report.html.markup import Markup, element, join
from goldfish.report.html.presence import render_presence
from goldfish.report.sanitize import shorten

LONGEST = 600  # characters of a message
WORDS = {
    MISSING: "should be here",
    AGAIN: "there again",
    FOREIGN: "of another session",
    FORGOTTEN: "was forgotten",
    NO_RESULT: "a call without its result",
    NO_CALL: "a result without its call",
    ASKED: "in question",
}
OUTCOMES = {"answered": "answered", "failed": "the agent failed", "unknown": "no answer came"}
CAPTION = (
    "Each row is something that was said or answered, each column the prompt of a turn, with the "
    "worker that served it. Blue: the prompt has it. Red cross: it should have it, and does not. "
    "Red: it should not have it, or not as often. Orange line: a worker was killed or restarted."
)


def render_dialogue(dialogue: Dialogue, sentence: str) -> Markup:
    """Return the drawing of a conversation, and its turns with their prompts."""
    grid = render_presence(dialogue, sentence)
    figure = element("figure", grid, element("figcaption", CAPTION)) if grid else grid
    title = f"The prompts of {dialogue.session}"
    telling, losing = _choose_open(dialogue), _find_losing(dialogue)
    turns = [
        _render_turn(each, is_open=each is telling, loses=each in losing) for each in dialogue.turns
    ]
    return join(figure, element("h4", title), *_fill_gaps(dialogue, turns))


def _choose_open(dialogue: Dialogue) -> ShownTurn:
    """Return the turn whose prompt shows the finding first, by default the last one."""
    for turn in dialogue.turns:
        if any(each.flag in GRAVE for each in turn.messages):
            return turn
    refused = [turn for turn in dialogue.turns if turn.refusal]
    return refused[0] if refused else dialogue.turns[-1]


def _find_losing(dialogue: Dialogue) -> list[ShownTurn]:
    """Return the turns whose prompts are the first without something."""
    gone: set[int] = set()
    losing = []
    for turn in dialogue.turns:
        if set(turn.missing) - gone:
            losing.append(turn)
        gone |= set(turn.missing)
    return losing


def _fill_gaps(dialogue: Dialogue, turns: list[Markup]) -> Iterator[Markup]:
    """Yield the turns, with a line where some are left out."""
    before = 0
    for turn, drawn in zip(dialogue.turns, turns, strict=True):
        if turn.number > before + 1:
            yield element("p", f"… {turn.number - before - 1} turns more", class_="soft")
        yield drawn
        before = turn.number


def _render_turn(turn: ShownTurn, *, is_open: bool, loses: bool) -> Markup:
    grave = [each.flag for each in turn.messages if each.flag in GRAVE]
    chips = [
        element("span", _count(flag, grave), class_="chip word") for flag in dict.fromkeys(grave)
    ]
    if loses:
        chips.append(element("span", "lost here", class_="chip word"))
    if turn.refusal:
        chips.append(element("span", "refused by the provider", class_="chip word"))
    head = f"Turn {turn.number}, {turn.worker}: {OUTCOMES.get(turn.outcome, turn.outcome)} "
    return element(
        "details",
        element("summary", head, *chips),
        *_render_exchange(turn),
        class_="turn",
        open="" if is_open else None,
    )


def _count(flag: str, flags: list[str]) -> str:
    number = flags.count(flag)
    if flag == MISSING:
        return f"{number} message{'' if number == 1 else 's'} missing"
    return WORDS[flag] if number == 1 else f"{WORDS[flag]} ({number})"


def _render_exchange(turn: ShownTurn) -> Iterator[Markup]:
    yield _render_line("said", turn.text)
    if turn.messages:
        whose = "" if turn.is_main else ", of a request beside the answer"
        counted = f"{turn.size:,} bytes, {turn.requests} request{'' if turn.requests == 1 else 's'}"
        yield element("p", f"the prompt{whose} ({counted}):", class_="soft")
        yield element("ol", *map(_render_message, turn.messages), class_="prompt")
    else:
        yield element("p", "no request reached the model", class_="soft")
    for name, text in (
        ("the model called", ", ".join(turn.calls)),
        ("the provider refused it", turn.refusal),
        ("answered", turn.reply),
        ("the caller saw", turn.error),
        ("then", ", ".join(turn.faults)),
    ):
        if text:
            yield _render_line(name, text)


def _render_line(name: str, text: str) -> Markup:
    shown = element("q", shorten(text, LONGEST))
    return element("p", element("span", f"{name}: ", class_="soft"), shown)


def _render_text(text: str) -> Markup:
    """Return a text with its own line ends; all else in it is inert."""
    return Markup("\n".join(join(line) for line in shorten(text, LONGEST).split("\n")))


def _render_message(message: ShownMessage) -> Markup:
    if message.flag == LEFT_OUT:
        return element("li", f"… {message.text} messages more", class_="soft")
    word = WORDS.get(message.flag, "")
    grave = message.flag in GRAVE
    where = f" (turn {message.turn})" if message.flag == MISSING and message.turn else ""
    chip = element("span", f"{word}{where}", class_="chip word" if grave else "chip")
    kinds = ["gone"] if message.flag == MISSING else ["grave"] if grave else []
    return element(
        "li",
        element("b", message.role),
        " ",
        element("span", _render_text(message.text)),
        join(" ", chip) if word else "",
        class_=" ".join(kinds) or None,
    )

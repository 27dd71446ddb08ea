"""A conversation drawn up for a report: turns, prompts, and what each prompt lacks or has twice."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from goldfish.agents.conversation import Conversation
from goldfish.agents.prompts import count_copies, find_half, find_own_mark, find_unpaired
from goldfish.agents.turns import Turn
from goldfish.errors import mask
from goldfish.findings.kinds import Sign, has_sign
from goldfish.history.dialogue import (
    AGAIN,
    ASKED,
    FOREIGN,
    FORGOTTEN,
    LEFT_OUT,
    MISSING,
    Dialogue,
    Said,
    ShownMessage,
    ShownTurn,
)
from goldfish.mirror import Exchange, Prompt

LONGEST = 300  # characters of a text
MOST_TURNS = 14
MOST_MESSAGES = 24  # of one prompt
FOREIGN_TO = {"leaked": FOREIGN, "resurrected": FORGOTTEN}


@dataclass(frozen=True)
class Question:
    """What a finding is about: its kind, the turn that shows it, and the marks in question."""

    finding: str
    turn: Turn
    marks: Sequence[str] = ()


@dataclass(frozen=True)
class _Row:
    """Something that was said, with the mark by which prompts are searched for it."""

    mark: str
    said: Said


def draw_dialogue(talk: Conversation, question: Question) -> Dialogue:
    """Return the turns of a conversation that show a finding, with their prompts."""
    turns = _choose_turns(talk.turns, question)
    own = [row for each in turns for row in _list_rows(each)]
    rows = [*_list_unowned(talk, question, own), *_list_foreign(talk, question), *own]
    shown = tuple(_Drawing(talk, question, rows, each).draw() for each in turns)
    return Dialogue(talk.session, talk.user, tuple(row.said for row in rows), shown)


class _Drawing:
    """One turn that is drawn."""

    def __init__(
        self, talk: Conversation, question: Question, rows: Sequence[_Row], turn: Turn
    ) -> None:
        self._talk, self._question, self._rows, self._turn = talk, question, rows, turn
        self._exchange = _choose_exchange(turn, question)

    def draw(self) -> ShownTurn:
        turn, exchange = self._turn, self._exchange
        prompt = exchange.prompt if exchange else Prompt(())
        copies = [_count(prompt, row) for row in self._rows]
        missing = [at for at in range(len(copies)) if exchange and self._is_missing(at, copies)]
        return ShownTurn(
            turn.number,
            turn.worker,
            shorten(turn.text),
            turn.outcome,
            shorten(turn.reply),
            shorten(turn.error),
            shorten((exchange and exchange.refusal) or ""),
            tuple(
                shorten(f"{it.name}({it.arguments})")
                for each in turn.exchanges
                for it in each.calls
            ),
            tuple(self._talk.list_faults(turn)),
            len(turn.exchanges),
            exchange is None or exchange is turn.main,
            len(prompt.text.encode(errors="replace")),
            tuple(self._draw_messages(prompt, missing)),
            tuple(copies),
            tuple(missing),
            tuple(at for at in range(len(copies)) if self._is_wrong(at, copies)),
        )

    def _is_missing(self, place: int, copies: Sequence[int]) -> bool:
        row, asked = self._rows[place], self._question
        if (
            copies[place]
            or row.mark not in asked.marks
            or not has_sign(asked.finding, Sign.ABSENCE)
        ):
            return False
        due = row.said.turn + (row.said.role != "user")
        return due <= self._turn.number and not row.said.session and not self._turn.overlaps

    def _is_wrong(self, place: int, copies: Sequence[int]) -> bool:
        row, asked = self._rows[place], self._question
        if row.mark not in asked.marks or not copies[place]:
            return False
        late = asked.finding == "resurrected" and self._turn.number >= asked.turn.number
        return (
            late or bool(row.said.session) or (asked.finding == "duplicated" and copies[place] > 1)
        )

    def _draw_messages(self, prompt: Prompt, missing: Sequence[int]) -> Iterator[ShownMessage]:
        """Yield the messages of a prompt, what is missing at its place; of many, some."""
        absent = [self._rows[place] for place in missing]
        numbers = {row.mark: at for at, row in enumerate(self._rows)}
        skipped, flags = 0, self._list_flags(prompt)
        for place, message in enumerate(prompt.messages):
            own = numbers.get(find_own_mark(message) or "", -1)
            while absent and own > numbers[absent[0].mark]:
                yield from _draw_gap(skipped)
                skipped = 0
                yield _draw_missing(absent.pop(0))
            if not flags[place] and not _is_near(place, len(prompt.messages)):
                skipped += 1
                continue
            yield from _draw_gap(skipped)
            skipped = 0
            marks = self._question.marks
            turn = self._rows[own].said.turn if own >= 0 else None
            yield ShownMessage(message.role, shorten(str(message), marks), flags[place], turn)
        yield from map(_draw_missing, absent)

    def _list_flags(self, prompt: Prompt) -> list[str]:
        unpaired, asked = find_unpaired(prompt), self._question
        seen: set[tuple[str, str]] = set()
        flags = []
        for place, message in enumerate(prompt.messages):
            key = (message.role, find_own_mark(message) or message.text)
            is_said = message.role != "tool" and not message.calls and message.text.strip()
            again = is_said and key in seen and asked.finding == "duplicated"
            seen.add(key)
            wanted = any(mark in str(message) for mark in asked.marks)
            late = asked.finding != "resurrected" or self._turn.number >= asked.turn.number
            named = FOREIGN_TO.get(asked.finding, ASKED) if late else ""
            flag = AGAIN if again else named if wanted else ""
            flags.append(unpaired.get(place, flag))
        return flags


def _choose_turns(turns: Sequence[Turn], question: Question) -> list[Turn]:
    """Return the turns that tell most: those in question, where it vanished, both ends."""
    if len(turns) <= MOST_TURNS:
        return list(turns)
    having = [at for at, each in enumerate(turns) if _has_any(each, question.marks)]
    around = [having[-1], having[-1] + 1] if having else []
    said = [at for at, each in enumerate(turns) if set(each.marks_seen) & set(question.marks)]
    asked = [at for at, each in enumerate(turns) if each is question.turn]
    last = len(turns) - 1
    middle = asked[0] if asked else last
    nearest = sorted(range(len(turns)), key=lambda at: abs(at - middle))
    ranked = [*asked, *said[:3], *around, 0, last, *nearest]
    chosen = list(dict.fromkeys(at for at in ranked if at <= last))[:MOST_TURNS]
    return [turns[at] for at in sorted(chosen)]


def _has_any(turn: Turn, marks: Iterable[str]) -> bool:
    return turn.main is not None and any(mark in turn.main.prompt.text for mark in marks)


def _choose_exchange(turn: Turn, question: Question) -> Exchange | None:
    """Return the request that shows the finding, by default the one that made the answer."""
    for each in turn.exchanges:
        if question.finding in FOREIGN_TO and any(mark in each.prompt for mark in question.marks):
            return each
        if question.finding in ("torn", "wedged") and find_half(each.prompt):
            return each
    return turn.main


def _list_rows(turn: Turn) -> Iterator[_Row]:
    yield _Row(turn.mark, Said(turn.number, "user", shorten(turn.text)))
    if turn.answer:
        yield _Row(turn.answer, Said(turn.number, "assistant", shorten(turn.reply)))


def _list_foreign(talk: Conversation, question: Question) -> list[_Row]:
    """Return what other conversations said of what is in question."""
    return [
        _Row(row.mark, Said(row.said.turn, row.said.role, row.said.text, other.session))
        for other in talk.neighbours
        for turn in other.turns
        for row in _list_rows(turn)
        if row.mark in question.marks
    ]


def _list_unowned(talk: Conversation, question: Question, own: Sequence[_Row]) -> list[_Row]:
    """Return what is in question and belongs to no turn: a phrase of the system prompt."""
    turns = [*talk.turns, *(turn for other in talk.neighbours for turn in other.turns)]
    known = {mark for turn in turns for mark in turn.marks_seen}
    said = "\n".join(text for turn in turns for text in (turn.text, turn.reply))
    return [
        _Row(each, Said(0, "system", shorten(each)))
        for each in question.marks
        if each not in known and each not in said
    ]


def _count(prompt: Prompt, row: _Row) -> int:
    """Return how often something is said in a prompt; once, if it is only quoted there."""
    if row.said.role == "system":
        return prompt.text.count(row.mark)
    return count_copies(prompt, row.mark) or int(row.mark in prompt.text)


def _is_near(place: int, count: int) -> bool:
    half = MOST_MESSAGES // 2
    return count <= MOST_MESSAGES or place < half // 2 or place >= count - half


def _draw_gap(skipped: int) -> Iterator[ShownMessage]:
    if skipped:
        yield ShownMessage("", str(skipped), LEFT_OUT)


def _draw_missing(row: _Row) -> ShownMessage:
    return ShownMessage(row.said.role, row.said.text, MISSING, row.said.turn)


def shorten(text: str, marks: Sequence[str] = ()) -> str:
    """Return a text without secrets, cut around the first of these marks."""
    place = min((at for mark in marks if (at := text.find(mark)) >= 0), default=0)
    begin = max(0, place - LONGEST // 2) if len(text) > LONGEST else 0
    # Secrets are masked in more than is shown: no cut may hide the end of a password.
    masked = mask(text[begin : begin + 4 * LONGEST])
    cut = masked[:LONGEST] if begin + LONGEST < len(text) else masked
    more = len(text) - begin - len(cut)
    after = f"… ({len(text):,} characters)" if more > 0 and len(text) > LONGEST else ""
    return f"{'…' if begin else ''}{cut}{after}"

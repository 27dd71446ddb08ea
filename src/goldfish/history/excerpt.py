"""The few calls of a history that show a finding, as plain and short texts, fit to be kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldfish.errors import mask
from goldfish.history import FAULT, Call

LONGEST = 200  # characters of one content
MOST_CONTENTS = 12  # of one call
MOST_CALLS = 12
MOST_BESIDE = 60
GAP = "…"


@dataclass(frozen=True)
class Excerpt:
    """Calls whose contents are texts, with times in seconds from the first of them.

    ``about`` are the contents that the finding is about; ``beside`` are other calls of that time.
    """

    calls: tuple[Call, ...]
    about: tuple[str, ...] = ()
    beside: tuple[Call, ...] = ()


def make_excerpt(calls: Iterable[Call], about: Iterable[Any], whole: Iterable[Call]) -> Excerpt:
    """The calls that show a finding, with those of the whole that were under way meanwhile."""
    shown = sorted(calls, key=lambda call: (call.start, call.end))
    texts = tuple(dict.fromkeys(map(_text, about)))
    origin = min((call.start for call in shown), default=0.0)
    beside = _beside(shown, whole)
    return Excerpt(
        tuple(_plain(call, origin, texts) for call in shown),
        texts[:MOST_CONTENTS],
        tuple(_plain(call, origin, texts) for call in beside),
    )


def excerpt_last_calls(calls: Sequence[Call], session: str | None, about: Iterable[Any]) -> Excerpt:
    """What a check asked of a session before it found something: of many calls, the telling ones.

    Without a session, the one that was asked last.
    """
    asked = [call for call in calls if call.action != FAULT]
    if not asked:
        return Excerpt(())
    session = asked[-1].session if session is None else session
    about = list(about)
    wanted = set(map(_key, about))
    own = [call for call in asked if call.session == session or _wrote(call, wanted)]
    chosen = _telling(own or asked[-1:], wanted)
    begin, end = chosen[0].start, max(call.end for call in chosen)
    faults = [call for call in calls if call.action == FAULT and call.start <= end]
    chosen += [fault for fault in faults if fault.end >= begin][-3:]
    return make_excerpt(chosen, about, ())


def _telling(calls: Sequence[Call], about: set[str]) -> list[Call]:
    """The last call, those about the contents in question, and then the newest of the others."""
    places = range(len(calls))
    ranked = sorted(places, key=lambda at: (at != places[-1], not _mentions(calls[at], about), -at))
    return [calls[at] for at in sorted(ranked[:MOST_CALLS])]


def _wrote(call: Call, about: set[str]) -> bool:
    """Whether it is the write of such a content, also to another session, from which it leaked."""
    return call.action in {"add", "remember"} and _mentions(call, about)


def _mentions(call: Call, about: set[str]) -> bool:
    if not about:
        return False
    return not about.isdisjoint(map(_key, (*_items(call.value), *_items(call.result))))


def _beside(shown: Sequence[Call], whole: Iterable[Call]) -> list[Call]:
    if not shown:
        return []
    begin, end = shown[0].start, max(call.end for call in shown)
    told = {(call.process, call.start) for call in shown}
    others = (call for call in whole if call.action != FAULT)
    meanwhile = [call for call in others if call.start <= end and begin <= call.end]
    return [call for call in meanwhile if (call.process, call.start) not in told][:MOST_BESIDE]


def _plain(call: Call, origin: float, about: Sequence[str]) -> Call:
    return call._replace(
        process=_text(call.process),
        session=_text(call.session),
        value=_short(call.value, about),
        result=_short(call.result, about),
        start=call.start - origin,
        end=call.end - origin,
        error=_text(call.error),
        place=_text(call.place or call.process),
    )


def _short(value: Any, about: Sequence[str]) -> Any:
    """Numbers and nothing as they are, a list as texts, anything else as one text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if not isinstance(value, list | tuple):
        return _text(value)
    return tuple(_few(value, about))


def _few(values: Sequence[Any], about: Sequence[str]) -> Iterator[str]:
    """The contents in question and the ends of the list; a gap for the rest."""
    edge = MOST_CONTENTS // 3
    in_gap, told = False, 0
    for at, each in enumerate(values):
        near = at < edge or at >= len(values) - edge or len(values) <= MOST_CONTENTS
        wanted = near or (_key(each) in about and told < 2 * MOST_CONTENTS)
        if wanted:
            told += 1
            yield _text(each)
        elif not in_gap:
            yield GAP
        in_gap = not wanted


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _key(value: Any) -> str:
    """What a content is known by; a text by itself, for there may be thousands of them."""
    return value if isinstance(value, str) else _text(value)


def _text(value: Any) -> str:
    """A content as text: of a message or a fact what it says; masked, and not endless."""
    plain = value if isinstance(value, str) else _said(value)
    told = mask(plain)
    return told if len(told) <= LONGEST else f"{told[: LONGEST - 1]}{GAP}"


def _said(value: Any) -> str:
    try:
        fact = getattr(value, "fact", value)
        for name in ("text", "content", "memory"):
            said = fact.get(name) if isinstance(fact, Mapping) else getattr(fact, name, None)
            if isinstance(said, str):
                return said
        return repr(value)
    except Exception as error:  # a stranger's object, which may not even have a form
        return f"<{type(value).__name__}: {type(error).__name__}>"

"""The few calls of a history that show a finding, as short texts that a report can keep."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldfish.errors import mask
from goldfish.history import FAULT, Call
from goldfish.history.operations import has_effect

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
    """Return the calls that show a finding, with those of the whole that ran meanwhile."""
    shown = sorted(calls, key=lambda call: (call.start, call.end))
    texts = tuple(dict.fromkeys(map(_make_text, about)))
    origin = min((call.start for call in shown), default=0.0)
    beside = _find_beside(shown, whole)
    return Excerpt(
        tuple(_make_plain(call, origin, texts) for call in shown),
        texts[:MOST_CONTENTS],
        tuple(_make_plain(call, origin, texts) for call in beside),
    )


def excerpt_last_calls(calls: Sequence[Call], session: str | None, about: Iterable[Any]) -> Excerpt:
    """Return what a check asked of a session before it found something, the telling calls only.

    Without a session, the one that was asked last.
    """
    asked = [call for call in calls if call.action != FAULT]
    if not asked:
        return Excerpt(())
    session = asked[-1].session if session is None else session
    about = list(about)
    wanted = set(map(_make_key, about))
    own = [call for call in asked if call.session == session or _is_write_of(call, wanted)]
    chosen = _choose_telling(own or asked[-1:], wanted)
    begin, end = chosen[0].start, max(call.end for call in chosen)
    faults = [call for call in calls if call.action == FAULT and call.start <= end]
    chosen += [fault for fault in faults if fault.end >= begin][-3:]
    return make_excerpt(chosen, about, ())


def _choose_telling(calls: Sequence[Call], about: set[str]) -> list[Call]:
    """Return the last call, those about the contents in question, and the newest others."""
    calls = _drop_repeated_reads(calls)
    places = range(len(calls))
    ranked = sorted(places, key=lambda at: (at != places[-1], not _has_any(calls[at], about), -at))
    return [calls[at] for at in sorted(ranked[:MOST_CALLS])]


def _drop_repeated_reads(calls: Sequence[Call]) -> list[Call]:
    """Return the calls; of reads that follow each other with one answer, the first one."""
    kept = list(calls[:1])
    for call in calls[1:]:
        same = call._replace(start=kept[-1].start, end=kept[-1].end) == kept[-1]
        if not (same and has_effect(call.action, "read")):
            kept.append(call)
    return kept


def _is_write_of(call: Call, about: set[str]) -> bool:
    """Return True for a write of such a content, also to the session from which it leaked."""
    return has_effect(call.action, "write") and _has_any(call, about)


def _has_any(call: Call, about: set[str]) -> bool:
    if not about:
        return False
    return not about.isdisjoint(
        map(_make_key, (*_list_items(call.value), *_list_items(call.result)))
    )


def _find_beside(shown: Sequence[Call], whole: Iterable[Call]) -> list[Call]:
    if not shown:
        return []
    begin, end = shown[0].start, max(call.end for call in shown)
    known = {(call.process, call.start) for call in shown}
    others = (call for call in whole if call.action != FAULT)
    meanwhile = [call for call in others if call.start <= end and begin <= call.end]
    return [call for call in meanwhile if (call.process, call.start) not in known][:MOST_BESIDE]


def _make_plain(call: Call, origin: float, about: Sequence[str]) -> Call:
    return call._replace(
        process=_make_text(call.process),
        session=_make_text(call.session),
        value=_shorten_value(call.value, about),
        result=_shorten_value(call.result, about),
        start=call.start - origin,
        end=call.end - origin,
        error=_make_text(call.error),
        place=_make_text(call.place or call.process),
    )


def _shorten_value(value: Any, about: Sequence[str]) -> Any:
    """Return numbers and None as they are, a list as texts, anything else as one text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if not isinstance(value, list | tuple):
        return _make_text(value)
    return tuple(_choose_contents(value, about))


def _choose_contents(values: Sequence[Any], about: Sequence[str]) -> Iterator[str]:
    """Yield the contents in question and the ends of the list; a gap for the rest."""
    edge = MOST_CONTENTS // 3
    in_gap, count = False, 0
    for at, each in enumerate(values):
        near = at < edge or at >= len(values) - edge or len(values) <= MOST_CONTENTS
        wanted = near or (_make_key(each) in about and count < 2 * MOST_CONTENTS)
        if wanted:
            count += 1
            yield _make_text(each)
        elif not in_gap:
            yield GAP
        in_gap = not wanted


def _list_items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _make_key(value: Any) -> str:
    """Return what a content is known by; a text as it is, for there may be thousands."""
    return value if isinstance(value, str) else _make_text(value)


def _make_text(value: Any) -> str:
    """Return a content as text, masked and cut; of a message or a fact, what it says."""
    plain = value if isinstance(value, str) else _find_text(value)
    text = mask(plain)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}{GAP}"


def _find_text(value: Any) -> str:
    try:
        fact = getattr(value, "fact", value)
        for name in ("text", "content", "memory"):
            text = fact.get(name) if isinstance(fact, Mapping) else getattr(fact, name, None)
            if isinstance(text, str):
                return text
        return repr(value)
    except Exception as error:  # a stranger's object, which may not even have a form
        return f"<{type(value).__name__}: {type(error).__name__}>"

"""The judge of phantom, leaked, corrupted and duplicated: what was never written there."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from goldfish.history import Call, find_tag
from goldfish.judges.findings import Finding, join_names, quote
from goldfish.judges.sessions import FRONT, Read, Session


class Everywhere:
    """The adds of all sessions by message; read only where a session does not know one."""

    def __init__(self, calls: Mapping[str, Sequence[Call]]) -> None:
        self._calls = calls

    @cached_property
    def _by_name(self) -> dict[str, Call]:
        return dict(self._list_names())

    def _list_names(self) -> Iterator[tuple[str, Call]]:
        for calls in self._calls.values():
            for call in calls:
                if call.action == "add":
                    for content in call.value:
                        yield find_tag(content), call

    def find_writer(self, content: Any) -> Call | None:
        """Return the add, in any session, of the message with this name."""
        return self._by_name.get(find_tag(content))


def fill_reads(session: Session, everywhere: Everywhere) -> list[Finding]:
    """Fill in the reads of the session; return what in them was never written there."""
    findings: list[Finding] = []
    last: Any = None
    numbers: list[int | None] = []
    shown: set[int | None] = set()
    for call in session.read_calls:
        if call.result is not last:
            last, numbers = call.result, session.find_numbers(call.result)
            shown = set(numbers)
        read = _make_clean_read(session, call, numbers, shown)
        if read is None:
            read, found = _sort_out_read(session, call, numbers, everywhere)
            findings += found
        if read.whole and session.first_removal > call.end:
            read.ids.insert(0, FRONT)
        session.reads.append(read)
        if call.value is not None and len(call.result) > call.value:
            findings.append(_report_too_many(session, call))
    return findings


def _make_clean_read(
    session: Session, call: Call, numbers: list[int | None], shown: set[int | None]
) -> Read | None:
    """Return the read if all of its messages are known, there in time, and there once."""
    if None in shown or len(shown) < len(numbers) or session.repeated:
        return None
    known: list[int] = numbers.copy()  # type: ignore[assignment]  # None was ruled out
    if known and session.starts[max(known)] > call.end:
        return None
    return Read(call, known, shown)  # type: ignore[arg-type]  # None was ruled out


def _sort_out_read(
    session: Session, call: Call, numbers: list[int | None], everywhere: Everywhere
) -> tuple[Read, list[Finding]]:
    findings = list(_find_strangers(session, call, numbers, everywhere))
    known = [number for number in _recognise(session, call, numbers) if number is not None]
    early = [number for number in known if session.starts[number] > call.end]
    twice = [number for number, times in Counter(known).items() if times > 1]
    findings += [_report_future(session, call, number) for number in early]
    findings += [_report_twice(session, call, twice)] if twice else []
    shown = set(known).difference(early)
    placed = shown - session.repeated
    ids = [number for number in dict.fromkeys(known) if number in placed]
    read = Read(call, ids, shown)
    read.trusted = not findings
    return read, findings


def _recognise(session: Session, call: Call, numbers: list[int | None]) -> Iterable[int | None]:
    """Yield the numbers, with those of damaged messages that are recognised by their names."""
    present = set(numbers)
    for content, number in zip(call.result, numbers, strict=True):
        meant = session.find_by_name(content) if number is None else number
        yield None if number is None and meant in present else meant


def _find_strangers(
    session: Session, call: Call, numbers: list[int | None], everywhere: Everywhere
) -> Iterator[Finding]:
    for content, number in zip(call.result, numbers, strict=True):
        if number is None:
            yield _explain_stranger(session, call, content, everywhere)


def _explain_stranger(
    session: Session, read: Call, content: Any, everywhere: Everywhere
) -> Finding:
    meant = session.find_by_name(content)
    if meant is not None:
        add = session.get_add(meant)
        text = f"{join_names([content])} was written, but a read returns it changed"
        return Finding("corrupted", session.name, text, (add, read), (content,))
    writer = everywhere.find_writer(content)
    if writer is not None and writer.session != session.name:
        where = f"written to session {quote(writer.session)}, but a read of"
        text = f"{join_names([content])} was {where} {quote(session.name)} returns it"
        return Finding("leaked", session.name, text, (writer, read), (content,))
    text = f"{join_names([content])} was never written, but a read returns it"
    return Finding("phantom", session.name, text, (read,), (content,))


def _report_future(session: Session, read: Call, number: int) -> Finding:
    content = session.contents[number]
    text = f"{join_names([content])} was read before its add began"
    return Finding("phantom", session.name, text, (read, session.get_add(number)), (content,))


def _report_twice(session: Session, read: Call, numbers: list[int]) -> Finding:
    contents = session.get_contents(numbers)
    text = f"one read returns {join_names(contents)} more than once"
    return Finding("duplicated", session.name, text, (session.get_add(numbers[0]), read), contents)


def _report_too_many(session: Session, read: Call) -> Finding:
    text = f"a read of the last {read.value} messages returns {len(read.result)}"
    return Finding("wrong", session.name, text, (read,), tuple(read.result))

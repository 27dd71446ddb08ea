"""Calls in little memory: a long history is a few texts, shown again and again.

A call that is like most others is kept as numbers, and made anew whenever it is asked for: so
calls of a history are compared by ``==``, never by ``is``. Any other call is kept as it is.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import eq
from typing import Any, Literal, overload

from goldfish.history.call import FAULT, Call

Holder = Literal["value", "result"]  # the field that has the texts of a call
# What many calls have in common: process, action, value, place, and the holder.
Head = tuple[str, str, int | None, str, Holder | None]


class _Session(dict[str, int]):
    """The texts of a session, each with its number, and the numbers of its calls."""

    __slots__ = ("calls", "name", "texts")

    def __init__(self, name: str) -> None:
        self.name = name
        self.texts: list[str] = []
        self.calls = array("I")

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self.texts)
        self.texts.append(text)
        return number


class PackedCalls(Sequence[Call]):
    """The calls of a history, in their order."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}
        self._heads: dict[Head, Head] = {}  # each by itself
        self._texts = array("I")  # the numbers of texts in their sessions
        # By the number of the call, the last two being where its texts begin and stop:
        self._session_of: list[_Session] = []
        self._head_of: list[Head | Call] = []
        self._starts, self._ends = array("d"), array("d")
        self._begins, self._stops = array("Q"), array("Q")

    def append(self, call: Call) -> None:
        """Add a call at the end."""
        holder = _find_holder(call)
        if _is_plain(call, holder):
            texts = getattr(call, holder) if holder else ()
            number = None if holder == "value" else call.value
            head = (call.process, call.action, number, call.place, holder)
            self.add(call.session, head, texts, call.start, call.end)
        else:
            self.add(call.session, call, (), call.start, call.end)

    def add(
        self,
        session: str,
        head: Head | Call,
        texts: Sequence[str],
        start: float,
        end: float,
        like: int | None = None,
    ) -> None:
        """Add a call that was answered, by what it shares with others; or a whole call.

        ``like`` is the number of an earlier call of the session, whose texts come before these.
        Nothing is checked here, as there may be millions.
        """
        of_session = self._sessions.get(session)
        if of_session is None:
            of_session = self._sessions[session] = _Session(session)
        begin, stop = len(self._texts), None
        if like is not None and texts:
            self._texts += self._texts[self._begins[like] : self._stops[like]]
        elif like is not None:
            begin, stop = self._begins[like], self._stops[like]
        if texts:
            self._texts.extend(map(of_session.__getitem__, texts))
        of_session.calls.append(len(self._head_of))
        self._session_of.append(of_session)
        self._head_of.append(head if isinstance(head, Call) else self._heads.setdefault(head, head))
        self._starts.append(start)
        self._ends.append(end)
        self._begins.append(begin)
        self._stops.append(len(self._texts) if stop is None else stop)

    def _make(self, numbers: Iterable[int]) -> Iterator[Call]:
        # Names that are local, and no call that is not needed: there may be millions of calls.
        session_of, head_of, texts_of = self._session_of, self._head_of, self._texts
        starts, ends, begins, stops = self._starts, self._ends, self._begins, self._stops
        new, at, to = tuple.__new__, 0, 0
        contents: int | tuple[str, ...] | None
        result: tuple[str, ...] | None
        shown: tuple[str, ...] = ()  # what the last read showed, which is at ``at`` to ``to``
        for number in numbers:
            head = head_of[number]
            if isinstance(head, Call):
                yield head
                continue
            process, action, value, place, holder = head
            session, start, end = session_of[number], starts[number], ends[number]
            name, contents, result = session.name, value, None
            if holder == "value":
                texts = texts_of[begins[number] : stops[number]]
                contents = tuple(map(session.texts.__getitem__, texts))
            elif holder == "result":
                begin, stop = begins[number], stops[number]
                if begin != at or stop != to:
                    at, to = begin, stop
                    shown = tuple(map(session.texts.__getitem__, texts_of[begin:stop]))
                result = shown
            # fmt: off
            yield new(Call, (
                process, name, action, contents, result, start, end, "ok", "", place, False, None,
            ))
            # fmt: on

    def __len__(self) -> int:
        return len(self._head_of)

    def __iter__(self) -> Iterator[Call]:
        return self._make(range(len(self)))

    @overload
    def __getitem__(self, at: int) -> Call: ...
    @overload
    def __getitem__(self, at: slice) -> list[Call]: ...
    def __getitem__(self, at: int | slice) -> Call | list[Call]:
        if isinstance(at, slice):
            return list(self._make(range(len(self))[at]))
        return next(self._make([range(len(self))[at]]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as a list has none

    def select(self, sessions: Collection[str]) -> list[Call]:
        """Return the calls of these sessions, and the faults."""
        pairs = enumerate(zip(self._session_of, self._head_of, strict=True))
        wanted = (at for at, (of, head) in pairs if of.name in sessions or _is_fault(head))
        return list(self._make(wanted))

    def select_unusual(self) -> list[Call]:
        """Return the calls that failed or got no answer, and the faults."""
        heads = enumerate(self._head_of)
        wanted = (at for at, head in heads if isinstance(head, Call) or head[1] == FAULT)
        return [call for call in self._make(wanted) if is_unusual(call)]

    def group_by_session(self) -> Mapping[str, list[Call]]:
        """Return the calls of each session; they are made whenever they are asked for."""
        return _Groups(self._sessions, self._make)


class _Groups(Mapping[str, list[Call]]):
    """The calls of each session."""

    def __init__(
        self, sessions: Mapping[str, _Session], make: Callable[[Iterable[int]], Iterator[Call]]
    ) -> None:
        self._sessions, self._make = sessions, make

    def __getitem__(self, session: str) -> list[Call]:
        return list(self._make(self._sessions[session].calls))

    def __iter__(self) -> Iterator[str]:
        return iter(self._sessions)

    def __len__(self) -> int:
        return len(self._sessions)


def is_unusual(call: Call) -> bool:
    """Return True for a call that failed or got no answer, and for a fault."""
    return call.outcome != "ok" or call.action == FAULT


def _is_fault(head: Head | Call) -> bool:
    return (head.action if isinstance(head, Call) else head[1]) == FAULT


def _find_holder(call: Call) -> Holder | None:
    if type(call.result) is tuple:
        return "result"
    return "value" if type(call.value) is tuple else None


def _is_plain(call: Call, holder: Holder | None) -> bool:
    """Return True if the call can be made again from numbers and texts, exactly as it is."""
    number = None if holder == "value" else call.value
    texts: Any = getattr(call, holder) if holder else ()
    return (
        (call.outcome, call.error, call.timed_out, call.origin) == ("ok", "", False, None)
        and (holder == "result" or call.result is None)
        and (number is None or type(number) is int)  # True is no number, and equals one
        and type(call.start) is type(call.end) is float
        and all(type(text) is str for text in texts)
    )

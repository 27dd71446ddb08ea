"""The list in front of a library's own list."""

from collections.abc import Callable
from typing import Any

import pytest

from goldfish.integrations.mirrored_list import MirroredList
from goldfish.messages import ChatMessage


def ours(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text, id=text)


def theirs(message: ChatMessage) -> str:
    assert isinstance(message.content, str)
    return message.content


EDITS: dict[str, Callable[[list[Any], Callable[[str], Any]], object]] = {
    "append": lambda found, new: found.append(new("x")),
    "extend": lambda found, new: found.extend([new("x"), new("y")]),
    "insert": lambda found, new: found.insert(1, new("x")),
    "pop": lambda found, new: found.pop(),
    "pop the first": lambda found, new: found.pop(0),
    "remove": lambda found, new: found.remove(found[1]),
    "clear": lambda found, new: found.clear(),
    "reverse": lambda found, new: found.reverse(),
    "replace": lambda found, new: found.__setitem__(0, new("x")),
    "replace a slice": lambda found, new: found.__setitem__(slice(1), [new("x"), new("y")]),
    "delete": lambda found, new: found.__delitem__(1),
    "delete a slice": lambda found, new: found.__delitem__(slice(1, None)),
    "add in place": lambda found, new: found.__iadd__([new("x")]),
    "multiply in place": lambda found, new: found.__imul__(2),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_is_done_to_it_is_done_to_the_list_behind_it(name: str) -> None:
    """Whatever a caller does to what it has read, it has done to the library's list."""
    behind, plain = ["a", "b", "c"], ["a", "b", "c"]
    front = MirroredList(behind, ours, theirs)
    EDITS[name](front, ours)
    EDITS[name](plain, str)
    assert behind == plain
    assert [each.content for each in front] == plain


def test_sorting_is_done_behind_it_too() -> None:
    """The order of the one is the order of the other."""
    behind = ["b", "c", "a"]
    MirroredList(behind, ours, theirs).sort(key=lambda each: each.id, reverse=True)
    assert behind == ["c", "b", "a"]


def test_the_librarys_own_objects_stay_the_same_objects() -> None:
    """An edit moves them and makes no new ones, also among equals."""
    first, second = ["same"], ["same"]
    behind = [first, second]
    front = MirroredList(behind, lambda each: ours(each[0]), lambda message: [theirs(message)])
    front.reverse()
    assert behind[0] is second
    assert behind[1] is first


def test_reading_touches_nothing_behind_it() -> None:
    """A list that is only read is never written through."""
    behind = ("a", "b")
    front = MirroredList(behind, ours, theirs)  # type: ignore[arg-type]  # it could not be written
    assert [each.content for each in front] == ["a", "b"]
    assert front == [front[0], front[1]]

"""Whether a store is a memory at all, and which method says otherwise."""

from typing import Any

import pytest

from goldfish.engine.opening import open_target
from goldfish.errors import MissingExtraError, TargetError
from goldfish.specimens.references.sqlite import Reference
from goldfish.targets.declaration import as_target
from goldfish.targets.interface import find_interface_problem


def store(**methods: Any) -> object:
    """A store with just these methods."""
    return type("Store", (), {name: staticmethod(each) for name, each in methods.items()})()


def one(session_id: Any) -> None:
    """A method of one parameter."""


def two(session_id: Any, second: Any) -> None:
    """A method of two parameters."""


def anything(*arguments: Any, **options: Any) -> None:
    """A method that takes what comes."""


@pytest.mark.parametrize(
    "methods",
    [
        {"add_messages": two, "get_history": one},
        {"add_messages": anything, "get_history": anything, "trim": anything},
        {"remember": two, "recall": two},
        {"remember": two, "list_facts": one},
        {"add_messages": two, "get_history": one, "trim": two},  # no keep_last: unsupported
    ],
)
def test_a_memory_has_little_to_have(methods: dict[str, Any]) -> None:
    """Messages or facts; a keyword that is missing is a matter for the checks."""
    assert find_interface_problem(store(**methods)) is None


@pytest.mark.parametrize(
    ("methods", "lacks"),
    [
        ({}, "add_messages(session_id, messages)"),
        ({"get_history": one}, "add_messages(session_id, messages)"),
        ({"add_messages": two}, "get_history(session_id)"),
        ({"remember": two}, "recall(user_id, query) or list_facts(user_id)"),
    ],
)
def test_what_is_missing_is_named_as_it_is_called(methods: dict[str, Any], lacks: str) -> None:
    """The sentence says what is expected, with its parameters."""
    assert f"has no {lacks}: a memory has" in str(find_interface_problem(store(**methods)))


@pytest.mark.parametrize(
    ("name", "method", "expected"),
    [
        ("add_messages", one, "add_messages(session_id, messages)"),
        ("get_history", two, "get_history(session_id)"),
        ("clear", lambda: None, "clear(session_id)"),
        ("trim", lambda keep_last: None, "trim(session_id, *, keep_last)"),
        ("clear_all", one, "clear_all()"),
    ],
)
def test_a_method_in_another_shape_is_named(name: str, method: Any, expected: str) -> None:
    """Which, and what is expected."""
    methods = {"add_messages": two, "get_history": one, name: method}
    problem = str(find_interface_problem(store(**methods)))
    assert problem.startswith(f"has {name}(")
    assert problem.endswith(f"in the wrong shape: expected {expected}")


def test_a_target_that_gives_no_memory_is_refused() -> None:
    """A factory that forgot to return is the usual case."""
    with pytest.raises(TargetError, match="forgetful gives a value of type NoneType, which"):
        open_target(as_target(lambda sandbox: None, "forgetful"))


def test_a_factory_that_gives_a_class_is_told_so() -> None:
    """And not that the methods of the class have the wrong shape."""
    said = "forgetful gives the class Reference itself, and not an object of it: return Reference"
    with pytest.raises(TargetError, match=said):
        open_target(as_target(lambda sandbox: Reference, "forgetful"))


def test_a_target_that_does_not_open_is_told_with_its_line() -> None:
    """Nothing can be asked of it, so there is no run."""

    def raising(sandbox: Any) -> None:
        raise OSError("no route")

    open_target(as_target(Reference, "reference"))
    with pytest.raises(TargetError, match=r"OSError: no route \(line \d+ of .*test_interface\.py"):
        open_target(as_target(raising, "raising"))


def test_a_package_that_an_opening_misses_is_told_as_it_is() -> None:
    """The world failed, and the command that helps is in the message."""

    def needy(sandbox: Any) -> None:
        raise MissingExtraError.of("redis", "redis")

    with pytest.raises(MissingExtraError, match="pip install"):
        open_target(as_target(needy, "needy"))

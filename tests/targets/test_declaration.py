"""What a declaration may say, and what is told about anything else."""

from collections.abc import Callable
from typing import Any

import pytest

import goldfish


@pytest.mark.parametrize(
    ("argument", "meant"),
    [("service", "services"), ("claim", "claims"), ("lack", "lacks"), ("guess", "guessed")],
)
def test_an_unknown_argument_brings_the_nearest(argument: str, meant: str) -> None:
    """By a sentence about targets, and not about their constructor."""
    declared: dict[str, Any] = {argument: ["redis"]}
    with pytest.raises(TypeError, match=f"no argument {argument}= of a target: .*mean {meant}"):
        goldfish.target(**declared)(list)


@pytest.mark.parametrize(("argument", "meant"), [("service", "services"), ("tool", "tools")])
def test_agents_and_services_are_told_the_same(argument: str, meant: str) -> None:
    """With their own arguments among the nearest."""
    declared: dict[str, Any] = {argument: ["redis"]}
    makers: list[Callable[[], object]] = [
        lambda: goldfish.agent(**declared)(list),
        lambda: goldfish.service(["uvicorn"], say=print, **declared),
    ]
    for make in makers:
        with pytest.raises(TypeError, match=f"no argument {argument}= of a target: .* {meant}"):
            make()


def test_what_has_no_name_near_it_brings_all() -> None:
    """So that a reader need not look them up."""
    declared: dict[str, Any] = {"zzzz": 1}
    with pytest.raises(TypeError, match="mean one of answers, carries, claims"):
        goldfish.target(**declared)(list)

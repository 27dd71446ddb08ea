"""The nearest names to one that is unknown."""

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.targets.lookup import find_nearest


@pytest.mark.parametrize("name", ["CON1", "con1", "CON001"])
def test_a_code_without_its_zero_is_that_code(name: str) -> None:
    """Whatever else looks like it."""
    assert find_nearest(name, catalogue()) == ["CON01"]


def test_a_name_that_is_like_several_brings_them() -> None:
    """At most three."""
    assert find_nearest("sqllite", ["sqlite", "redis"]) == ["sqlite"]
    assert find_nearest("qqqq", ["sqlite", "redis"]) == []

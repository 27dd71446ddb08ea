"""The table of what can be asked of a store, held against the protocols."""

import inspect

import pytest

from goldfish import protocols
from goldfish.history.operations import ACTIONS, METHODS, Method, has_effect, is_change

PROTOCOLS = [each for each in vars(protocols).values() if getattr(each, "_is_protocol", False)]
OWN = {
    name: function
    for protocol in PROTOCOLS
    if protocol.__module__ == protocols.__name__
    for name, function in vars(protocol).items()
    if inspect.isfunction(function) and not name.startswith("_")
}


def test_the_table_has_every_method_of_the_protocols() -> None:
    """And one more: strangers' stores are closed by either name."""
    assert set(METHODS) == set(OWN) | {"close"}


@pytest.mark.parametrize("method", METHODS.values(), ids=str)
def test_every_method_can_be_called_as_the_table_says(method: Method) -> None:
    """The parameters are those of the protocol."""
    if method.name in OWN:
        options = dict.fromkeys(method.keywords)
        inspect.signature(OWN[method.name]).bind("self", *method.positional, **options)


def test_a_workload_calls_each_action_with_its_value() -> None:
    """By place or by name, as the method takes it; an action without a value ignores it."""
    told = {word: each.arguments("s", 3) for word, each in ACTIONS.items()}
    assert told == {
        "add": (["s", 3], {}),
        "read": (["s"], {}),
        "last": (["s"], {"last": 3}),
        "trim": (["s"], {"keep_last": 3}),
        "clear": (["s"], {}),
        "save": (["s"], {}),
        "rollback": (["s", 3], {}),
    }


def test_an_action_has_the_effect_of_its_method() -> None:
    """Whether a history calls it by its short word or by the name of the method."""
    assert has_effect("add", "write")
    assert has_effect("rollback", "remove")
    assert has_effect("rollback_to_snapshot", "remove")
    assert not has_effect("fault", "remove")
    assert [word for word in ACTIONS if not is_change(word)] == ["read", "last"]

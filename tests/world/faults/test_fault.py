"""A fault is healed once, by its block or by hand, and the ledger knows what is left."""

import pytest

from goldfish.world.faults.fault import Fault, Ledger


def test_a_fault_is_healed_once() -> None:
    """Leaving the block heals, and healing again does nothing."""
    healed: list[str] = []
    with Fault("something is wrong", lambda: healed.append("once")) as fault:
        assert not fault.is_healed
        assert repr(fault) == "<Fault: something is wrong>"
    fault.heal()
    assert healed == ["once"]
    assert repr(fault) == "<Fault: something is wrong (healed)>"


def test_a_fault_is_healed_when_the_block_fails() -> None:
    """An error in the block passes, and the fault is over."""
    fault = Ledger().note("wrong", lambda: None)
    with pytest.raises(KeyError), fault:
        raise KeyError
    assert fault.is_healed


def test_what_was_over_at_once_needs_no_healing() -> None:
    """A fault without a way to heal is in no list of what is wrong."""
    ledger = Ledger()
    assert ledger.note("connections were closed").is_healed
    assert ledger.unhealed == []


def test_all_is_healed_newest_first_in_spite_of_errors() -> None:
    """One fault that cannot be healed does not keep the others, and is told."""
    order: list[str] = []
    ledger = Ledger()

    def fail() -> None:
        raise OSError("the server is gone")

    ledger.note("first", lambda: order.append("first"))
    ledger.note("second", fail)
    ledger.note("third", lambda: order.append("third"))
    assert [fault.what for fault in ledger.unhealed] == ["first", "second", "third"]
    assert [str(error) for error in ledger.heal_all()] == ["the server is gone"]
    assert order == ["third", "first"]
    assert ledger.unhealed == []

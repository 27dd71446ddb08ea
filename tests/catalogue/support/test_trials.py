"""What is missing after a fault is told by the word that fits the fault."""

from types import SimpleNamespace
from typing import Any

import pytest

from goldfish.catalogue.support.trials import Batch, MessageTrial
from goldfish.findings.result import Violation


@pytest.mark.parametrize("word", ["swallowed", "lost"])
def test_what_was_acknowledged_and_is_missing_is_swallowed_or_lost(word: str) -> None:
    """A full disk raises an error that somebody caught; a kill raises none."""
    memory: Any = SimpleNamespace(client=None, session=lambda: "s")
    trial = MessageTrial(memory)
    trial.missing = word
    trial.batches.append(Batch(["hello"], acknowledged=True, amid="a fault"))
    with pytest.raises(Violation) as raised:
        trial.compare([])
    assert raised.value.finding == word

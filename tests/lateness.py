"""Whether a machine is too busy to tell what a memory does: then a test of that is skipped."""

from collections.abc import Iterable

import pytest

from goldfish.findings.reason import Why
from goldfish.findings.result import Result


def was_late(result: Result) -> bool:
    """Whether the machine is to blame: the run says so, and does not blame the memory."""
    return result.reason is not None and result.reason.why is Why.MACHINE_LATE


def skip_if_late(results: Iterable[Result]) -> None:
    """Skip the test if nothing was seen but that the machine is late."""
    if all(map(was_late, results)):
        pytest.skip("this machine is too busy to tell")

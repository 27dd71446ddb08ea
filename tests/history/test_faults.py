"""Faults of pods, written into a history and read back."""

import pytest

from goldfish.history.faults import PodFault, parse_pod_fault


@pytest.mark.parametrize(
    ("fault", "text", "number"),
    [
        (PodFault("kill", "pod3"), "kill pod3", 3),
        (PodFault("stop", "pod12"), "stop pod12", 12),
        (PodFault("kill"), "kill all pods", None),
    ],
)
def test_a_fault_of_pods_comes_back_from_its_text(
    fault: PodFault, text: str, number: int | None
) -> None:
    """A saved history tells which pod to strike again."""
    assert (str(fault), fault.number) == (text, number)
    assert parse_pod_fault(text) == fault


@pytest.mark.parametrize("text", ["kill the server", "network: cut", "stop all pods", "", None])
def test_other_faults_strike_no_pod(text: str | None) -> None:
    """They are the matter of the check itself."""
    assert parse_pod_fault(text) is None

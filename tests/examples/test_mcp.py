"""The memory server of the example, with the package ``mcp`` on both sides."""

from pathlib import Path

from goldfish.catalogue.registry import catalogue
from goldfish.engine.opening import open_target
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Verdict
from goldfish.targets.names import resolve
from tests.lateness import skip_if_late
from tests.packages import needs

pytestmark = needs("mcp")


EXAMPLE = Path(__file__).parents[2] / "examples" / "mcp" / "memory.py"


def test_the_server_of_the_example_is_held() -> None:
    """Several processes write at once, and one is killed."""
    target = open_target(resolve(f"{EXAMPLE}:memory"))
    checks = [catalogue()[code] for code in ("CON18", "DUR26")]
    report = run(target, checks, Plan(seed=1, deadline=30))
    skip_if_late(report.results)
    assert {each.verdict for each in report.results} == {Verdict.HELD}, report.results

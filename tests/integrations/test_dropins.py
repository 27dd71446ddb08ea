"""Our drop-ins are held to the promises to which we hold others."""

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.integrations.libraries import BUILT_INS
from goldfish.targets.names import resolve

# With what breaks in the libraries' own memories: FID06, FID21, CON22, SNP07 and SNP08 in threads.
HELD = {
    "langchain": "FID01 FID06 FID14 FID21 DUP01 DUP02 CLR01",
    "langgraph": "FID01 FID06 FID21 CLR01 CON22 SNP02 SNP07 SNP08",
    "openai-agents": "FID01 FID06 ISO05 CLR01 ORD11 ORD13",
}
TARGETS = [f"dropin-{family}{engine}" for family in HELD for engine in ("", "-redis", "-postgres")]


@pytest.mark.parametrize("name", TARGETS)
def test_each_dropin_holds_on_each_engine(name: str) -> None:
    """A sample of the catalogue."""
    if BUILT_INS[name].missing:
        pytest.skip(f"{BUILT_INS[name].missing[0]} is not installed")
    (family,) = (each for each in HELD if name.startswith(f"dropin-{each}"))
    codes = HELD[family].split()
    checks = [check for code, check in catalogue().items() if code in codes]
    report = run(resolve(name), checks, Plan(seed=1, workers=2))
    found = {each.code: each.verdict.value for each in report.results}
    assert found == dict.fromkeys(codes, "held")

"""Our drop-ins are held to the promises to which we hold others."""

import importlib.util

import pytest

from goldfish.check import catalogue
from goldfish.runner import Plan, run
from goldfish.targets import resolve

ANY = "FID01 FID06 FID21 ISO05 CLR01 DUR03 CON01 CON04"
HELD = {
    "langchain": f"{ANY} DUP01 DUP02 FID14 TTL15 CON14",
    "langgraph": f"{ANY} CON08 CON22 SNP02 SNP07 SNP08 SNP28",
    "openai-agents": "FID01 FID06 ISO05 CLR01 DUR03 CON01 CON04 ORD11 ORD13",
}
PACKAGES = {"langchain": "langchain_core", "langgraph": "langgraph", "openai-agents": "agents"}


@pytest.mark.parametrize("engine", ["", "-redis", "-postgres"])
@pytest.mark.parametrize("family", HELD)
def test_each_dropin_holds_on_each_engine(family: str, engine: str) -> None:
    """A sample of the catalogue, with what breaks in the libraries' own memories."""
    if importlib.util.find_spec(PACKAGES[family]) is None:
        pytest.skip(f"{family} is not installed")
    codes = HELD[family].split()
    checks = [check for code, check in catalogue().items() if code in codes]
    report = run(resolve(f"dropin-{family}{engine}"), checks, Plan(seed=1, workers=2))
    assert {each.code: each.verdict.value for each in report.results} == dict.fromkeys(
        codes, "held"
    )

"""Our drop-ins are held to the promises to which we hold others."""

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.integrations.libraries import LIBRARIES
from goldfish.integrations.library import BuiltIn
from goldfish.targets.names import resolve

# With what breaks in the libraries' own memories: FID06, FID21, CON22, SNP07 and SNP08 in threads.
HELD = {
    "langchain": "FID01 FID06 FID14 FID21 DUP01 DUP02 CLR01",
    "langgraph": "FID01 FID06 FID21 CLR01 CON22 SNP02 SNP07 SNP08",
    "openai-agents": "FID01 FID06 ISO05 CLR01 ORD11 ORD13",
}
DROPINS = [(library.prefix, each) for library in LIBRARIES for each in library.dropins]


@pytest.mark.parametrize(("library", "dropin"), DROPINS, ids=[each.name for _, each in DROPINS])
def test_each_dropin_holds_on_each_engine(library: str, dropin: BuiltIn) -> None:
    """A sample of the catalogue."""
    if dropin.missing:
        pytest.skip(f"{dropin.missing[0]} is not installed")
    codes = HELD[library].split()
    checks = [check for code, check in catalogue().items() if code in codes]
    report = run(resolve(dropin.name), checks, Plan(seed=1, workers=2))
    found = {each.code: each.verdict.value for each in report.results}
    assert found == dict.fromkeys(codes, "held")

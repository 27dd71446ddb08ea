"""What a memory's documentation says of its limits stands beside what was found."""

import pytest

import goldfish
from goldfish.catalogue.registry import Check, Need, Reopening, catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.families import FAMILIES
from goldfish.findings.result import Report, Violation
from goldfish.harness.memory import Memory
from goldfish.integrations.libraries import BUILT_INS
from goldfish.targets.declaration import CLAIMS
from goldfish.targets.names import resolve

OURS = {"memory", "sqlite", "redis", "postgres"}


def is_ours(name: str) -> bool:
    """Whether it is our own memory that answers, also behind other people's interfaces."""
    return name in OURS or name.startswith("dropin-")


class Store:
    """What a target may open."""

    def add_messages(self, session_id: str, messages: object) -> None:
        """Forget them."""

    def get_history(self, session_id: str) -> list[object]:
        """Nothing."""
        return []


async def breaks(memory: Memory) -> None:
    """The promise."""
    raise Violation("lost: something")


def asked(target: goldfish.Target, *codes: str, needs: tuple[Need, ...] = ()) -> Report:
    checks = [Check(code, breaks, needs, "standard") for code in codes]
    return run(target, checks, Plan(workers=1))


def test_a_fault_is_documented_by_its_code_or_family() -> None:
    """It stays broken, with what the documentation says of it; others have nothing to show."""
    declared = goldfish.target(
        promises="a list, says the docstring", documented={"LIV01": "by code", "CON": "by family"}
    )(lambda sandbox: Store())
    report = asked(declared, "LIV01", "LIV02", "CON01")
    assert report.promises == "a list, says the docstring"
    assert report.counts["broken"] == 3
    assert [each.documented for each in report.results] == ["by code", "", "by family"]


def test_a_fault_beyond_a_claim_is_documented_by_the_claim() -> None:
    """Also where the store, not the target, says so."""

    class Lists(Store):
        documented = {"one opening": "a list"}  # noqa: RUF012 - as adapters do

    lists = goldfish.target(lambda sandbox: Lists())
    (beyond,) = asked(lists, "DUR01", needs=(Reopening,)).results
    (within,) = asked(lists, "ORD01").results
    assert (beyond.documented, within.documented) == ("a list", "")


def test_what_is_not_claimed_says_what_is() -> None:
    """Each of these results, so that whoever reads one of them knows why."""
    declared = goldfish.target(claims="one opening", promises="only for tests, it says")(
        lambda sandbox: Store()
    )
    (unclaimed,) = asked(declared, "DUR01", needs=(Reopening,)).results
    assert unclaimed.summary == "not claimed: one opening only"
    assert unclaimed.documented == "only for tests, it says"


@pytest.mark.parametrize("name", [each for each in sorted(BUILT_INS) if not is_ours(each)])
def test_each_stranger_comes_with_its_note(name: str) -> None:
    """And names only promises that there are."""
    if BUILT_INS[name].missing:
        pytest.skip(f"its extra {BUILT_INS[name].extra} is not installed")
    target = resolve(name)
    assert target.promises or target.agent  # an agent is held to what CTX promises
    assert {*target.documented, *target.declines} <= {*catalogue(), *FAMILIES, *CLAIMS}

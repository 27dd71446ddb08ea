"""The gallery proves the catalogue: each check can fail, and blames nobody without cause."""

import os
import random
from dataclasses import replace

import pytest

from goldfish.catalogue.registry import Check, OtherProcess, Window, catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.kinds import KINDS
from goldfish.findings.result import Result, Verdict
from goldfish.specimens import gallery
from goldfish.specimens.isolation.facts import MessagesAndFacts
from goldfish.specimens.references.asynchronous import AsyncFacts, AsyncReference, AsyncState
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.postgres import PostgresReference
from goldfish.specimens.references.redis import RedisReference
from goldfish.specimens.references.redis_facts import FactsOnRedis
from goldfish.specimens.references.redis_state import StateOnRedis
from goldfish.specimens.references.snapshots import SnapshotReference
from goldfish.specimens.references.state import StateReference
from goldfish.targets.declaration import Target, as_target, target
from tests.lateness import skip_if_late

PLAN = Plan(workers=4, deadline=3.0)
HASTY = Plan(workers=4, deadline=1.0)  # for stores that stop answering, which is waited for
PATIENT = Plan(workers=4, deadline=30.0)  # for those that must not be blamed on a busy machine
NOT_BLAMED = {Verdict.HELD, Verdict.UNSUPPORTED}
PACKAGES = {"redis": "redis", "postgres": "psycopg"}  # the client of each service
WRITES = {"messages": "add_messages", "facts": "remember", "state": "set_state", "prompts": "say"}
# Options of trim and list_sessions, and search_history, which that reference does not have.
NOT_OF_SNAPSHOTS = {"CLR19", "FLT25", "REC60", "REC61", "REC62", "SEQ09", "TRM17", "TRM18", "TRM19"}
AMID_OTHERS = {"CON", "DUR", "FLT", "LIV"}


@pytest.fixture(autouse=True)
def _shrink_in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found matters here, and not how small it can be made."""
    monkeypatch.setattr("goldfish.stress.withstand.SHRINK_SECONDS", 0.2)
    monkeypatch.setattr("goldfish.catalogue.sequences.trying.SHRINK_SECONDS", 0.2)
    monkeypatch.setattr("goldfish.catalogue.sequences.expiry.SHRINK_SECONDS", 0.2)


def skip_without_packages(target: Target) -> None:
    """A store on a server cannot be opened where its client is not installed."""
    for service in target.services:
        pytest.importorskip(PACKAGES[service])


def test_every_check_has_a_specimen_and_an_incident() -> None:
    """A check that cannot fail is a defect, and so is one without a reason."""
    caught = {specimen.caught_by for specimen in gallery().values()}
    assert set(catalogue()) == caught
    for check in catalogue().values():
        assert check.promise.endswith("."), check.code
        assert len(check.incident) > 40, check.code


@pytest.mark.parametrize("name", list(gallery()))
def test_a_specimen_is_caught_by_the_check_that_names_it(name: str) -> None:
    """With the finding that names its bug."""
    specimen = gallery()[name]
    assert specimen.finding in KINDS
    skip_without_packages(specimen.target)
    if specimen.caught_by == "FLT25" and os.geteuid() == 0:
        pytest.skip("permissions do not bind root")
    check = catalogue()[specimen.caught_by]
    expected = (Verdict.BROKEN, specimen.finding)
    plan = HASTY if specimen.finding == "wedged" else PLAN
    if asks_what_it_can(check):
        plan = PATIENT
    seen = list[Result]()
    while expected not in [(each.verdict, each.finding) for each in seen]:
        if len(seen) == tries(check):
            skip_if_late(seen)
        assert len(seen) < tries(check), seen
        seen += run(specimen.target, [check], replace(plan, seed=len(seen))).results


def asks_what_it_can(check: Check) -> bool:
    """Whether it asks as much as the deadline affords: on a slow machine, too little for a bug."""
    return check.code == "FID29" or "affordable" in check.function.__code__.co_names


def tries(check: Check) -> int:
    """One, unless it hangs on chance, or on when another process is killed or comes in between."""
    by_chance = check.family in {*AMID_OTHERS, "SEQ"}
    return 4 if OtherProcess in check.needs or by_chance else 1


def puts_a_workload(check: Check) -> bool:
    """Whether it asks for everything at once, so that any bug at all may show in it."""
    return "withstand" in check.function.__code__.co_names or check.family in {"CON", "FLT", "SEQ"}


def sample(name: str) -> list[Check]:
    """Some checks, by lot, of the families that the specimen's bug does not explain.

    All of them, which takes half an hour, with GOLDFISH_WHOLE_GALLERY=1 (make gallery).
    """
    explained, store = gallery()[name].explains, gallery()[name].store
    others = [check for check in catalogue().values() if check.family not in explained]
    others = [check for check in others if hasattr(store, WRITES[check.about])]
    others = [check for check in others if not puts_a_workload(check)]
    if os.environ.get("GOLDFISH_WHOLE_GALLERY"):
        return others
    quick = [each for each in others if each.family != "TTL" and OtherProcess not in each.needs]
    return random.Random(name).sample(quick, min(2, len(quick)))


@pytest.mark.parametrize("name", list(gallery()))
def test_a_specimen_is_blamed_by_no_family_that_its_bug_does_not_explain(name: str) -> None:
    """Wrong in one way means broken in the families of that way; nothing is unknown."""
    skip_without_packages(gallery()[name].target)
    report = run(gallery()[name].target, sample(name), PATIENT)
    assert [result for result in report.results if result.verdict not in NOT_BLAMED] == []


@pytest.mark.parametrize(
    ("store", "about", "not_asked"),
    [
        (SnapshotReference, "messages", NOT_OF_SNAPSHOTS),
        (FactsReference, "facts", {"REC04", "ISO32", "REV51"}),
        (StateReference, "state", set()),
    ],
)
def test_a_correct_stranger_holds_everything(store: type, about: str, not_asked: set[str]) -> None:
    """A plain store that is right is never blamed, and asked all but servers and windows."""
    checks = [check for check in catalogue().values() if check.about == about]
    report = run(as_target(store, "reference"), checks, PATIENT)
    codes = {each.code for each in report.results if each.verdict is not Verdict.HELD}
    elsewhere = {
        check.code
        for check in checks
        if any(need is Window or need.before_opening for need in check.needs)
    }
    as_root = {"FLT25"} if os.geteuid() == 0 else set()
    assert codes - elsewhere <= not_asked - {"FLT25"} | as_root
    assert [result for result in report.results if result.verdict not in NOT_BLAMED] == []


def test_a_user_and_a_session_of_one_name_are_held_apart_by_a_correct_store() -> None:
    """Messages and facts side by side."""
    report = run(as_target(MessagesAndFacts, "both"), [catalogue()["ISO32"]], PATIENT)
    assert [result.verdict for result in report.results] == [Verdict.HELD]


@pytest.mark.parametrize(
    "store",
    [
        AsyncReference,
        RedisReference,
        PostgresReference,
        AsyncFacts,
        FactsOnRedis,
        AsyncState,
        StateOnRedis,
    ],
)
def test_a_correct_stranger_of_another_kind_is_not_blamed(store: type) -> None:
    """Async, or on a server: a correct store holds under every fault and in every crowd."""
    stranger = target(services=getattr(store, "services", ()))(store)
    skip_without_packages(stranger)
    about = next(about for about, method in WRITES.items() if hasattr(store, method))
    checks = [each for each in catalogue().values() if each.about == about]
    chosen = [each for each in checks if each.family in AMID_OTHERS]
    blamed = find_blame(stranger, chosen)
    # Only this is tried again, alone: the reference's own client gives up after two seconds.
    late = [result for result in blamed if "Timeout" in result.summary]
    assert [result for result in blamed if result not in late] == []
    again = [each for each in chosen if each.code in {result.code for result in late}]
    assert [result for each in again for result in find_blame(stranger, [each])] == []


def find_blame(stranger: Target, checks: list[Check]) -> list[Result]:
    """Return the results that blame the target."""
    report = run(stranger, checks, PATIENT)
    return [result for result in report.results if result.verdict not in NOT_BLAMED]

"""Every store answers any sequence of calls as the model does, which is the small print."""

import asyncio
import os
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FlakyFailure, HypothesisWarning

from goldfish import InMemoryStore
from goldfish.model.answers import Opening
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS
from tests.stores.model.places import RENEWING, MemoryPlace, Open, Place, SharedPlace
from tests.stores.model.steps import Walk, walks
from tests.stores.model.walking import Difference, Trail
from tests.stores.model.wrong_stores import WRONG, RollbackForgetsState

USUAL_SEED = 20261116
SEED = int(os.environ.get("GOLDFISH_SEED", USUAL_SEED))
FEW = 200
WALKS = int(os.environ.get("GOLDFISH_SOAK", FEW))
AT_ONCE = 500  # walks from one seed: Hypothesis remembers each of them until it is done


def hold_to_model(
    make: Callable[[], Place], count: int, *, shrink: bool = True, first_seed: int = SEED
) -> None:
    """Take so many random walks; a Difference tells the smallest one that leads astray."""
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]
    with asyncio.Runner() as runner:
        place = make()
        try:
            for start in range(0, count, AT_ONCE):
                number = first_seed + start // AT_ONCE
                _take_walks(runner, place, number, min(AT_ONCE, count - start), phases)
        finally:
            runner.run(place.close())


def _take_walks(
    runner: asyncio.Runner, place: Place, number: int, count: int, phases: list[Phase]
) -> None:
    trail = Trail(place)

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(walk=walks(list(place.openings), reopens=place.reopens))
    def walk_beside_the_model(walk: Walk) -> None:
        runner.run(trail.follow(walk))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HypothesisWarning)  # of long ids, which we want
            walk_beside_the_model()
    except (Difference, FlakyFailure) as found:
        # What differs only after other walks does not differ when Hypothesis tries it again.
        difference = found.exceptions[0] if isinstance(found, FlakyFailure) else found
        if not isinstance(difference, Difference):
            raise
        again = f"GOLDFISH_SEED={number} GOLDFISH_SOAK={count}"
        raise Difference(f"{difference}\n    {again} makes the same sequences again") from None


def in_memory(make: type[InMemoryStore], ttl: float | None) -> Callable[[], Place]:
    return lambda: MemoryPlace(make, Opening(ttl=ttl))


def storages(name: str, path: Path, stack: ExitStack) -> Callable[[], tuple[Open, str]]:
    """Return what begins a new, empty storage of this kind each time."""

    def begin() -> tuple[Open, str]:
        directory = Path(mkdtemp(dir=path))
        backend = stack.enter_context(BACKENDS[name](directory))
        return backend.open, backend.url

    return begin


@pytest.mark.parametrize("ttl", [None, RENEWING])
def test_a_dict_answers_as_the_model_does(ttl: float | None) -> None:
    """In one process, with and without a store-wide ttl."""
    hold_to_model(in_memory(InMemoryStore, ttl), WALKS // 2)


@pytest.mark.parametrize(("name", "part"), [("sqlite", 1), ("redis", 2), ("postgres", 4)])
def test_a_storage_answers_as_the_model_does(name: str, part: int, tmp_path: Path) -> None:
    """Through several stores that are open at once, one of them in another process.

    Servers, where a call takes longer, are asked a part of it: most of the code is the same.
    """
    with ExitStack() as stack:
        begin = storages(name, tmp_path, stack)
        hold_to_model(lambda: SharedPlace(begin), WALKS // (part if WALKS == FEW else 1))


@pytest.mark.parametrize("name", ["sqlite", "redis", "postgres", "redis-decoded", "fakeredis"])
def test_with_vectors_it_does_so_too(name: str, tmp_path: Path) -> None:
    """And through clients of the caller's own."""
    with ExitStack() as stack:
        begin = storages(name, tmp_path, stack)
        hold_to_model(lambda: SharedPlace(begin, HashEmbedder(16)), WALKS // 10)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_a_store_that_is_wrong_in_one_way_is_found_out(wrong: type[InMemoryStore]) -> None:
    """Within as many sequences as every store is asked; so the model sees all these ways."""
    with pytest.raises(Difference):
        hold_to_model(in_memory(wrong, RENEWING), FEW, shrink=False)


def test_a_difference_is_told_by_the_fewest_calls() -> None:
    """As calls that can be pasted, with what was expected, and how to see it again."""
    with pytest.raises(Difference) as found:
        hold_to_model(in_memory(RollbackForgetsState, None), FEW, first_seed=USUAL_SEED)
    told = [line.strip() for line in str(found.value).splitlines() if line.strip()]
    assert told == [
        "the last call is answered otherwise than by the model",
        "here = opened()",
        "await here.set_state('s', {'a': 1})",
        "snapshot_0 = await here.save_snapshot('s')",
        "await here.rollback_to_snapshot('s', snapshot_0)",
        "await here.get_state('s')",
        "expected: {'a': 1}",
        "got:      {}",
        f"GOLDFISH_SEED={USUAL_SEED} GOLDFISH_SOAK={FEW} makes the same sequences again",
    ]

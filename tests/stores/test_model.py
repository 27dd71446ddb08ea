"""Every store answers any sequence of calls as the model does: a pure reading of the small print."""

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FlakyFailure

from goldfish import InMemoryStore
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS
from tests.stores.model import Opening
from tests.stores.model_places import RENEWING, MemoryPlace, Open, Place, SharedPlace
from tests.stores.model_steps import Walk, walks
from tests.stores.model_walking import Difference, Trail

SEED = int(os.environ.get("GOLDFISH_SEED", "20261116"))
WALKS = int(os.environ.get("GOLDFISH_SOAK", "300"))
AT_ONCE = 500  # walks from one seed: Hypothesis remembers each of them until it is done


def hold_to_model(make: Callable[[], Place], count: int) -> None:
    """Take so many random walks; a Difference tells the smallest one that leads astray."""
    with asyncio.Runner() as runner:
        place = make()
        try:
            for start in range(0, count, AT_ONCE):
                _take_walks(runner, place, SEED + start // AT_ONCE, min(AT_ONCE, count - start))
        finally:
            runner.run(place.close())


def _take_walks(runner: asyncio.Runner, place: Place, number: int, count: int) -> None:
    trail = Trail(place)

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(walk=walks(list(place.openings), reopens=place.reopens))
    def walk_beside_the_model(walk: Walk) -> None:
        runner.run(trail.follow(walk))

    try:
        walk_beside_the_model()
    except (Difference, FlakyFailure) as found:
        # What differs only after other walks does not differ when Hypothesis tries it again.
        difference = found.exceptions[0] if isinstance(found, FlakyFailure) else found
        if not isinstance(difference, Difference):
            raise
        again = f"GOLDFISH_SEED={number} GOLDFISH_SOAK={count}"
        raise Difference(f"{difference}\n    {again} makes the same sequences again") from None


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

    def make() -> MemoryPlace:
        return MemoryPlace(InMemoryStore, Opening(ttl=ttl))

    hold_to_model(make, WALKS // 2)


@pytest.mark.parametrize("name", ["sqlite", "redis", "postgres"])
def test_a_storage_answers_as_the_model_does(name: str, tmp_path: Path) -> None:
    """Through several stores that are open at once, one of them in another process."""
    with ExitStack() as stack:
        hold_to_model(lambda: SharedPlace(storages(name, tmp_path, stack)), WALKS)


@pytest.mark.parametrize("name", ["sqlite", "redis", "postgres", "redis-decoded", "fakeredis"])
def test_with_vectors_it_does_so_too(name: str, tmp_path: Path) -> None:
    """And through clients of the caller's own."""
    with ExitStack() as stack:
        begin = storages(name, tmp_path, stack)
        hold_to_model(lambda: SharedPlace(begin, HashEmbedder(16)), WALKS // 10)

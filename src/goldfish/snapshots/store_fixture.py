"""The fixture ``snapshot_store``: the whole state of any memory, compared with a JSON baseline."""

import contextlib
import inspect
import re
from collections.abc import Coroutine, Generator, Iterable
from pathlib import Path
from typing import Any

from goldfish.errors import UsageError
from goldfish.snapshots.baselines import Baseline, replace_file, show_path
from goldfish.snapshots.database_fixture import fail
from goldfish.snapshots.masks import Masks
from goldfish.snapshots.rendering import Difference
from goldfish.snapshots.sequences import MADE_BY_STORES, StateComparison
from goldfish.snapshots.state import State, parse_state, read_state, render_state

ENDING = ".goldfish"


class SnapshotStore:
    """Call it with a store: ``await snapshot_store(store)``, without await for a plain one."""

    def __init__(self, baseline: Baseline, ignore: Iterable[str]) -> None:
        self._baseline = baseline
        self._ignore = list(ignore)
        self._calls: list[Comparison] = []
        self.files: list[Path] = []

    def __call__(
        self,
        store: Any,
        *,
        sessions: Iterable[str] | None = None,
        users: Iterable[str] = (),
        ignore: Iterable[str] = (),
        name: str = "",
        shared: bool = False,
    ) -> "Comparison":
        """Compare what the store holds now; several in one test each have a ``name``.

        ``sessions`` are all that hold messages, unless they are named; ``users`` are those whose
        facts count. With ``shared`` there is one baseline for all parameters of the test, as for
        the same calls on several engines.
        """
        ignored = [ignore] if isinstance(ignore, str) else list(ignore)
        masks = Masks([*MADE_BY_STORES, *self._ignore, *ignored])
        expected = self._file(name, shared)
        owners = [users] if isinstance(users, str) else list(users)
        comparison = Comparison(
            self._baseline, expected, masks, read_state(store, sessions, owners)
        )
        self._calls.append(comparison)
        if not inspect.iscoroutinefunction(getattr(store, "get_history", None)):
            comparison.finish()
        return comparison

    def settle(self) -> None:
        """Fail the test if a comparison was begun and never awaited."""
        for comparison in self._calls:
            if not comparison.done:
                comparison.drop()
                fail("snapshot_store: nothing was compared: write await snapshot_store(…)")

    def _file(self, name: str, shared: bool) -> Path:
        if not re.fullmatch(r"[\w-]*", name, re.ASCII):
            raise UsageError(f"{name!r} cannot name a baseline: use letters, digits, - and _")
        expected = self._baseline.file(f".{name}{ENDING}" if name else ENDING, shared=shared)
        if expected in self.files:
            raise UsageError("a second snapshot_store of a test needs a name: name='after'")
        self.files.append(expected)
        return expected


class Comparison:
    """One comparison; it takes place when it is awaited."""

    def __init__(
        self, baseline: Baseline, expected: Path, masks: Masks, state: Coroutine[Any, Any, State]
    ) -> None:
        self._baseline, self._expected, self._masks = baseline, expected, masks
        self._state = state
        self.done = False

    def __await__(self) -> Generator[Any, None, None]:
        if not self.done:
            self.done = True
            self._compare((yield from self._state.__await__()))

    def finish(self) -> None:
        """Do it at once, for a store whose methods are not async."""
        self.done = True
        with contextlib.closing(self._state):
            self._compare(_run_without_waiting(self._state))

    def drop(self) -> None:
        """Give up what was never awaited."""
        self._state.close()

    def _compare(self, state: State) -> None:
        problem = self._problem(state)
        if problem and self._baseline.update:
            kept = StateComparison(self._masks).mask(state)
            replace_file(self._expected, lambda place: _save(place, kept))
        elif problem:
            fail(f"snapshot_store: {problem[0]}", *problem[1:])

    def _problem(self, state: State) -> list[str]:
        expected, accept = show_path(self._expected), self._baseline.accept
        try:
            before = parse_state(self._expected.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return [f"there is no baseline yet: {expected}", f"Make it with: {accept}"]
        except (OSError, ValueError, RecursionError) as error:
            first = f"the baseline {expected} cannot be used: {error}"
            return [first, f"Make it again with: {accept}"]
        difference = Difference(StateComparison(self._masks).changes(before, state))
        return (
            []
            if difference.is_empty
            else difference.render(f"the store differs from {expected}", accept)
        )


def _run_without_waiting(state: Coroutine[Any, Any, State]) -> State:
    """The result of a coroutine that has nothing to wait for."""
    try:
        state.send(None)
    except StopIteration as finished:
        return finished.value  # type: ignore[no-any-return]
    raise UsageError("the answers of this store must be awaited: write async methods for all")


def _save(place: Path, state: State) -> None:
    place.write_text(render_state(state), encoding="utf-8")

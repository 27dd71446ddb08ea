"""One target's run as a person follows it, which can be interrupted and still knows what it saw."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from goldfish.catalogue.registry import Check
from goldfish.engine.events import Event, Interrupted
from goldfish.engine.repetition import merge_runs
from goldfish.engine.runner import Plan, report_nothing, run
from goldfish.engine.stopping import Stop
from goldfish.errors import ServiceError
from goldfish.findings.result import Report
from goldfish.report.estimate import Estimate
from goldfish.report.progress import make_watcher
from goldfish.targets.declaration import Target


class Trial:
    """One target's run, which can be interrupted and still knows what it saw."""

    def __init__(self, target: Target, checks: Sequence[Check], plan: Plan) -> None:
        self.seconds = 0.0
        self.interrupted = False
        self.failure: ServiceError | None = None  # what ended it, after something was seen
        self._target = target
        self._checks = checks
        self._plan = plan

    def report(self, stop: Stop, quiet: bool = False, runs: int = 1) -> Report:
        """Return one report of so many runs, or of what was seen until somebody asked to stop."""
        began, reports = time.monotonic(), [self._run(stop, quiet, self._plan)]
        limit = self._plan.max_time or math.inf
        for number in range(1, runs):
            left = limit - (time.monotonic() - began)
            if stop.asked or self.failure or left <= 0:
                break
            plan = replace(self._plan, seed=self._plan.seed + number)
            if not math.isinf(left):
                plan = replace(plan, max_time=left)
            reports.append(self._run(stop, quiet, plan))
        self.seconds = time.monotonic() - began
        return merge_runs(reports)

    def _run(self, stop: Stop, quiet: bool, plan: Plan) -> Report:
        seen = report_nothing(self._target, self._checks, plan)
        outlook = Estimate(self._target.name, len(self._checks), plan.max_time, plan.grow)

        def listen(event: Event) -> None:
            nonlocal seen
            if isinstance(event, Interrupted):
                seen = event.report
            watching(event)

        try:
            if not stop.asked:
                with make_watcher(outlook, quiet=quiet) as watching:
                    return run(self._target, self._checks, plan, listen)
        except KeyboardInterrupt:
            stop.asked = True
        except ServiceError as error:
            if not seen.asked:
                raise
            self.failure = error
        self.interrupted = True
        return seen

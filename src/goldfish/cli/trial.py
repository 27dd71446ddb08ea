"""One target's run as a person follows it, which can be interrupted and still knows what it saw."""

import time
from collections.abc import Sequence

from goldfish.catalogue.registry import Check
from goldfish.engine.events import Event, Interrupted
from goldfish.engine.runner import Plan, report_nothing, run
from goldfish.engine.stopping import Stop
from goldfish.findings.result import Report
from goldfish.report.estimate import Estimate
from goldfish.report.progress import make_watcher
from goldfish.targets.declaration import Target


class Trial:
    """One target's run, which can be interrupted and still knows what it saw."""

    def __init__(self, target: Target, checks: Sequence[Check], plan: Plan) -> None:
        self.seconds = 0.0
        self.interrupted = False
        self._target = target
        self._checks = checks
        self._plan = plan

    def report(self, stop: Stop, quiet: bool = False) -> Report:
        """Return the runner's report, or what had been seen until somebody asked to stop."""
        began = time.monotonic()
        plan = self._plan
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
        finally:
            self.seconds = time.monotonic() - began
        self.interrupted = True
        return seen

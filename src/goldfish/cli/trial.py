"""One target's run as a person follows it, which can be interrupted and still knows what it saw."""

import time
from collections.abc import Sequence

from goldfish.catalogue.registry import Check
from goldfish.engine.runner import Event, Finished, Listener, Plan, Started, run
from goldfish.engine.stopping import Stop
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.estimate import Estimate
from goldfish.report.progress import Watcher, make_watcher
from goldfish.targets.declaration import Target


class Trial:
    """One target's run, which can be interrupted and still knows what it saw."""

    def __init__(self, target: Target, checks: Sequence[Check], plan: Plan) -> None:
        self.seconds = 0.0
        self.interrupted = False
        self._target = target
        self._checks = checks
        self._plan = plan
        self._begun: set[str] = set()
        self._seen: dict[str, Result] = {}

    def report(self, stop: Stop, quiet: bool = False) -> Report:
        """The runner's report, or one of what had been seen until somebody asked to stop."""
        began = time.monotonic()
        plan = self._plan
        outlook = Estimate(self._target.name, len(self._checks), plan.max_time, plan.grow)
        try:
            if not stop.asked:
                with make_watcher(outlook, quiet=quiet) as watching:
                    return run(self._target, self._checks, plan, self._heard_by(watching))
        except KeyboardInterrupt:
            stop.asked = True
        finally:
            self.seconds = time.monotonic() - began
        self.interrupted = True
        return Report(self._target.name, plan.seed, tuple(map(self._result, self._checks)))

    def _heard_by(self, watching: Watcher) -> Listener:
        def hear(event: Event) -> None:
            if isinstance(event, Started):
                self._begun.add(event.check.code)
            if isinstance(event, Finished):
                self._seen[event.result.code] = event.result
            watching(event)

        return hear

    def _result(self, check: Check) -> Result:
        """What was seen of a check when the run was cut off."""
        if seen := self._seen.get(check.code):
            return seen
        if check.code in self._begun:
            verdict, why = Verdict.UNKNOWN, Why.NOT_FINISHED
        else:
            verdict, why = Verdict.SKIPPED, Why.NOT_STARTED
        return Result(check.code, check.name, check.promise, verdict, Reason(why))

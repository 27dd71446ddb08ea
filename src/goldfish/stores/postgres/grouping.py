"""Appends that come together go together: one statement, one commit, one round trip for several.

A commit and the driver's own work cost more than the rows of an append. A lone caller is served at
once. While calls are under way the next ones wait in a line, and what has queued up by the next
turn of the event loop is one statement: so nobody waits for company.

Nothing that one caller meets is another's business. A group waits for locks only for a moment; if
the server refuses it, nothing of it was written, and each append is done alone. A caller that is
cancelled takes its append out of the line, or waits until the statement that has it is over: so
nothing is written after the call has ended.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from goldfish.errors import MemoryStoreBackendError

SIZES = (16, 8, 4, 2)  # of groups: each is a statement that the server prepares
MOST_BYTES = 1 << 20  # in a group, unless a single append has more
LOCKS_WITHIN = "100ms"  # a lock that takes longer is for the one who needs it to wait for
_CANCELLED = "57014"

Values = list[Any]  # of an append: the session's key first, the bodies fourth
Run = Callable[[bytes, Values, float], Awaitable[Any]]  # a statement of a call that began then


@dataclass(eq=False)
class _Job:
    """One append that waits in the line, or for the statement that has it."""

    values: Values
    began: float
    future: "asyncio.Future[None]"
    statement: "asyncio.Task[None] | None" = None  # once it is under way
    is_alone: bool = False  # in its statement
    is_left: bool = False  # by its caller

    @property
    def session(self) -> bytes:
        return bytes(self.values[0])

    @property
    def size(self) -> int:
        return sum(map(len, self.values[3]))


class AppendLine:
    """The appends of one event loop, of which at most ``most`` statements are under way."""

    def __init__(self, run: Run, schema: str, most: int) -> None:
        one = f"{schema}.append(%b, %b, %b::bytea[], %b::bytea[], %b::double precision)"
        limit = f"set_config('lock_timeout', '{LOCKS_WITHIN}', true)"
        self._run = run
        self._alone = f"SELECT {one}".encode()
        self._together = {
            size: f"SELECT {', '.join([limit, *[one] * size])}".encode() for size in SIZES
        }
        self._most = most
        self._under_way = 0
        self._line: list[_Job] = []
        self._statements: set[asyncio.Task[None]] = set()
        self._apart: Counter[bytes] = Counter()  # sessions with appends that no group could take

    async def append(self, values: Values) -> None:
        """Append, alone or with others; raise what this append alone would meet."""
        loop = asyncio.get_running_loop()
        if not self._under_way and not self._line:
            self._under_way += 1
            try:
                await self._run(self._alone, values, loop.time())
            finally:
                self._end_statement()
            return
        job = _Job(values, loop.time(), loop.create_future())
        if not self._line:
            loop.call_soon(self._dispatch)  # after the tasks that are about to append, too
        self._line.append(job)
        try:
            await asyncio.shield(job.future)
        except asyncio.CancelledError:
            await self._leave(job)
            raise

    async def _leave(self, job: _Job) -> None:
        """See to it that nothing is written once a cancelled call has ended."""
        job.is_left = True
        if job.statement is None:
            job.future.cancel()
            return
        if job.is_alone:
            job.statement.cancel()
        await asyncio.wait([job.future])
        if not job.future.cancelled():
            job.future.exception()  # which nobody else looks at

    def _end_statement(self) -> None:
        self._under_way -= 1
        self._dispatch()

    def _dispatch(self) -> None:
        """Send what waits in the line, as far as there may be more statements."""
        self._line = [job for job in self._line if not job.is_left]
        while self._line and self._under_way < self._most:
            self._start(self._take_group())

    def _take_group(self) -> list[_Job]:
        """Take the first of the line, and as many of the next as make a group with it."""
        jobs: list[_Job] = []
        volume = 0
        for job in self._line[: SIZES[0]]:
            volume += job.size
            if jobs and (volume > MOST_BYTES or job.session in self._apart):
                break
            jobs.append(job)
            if job.session in self._apart:
                break
        size = next((size for size in SIZES if size <= len(jobs)), 1)
        self._line = self._line[size:]
        return jobs[:size]

    def _start(self, jobs: Sequence[_Job]) -> None:
        self._under_way += 1
        task = asyncio.get_running_loop().create_task(self._run_statement(jobs))
        self._statements.add(task)
        task.add_done_callback(self._statements.discard)
        for job in jobs:
            job.statement, job.is_alone = task, len(jobs) == 1

    async def _run_statement(self, jobs: Sequence[_Job]) -> None:
        try:
            if len(jobs) == 1:
                await self._append_alone(jobs[0])
            else:
                await self._append_together(jobs)
        finally:
            for job in jobs:
                if job.statement is asyncio.current_task():  # which was cancelled, then
                    job.future.cancel()
            self._end_statement()

    async def _append_together(self, jobs: Sequence[_Job]) -> None:
        # All groups lock sessions in one order, so none waits for another that waits for it.
        ordered = sorted(jobs, key=lambda job: job.session)
        values = [value for job in ordered for value in job.values]
        began = min(job.began for job in jobs)
        try:
            await self._run(self._together[len(jobs)], values, began)
        except Exception as error:
            if not _is_refused(error):
                _settle(jobs, error)
                return
            for job in jobs:
                if not job.is_left:
                    self._apart[job.session] += 1
                    job.future.add_done_callback(partial(self._reunite, job.session))
                    self._start([job])
        else:
            _settle(jobs)

    async def _append_alone(self, job: _Job) -> None:
        try:
            await self._run(self._alone, job.values, job.began)
        except Exception as error:
            _settle([job], error)
        else:
            _settle([job])

    def _reunite(self, session: bytes, _: object) -> None:
        """Let the session's appends go with others again, once none is tried again alone."""
        self._apart[session] -= 1
        if not self._apart[session]:
            del self._apart[session]


def _settle(jobs: Sequence[_Job], error: Exception | None = None) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if error is None:
            job.future.set_result(None)
        else:
            job.future.set_exception(error)


def _is_refused(error: Exception) -> bool:
    """Return True if the server answered that it wrote nothing, and soon enough to try again."""
    cause = error.__cause__ if isinstance(error, MemoryStoreBackendError) else None
    answer = getattr(cause, "diag", None)
    severity = getattr(answer, "severity_nonlocalized", None)
    return severity == "ERROR" and getattr(cause, "sqlstate", None) != _CANCELLED

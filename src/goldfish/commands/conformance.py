"""Tells an implementer what is wrong with a command that is to speak the protocol."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldfish.commands import shapes
from goldfish.commands.errors import ProtocolError
from goldfish.commands.factory import Command
from goldfish.commands.introduction import PROTOCOL, Introduction, find_problems, read_introduction
from goldfish.commands.process import ENDS_WITHIN, CommandProcess
from goldfish.harness.crash import EndedItselfError
from goldfish.harness.errors import EndedError, RemoteError
from goldfish.harness.patience import OverdueError, wait_patiently
from goldfish.threads import LoopThread
from goldfish.world.sandbox import Sandbox

AT_ONCE = 12  # calls in flight


@dataclass
class Verdict:
    """What was found: sentences about the command, and the last lines of its standard error."""

    name: str = ""
    methods: int = 0
    problems: list[str] = field(default_factory=list)
    log: Sequence[str] = ()

    def add(self, problem: str) -> None:
        """Note a problem once."""
        if problem not in self.problems:
            self.problems.append(problem)


def examine(command: Command, services: Sequence[str], *, deadline: float) -> Verdict:
    """Start the command as often as needed, ask it all kinds of questions, and return a verdict."""
    thread, sandbox = LoopThread(), Sandbox()
    try:
        sandbox.provide(tuple(services))
        return thread.call(_Examiner(command, sandbox, deadline).examine())
    finally:
        thread.stop()
        sandbox.close()


class _Examiner:
    def __init__(self, command: Command, sandbox: Sandbox, deadline: float) -> None:
        self._command = command
        self._sandbox = sandbox
        self._deadline = deadline
        self._verdict = Verdict()
        self._declared: Introduction | None = None

    async def examine(self) -> Verdict:
        if await self._meet():
            for question in (
                *(self._ask_ordinary_calls, self._ask_at_once, self._ask_the_unknown),
                self._end_without_goodbye,
            ):
                await self._put(question)
        return self._verdict

    async def _meet(self) -> bool:
        """Return True if there is an introduction with nothing wrong in it."""
        async with self._open() as process:
            answer = await self._ask(process, "initialize", protocol=PROTOCOL)
            for problem in find_problems(answer):
                self._verdict.add(problem)
            if not self._verdict.problems:
                self._declared = read_introduction(answer)
                self._verdict.name = self._declared.name
                self._verdict.methods = len(self._declared.methods)
                self._sandbox.provide(self._declared.services)
            await self._say_goodbye(process)
        return self._declared is not None

    async def _put(self, question: Any) -> None:
        """Put a question to a process of its own, which the question may end."""
        async with self._open() as process:
            await self._ask(process, "initialize", protocol=PROTOCOL)
            await question(process)

    @contextlib.asynccontextmanager
    async def _open(self) -> AsyncIterator[CommandProcess]:
        """Start the command; what it does wrong ends the block, and is noted."""
        process = await self._command.start(self._sandbox)
        try:
            yield process
        except ProtocolError as problem:
            self._verdict.add(str(problem))
            self._verdict.log = self._verdict.log or process.read_log()
        finally:
            for stray in process.channel.strays:
                self._verdict.add(
                    f"wrote {stray!r} to standard output: only answers belong there, a log "
                    "belongs on standard error"
                )
            for note in process.channel.notes:
                self._verdict.add(note)
            process.kill()
            await process.end()

    async def _ask(self, process: CommandProcess, method: str, **parameters: Any) -> Any:
        """Return the answer; a ProtocolError says what is wrong with it."""
        try:
            return await self._hear(process, method, method, **parameters)
        except (RemoteError, ValueError) as error:
            raise ProtocolError(f"answered {method} with an error: {error}") from None

    async def _hear(
        self, process: CommandProcess, method: str, what: str, **parameters: Any
    ) -> Any:
        """Return the answer, or raise the error that it is; a ProtocolError if there is none."""
        try:
            return await wait_patiently(process.ask(method, parameters), self._deadline)
        except OverdueError:
            raise ProtocolError(
                f"did not answer {what} within {self._deadline:g} s: write one line for each "
                "request, and flush it"
            ) from None
        except (EndedItselfError, EndedError):
            ended = await process.describe_end()
            raise ProtocolError(f"{ended} when it was asked {what}: answer, and go on") from None

    async def _ask_ordinary_calls(self, process: CommandProcess) -> None:
        """Ask each method once, as a check would, and look at the shape of the answers."""
        assert self._declared is not None
        told: dict[str, Any] = {}
        for call in shapes.list_calls(self._declared):
            parameters = {name: told.get(name, value) for name, value in call.parameters.items()}
            answer = await self._ask(process, call.method, **parameters)
            for problem in call.find_problems(answer):
                self._verdict.add(problem)
            told |= call.learn(answer)

    async def _ask_at_once(self, process: CommandProcess) -> None:
        """Read many times without waiting for answers: each must get its own.

        The writes come one by one: what is lost by writing at once is for the checks to tell.
        """
        assert self._declared is not None
        reads = []
        for write, read in shapes.list_calls_at_once(self._declared, AT_ONCE):
            await self._ask(process, write.method, **write.parameters)
            reads.append(read)
        asked = (self._ask(process, read.method, **read.parameters) for read in reads)
        answers = zip(reads, await asyncio.gather(*asked), strict=True)
        for problem in (each for read, found in answers for each in read.find_problems(found)):
            self._verdict.add(problem)
            break  # one tells all

    async def _ask_the_unknown(self, process: CommandProcess) -> None:
        """Ask for a method that is not in the protocol: an error is due, and nothing else."""
        what = "a method that it does not have"
        try:
            await self._hear(process, "goldfish_unknown", what)
        except (RemoteError, ValueError):
            await self._ask(process, "shutdown")
            return
        raise ProtocolError(f"answered {what} with a result: answer with the error -32601")

    async def _say_goodbye(self, process: CommandProcess) -> None:
        """Ask it to shut down; it is to end once its input does."""
        await self._ask(process, "shutdown")
        await self._expect_end(process)

    async def _end_without_goodbye(self, process: CommandProcess) -> None:
        await self._expect_end(process)

    async def _expect_end(self, process: CommandProcess) -> None:
        if not await process.end():
            raise ProtocolError(
                f"did not end within {ENDS_WITHIN:g} s of the end of its standard input: end then"
            )

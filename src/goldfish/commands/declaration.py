"""A target of a command: it is started once and asked what it is, as a module is imported."""

import shlex
import warnings
from collections.abc import Sequence

from goldfish.commands.errors import ProtocolError, explain
from goldfish.commands.factory import PREFIX, Command
from goldfish.commands.introduction import Introduction
from goldfish.commands.process import CommandProcess
from goldfish.commands.store import introduce
from goldfish.errors import TargetError
from goldfish.harness.patience import OverdueError, wait_patiently
from goldfish.targets.declaration import Target, make_target
from goldfish.threads import LoopThread
from goldfish.world.sandbox import Sandbox

ANSWERS_WITHIN = 25.0  # seconds that the machine grants


class StrayOutputWarning(UserWarning):
    """A command writes something else than answers to standard output."""


def make_command_target(
    spec: str, services: Sequence[str] = (), *, within: float = ANSWERS_WITHIN
) -> Target:
    """Return the target that ``cmd:…`` stands for; raise a TargetError if it is not a memory.

    ``services`` are the servers that it needs, in addition to those that it declares.
    """
    command = parse(spec)
    introduction = meet(command, services, within=within)
    declared = tuple(dict.fromkeys([*services, *introduction.services]))
    return make_target(command, name=introduction.name, services=declared, **introduction.traits)


def parse(spec: str) -> Command:
    """Return the command that a user wrote after ``cmd:``."""
    line = spec.removeprefix(PREFIX).strip()
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise TargetError(f"{spec!r} is not a command: {str(error).lower()}") from None
    if not words:
        raise TargetError(f"{spec!r} is incomplete: write {PREFIX}PROGRAM ARGUMENTS")
    return Command(line)


def meet(command: Command, services: Sequence[str], *, within: float) -> Introduction:
    """Start a command in a sandbox of its own, and return what it says of itself."""
    thread, sandbox = LoopThread(), Sandbox()
    try:
        sandbox.provide(tuple(services))
        return thread.call(_meet(command, sandbox, within))
    except ProtocolError as error:
        raise explain(command.line, error) from None
    finally:
        thread.stop()
        sandbox.close()


async def _meet(command: Command, sandbox: Sandbox, within: float) -> Introduction:
    process = await command.start(sandbox)
    try:
        introduction = await wait_patiently(introduce(process), within)
        _warn_of_strays(command, process)
        return introduction
    except OverdueError:
        process.kill()
        raise ProtocolError(
            f"did not answer initialize within {within:g} s: read a line of standard input, "
            "write one to standard output, and flush it",
            process.read_log(),
        ) from None
    finally:
        await process.end()


def _warn_of_strays(command: Command, process: CommandProcess) -> None:
    for stray in process.channel.strays:
        warnings.warn(
            f"cmd:{command.line} wrote {stray!r} to standard output, which was skipped: only "
            "answers belong there, a log belongs on standard error",
            StrayOutputWarning,
            stacklevel=2,
        )

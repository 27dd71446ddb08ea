"""``goldfish protocol-check``: say what is wrong with a command that is to be a memory."""

import sys
from collections.abc import Sequence

from goldfish.commands.conformance import Verdict, examine
from goldfish.commands.declaration import parse
from goldfish.commands.errors import ProtocolError, explain
from goldfish.commands.factory import PREFIX
from goldfish.errors import UsageError, mask

RIGHT, WRONG = 0, 1


def check_protocol(spec: str, services: Sequence[str], deadline: float) -> int:
    """Print what is wrong, a sentence each, and return the exit code."""
    if not spec.startswith(PREFIX):
        raise UsageError(f"{spec!r} is not a command: write '{PREFIX}{spec}'")
    if not deadline > 0:
        raise UsageError(f"--deadline must be greater than 0 (got {deadline:g})")
    command = parse(spec)
    try:
        verdict = examine(command, services, deadline=deadline)
    except ProtocolError as error:  # it does not even start
        raise explain(command.line, error) from None
    sys.stdout.write(_render(spec, verdict))
    return WRONG if verdict.problems else RIGHT


def _render(spec: str, verdict: Verdict) -> str:
    if not verdict.problems:
        return f"{verdict.name} speaks the protocol: {verdict.methods} methods, nothing wrong.\n"
    lines = [f"{spec} does not speak the protocol yet (docs/protocol.md):"]
    lines += [f"  - It {problem.rstrip('.')}." for problem in verdict.problems]
    if verdict.log:
        lines += ["Its last lines on standard error:", *(f"  {line}" for line in verdict.log)]
    return mask("\n".join(lines)) + "\n"

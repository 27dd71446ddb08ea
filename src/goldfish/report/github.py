"""What GitHub Actions shows beside a pull request: one annotation per broken promise."""

import inspect
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from goldfish.engine.baseline import Account
from goldfish.findings.result import Result, Verdict
from goldfish.report.sanitize import escape_controls, sanitize_report
from goldfish.targets.declaration import Target

MOST = 10  # of each kind that GitHub shows for one step
FAILURES = (Verdict.BROKEN, Verdict.UNKNOWN)


def is_on_github() -> bool:
    """Whether this runs as a step of a workflow."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


@contextmanager
def suspend_commands(file: IO[str]) -> Iterator[None]:
    """Let the runner take no line for a command meanwhile: evidence and strangers may say `::`."""
    if not is_on_github():
        yield
        return
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", file=file, flush=True)
    try:
        yield
    finally:
        print(f"::{token}::", file=file, flush=True)


def annotate(file: IO[str], accounts: Sequence[Account], targets: Iterable[Target]) -> None:
    """Write the annotations of all targets, if this runs on GitHub."""
    if is_on_github():
        pairs = zip(accounts, targets, strict=True)
        for line in limit_lines([line for pair in pairs for line in make_annotations(*pair)]):
            print(line, file=file, flush=True)


def make_annotations(account: Account, target: Target | None = None) -> Iterator[str]:
    """A workflow command for each failure that was not known, and for each stale entry."""
    report = sanitize_report(account.report)
    for result in report.results:
        if result.verdict in FAILURES and result.code not in account.known:
            yield format_command(f"{result.code} {report.target}", _told(result), target)
    for code, why in account.stale.items():
        yield format_command(
            f"{code} {report.target}", f"stale: {why}. Remove it from the baseline."
        )


def limit_lines(lines: Sequence[str]) -> list[str]:
    """As many as GitHub shows, the last of which says how many there are beside them."""
    if len(lines) <= MOST:
        return list(lines)
    more = f"{len(lines) - MOST + 1} more failures are in the log of this step."
    return [*lines[: MOST - 1], format_command("goldfish", more)]


def format_command(title: str, message: str, target: Target | None = None) -> str:
    """The line that makes an annotation: ``::error title=…::…``, at the factory of the target."""
    properties = {**_place(target), "title": title}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::error {told}::{_data(message)}"


def _told(result: Result) -> str:
    what = f"{result.finding}: {result.summary}" if result.finding else result.summary
    lines = (result.promise, what, *result.evidence, result.reproduce)
    return "\n".join(escape_controls(line) for line in lines if line)


def _place(target: Target | None) -> dict[str, str]:
    """The factory as the repository knows it; nothing for one that is installed elsewhere."""
    if target is None or target.location is None:
        return {}
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    path = Path(target.location.file).resolve()
    if not path.is_relative_to(root) or "site-packages" in path.parts:
        return {}
    code = getattr(inspect.unwrap(target.factory), "__code__", None)
    line = code.co_firstlineno if code else 1
    return {"file": str(path.relative_to(root)), "line": str(line)}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(escape_controls(text)).replace(":", "%3A").replace(",", "%2C")

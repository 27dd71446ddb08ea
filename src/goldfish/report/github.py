"""What GitHub Actions shows beside a pull request: one annotation per cause."""

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from goldfish.engine.baseline import Account
from goldfish.findings.result import Verdict
from goldfish.report.causes import list_cause_lines, list_causes
from goldfish.report.results import list_lines
from goldfish.report.sanitize import escape_controls, sanitize_report
from goldfish.targets.declaration import Target
from goldfish.targets.place import find_factory

MOST = 10  # of each kind that GitHub shows for one step
FAILURES = (Verdict.BROKEN, Verdict.UNKNOWN)


def is_on_github() -> bool:
    """Return True if this runs as a step of a workflow."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


@contextmanager
def suspend_commands(file: IO[str]) -> Iterator[None]:
    """Keep the runner from reading lines as commands: evidence and strangers may print `::`."""
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
    """Yield a workflow command for each cause that was not known, and for each stale entry."""
    report = sanitize_report(account.report)
    causes = list_causes(report, account.known)
    firsts = {id(cause.first): cause for cause in causes}
    grouped = {code for cause in causes for code in cause.codes}
    for result in report.results:
        if result.verdict not in FAILURES or result.code in account.known:
            continue
        if cause := firsts.get(id(result)):
            lines = list_cause_lines(cause)
        elif result.code not in grouped:
            lines = list(list_lines(result))
        else:
            continue
        yield format_command(f"{result.code} {report.target}", "\n".join(lines), target)
    for code, why in account.stale.items():
        yield format_command(
            f"{code} {report.target}", f"stale: {why}. Remove it from the baseline."
        )


def limit_lines(lines: Sequence[str]) -> list[str]:
    """Return as many lines as GitHub shows; the last one says how many more there are."""
    if len(lines) <= MOST:
        return list(lines)
    more = f"{len(lines) - MOST + 1} more failures are in the log of this step."
    return [*lines[: MOST - 1], format_command("goldfish", more)]


def format_command(title: str, message: str, target: Target | None = None) -> str:
    """Return the line that makes an annotation at the factory: ``::error title=…::…``."""
    properties = {**_locate(target), "title": title}
    spelled = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    return f"::error {spelled}::{_escape_data(message)}"


def _locate(target: Target | None) -> dict[str, str]:
    """Return file and line of the factory in the repository; nothing if it is not in there."""
    found = find_factory(target) if target is not None else None
    if found is None:
        return {}
    path, line = found
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    if not path.is_relative_to(root) or "site-packages" in path.parts:
        return {}
    return {"file": str(path.relative_to(root)), "line": str(line)}


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(escape_controls(text)).replace(":", "%3A").replace(",", "%2C")

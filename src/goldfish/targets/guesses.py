"""Refuses a target that was guessed until its user has looked at it."""

from pathlib import Path

from goldfish.errors import TargetError
from goldfish.targets.declaration import Target

MARK = "# GUESS"


def refuse_guess(target: Target) -> None:
    """Raise a TargetError that names the lines to look at, if the target is a guess."""
    if not target.guessed:
        return
    file = target.location.file if target.location else getattr(target.factory, "file", "")
    lines = [str(number) for number in _find_marks(file)]
    where = f"line{'s' * (len(lines) > 1)} {', '.join(lines)} of {_shorten(file)}" if lines else ""
    raise TargetError(
        f"the target {target.name} is a guess of goldfish init, so nothing was asked: look at "
        f"{where or 'its factory'}, mend what is not yours, then delete guessed=True"
    )


def _find_marks(file: str) -> list[int]:
    try:
        text = Path(file).read_text(encoding="utf-8") if file else ""
    except (OSError, ValueError):
        return []
    return [number for number, line in enumerate(text.splitlines(), 1) if MARK in line]


def _shorten(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file

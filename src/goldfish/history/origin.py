"""Where an error of a store was raised: its type, its message, and the line of the store's code."""

import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from goldfish.masking import mask

LONGEST = 300  # characters of a message
TIME_OUT = ("timeout", "timedout", "timed out")  # in the kind of an error, or in its message
# What of this package is a memory under test, and not the harness around it.
STORES = ("stores", "specimens", "integrations", "dropins", "examples")
_PACKAGE = Path(__file__).resolve().parents[1]
_STANDARD = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
_INSTALLED = ("site-packages", "dist-packages")


class Frame(NamedTuple):
    """A line of code, and the function it is in."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        """Return it as "memory.py:12 in add_messages"."""
        return f"{self.file}:{self.line} in {self.function}"


@dataclass(frozen=True)
class Origin:
    """Where an error came from.

    ``inner`` is the innermost line of the memory under test or of a library that it uses; ``own``
    the innermost one that is not installed as a package, which its author can change.
    """

    error: str  # the name of its type
    message: str = ""
    method: str = ""  # of the store, that was called
    inner: Frame | None = None
    own: Frame | None = None
    timed_out: bool = False  # a clock ran out, by what the error or one of its causes says

    @property
    def place(self) -> Frame | None:
        """The line to look at first."""
        return self.own or self.inner

    def spell_out(self) -> dict[str, Any]:
        """Return the fields by name, for a report or another process."""
        return asdict(self)


def parse_origin(fields: Mapping[str, Any]) -> Origin:
    """Return the origin that ``spell_out`` spelled out."""
    frames = {name: _parse_frame(fields.get(name)) for name in ("inner", "own")}
    texts = {name: str(fields.get(name, "")) for name in ("error", "message", "method")}
    timed_out = bool(fields.get("timed_out"))
    return Origin(**texts, **frames, timed_out=timed_out)  # type: ignore[arg-type] # each its own


def _parse_frame(fields: Any) -> Frame | None:
    if not fields:
        return None
    if not isinstance(fields, list | tuple) or len(fields) != 3:
        raise ValueError("a line of code must be a file, a number and a function")
    file, line, function = fields
    return Frame(str(file), int(line), str(function))


def spell_error(error: BaseException) -> str:
    """Return the message of an error without secrets; of one that cannot be shown, why."""
    try:
        return mask(str(error))
    except Exception as unshowable:  # a stranger's error, which may not even have a form
        return f"(its message cannot be shown: {type(unshowable).__name__})"


def find_origin(method: str, error: BaseException) -> Origin:
    """Return where an error of this method was raised."""
    frames = [frame for frame in _list_frames(error.__traceback__) if not _is_harness(frame.file)]
    own = [frame for frame in frames if not _is_installed(frame.file)]
    inner, nearest = (_shorten(some[-1]) if some else None for some in (frames, own))
    first = spell_error(error).strip().partition("\n")[0]
    kind, timed_out = type(error).__name__, any(map(_is_time_out, list_causes(error)))
    return Origin(kind, first[:LONGEST], method, inner, nearest, timed_out)


def list_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what it was raised for, and so on."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _is_time_out(error: BaseException) -> bool:
    words = f"{type(error).__name__} {spell_error(error)}".casefold()
    return any(each in words for each in TIME_OUT)


def _list_frames(traceback: TracebackType | None) -> Iterator[Frame]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        yield Frame(code.co_filename, traceback.tb_lineno, code.co_name)
        traceback = traceback.tb_next


def _is_harness(file: str) -> bool:
    """Return True for code of the standard library, of the interpreter, and of goldfish itself."""
    if file.startswith("<"):
        return True
    path = Path(file)
    if path.is_relative_to(_PACKAGE):
        return path.relative_to(_PACKAGE).parts[0] not in STORES
    return file.startswith(_STANDARD) and not _is_installed(file)


def _is_installed(file: str) -> bool:
    return any(part in _INSTALLED for part in Path(file).parts)


def _shorten(frame: Frame) -> Frame:
    """Return the frame with a path that a person can read: from here, or from its package."""
    path = Path(frame.file)
    if _is_installed(frame.file):
        places = [at for at, part in enumerate(path.parts) if part in _INSTALLED]
        return frame._replace(file=str(Path(*path.parts[places[-1] + 1 :])))
    for root in (Path.cwd(), *map(Path, filter(None, sys.path))):
        if path.is_relative_to(root):
            return frame._replace(file=str(path.relative_to(root)))
    return frame

"""The file of a recording: a line for each call of a store in a running application."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from goldfish.errors import HistoryError, UsageError, mask
from goldfish.findings.comparison import quote
from goldfish.harness import wire

SCHEMA = 1


@dataclass
class RecordedCall:
    """One call of a recording, with the arguments of the method that was called."""

    method: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    result: Any = None
    error: str = ""
    start: float = 0.0
    end: float = 0.0
    process: str = ""

    @property
    def session(self) -> Any:
        """The session or user that it was about, if any."""
        return self.arguments[0] if self.arguments else None

    def overlaps(self, other: "RecordedCall") -> bool:
        """Return True if neither call was over before the other began."""
        return other.start < self.end and self.start < other.end

    def __str__(self) -> str:
        """Return the call as one would write it, in short."""
        words = [quote(each) for each in self.arguments[:1]]
        words += ["…"] if self.arguments[1:] else []
        words += [f"{name}={quote(value)}" for name, value in self.options.items()]
        return f"{self.method}({', '.join(words)})"


class RecordingFile:
    """The file that calls are added to; it is there from the first call on."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            if not os.fstat(self._file).st_size:
                self._write({"recording": SCHEMA})
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written: {error.strerror}: record into another file"
            ) from None

    @contextmanager
    def record(self, method: str, arguments: Any, options: Any) -> Iterator[RecordedCall]:
        """Enter a call; its line is written when the block ends, with the result that it got."""
        # Before the store sees them: it may change what it is handed.
        passed = wire.pack([arguments, options])
        process = f"{os.getpid()}.{threading.get_ident()}"
        call = RecordedCall(method, (), {}, start=time.time(), process=process)
        try:
            yield call
        except BaseException as error:
            call.error = f"{type(error).__name__}: {mask(str(error))}"
            raise
        finally:
            call.end = time.time()
            call.arguments, call.options = wire.unpack(passed)
            self._add(call)

    def _add(self, call: RecordedCall) -> None:
        try:
            self._write(vars(call))
        except OSError:
            return  # the application matters more than its record, as record() says

    def _write(self, line: dict[str, Any]) -> None:
        with self._lock:  # one write each, at the end: so lines of several processes do not mix
            os.write(self._file, wire.pack(line))


def is_recording(path: Path) -> bool:
    """Return True if the file begins as one that ``goldfish.record`` wrote."""
    try:
        with path.open("rb") as file:
            begins = file.readline(100).replace(b" ", b"")  # older releases wrote spaces
            return begins.startswith(b'{"$dict":{"recording"')
    except OSError:
        return False


def load_recording(path: Path) -> list[RecordedCall]:
    """Load the calls of a recording, in the order in which they ended."""
    try:
        with path.open("rb") as file:
            if wire.unpack(file.readline())["recording"] != SCHEMA:
                raise ValueError("it was written by a newer goldfish")
            calls = [_parse_call(wire.unpack(line)) for line in file]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HistoryError(
            f"{path} is not a recording that can be read ({error}): give a file of goldfish.record"
        ) from error
    return sorted(calls, key=lambda call: call.end)


def _parse_call(line: dict[str, Any]) -> RecordedCall:
    call = RecordedCall(**{field.name: line[field.name] for field in fields(RecordedCall)})
    call.arguments = tuple(call.arguments)
    return call

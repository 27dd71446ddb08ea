"""What an error of a memory says: whether a clock of its own ran out."""

import sqlite3

import pytest

from goldfish.errors import MemoryStoreBackendError
from goldfish.harness.errors import LOCK_TIME_OUT, RemoteError, is_out_of_time
from goldfish.history.origin import find_origin, parse_origin


def wrap(cause: Exception) -> Exception:
    """Return the error of a library that tells of another one."""
    try:
        raise MemoryStoreBackendError("no answer within 10 s") from cause
    except MemoryStoreBackendError as error:
        return error


def send(error: Exception) -> RemoteError:
    """Return an error as another process sends it."""
    return RemoteError(str(error), parse_origin(find_origin("add_messages", error).spell_out()))


LOCKED = sqlite3.OperationalError("database is locked")


@pytest.mark.parametrize(
    ("error", "seconds", "expected"),
    [
        (RemoteError("APITimeoutError: Request timed out."), 1.0, True),
        (TimeoutError(), 1.0, True),
        (OSError("the read timed out"), 1.0, True),
        (wrap(TimeoutError()), 1.0, True),
        (send(wrap(TimeoutError())), 1.0, True),
        (send(wrap(ConnectionResetError("by peer"))), 9.0, False),
        (LOCKED, LOCK_TIME_OUT + 1, True),
        (LOCKED, 0.1, False),
        (RemoteError("OperationalError: table turns already exists"), 9.0, False),
    ],
)
def test_time_outs_are_known_through_wrappers(
    error: Exception, seconds: float, expected: bool
) -> None:
    """SQLite calls a wait that ended and a deadlock by one name; the time tells them apart."""
    assert is_out_of_time(error, seconds) is expected

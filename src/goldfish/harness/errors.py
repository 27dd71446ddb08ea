"""What goes wrong between the harness and a store under test."""

from goldfish.history.origin import Origin, find_origin, spell_error

LOCK_TIME_OUT = 4.0  # seconds: by default Python's SQLite waits for five


class StoreError(Exception):
    """The store under test raised; ``error`` is what, ``method`` and ``origin`` where."""

    def __init__(self, method: str, error: BaseException) -> None:
        super().__init__(f"{method} raised {describe_error(error)}")
        self.method = method
        self.error = error
        self.origin = error.origin if isinstance(error, RemoteError) else find_origin(method, error)


class RemoteError(Exception):
    """What the store raised in another process, by its description and its origin."""

    def __init__(self, text: str, origin: Origin | None = None) -> None:
        super().__init__(text)
        self.origin = origin


class EndedError(RemoteError):
    """The other process ended before it answered: what it was asked may have happened or not."""


class OpeningError(Exception):
    """The factory raised; ``first`` says whether on the first, lonely opening of the sandbox."""

    def __init__(self, error: StoreError, *, first: bool) -> None:
        super().__init__(str(error))
        self.cause = error.error
        self.origin = error.origin
        self.first = first


class NoPodError(Exception):
    """There can be no other process for this target; what it would have shown is unknown."""


def name_error(error: BaseException) -> str:
    """Return the kind of an error, also of one from another process."""
    if isinstance(error, RemoteError):
        return str(error).partition(":")[0]
    return type(error).__name__


def is_not_implemented(error: BaseException) -> bool:
    """Return True if an error says that a method is there in name only."""
    return isinstance(error, NotImplementedError) or name_error(error) == "NotImplementedError"


def is_out_of_time(error: BaseException, seconds: float) -> bool:
    """Return True if a clock of the memory's own may have ended a call that took so long."""
    known = error.origin if isinstance(error, RemoteError) else None
    if (known or find_origin("", error)).timed_out:
        return True
    # SQLite calls a wait that ended and a deadlock by one name.
    return seconds > LOCK_TIME_OUT and "database is locked" in spell_error(error)


def describe_error(error: BaseException) -> str:
    """Return the kind of an error and its first line."""
    if isinstance(error, RemoteError):
        return str(error)
    first = spell_error(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__

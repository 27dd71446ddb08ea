"""Errors of PostgreSQL and its driver as one sentence that says what to do."""

from typing import TYPE_CHECKING, Any

from goldfish.errors import MemoryStoreBackendError, mask

if TYPE_CHECKING:
    from psycopg import AsyncConnection, Connection

    AnyConnection = AsyncConnection[tuple[Any, ...]] | Connection[tuple[Any, ...]]

_CHECK = "check that it is running, reachable and accepts writes"
_CANCELLED = "57014"
_PREPARED = {"26000", "42P05"}  # a prepared statement does not exist, or exists already
_FORBIDDEN = "42501"
_NO_SCHEMA = "3F000"


class NoFreeConnectionError(TimeoutError):
    """All connections of our pool were in use for too long; nothing was sent."""


def explain(
    error: Exception, server: str, timeout: float, address: str = ""
) -> MemoryStoreBackendError:
    """Return the error for the caller, without any part of the address's password."""
    text = getattr(getattr(error, "diag", None), "message_primary", None) or str(error)
    reason = " ".join(mask(text, address).split())
    state = getattr(error, "sqlstate", None)
    if isinstance(error, NoFreeConnectionError):
        reason = (
            f"none of {reason} connections was free and nothing was written: "
            "raise pool_size, or look for what keeps calls waiting"
        )
    elif isinstance(error, TimeoutError):
        reason = f"{reason or 'no connection'} within {timeout:g} s: {_CHECK}"
    elif state == _CANCELLED:
        reason = (
            f"the call was cancelled and nothing was written ({reason}): look for locks and long "
            f"statements, or open the store with a timeout above {timeout:g} s"
        )
    elif state in _PREPARED:
        reason = (
            f"{reason}: a pooler lends connections for one transaction: open the store with "
            "pooler=True, or make the pool that you pass with kwargs={'prepare_threshold': None}"
        )
    elif state in {_FORBIDDEN, _NO_SCHEMA}:
        reason = (
            f"{reason}: let the role own the store's schema "
            "(CREATE SCHEMA name AUTHORIZATION role) and open the store with schema='name'"
        )
    else:
        reason = f"{reason or type(error).__name__}: {_CHECK}"
    return MemoryStoreBackendError(f"{server}: {reason}")


def is_refusal(error: Exception, connection: "AnyConnection") -> bool:
    """Return True if the server answered with an error, and now waits for the next statement."""
    from psycopg.pq import TransactionStatus

    answered = getattr(error, "sqlstate", None) is not None
    return answered and connection.info.transaction_status == TransactionStatus.IDLE

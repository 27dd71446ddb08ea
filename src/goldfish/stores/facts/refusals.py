"""What the engine of facts refuses, and the errors that say so."""

from goldfish.errors import FactNotFound, MemoryStoreBackendError
from goldfish.stores.facts.backend import Written
from goldfish.stores.retrieval.embedder import mismatch_error


def refuse_other_model(written: Written, model: str) -> None:
    """Raise if the facts of the user have vectors of another model."""
    if written.outcome == "other model":
        raise mismatch_error(written.detail, model)


def unknown_error(user_id: str, fact_id: str) -> FactNotFound:
    """Return the error that the user has no such fact."""
    return FactNotFound(
        f"user {user_id!r:.80} has no fact {fact_id!r:.80}: list_facts() names those that there are"
    )


def restless_error() -> MemoryStoreBackendError:
    """Return the error that others wrote all the time."""
    return MemoryStoreBackendError(
        "the facts of the user changed each time that they were read: repeat the call"
    )

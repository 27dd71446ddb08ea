"""Usual causes of what memories get wrong amid faults, and in long sequences of calls."""

from goldfish.findings.remedies.memories import REPLACE_FILE
from goldfish.findings.remedies.remedy import Remedy

CAUSES = (
    # Faults.
    Remedy(
        ("swallowed", "FLT"),
        "The storage failed, and the store caught the error: a failed write looks stored, a failed "
        "read looks like an empty memory, or the broken connection is used for ever.",
        "Raise the error. A caller can retry or tell its user; it can do nothing about an empty "
        "list. Retry only with an id that makes it harmless, and open a new connection afterwards.",
        """try:
    rows = await connection.fetch(query, session_id)
except OSError as error:
    raise MemoryStoreBackendError(f"cannot read the history: {error}") from error""",
    ),
    Remedy(
        ("FLT wedged",),
        "After the fault, the store continued with what the fault had left: half a file, a dead "
        "connection, a remembered error.",
        "Do not destroy the old state before the new one is complete, and open a new connection "
        "when one has failed.",
        REPLACE_FILE,
    ),
    Remedy(
        ("crashed",),
        "The memory ended the whole process: native code crashed, often because threads shared an "
        "object that belongs to one, or something called exit.",
        "Give each thread a client of its own, or guard it with a lock; update the library whose "
        "frames the evidence shows; raise an error where the code calls exit.",
        """with lock:  # the native client belongs to one thread at a time
    client.upsert(collection, points)""",
    ),
    Remedy(
        ("wedged", "LIV"),
        "A call did not return: a failed or cancelled call kept its lock or connection until none "
        "was left, a broken connection is used for ever, or the work of a call grows with "
        "everything that is stored.",
        "Release in a finally block or a context manager what a call takes, set time limits, "
        "replace broken connections, and keep the cost of an append independent of the history.",
        """async with asyncio.timeout(10), pool.connection() as connection:  # always released
    await connection.execute(statement, values)""",
    ),
    Remedy(
        ("LIV refused",),
        "A call that failed or was cancelled left something behind that the next call met: an open "
        "transaction, a connection in the middle of an answer, a lock.",
        "Begin inside the block that rolls back, release in a finally block what a call takes, and "
        "shield the steps that must end together from being cancelled.",
        """async with pool.connection() as connection, connection.transaction():
    await connection.execute(statement, values)  # rolled back also if the call is cancelled""",
    ),
    # Sequences.
    Remedy(
        ("SEQ", "SEQ lost", "SEQ resurrected"),
        "Each call is right alone, but one of them leaves something behind that a later one takes "
        "for its own: a deadline, a counter, a cached list, a row in another table.",
        "Keep what belongs to a session in one place, and let every removal and every rollback "
        "pass through the one function that renews all of it.",
        """def remove_session(connection, session_id):
    for table in ("messages", "deadlines", "state"):  # all that a session has, wherever it goes
        connection.execute(f"DELETE FROM {table} WHERE session = ?", (session_id,))""",
    ),
)

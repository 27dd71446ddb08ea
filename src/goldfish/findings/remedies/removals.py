"""Usual causes of what goes wrong with removals, expiry and snapshots, each with its fix."""

from goldfish.findings.remedies.remedy import Remedy

CAUSES = (
    Remedy(
        ("TRM", "TRM lost", "TRM wrong"),
        "The messages to remove are computed from a count or an order that has changed by the time "
        "they are removed, or from the messages of all sessions.",
        "Choose and remove them in one statement, by session and position.",
        """connection.execute(
    "DELETE FROM messages WHERE session = :s AND place NOT IN"
    " (SELECT place FROM messages WHERE session = :s ORDER BY place DESC LIMIT :keep)",
    {"s": session_id, "keep": keep_last},
)""",
    ),
    Remedy(
        ("CLR", "CLR lost", "CLR resurrected"),
        "A removal selects by a pattern, a prefix or a separate list, so it removes too much or "
        "leaves something behind.",
        "Remove by the exact id, in the storage, in one transaction with everything that depends "
        "on it.",
        """with connection:
    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))""",
    ),
    Remedy(
        ("CLR16", "CLR16 lost", "CLR16 wrong"),
        "Deleted messages are only marked, and a limit counts them: the last ones are chosen, or "
        "the first ones trimmed, before those that are marked are left out.",
        "Delete the rows, or put the condition that hides them into the statement that counts.",
        """connection.execute(
    "SELECT body FROM messages WHERE session = ? AND NOT deleted"  # before the LIMIT
    " ORDER BY place DESC LIMIT ?",
    (session_id, last),
)""",
    ),
    Remedy(
        ("CLR17", "CLR17 lost", "CLR18", "CLR18 resurrected"),
        "The list is not what the messages say: it is one page of several (a LIMIT, one round of "
        "SCAN), or a table or set beside them, which not every write and removal keeps up.",
        "List the sessions that have messages, from all pages; if a list is kept beside them, "
        "change both in one transaction.",
        """connection.execute("SELECT DISTINCT session FROM messages ORDER BY session")  # no LIMIT
names = [name async for name in redis.scan_iter("messages:*")]  # all rounds""",
    ),
    Remedy(
        ("CLR19", "CLR19 leaked", "CLR19 lost"),
        "The prefix is used as a pattern (LIKE, GLOB, SCAN MATCH), in which %, _, * and ? stand "
        "for anything and case may not count.",
        "Compare the beginning of the id with the prefix, or escape what a pattern would read.",
        """connection.execute(
    "SELECT DISTINCT session FROM messages WHERE substr(session, 1, ?) = ?", (len(prefix), prefix)
)""",
    ),
    Remedy(
        ("TTL", "TTL stale"),
        "The deadline is kept apart from its session: it outlives the messages, reads or writes "
        "renew it, or only a sweeper that runs later enforces it.",
        "Store the deadline with the session, set it in the same step as the write, and compare it "
        "in every read.",
        """connection.execute(
    "SELECT body FROM messages JOIN sessions USING (session)"
    " WHERE session = ? AND (deadline IS NULL OR deadline > ?) ORDER BY place",
    (session_id, time.time()),
)""",
    ),
    Remedy(
        ("TTL34",),
        "A revision writes the fact anew, as one that has no deadline, so it stays for ever.",
        "Change what the revision is about and nothing else: the deadline stays as it was.",
        """connection.execute(
    "UPDATE facts SET text = ? WHERE id = ? AND user_id = ?",  # not INSERT OR REPLACE
    (text, fact_id, user_id),
)""",
    ),
    Remedy(
        ("TTL18 lost",),
        "The deadline is set by the first write of a session only, and later writes do not renew "
        "it: a session that is in use ends in the middle of a conversation.",
        "Set the deadline anew with every write, in the same step.",
        """async with redis.pipeline(transaction=True) as pipeline:
    pipeline.rpush(key, *bodies)
    pipeline.expire(key, ttl)  # without nx=True: every write renews it
    await pipeline.execute()""",
    ),
    Remedy(
        ("TTL lost",),
        "A deadline removed something it was not set for: messages added after an expiry, a "
        "session with a similar id, or one whose deadline had been removed.",
        "Remove the deadline together with what it applies to, in one step.",
        """async with redis.pipeline(transaction=True) as pipeline:
    pipeline.rpush(key, *bodies)
    pipeline.expire(key, ttl)  # with the write, so neither exists without the other
    await pipeline.execute()""",
    ),
    Remedy(
        ("SNP32", "SNP32 lost"),
        "The id of a snapshot is made from how many there are, so that after a deletion the next "
        "one takes the id of another, and may replace it.",
        "Draw the id at random, or from a counter that only grows.",
        """snapshot_id = uuid.uuid4().hex  # not f"{session_id}-{len(snapshots) + 1}\"""",
    ),
    Remedy(
        ("SNP", "SNP lost", "SNP torn", "SNP resurrected"),
        "A rollback commits in several steps, or it also removes snapshots: by a cascading foreign "
        "key, by a condition on the session alone, or because the two share rows or one list.",
        "Roll back in one transaction, keep the rows of snapshots apart from those of the session, "
        "and never delete from the snapshots in it.",
        """with connection:  # one transaction: the state before it or after it, nothing between
    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))
    connection.execute(
        "INSERT INTO messages (session, place, body)"
        " SELECT session, place, body FROM snapshot_messages WHERE snapshot = ?",
        (snapshot_id,),
    )""",
    ),
)

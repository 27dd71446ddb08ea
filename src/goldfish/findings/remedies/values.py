"""Usual causes of values that come back changed, missing or twice, each with its fix."""

from goldfish.findings.remedies.remedy import Remedy

CAUSES = (
    Remedy(
        ("corrupted", "FID"),
        "A value was changed on its way to the storage and back: by a conversion with a fallback "
        "(str, repr, replace), by a column that is too small, or because the store kept the "
        "caller's own object.",
        "Encode losslessly, refuse what cannot be encoded, and return new objects.",
        """body = json.dumps(fields)  # no default=str: what JSON does not have raises here
assert json.loads(body) == fields, "this value would change; refuse it\"""",
    ),
    Remedy(
        ("FID21",),
        "An encoder with a fallback (`default=str`, `vars`) silently turned a value that JSON does "
        "not have into something else.",
        "Encode without a fallback: a value that cannot be kept is an error of the call.",
        """# raises TypeError or ValueError; no default=
body = json.dumps(fields, allow_nan=False)""",
    ),
    Remedy(
        ("FID41", "FID41 corrupted"),
        "A dict that was set was merged into the one before, key by key: by a recursive update, or "
        "by a JSON merge patch, such as SQLite's json_patch, which also removes what is null.",
        "Replace what is under a name as a whole, and keep each name in a place of its own.",
        """connection.execute(
    "INSERT INTO state (session, name, value) VALUES (?, ?, ?)"
    " ON CONFLICT (session, name) DO UPDATE SET value = excluded.value",  # not json_patch
    (session_id, name, json.dumps(value)),
)""",
    ),
    Remedy(
        ("FID42", "FID42 lost"),
        "Setting some names wrote the whole state anew, from what the caller gave or from a copy "
        "that was read before.",
        "Write only the names that are set, each in a place of its own.",
        """connection.executemany(
    "INSERT INTO state (session, name, value) VALUES (?, ?, ?)"
    " ON CONFLICT (session, name) DO UPDATE SET value = excluded.value",
    [(session_id, name, json.dumps(value)) for name, value in values.items()],
)""",
    ),
    Remedy(
        ("FID43", "FID43 lost"),
        "A value that is None, False, 0 or empty was taken for none: by `if value`, or by a JSON "
        "merge patch, in which null removes a name.",
        "Put every value under its name as a whole, None too; only a name that is not there has "
        "no value.",
        """connection.execute(
    "INSERT INTO state (session, name, value) VALUES (?, ?, ?)"
    " ON CONFLICT (session, name) DO UPDATE SET value = excluded.value",  # not json_patch
    (session_id, name, json.dumps(value)),  # "null" for None
)""",
    ),
    Remedy(
        ("FID02 lost", "FID02 torn"),
        "A character of the text ends the record that holds it: Python's splitlines() also splits "
        "at U+2028, U+0085 and form feeds, and what is then no JSON was skipped.",
        "Split a file at the line feeds that you write, and at nothing else, and let a record that "
        "cannot be read be an error.",
        """lines = text.split("\\n")[:-1]  # not text.splitlines()
messages = [json.loads(line) for line in lines]""",
    ),
    Remedy(
        ("FID05", "FID05 corrupted", "FID27 corrupted"),
        "A long text is cut: by a slice, by a column that is too small, or by a buffer into which "
        "only so much is read.",
        "Keep texts of any length, or refuse those that are too long for you.",
        """if len(content.encode()) > MOST:
    raise ValueError(f"a text of {len(content)} characters is too long")""",
    ),
    Remedy(
        ("FID09", "FID09 corrupted"),
        "Roles are translated by a table, and one that it lacks becomes another: a developer or a "
        "tool then speaks as the user.",
        "Store the role as it is; if you can keep only some roles, refuse the others.",
        """role = ROLES[message.role]  # raises for others; not ROLES.get(message.role, "user")""",
    ),
    Remedy(
        ("FID11", "FID11 corrupted"),
        "The time lost its zone or its fraction on the way: a naive datetime, a column without a "
        "zone, or whole seconds.",
        "Store the offset with the time, or convert it to UTC first, and keep microseconds.",
        """text = message.created_at.isoformat()  # "2024-03-31T01:30:00.000005+02:00"
moment = datetime.fromisoformat(text)  # not replace(tzinfo=None)""",
    ),
    Remedy(
        ("FID25",),
        "A read returns the store's own list, so a caller that appends to it or sorts it edits the "
        "history.",
        "Return copies, down to the dicts inside.",
        """return copy.deepcopy(self._sessions.get(session_id, []))""",
    ),
    Remedy(
        ("FID torn",),
        "The messages of a batch are encoded and written one by one. If one cannot be encoded, "
        "those before it are already stored, although the call raises.",
        "Encode the whole batch first, then write it in one step.",
        """rows = [(session_id, encode(message)) for message in messages]  # raises before any write
with connection:
    connection.executemany(INSERT, rows)""",
    ),
    Remedy(
        ("FID lost",),
        "A message that looks empty or odd was skipped, or a batch replaced the whole history.",
        "Store every message, even one without text: tool calls often come alone.",
        """if message.content is None:  # not `if not message.content`
    raise ValueError("a message has content, which may be empty")""",
    ),
    Remedy(
        ("FID wedged", "LIV10", "LIV10 wedged"),
        "Each append reads and writes the whole history, so a batch of thousands costs millions of "
        "messages, and every other call waits for it.",
        "Let an append write only what is new: a row, a list element, a line of a log.",
        """# the cost is that of the batch, not of the history
connection.executemany(INSERT, rows)""",
    ),
    Remedy(
        ("duplicated", "CON duplicated"),
        "The same message was written twice: by a retry after a lost reply, or by two callers that "
        "both looked, did not find it, and wrote it.",
        "Let the client make the id, and let a unique key of the storage refuse a second row, in "
        "the statement that writes.",
        """connection.execute(
    "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)"
    " ON CONFLICT (session, id) DO NOTHING",
    (session_id, message.id, body),
)""",
    ),
    Remedy(
        ("ORD08 duplicated", "DUR09 duplicated", "FID27 duplicated", "FID29 duplicated"),
        "A long history is read or written in portions that overlap: the last message of one is "
        "the first of the next, as where LRANGE and BETWEEN include both ends.",
        "Begin each portion behind the last message of the one before, by its number, or read the "
        "history at once.",
        """while rows := connection.execute(
    "SELECT place, body FROM messages WHERE session = ? AND place > ? ORDER BY place LIMIT 500",
    (session_id, found[-1][0] if found else 0),
).fetchall():
    found += rows""",
    ),
    Remedy(
        ("FLT duplicated",),
        "The reply to a write was lost, the client or its library sent the write again, and the "
        "storage could not know that it was the same.",
        "Let the client give every message an id, refuse a second one atomically, and switch off "
        "silent retries of writes.",
        """# the caller decides about retries
client = redis.asyncio.Redis.from_url(url, retry=Retry(NoBackoff(), 0))""",
    ),
    Remedy(
        ("DUP05",),
        "The store keeps every telling of a fact, so a recall returns one fact many times over and "
        "leaves no place for others.",
        "Make a key of what has to be unique, and let the storage enforce it. If equal facts are "
        "kept apart on purpose, declare lacks={'equal_facts'}.",
        """connection.execute(
    "INSERT INTO facts (user, key, text) VALUES (?, ?, ?)"
    " ON CONFLICT (user, key) DO UPDATE SET times_seen = times_seen + 1",
    (user_id, " ".join(text.casefold().split()).removesuffix("."), text),
)""",
    ),
    Remedy(
        ("DUP", "DUP06", "DUP07", "DUP10", "DUP11"),
        "The store decides whether something is known by looking first, by similarity, or in the "
        "memory of one process.",
        "Make a key of what has to be unique, and let the storage enforce it.",
        """connection.execute(
    "INSERT INTO facts (user, key, text) VALUES (?, ?, ?)"
    " ON CONFLICT (user, key) DO UPDATE SET times_seen = times_seen + 1",
    (user_id, " ".join(text.casefold().split()).removesuffix("."), text),
)""",
    ),
    Remedy(
        ("DUP01 lost", "DUP02 lost", "DUP03 lost", "DUP04 lost"),
        "A message was taken for one that is known: by equal contents, or because its place or "
        "number, such as a count of rows, was already taken.",
        "Recognise a message by session and id alone, and take its place from a counter that only "
        "grows.",
        """connection.execute(
    "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)"
    " ON CONFLICT (session, id) DO NOTHING",  # no other conflict passes in silence
    row,
)""",
    ),
    Remedy(
        ("DUP01 reordered", "DUP02", "DUP02 corrupted", "DUP02 reordered"),
        "A message that is known is written over: INSERT OR REPLACE removes its row and adds one "
        "at the end, an upsert or a hash takes the new contents.",
        "Leave the row of a known id as it is and where it is.",
        """connection.execute(
    "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)"
    " ON CONFLICT (session, id) DO NOTHING",  # neither OR REPLACE nor DO UPDATE
    row,
)""",
    ),
    Remedy(
        ("DUP lost",),
        "Two different things were taken for one: similar facts, or messages with equal contents.",
        "Merge only what is equal after folding case and white space; link what is similar.",
        """same = fold(one) == fold(other)  # not cosine(one, other) > 0.9""",
    ),
)

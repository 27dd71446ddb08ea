"""The texts of advice: mechanism, fix and an example, by code, family or finding.

A key is a code ("CON01"), a family ("CON"), a finding ("lost"), or one of the former with a finding
after it ("CON lost"); `advice` looks for the most particular one. All examples are Python.
"""

REMEDIES: dict[str, tuple[str, str, str]] = {
    # What was found, whatever the family.
    "lost": (
        "A write was acknowledged before it had reached the storage, or something else wrote over "
        "it: the whole history is read, changed and written back, or a removal took more than it "
        "should.",
        "Return only after the commit, add rows instead of rewriting a document, and let one "
        "statement choose and remove what goes.",
        """with connection:  # commits, or rolls back and raises
    connection.executemany(
        "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)", rows
    )""",
    ),
    "duplicated": (
        "The same message was written twice: a retry after a lost answer, or two callers that both "
        "looked first and then wrote.",
        "Let the client make the id and the storage refuse a second row with it, in the same "
        "statement that writes.",
        """connection.execute(
    "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)"
    " ON CONFLICT (session, id) DO NOTHING",
    (session_id, message.id, body),
)""",
    ),
    "leaked": (
        "Two ids became one key: the id was cut, folded, matched as a pattern or glued to another "
        "with a separator. Or the session of a call was kept where another call could change it.",
        "Use the id exactly as it came, as a parameter and never as a pattern, and keep what "
        "belongs to a call in local variables.",
        """connection.execute("SELECT body FROM messages WHERE session = ?", (session_id,))""",
    ),
    "reordered": (
        "The history is sorted by something that is not the order of writing: a timestamp, an id, "
        "a number that every process counts for itself, or nothing at all.",
        "Give each message a place when it is committed, from one counter, and sort by that alone.",
        """connection.execute(
    "CREATE TABLE messages (place INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT, body TEXT)"
)
connection.execute("SELECT body FROM messages WHERE session = ? ORDER BY place", (session_id,))""",
    ),
    "corrupted": (
        "What went in was changed on the way: by a conversion with a default (str, repr, replace), "
        "by a column that is too small, or because the store kept the caller's own object.",
        "Encode losslessly and refuse what cannot be encoded; build new objects on the way out.",
        """text = json.dumps(fields)  # no default=str: what JSON cannot say raises here
assert json.loads(text) == fields, "this value would change; refuse it"
""",
    ),
    "torn": (
        "A batch is written in more than one step, so that a reader, a kill or an error in between "
        "sees part of it.",
        "Write a batch in one transaction, or in one atomic command.",
        """async with redis.pipeline(transaction=True) as pipeline:  # MULTI … EXEC
    pipeline.rpush(key, *bodies)
    await pipeline.execute()""",
    ),
    "stale": (
        "The answer came from a copy that nobody renewed: a cache in the process, a replica, a "
        "snapshot of a long transaction, or an index that was not brought up to date.",
        "Read from the storage, or compare a version that every write raises before a copy is "
        "trusted.",
        """version = connection.execute("PRAGMA data_version").fetchone()[0]
if version != self._known_version:  # somebody else has committed
    self._cache.clear()
    self._known_version = version""",
    ),
    "resurrected": (
        "Something that was removed came back: it was only hidden, or a writer that had read it "
        "before the removal wrote it back afterwards.",
        "Remove it in the storage itself, and never write back a history that was read earlier.",
        """with connection:
    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))""",
    ),
    "phantom": (
        "Something is there that nobody wrote: a read that creates what it asks for, a marker "
        "that is stored among the data, or the rest of a write that was refused.",
        "Let reads change nothing, keep bookkeeping apart from messages, and encode a whole batch "
        "before any of it is written.",
        """history = self._sessions.get(session_id, [])  # setdefault would make the session""",
    ),
    "swallowed": (
        "An error was caught, perhaps logged, and the caller was told that all is well: a failed "
        "write looks stored, a failed read looks like an empty memory.",
        "Let the error out. A caller can retry or tell its user; it can do nothing about an empty "
        "list.",
        """try:
    rows = await connection.fetch(query, session_id)
except OSError as error:
    raise MemoryStoreBackendError(f"the history cannot be read: {error}") from error""",
    ),
    "refused": (
        "An ordinary call raised: two callers met in a step that allows only one, or a value that "
        "users do send was not expected.",
        "Make the step safe for several at once (wait, or do it atomically), and accept every "
        "ordinary value.",
        """connection = sqlite3.connect(path, timeout=30)  # wait for a lock, do not fail at once
connection.execute("PRAGMA journal_mode = WAL")""",
    ),
    "wrong": (
        "An answer contradicts what is stored: a limit that is off by one, a count that removals "
        "do not lower, a comparison of numbers as text.",
        "Derive the answer from the same rows that a read gives, in one statement.",
        """connection.execute(
    "SELECT body FROM (SELECT * FROM messages WHERE session = ? ORDER BY place DESC LIMIT ?)"
    " ORDER BY place",
    (session_id, last),
)""",
    ),
    "wedged": (
        "A call did not come back: a lock or a connection was not given back, a broken connection "
        "is used for ever, or the work of a call grows with all that is stored.",
        "Give back in a finally block what was taken, set time limits, replace broken connections, "
        "and let the cost of an append not depend on the length of the history.",
        """async with asyncio.timeout(10), pool.connection() as connection:  # given back, always
    await connection.execute(statement, values)""",
    ),
    # What a family is mostly about.
    "ISO": (
        "Sessions and users are told apart by their ids alone. An id that is folded, cut, matched "
        "as a pattern or glued to another meets its neighbour.",
        "Pass ids as exact parameters, escape them if they must become part of a key or a path, "
        "and put the owner into every condition.",
        """# two ids never share a key
key = "session:" + urllib.parse.quote(session_id, safe="")""",
    ),
    "DUR": (
        "What was acknowledged lived only in the process: in a cache, a buffer, or a transaction "
        "that was not committed yet.",
        "Acknowledge after the commit, and let every process read from the one storage.",
        """connection.execute("PRAGMA synchronous = FULL")
with connection:  # returns after the commit has reached the disk
    connection.executemany(INSERT, rows)""",
    ),
    "ORD": (
        "The order of a history is derived from timestamps, ids or contents, which tie, run "
        "backwards or sort as text.",
        "Number messages when they are committed, and sort by that number alone.",
        """statement = "SELECT body FROM messages WHERE session = ? ORDER BY place"
rows = connection.execute(statement, (session_id,)).fetchall()""",
    ),
    "CON": (
        "Read, change, write back: two callers read the same history, each adds its own message, "
        "and the second write erases the first.",
        "Append with one atomic statement; where you must rewrite, hold a lock that all processes "
        "share from the read to the write.",
        """# the server appends; nothing is read and written back
await redis.rpush(key, *bodies)""",
    ),
    "FID": (
        "A message is converted on its way to the storage and back, and the conversion has no "
        "form for everything that can be in it.",
        "Encode losslessly (JSON with types of your own where it has none), and refuse with an "
        "error what has no form.",
        """body = message.model_dump_json()
assert ChatMessage.model_validate_json(body) == message""",
    ),
    "TRM": (
        "Which messages go is worked out from a count or an order that is no longer true when they "
        "are removed.",
        "Choose and remove in one statement, by place.",
        """connection.execute(
    "DELETE FROM messages WHERE session = :s AND place NOT IN"
    " (SELECT place FROM messages WHERE session = :s ORDER BY place DESC LIMIT :keep)",
    {"s": session_id, "keep": keep_last},
)""",
    ),
    "CLR": (
        "A removal goes by a pattern, a prefix or a list of its own, and so takes too much or "
        "leaves something behind.",
        "Remove by the exact id, in the storage, in one transaction with everything that hangs on "
        "it.",
        """with connection:
    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))""",
    ),
    "TTL": (
        "The deadline is kept apart from what it is about: it outlives the messages, is renewed by "
        "reads, or is looked at only by a sweeper that comes later.",
        "Store the deadline with the session, compare it in every read, and set it in the same "
        "step as the write.",
        """connection.execute(
    "SELECT body FROM messages JOIN sessions USING (session)"
    " WHERE session = ? AND (deadline IS NULL OR deadline > ?) ORDER BY place",
    (session_id, time.time()),
)""",
    ),
    "FLT": (
        "The storage failed for a while, and the error was turned into an empty answer, a silent "
        "success, or a connection that never works again.",
        "Raise while it lasts, do not retry what may have happened without an id that makes the "
        "retry harmless, and open a new connection afterwards.",
        """try:
    await self._redis.rpush(key, body)
except redis.RedisError as error:
    raise MemoryStoreBackendError(f"not stored: {error}") from error""",
    ),
    "SNP": (
        "A rollback is several steps that are committed one by one, or it shares rows with the "
        "snapshots that it must leave alone.",
        "Do a rollback in one transaction, and never delete from the snapshots in it.",
        """with connection:  # one transaction: before it, or after it, and nothing between
    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))
    connection.execute(
        "INSERT INTO messages (session, place, body)"
        " SELECT session, place, body FROM snapshot_messages WHERE snapshot = ?",
        (snapshot_id,),
    )""",
    ),
    "DUP": (
        "Whether something is known already is decided by looking first, by likeness, or in the "
        "memory of one process.",
        "Make a key of what has to be unique, and let the storage enforce it.",
        """connection.execute(
    "INSERT INTO facts (user, key, text) VALUES (?, ?, ?)"
    " ON CONFLICT (user, key) DO UPDATE SET times_seen = times_seen + 1",
    (user_id, " ".join(text.casefold().split()).removesuffix("."), text),
)""",
    ),
    "REC": (
        "The best matches are chosen before the filter or the user is applied, from a list that is "
        "too short, or by comparing values as text.",
        "Filter first, by user and by typed values, then rank; let words help vectors with names "
        "and numbers.",
        """connection.execute(
    "SELECT id, text FROM facts WHERE user_id = %s ORDER BY embedding <=> %s LIMIT %s",
    (user_id, vector, limit),
)""",
    ),
    "REV": (
        "The text was changed and the index was not: the old vector or the old row still answers.",
        "Change the text, its vector and its words in one transaction.",
        """with connection:
    connection.execute(
        "UPDATE facts SET text = ?, embedding = ? WHERE id = ? AND user_id = ?",
        (text, embed(text), fact_id, user_id),
    )""",
    ),
    "LIV": (
        "Something is taken for every call and not given back when the call fails or is cancelled, "
        "until there is none left.",
        "Use context managers for connections, locks and files, and give each wait a limit.",
        """async with self._pool.connection() as connection:  # also when cancelled
    await connection.execute(statement, values)""",
    ),
    # A finding in a family.
    "ISO lost": (
        "Two ids became one key, so that a write or a removal for one session hit the other.",
        "Use ids exactly as they came, and put the owner into every condition of a removal.",
        """statement = "DELETE FROM facts WHERE user_id = ? AND id = ?"
connection.execute(statement, (user_id, fact_id))""",
    ),
    "ISO refused": (
        "The id was put into a path, a query or a key as it is, and its characters broke it.",
        "Pass ids as parameters, or encode them before they become part of a name.",
        """digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
path = folder / digest""",
    ),
    "DUR lost": (
        "The write was acknowledged before it was committed, or the next opening began with an "
        "empty storage: it removed what it found, or nobody had written it down.",
        "Acknowledge after the commit, open what is there and never recreate it, and write files "
        "anew beside the old one before they take its place.",
        """with open(f"{path}.new", "w") as file:
    json.dump(messages, file)
    file.flush()
    os.fsync(file.fileno())
os.replace(f"{path}.new", path)  # the old file or the new one, whole""",
    ),
    "DUR stale": (
        "A process keeps what it has read and does not notice that another has written since.",
        "Read from the storage each time, or ask for a version that every write raises before a "
        "copy is used.",
        """version = connection.execute("PRAGMA data_version").fetchone()[0]
if version != self._known_version:  # another connection has committed
    self._cache.clear()
    self._known_version = version""",
    ),
    "DUR refused": (
        "A process that was killed left something half done: half a file, a lock that nobody "
        "takes away, tables that were not made. The next one cannot read it.",
        "Write a new file beside the old one and move it into place, use locks that end with "
        "their process, and make tables in one transaction.",
        """with open(f"{path}.new", "w") as file:
    json.dump(messages, file)
    file.flush()
    os.fsync(file.fileno())
os.replace(f"{path}.new", path)  # a reader sees the old file or the new one""",
    ),
    "DUR torn": (
        "A batch is written step by step, and its writer was killed between two of them.",
        "Write the batch in one transaction: after a kill it is there as a whole or not at all.",
        """with connection:
    connection.executemany(INSERT, [(session_id, encode(each)) for each in messages])""",
    ),
    "CON lost": (
        "Read, change, write back: two writers read the same history, each adds its own message "
        "and writes the whole, and the second one erases what the first had been told is stored. "
        "Or each process has a memory of its own, such as a dict, that the others never see.",
        "Keep the history in a storage that all processes share, and append to it with one atomic "
        "statement. Where the whole must be rewritten, as in a file, hold a lock that all "
        "processes share from the read to the write.",
        """with open(f"{path}.lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)  # other processes wait here
    messages = [*read(path), *new]
    write_beside_and_replace(path, messages)""",
    ),
    "CON torn": (
        "The messages of a batch are written one by one, and another writer or reader comes in "
        "between: a question is parted from its answer.",
        "Write the batch in one transaction or one command (`RPUSH key a b c`), and let readers "
        "read in one step.",
        """await redis.rpush(key, *[encode(message) for message in messages])  # one command""",
    ),
    "CON refused": (
        "Two callers met in a step that only one can do: a file is read while another rewrites it, "
        "a table is made that another just made, a lock is taken at once or never.",
        "Write files beside the old one and move them into place; create with IF NOT EXISTS inside "
        "a transaction; wait for locks.",
        """connection = sqlite3.connect(path, timeout=30)  # wait for a lock
connection.execute("PRAGMA journal_mode = WAL")  # readers and a writer at once
connection.execute("CREATE TABLE IF NOT EXISTS messages (…)")""",
    ),
    "CON leaked": (
        "What belongs to one call is kept in the store object (self.session_id = …), where the "
        "next call overwrites it before the first has used it.",
        "Pass the session along as a parameter; keep in self only what never changes.",
        """async def get_history(self, session_id):
    return await self._read(session_id)  # and not self.session_id = session_id""",
    ),
    "CON resurrected": (
        "A writer had read the history, a clear removed it, and the writer wrote back what it had "
        "read, with what was cleared in it.",
        "Append without reading, so that there is nothing to write back; or hold one lock for "
        "writers and clears alike.",
        """# a clear before or after it is simply before or after
await redis.rpush(key, *bodies)""",
    ),
    "CON duplicated": (
        "Two callers both looked whether the message is there, both saw that it is not, and both "
        "wrote it.",
        "Let a unique key of the storage decide, in the statement that writes.",
        """connection.execute(
    "INSERT INTO messages (session, id, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    (session_id, message.id, body),
)""",
    ),
    "FID torn": (
        "The messages of a batch are encoded and written one by one; when one cannot be encoded, "
        "those before it are already stored, though the caller is told that the call failed.",
        "Encode the whole batch first, then write it in one step.",
        """rows = [(session_id, encode(message)) for message in messages]  # raises before any write
with connection:
    connection.executemany(INSERT, rows)""",
    ),
    "FID lost": (
        "A message that looks empty or odd was skipped, or a batch was taken for a replacement of "
        "everything.",
        "Store every message, also one without text: tool calls often come alone.",
        """if message.content is None:  # and not `if not message.content`
    raise ValueError("a message has a content, which may be empty")""",
    ),
    "FID wedged": (
        "Each append reads and writes the whole history, so that a batch of thousands costs "
        "millions of messages.",
        "Let an append write only what is new: a row, a list element, a line of a log.",
        """# the cost is that of the batch, not of the history
connection.executemany(INSERT, rows)""",
    ),
    "FLT wedged": (
        "After the fault the store went on with what the fault had left: half a file, a dead "
        "connection, an error that it remembers.",
        "Never destroy the old state before the new one is whole, and open a new connection when "
        "one has failed.",
        """with open(f"{path}.new", "w") as file:
    json.dump(messages, file)  # a full disk raises here, and the old file is still whole
    file.flush()
    os.fsync(file.fileno())
os.replace(f"{path}.new", path)""",
    ),
    "FLT duplicated": (
        "The answer to a write was lost, the client or its library sent it again, and the storage "
        "could not know that it was the same.",
        "Give every message an id on the client's side and refuse a second one atomically; switch "
        "off silent retries of writes.",
        """# the caller decides about retries
client = redis.asyncio.Redis.from_url(url, retry=Retry(NoBackoff(), 0))""",
    ),
    "TTL stale": (
        "What has expired is still served: a sweeper removes it some time later, or reading and "
        "writing put the deadline off.",
        "Compare the deadline in every read, and move it only where the promise says so.",
        """rows = connection.execute(
    "SELECT body FROM messages JOIN sessions USING (session)"
    " WHERE session = ? AND (deadline IS NULL OR deadline > ?) ORDER BY place",
    (session_id, time.time()),
)""",
    ),
    "TTL lost": (
        "A deadline hit something that it was not set for: the messages after an expiry, a session "
        "with a similar id, or one whose deadline had been removed.",
        "Remove the deadline together with what it was about, in one step.",
        """async with redis.pipeline(transaction=True) as pipeline:
    pipeline.rpush(key, *bodies)
    pipeline.expire(key, ttl)  # with the write, so that neither is there without the other
    await pipeline.execute()""",
    ),
    "SNP lost": (
        "The rollback or a clear removed snapshots as well: a foreign key that cascades, a "
        "condition that names the session and not the table's own rows, a commit in between.",
        "Do it in one transaction, and keep the rows of snapshots apart from those of the session.",
        """with connection:
    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))
    connection.execute(RESTORE_FROM_SNAPSHOT, (session_id, snapshot_id))
    # nothing here touches the table of snapshots""",
    ),
    "DUP lost": (
        "Two different things were taken for one: facts that are merely similar, or messages that "
        "happen to say the same.",
        "Merge only what is equal (after folding case and white space); link what is near.",
        """same = fold(one) == fold(other)  # and not cosine(one, other) > 0.9""",
    ),
    # Codes that are met most often.
    "CON07": (
        "Several processes open a new storage at once; each looks whether the table or the file is "
        "there, and each makes it.",
        "Create with IF NOT EXISTS inside a transaction that excludes others, or under a lock.",
        """connection.execute("BEGIN IMMEDIATE")
connection.execute("CREATE TABLE IF NOT EXISTS messages (session TEXT, body TEXT)")
connection.execute("COMMIT")""",
    ),
    "CON08": (
        "The first call sets something up (a pool, a table, a file), and calls at the same moment "
        "find it half made.",
        "Set up before the first call, or let the others wait until it is done.",
        """async with self._setting_up:  # an asyncio.Lock
    if self._pool is None:
        self._pool = await open_pool(self._url)""",
    ),
    "CON13": (
        "A process stood still between its read and its write (a long pause, a slow node), and "
        "then wrote back a history that was out of date.",
        "Append with one atomic statement; a lock with a time limit does not help, for it ends "
        "while its owner stands still.",
        """connection.execute("INSERT INTO messages (session, body) VALUES (?, ?)", row)""",
    ),
    "DUR16": (
        "Either a write was acknowledged before it was committed, and its process was killed in "
        "between; or, as several write at once here, another writer wrote back a history that it "
        "had read before. If CON01 is broken too, it is probably the latter.",
        "Acknowledge after the commit, and append with one atomic statement instead of writing the "
        "whole history back.",
        """with connection:  # returns after the commit
    connection.executemany(INSERT, rows)  # adds rows; nothing is read and written back""",
    ),
    "DUR17": (
        "A batch is written step by step, and its writer was killed between two of them.",
        "Write the batch in one transaction: after a kill it is there as a whole or not at all.",
        """with connection:
    connection.executemany(INSERT, [(session_id, encode(each)) for each in messages])""",
    ),
    "FID21": (
        "An encoder with a fallback (`default=str`, `vars`) turned a value that has no form in "
        "JSON into something else, and nobody was told.",
        "Encode without a fallback: a value that cannot be kept is an error of the call.",
        """# raises TypeError or ValueError; no default=
body = json.dumps(fields, allow_nan=False)""",
    ),
    "FID25": (
        "A read hands out the store's own list, so that a caller who appends to it, or sorts it, "
        "edits the history.",
        "Hand out copies, down to the dicts inside.",
        """return copy.deepcopy(self._sessions.get(session_id, []))""",
    ),
    "ISO06": (
        "The id is used in LIKE, GLOB, KEYS, SCAN or a regular expression, where %, _, * and ? "
        "match the ids of others.",
        "Compare with = and look up by the exact key.",
        """connection.execute("SELECT body FROM messages WHERE session = ?", (session_id,))""",
    ),
    "ISO02": (
        "Sessions are looked up by a prefix or a LIKE pattern, so that 'al' also finds 'alice'.",
        "Compare the whole id with =, or end every part of a compound key with a separator that "
        "ids cannot contain.",
        """parts = [urllib.parse.quote(part, safe="") for part in ("users", user_id)]
prefix = "/".join([*parts, ""])  # ends with a slash, which no part contains""",
    ),
    "LIV10": (
        "Each append reads and writes the whole history, so that a batch of thousands takes "
        "minutes, and every other call waits for it.",
        "Let an append write only what is new: a row, a list element, a line of a log.",
        """# the cost is that of the batch, not of the history
connection.executemany(INSERT, rows)""",
    ),
}
REMEDIES["DUR18"] = REMEDIES["DUR19"] = REMEDIES["DUR20"] = REMEDIES["DUR16"]
REMEDIES["LIV10 wedged"] = REMEDIES["LIV10"]
REMEDIES["CON07 refused"] = REMEDIES["CON07"]
REMEDIES["CON08 refused"] = REMEDIES["CON08"]

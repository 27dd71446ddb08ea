"""Usual causes of what memories get wrong, each with its fix in words and in Python."""

from goldfish.findings.remedies.remedy import Remedy

REPLACE_FILE = """with open(f"{path}.new", "w") as file:
    json.dump(messages, file)  # a full disk raises here; the old file is still whole
    file.flush()
    os.fsync(file.fileno())
os.replace(f"{path}.new", path)  # readers see the old file or the new one"""

# For what the messages that are left give away, whichever check saw it.
LIMIT = Remedy(
    (),
    "A limit keeps or returns a fixed number of messages: a capped list or stream (LTRIM, MAXLEN), "
    "a LIMIT in the query, or the first page of a paged read.",
    "Remove the limit from what is stored, read all pages, and let the caller say how many "
    "messages it wants. If a window is what the memory promises, declare it: window=N.",
    """rows = connection.execute(
    "SELECT body FROM messages WHERE session = ? ORDER BY place", (session_id,)
).fetchall()  # no LIMIT: get_history(last=n) is how callers ask for less""",
)

CAUSES = (
    # Isolation.
    Remedy(
        ("leaked", "ISO", "ISO lost", "ISO corrupted"),
        "Two ids became one key: an id was truncated, case-folded, matched as a pattern or joined "
        "to another with a separator. A read or a removal for one session then reaches the other.",
        "Use ids exactly as they came: as parameters, never as patterns. Escape them if they "
        "become part of a key or a path, and put the owner into every condition.",
        """statement = "SELECT body FROM messages WHERE session = ?"
rows = connection.execute(statement, (session_id,))
key = "session:" + urllib.parse.quote(session_id, safe="")  # two ids never share a key""",
    ),
    Remedy(
        ("ISO02", "ISO06"),
        "Sessions are looked up by a prefix or a pattern (LIKE, GLOB, KEYS, SCAN, a regular "
        "expression), so 'al' also finds 'alice', and %, _, * and ? match the ids of others.",
        "Compare the whole id with =, or end every part of a compound key with a separator that "
        "ids cannot contain.",
        """parts = [urllib.parse.quote(part, safe="") for part in ("users", user_id)]
prefix = "/".join([*parts, ""])  # ends with a slash, which no part contains""",
    ),
    Remedy(
        ("ISO19", "ISO19 lost", "ISO19 leaked", "ISO19 corrupted"),
        "The id of a message is unique in the whole table: where two sessions have the same one, "
        "the second message is dropped, or replaces the first.",
        "Make the session a part of the key.",
        """connection.execute(
    "CREATE TABLE messages (session TEXT, id TEXT, body TEXT, PRIMARY KEY (session, id))"
)""",
    ),
    Remedy(
        ("ISO38",),
        "State is kept at the level of the class, the module or the function (a mutable class "
        "attribute, a global dict, a cached function), so all storages of a process share it.",
        "Keep state in the instance, and key every cache by the storage that it is about.",
        """class Memory:
    def __init__(self, path):
        self._sessions = {}  # not in the body of the class
        self._path = path""",
    ),
    Remedy(
        ("ISO refused",),
        "The id was put unescaped into a path, a query or a key, and its characters broke it.",
        "Pass ids as parameters, or encode them before they become part of a name.",
        """digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
path = folder / digest""",
    ),
    Remedy(
        ("CON leaked",),
        "The store object holds what belongs to one call (self.session_id = …), and the next call "
        "overwrites it before the first has used it.",
        "Pass the session as a parameter; keep in self only what never changes.",
        """async def get_history(self, session_id):
    return await self._read(session_id)  # not self.session_id = session_id""",
    ),
    # Durability.
    Remedy(
        ("lost", "ISO01 lost"),
        "A write was acknowledged before it reached the storage, or something overwrote it: the "
        "whole history is read, changed and written back, or a removal took more than it should.",
        "Return only after the commit, add rows instead of rewriting a document, and choose and "
        "remove rows in one statement.",
        """with connection:  # commits, or rolls back and raises
    connection.executemany(
        "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)", rows
    )""",
    ),
    Remedy(
        ("DUR", "DUR lost"),
        "The write was acknowledged while it was only in the process: in a cache, a buffer or an "
        "open transaction. Or the next opening recreated the storage instead of reading it.",
        "Acknowledge after the commit, let every process read from the one storage, and open what "
        "is there without recreating it.",
        """connection.execute("PRAGMA synchronous = FULL")
connection.execute("CREATE TABLE IF NOT EXISTS messages (session TEXT, body TEXT)")
with connection:  # returns after the commit has reached the disk
    connection.executemany(INSERT, rows)""",
    ),
    Remedy(
        ("DUR16", "DUR18", "DUR19", "DUR20"),
        "A write was acknowledged before it was committed, and its process was killed in between. "
        "Or another writer wrote back a history that it had read earlier: if CON01 is broken too, "
        "this is the likely cause.",
        "Acknowledge after the commit, and append with one atomic statement instead of writing the "
        "whole history back.",
        """with connection:  # returns after the commit
    connection.executemany(INSERT, rows)  # adds rows; nothing is read and written back""",
    ),
    Remedy(
        ("DUR resurrected", "DUR05", "DUR06"),
        "The removal happened in one process only: its transaction was never committed, or the "
        "others answer from a copy of their own.",
        "Commit the removal before you return, and let every process read from the one storage.",
        """with connection:  # commits, or rolls back and raises
    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))""",
    ),
    Remedy(
        ("DUR30 lost", "DUR31 lost"),
        "An opening remembers what it once made or opened: the row of a session, an open file. "
        "Another has removed or replaced it since, and what is written then is found by nobody.",
        "Take nothing for granted that others can remove: make it with each write if it is not "
        "there, and open files by their names.",
        """with connection:
    connection.execute("INSERT INTO sessions (id) VALUES (?) ON CONFLICT DO NOTHING", (session_id,))
    connection.executemany(INSERT, rows)  # in each call, and not once for each process""",
    ),
    Remedy(
        ("DUR44", "DUR45"),
        "Something that is new in every run of the program became part of what is stored: hash() "
        "of a text, an id() or a random value that is drawn when a module is imported.",
        "Make keys, names and vectors of the contents alone, by a digest that is the same in every "
        "process.",
        """key = hashlib.sha256(session_id.encode()).hexdigest()  # hash() differs in every run""",
    ),
    Remedy(
        ("DUR refused",),
        "A killed process left something half done: half a file, a stale lock, missing tables. The "
        "next process cannot read it.",
        "Write a new file beside the old one and move it into place, use locks that end with their "
        "process, and create all tables in one transaction.",
        REPLACE_FILE,
    ),
    Remedy(
        ("torn", "DUR torn", "DUR17", "CON torn"),
        "A batch is written in several steps, and a kill, an error, another process or a task that "
        "shares its connection comes between two of them: a question is separated from its answer.",
        "Write a batch in one transaction or with one atomic command; then it is there as a whole "
        "or not at all.",
        """with connection:  # one transaction
    connection.executemany(INSERT, [(session_id, encode(each)) for each in messages])
await redis.rpush(key, *[encode(each) for each in messages])  # one command""",
    ),
    Remedy(
        ("stale", "DUR stale"),
        "The answer came from an outdated copy: a cache in the process, a replica, the snapshot of "
        "a long transaction, or an index that was not updated.",
        "Read from the storage each time, or compare a version that every write changes before you "
        "use a copy.",
        """version = connection.execute("PRAGMA data_version").fetchone()[0]
if version != self._known_version:  # another connection has committed
    self._cache.clear()
    self._known_version = version""",
    ),
    Remedy(
        ("ORD stale", "FID stale", "DUP stale", "ISO stale", "DUR01 stale"),
        "A write is acknowledged before it is done: a task that nobody awaits, a queue that a "
        "thread works off, or a commit that comes later. A read right behind it may miss it, and "
        "what was written last may be there first.",
        "Return only after the storage has answered; if writes are gathered, let each caller wait "
        "for the commit of its own.",
        """await self._client.rpush(key, *rows)  # not asyncio.create_task(…)""",
    ),
    # Order and concurrency.
    Remedy(
        ("reordered", "ORD"),
        "The history is sorted by something other than the order of writing: timestamps, ids or "
        "contents, which tie, run backwards or sort as text; or a counter of each process.",
        "Number messages from one counter when they are committed, and sort by that number alone.",
        """connection.execute(
    "CREATE TABLE messages (place INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT, body TEXT)"
)
connection.execute("SELECT body FROM messages WHERE session = ? ORDER BY place", (session_id,))""",
    ),
    Remedy(
        ("CON", "CON lost"),
        "Read, change, write back: two writers read the same history, each adds its own message "
        "and writes the whole back, and the second erases what the first had acknowledged. Or both "
        "count what is there and write under the same next number. Or each process has its own "
        "memory, such as a dict, which the others never see.",
        "Keep the history in a storage that all processes share, and append with one atomic "
        "statement. Where the whole must be rewritten, as in a file, hold a lock that all "
        "processes share from the read to the write.",
        """await redis.rpush(key, *bodies)  # the server appends; nothing is written back
with open(f"{path}.lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)  # other processes wait here
    write_beside_and_replace(path, [*read(path), *new])""",
    ),
    Remedy(
        ("CON12", "CON17"),
        "A removal reads the history, cuts it and writes the rest back: what arrives between its "
        "read and its write is lost, however well the writers append.",
        "Let the storage remove what is too old in one command or statement (LTRIM, or a DELETE "
        "with a condition), or let removals and writers hold one lock.",
        """await redis.ltrim(key, -keep_last, -1)  # not LRANGE, DEL, RPUSH
connection.execute(
    "DELETE FROM messages WHERE session = ? AND place <= ?", (session_id, last_to_go)
)""",
    ),
    Remedy(
        ("CON32",),
        "Writers wait for each other only within one program: their lock is chosen by hash() of "
        "the id, which differs in every run of Python, so two replicas of the service take "
        "different locks, and one overwrites what the other has written.",
        "Derive the lock from the id by a digest, or let the database do it, so that every process "
        "takes the same one.",
        """digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).digest()
key = int.from_bytes(digest[:8], signed=True)
cursor.execute("SELECT pg_advisory_xact_lock(%s)", (key,))  # not hash(session_id)""",
    ),
    Remedy(
        ("CON13",),
        "A process paused between its read and its write, and then wrote back an outdated history.",
        "Append with one atomic statement. A lock with a time limit does not help: it expires "
        "while its owner is paused.",
        """connection.execute("INSERT INTO messages (session, body) VALUES (?, ?)", row)""",
    ),
    Remedy(
        ("CON07", "CON07 refused"),
        "Several processes open a new storage at once; each checks whether the table or the file "
        "exists, and each creates it. A database that is switched to WAL mode does not wait for "
        "the others: it is locked at once, whatever the time-out.",
        "Create with IF NOT EXISTS in a transaction that excludes others, or under a lock. Switch "
        "SQLite to WAL under a lock, too.",
        """connection.execute("BEGIN IMMEDIATE")
connection.execute("CREATE TABLE IF NOT EXISTS messages (session TEXT, body TEXT)")
connection.execute("COMMIT")""",
    ),
    Remedy(
        ("CON08", "CON08 refused"),
        "The first call sets something up (a pool, a table, a file), and calls at the same moment "
        "find it half made.",
        "Set it up before the first call, or let other calls wait until it is done.",
        """async with self._setting_up:  # an asyncio.Lock
    if self._pool is None:
        self._pool = await open_pool(self._url)""",
    ),
    Remedy(
        ("refused", "CON refused"),
        "An ordinary call raised: two callers met in a step that only one can do (one reads a file "
        "while the other rewrites it, both create a table, a lock does not wait), or the store did "
        "not expect a value that users do send.",
        "Make the step safe for several callers: wait for locks, create with IF NOT EXISTS, move "
        "new files into place. Accept every ordinary value.",
        """connection = sqlite3.connect(path, timeout=30)  # wait for a lock
connection.execute("PRAGMA journal_mode = WAL")  # readers and a writer at once
connection.execute("CREATE TABLE IF NOT EXISTS messages (…)")""",
    ),
    Remedy(
        ("resurrected", "CON resurrected"),
        "Something that was removed came back: it was only hidden, or a writer that had read the "
        "history before the removal wrote it back afterwards.",
        "Remove it from the storage itself, and append without reading, so that there is nothing "
        "to write back; or let writers and removals share one lock.",
        """with connection:
    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))
await redis.rpush(key, *bodies)  # never a history that was read earlier""",
    ),
    Remedy(
        ("DUP09",),
        "A fact is known by its text, or by a digest of it, in a table of all users: what one has "
        "said is taken for known when another says it.",
        "Put the user into the key: each has a row of its own for the same text.",
        """connection.execute("CREATE UNIQUE INDEX one_each ON facts (user_id, digest)")
digest = hashlib.sha256(f"{user_id}\\0{text}".encode()).hexdigest()""",
    ),
    Remedy(
        ("DUP14 leaked",),
        "What belongs to one fact is shared by all: a mutable default argument, an attribute of "
        "the store, or one row for whoever said the same.",
        "Make the metadata of each fact anew, and put the owner into its key.",
        """def remember(user_id, text, *, metadata=None):  # never metadata={}
    kept = {**(metadata or {}), "source": user_id}""",
    ),
    Remedy(
        ("REC61",),
        "A search looks where the history does not: in an index, a table or a cache that removals "
        "leave alone, or at rows that are only marked as deleted.",
        "Remove a message and what is found by it in one transaction, or let searches read what "
        "the history reads, with the same condition.",
        """connection.execute(
    "SELECT body FROM messages WHERE session = ? AND deleted = 0 AND text LIKE ?", (name, like)
)  # with the condition of get_history""",
    ),
    # Answers.
    Remedy(
        ("phantom",),
        "Something is there that nobody wrote: a read created what it asked for, a marker is "
        "stored among the data, or a refused write left something behind.",
        "Let reads change nothing, keep bookkeeping apart from messages, and encode a whole batch "
        "before you write any of it.",
        """history = self._sessions.get(session_id, [])  # setdefault would create the session""",
    ),
    Remedy(
        ("wrong",),
        "An answer contradicts what is stored: a limit that is off by one, a count that removals "
        "do not lower, a comparison of numbers as text.",
        "Derive the answer from the same rows that a read returns, in one statement.",
        """connection.execute(
    "SELECT body FROM (SELECT * FROM messages WHERE session = ? ORDER BY place DESC LIMIT ?)"
    " ORDER BY place",
    (session_id, last),
)""",
    ),
    Remedy(
        ("REC", "REC lost", "REC wrong"),
        "The best matches are chosen before the filter or the user is applied, from a list that is "
        "too short, or by comparing values as text.",
        "Filter first, by user and by typed values, then rank; combine vectors with words to find "
        "names and numbers.",
        """connection.execute(
    "SELECT id, text FROM facts WHERE user_id = %s ORDER BY embedding <=> %s LIMIT %s",
    (user_id, vector, limit),
)""",
    ),
    Remedy(
        ("REV", "REV lost", "REV stale", "REV resurrected"),
        "The text was changed or removed, but the index was not: the old vector or the old row "
        "still answers.",
        "Change or remove the text, its vector and its words in one transaction.",
        """with connection:
    connection.execute(
        "UPDATE facts SET text = ?, embedding = ? WHERE id = ? AND user_id = ?",
        (text, embed(text), fact_id, user_id),
    )""",
    ),
    Remedy(
        ("REV phantom",),
        "A revision is written as an upsert: where there is no such fact any more, it makes one.",
        "Change only what is there, with the user in the condition, and raise if nothing was.",
        """changed = connection.execute(
    "UPDATE facts SET text = ? WHERE id = ? AND user_id = ?", (text, fact_id, user_id)
)
if changed.rowcount == 0:
    raise KeyError(fact_id)""",
    ),
)

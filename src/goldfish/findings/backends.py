"""Fixes that fit what a memory writes to: nobody with a Redis store is told to lock a file."""

from dataclasses import replace

from goldfish.findings.remedies import LIMIT, REMEDIES, Remedy, find_remedy
from goldfish.findings.result import Result

BACKENDS = ("redis", "postgres", "sqlite", "files")
# Words that give away what an example is for: it is left out where it is about something else.
_FOREIGN = {
    "redis": ("connection", "PRAGMA", "flock", "os.replace", "INSERT", "SELECT", "DELETE"),
    "postgres": ("redis", "PRAGMA", "AUTOINCREMENT", "flock", "os.replace", "sqlite3", "IMMEDIATE"),
    "sqlite": ("redis", "flock", "os.replace", "%s"),
    "files": ("redis", "connection", "PRAGMA", "INSERT", "SELECT"),
}

_LOCK_FILE = """with open(f"{path}.lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)  # other processes wait here
    write_beside_and_replace(path, [*read(path), *new])"""
_APPEND_REDIS = """await redis.rpush(key, *bodies)  # the server appends; nothing is written back"""
_WATCH_REDIS = """await redis.rpush(key, *bodies)  # the server appends; nothing is written back

async def add(pipeline):  # or, where the whole must be rewritten:
    history = json.loads(await pipeline.get(key) or "[]")
    pipeline.multi()
    pipeline.set(key, json.dumps([*history, *new]))
await redis.transaction(add, key)  # WATCH: tried again if another client changed the key"""
_TRANSACTION_REDIS = """async with redis.pipeline(transaction=True) as pipeline:  # MULTI, EXEC
    pipeline.delete(key)
    pipeline.rpush(key, *bodies)
    await pipeline.execute()"""
_LOCK_ROW = """with connection.transaction():
    row = connection.execute(
        "SELECT body FROM sessions WHERE id = %s FOR UPDATE", (session_id,)
    ).fetchone()  # other writers of this session wait here
    connection.execute("UPDATE sessions SET body = %s WHERE id = %s", (changed(row), session_id))"""
_BEGIN_IMMEDIATE = """connection.execute("BEGIN IMMEDIATE")  # other writers wait here
history = read(connection, session_id)
write(connection, session_id, [*history, *new])
connection.execute("COMMIT")"""

_SET_REDIS = """encoded = {name: json.dumps(value) for name, value in values.items()}
await redis.hset(f"state:{session_id}", mapping=encoded)  # a field for each name"""
_UPDATE = """state = read_state(session_id)
state.update(values)  # replaces whole values; other names stay
write_state(session_id, state)"""

_LIST_ALL = (
    "List the sessions that have messages, without a LIMIT; if a table of sessions is kept beside "
    "them, change both in one transaction."
)
_LIST_SQL = 'connection.execute("SELECT DISTINCT session FROM messages ORDER BY session")'

_APPEND = "Append with one command, such as RPUSH: nothing is read and written back."
_INSERT_ROWS = (
    "Insert each message as a row that the database numbers, so that nothing is read or counted "
    "before it is written."
)
# By a name of a remedy and a backend: the fix, and its example.
_FIXES: dict[str, dict[str, tuple[str, str]]] = {
    "CON lost": {
        "redis": (
            f"{_APPEND} Where the whole must be rewritten, WATCH the key from the read to the "
            "write and try again if it changed, or do both in one Lua script.",
            _WATCH_REDIS,
        ),
        "postgres": (
            f"{_INSERT_ROWS} Where a document must be rewritten, lock its row from the read to "
            "the write.",
            _LOCK_ROW,
        ),
        "sqlite": (
            f"{_INSERT_ROWS} Where a document must be rewritten, begin the transaction before the "
            "read with BEGIN IMMEDIATE.",
            _BEGIN_IMMEDIATE,
        ),
        "files": (
            "Hold a lock that all processes share from the read to the write, and move the new "
            "file into place.",
            _LOCK_FILE,
        ),
    },
    "CON13": {
        "redis": (
            f"{_APPEND} A lock with a time limit does not help: it expires while its owner is "
            "paused.",
            _APPEND_REDIS,
        ),
        "files": (
            "Use a lock of the operating system, which a paused process keeps. A lock file with a "
            "time limit does not help: it expires while its owner is paused.",
            _LOCK_FILE,
        ),
    },
    "DUR16": {
        "redis": (f"{_APPEND} Return only after the server has answered.", _APPEND_REDIS),
        "files": (
            "Hold a lock that all processes share from the read to the write, and acknowledge "
            "after the new file is in place.",
            _LOCK_FILE,
        ),
    },
    "lost": {
        "redis": (
            f"{_APPEND} Return only after the server has answered, and remove exactly what was "
            "asked for.",
            _APPEND_REDIS,
        ),
        "files": (
            "Return only after the file is in place, hold a lock from the read to the write, and "
            "remove exactly what was asked for.",
            _LOCK_FILE,
        ),
    },
    "DUR lost": {
        "redis": (
            "Return only after the server has answered, let every process read from the server, "
            "and switch on its append-only file.",
            "appendonly yes  # in redis.conf\nappendfsync always",
        ),
        "postgres": (
            "Acknowledge after the commit, let every process read from the database, and open "
            "what is there without recreating it.",
            'connection.execute("CREATE TABLE IF NOT EXISTS messages (session TEXT, body TEXT)")\n'
            "with connection.transaction():  # returns after the commit\n"
            "    connection.executemany(INSERT, rows)",
        ),
        "files": (
            "Write and flush the file before you acknowledge, let every process read it, and open "
            "what is there without recreating it.",
            REMEDIES["DUR refused"].example,
        ),
    },
    "torn": {
        "redis": (
            "Write a batch with one command, or in one MULTI: then it is there as a whole or not "
            "at all.",
            "await redis.rpush(key, *[encode(each) for each in messages])  # one command",
        ),
        "postgres": (
            "Write a batch in one transaction, and lock its session before it takes numbers: a "
            "sequence gives them to several writers in turn, so that batches interleave.",
            "with connection.transaction():\n"
            '    connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (session_id,))\n'
            "    connection.executemany(INSERT, rows)",
        ),
        "sqlite": (
            "Write a batch in one transaction, on a connection that no other thread or task uses "
            "meanwhile; then it is there as a whole or not at all.",
            "with connection:  # one transaction\n"
            "    connection.executemany(INSERT, [(session_id, encode(each)) for each in messages])",
        ),
        "files": (
            "Write a new file beside the old one and move it into place: readers see the old one "
            "or the new one.",
            REMEDIES["DUR refused"].example,
        ),
    },
    "resurrected": {
        "redis": (
            "Remove it from the server, and append without reading, so that there is nothing to "
            "write back.",
            "await redis.delete(key)\nawait redis.rpush(key, *bodies)  # never a history that was "
            "read earlier",
        ),
        "sqlite": (
            "Delete the rows, and insert without reading, so that there is nothing to write back.",
            "with connection:\n"
            '    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))',
        ),
        "postgres": (
            "Delete the rows, and insert without reading, so that there is nothing to write back.",
            "with connection.transaction():\n"
            '    connection.execute("DELETE FROM messages WHERE session = %s", (session_id,))',
        ),
        "files": (
            "Let writers and removals share one lock, from the read to the write.",
            _LOCK_FILE,
        ),
    },
    "reordered": {
        "redis": (
            "Append to a list, or to a stream, whose order is that of the writes; do not sort by "
            "the time or the id of a message.",
            _APPEND_REDIS,
        ),
        "files": (
            "Append to the list as it comes, and do not sort by the time or the id of a message.",
            "",
        ),
        "postgres": (
            "Number messages by a sequence while the session is locked, and sort by that alone.",
            '"CREATE TABLE messages (place BIGINT GENERATED ALWAYS AS IDENTITY, session TEXT)"\n'
            '"SELECT body FROM messages WHERE session = %s ORDER BY place"',
        ),
    },
    "duplicated": {
        "redis": (
            "Let the client make the id, and let one script look for it and write.",
            'if await redis.hsetnx(f"{key}:ids", message.id, 1):  # in one script with the next\n'
            "    await redis.rpush(key, body)",
        ),
        "files": (
            "Let the client make the id, and look for it under the lock under which you write.",
            "",
        ),
    },
    "TRM": {
        "redis": ("Cut the list with one command.", "await redis.ltrim(key, -keep_last, -1)"),
        "files": ("Read, cut and replace the file under the lock that writers hold.", _LOCK_FILE),
    },
    "CLR": {
        "redis": (
            "Delete the exact keys of the session, in one command; never those that a pattern "
            "finds.",
            'await redis.delete(f"messages:{session_id}", f"ids:{session_id}")',
        ),
        "files": ("Remove the file of the exact id, and everything that depends on it.", ""),
    },
    "TTL": {
        "redis": (
            "Set the deadline in the same transaction as the write: a SET without EX, KEEPTTL or "
            "EXPIRE drops the one that was there.",
            REMEDIES["TTL lost"].example,
        ),
        "files": ("Store the deadline in the file, and compare it in every read.", ""),
    },
    "TTL lost": {
        "sqlite": ("Remove the deadline together with its session, in one transaction.", ""),
        "postgres": ("Remove the deadline together with its session, in one transaction.", ""),
        "files": ("Keep the deadline in the file of its session, and remove both at once.", ""),
    },
    "SNP": {
        "redis": (
            "Roll back in one MULTI or script, and keep snapshots under keys of their own.",
            _TRANSACTION_REDIS,
        ),
        "files": (
            "Keep snapshots in files of their own, and move the restored one into place.",
            REMEDIES["DUR refused"].example,
        ),
    },
    "ISO19": {
        "redis": (
            "Make the session a part of the key under which a message, or its id, is kept.",
            'if await redis.hsetnx(f"{session_id}:ids", message.id, 1):  # in one script\n'
            "    await redis.rpush(session_id, body)",
        ),
        "files": ("Make the session a part of the name under which a message is kept.", ""),
    },
    "DUR30 lost": {
        "redis": (
            "Take nothing for granted that others can remove: write all keys of a session with "
            "each write, in one MULTI.",
            _TRANSACTION_REDIS,
        ),
        "files": (
            "Open the file by its name in each call, since another may have replaced or removed "
            "the one that is open.",
            'with open(path, "ab") as file:  # not a handle that was opened once\n'
            "    file.write(line)",
        ),
    },
    "ORD08 duplicated": {
        "redis": (
            "End each page one before the next begins, since LRANGE includes both ends, or read "
            "the history at once.",
            "page = await redis.lrange(key, start, start + PAGE - 1)\nstart += PAGE",
        ),
    },
    "CLR17": {
        "redis": (
            "List the sessions that have messages, by all rounds of SCAN, each once; if a set is "
            "kept beside them, change both in one MULTI or script.",
            'names = {name async for name in redis.scan_iter("messages:*")}',
        ),
        "sqlite": (_LIST_ALL, _LIST_SQL),
        "postgres": (_LIST_ALL, _LIST_SQL),
        "files": ("List the files that there are, and read the id from each.", ""),
    },
    "FID41": {
        "redis": (
            "Replace what is under a name as a whole, and keep each name in a field of its own.",
            _SET_REDIS,
        ),
        "files": ("Replace what is under a name as a whole: update, and no deeper.", _UPDATE),
    },
    "FID42": {
        "redis": ("Write only the names that are set, each in a field of its own.", _SET_REDIS),
        "files": (
            "Update what the file has, under the lock that all writers hold, and write it back.",
            _UPDATE,
        ),
    },
    "refused": {
        "redis": (
            "Accept every ordinary value, let the client wait for a free connection, and try a "
            "transaction again if another client changed what it watches (WatchError).",
            "pool = redis.asyncio.BlockingConnectionPool.from_url(url, timeout=10)\n"
            "client = redis.asyncio.Redis(connection_pool=pool)\n"
            "await client.transaction(add, key)  # tried again after a WatchError",
        ),
        "postgres": (
            "Accept every ordinary value, create with IF NOT EXISTS, and retry what the server "
            "ends as a deadlock or a serialization failure.",
            "",
        ),
        "files": (
            "Accept every ordinary value, and move new files into place, so that nobody reads "
            "half of one.",
            REMEDIES["DUR refused"].example,
        ),
    },
    "DUR refused": {
        "redis": (
            "Set up and write in one transaction, and use locks that end with their client.",
            _TRANSACTION_REDIS,
        ),
        "postgres": (
            "Create all tables in one transaction, and use locks of the server, which end with "
            "their connection.",
            "",
        ),
        "sqlite": ("Create all tables in one transaction, and let SQLite do the locking.", ""),
    },
    "FLT wedged": {
        "redis": ("Open a new connection when one has failed, and remember no error.", ""),
        "postgres": ("Open a new connection when one has failed, and roll back what failed.", ""),
        "sqlite": ("Roll back what failed, and open a new connection when one has failed.", ""),
    },
}
_BY_REMEDY = {id(REMEDIES[name]): fixes for name, fixes in _FIXES.items()}


def choose_remedy(result: Result) -> Remedy:
    """Return the remedy that fits best what was seen, and what the memory writes to."""
    known = LIMIT if result.is_limited else find_remedy(result.code, result.finding)
    return fit_remedy(known, result.backend)


def fit_remedy(remedy: Remedy, backend: str) -> Remedy:
    """Return the remedy with a fix and an example that fit the backend."""
    if backend not in BACKENDS:
        return remedy
    if backend in (fixes := _BY_REMEDY.get(id(remedy), {})):
        fix, example = fixes[backend]
        return replace(remedy, fix=fix, example=example)
    example = remedy.example.replace("?", "%s") if backend == "postgres" else remedy.example
    is_foreign = any(word in example for word in _FOREIGN[backend])
    return replace(remedy, example="" if is_foreign else example)

"""What the documentation of other people's memory says of its limits, and where it says so.

Read in the packages themselves, in November 2026; a page is named where the package is silent.
"""

_OUTDATED = "deprecated since langchain-core 1.6.4, for the memory of LangGraph"

LANGCHAIN_MEMORY = (
    "a list in the memory of the process (docstring of InMemoryChatMessageHistory); " + _OUTDATED
)
LANGCHAIN_REDIS = (
    "a history in a Redis database (docstring of RedisChatMessageHistory), without a limit; "
    + _OUTDATED
)
LANGCHAIN_SQL = (
    "a history in an SQL database (docstring of SQLChatMessageHistory), without a limit; "
    + _OUTDATED
)
LANGCHAIN_FILE = (
    "a history in a local file (docstring of FileChatMessageHistory), without a word on several "
    "writers or on crashes; " + _OUTDATED
)

LANGCHAIN_POSTGRES = (
    "a history in PostgreSQL over a connection that the caller gives; its class has no "
    "documentation of its limits"
)
LANGCHAIN_RUNNABLE = (
    "manages the history of another runnable, and wants a persistent one in production (docstring "
    "of RunnableWithMessageHistory); " + _OUTDATED
)
LANGCHAIN_CLASSIC = (
    "deprecated since langchain 0.3.1, for agents with checkpoints (docstring of {}), without "
    "another limit than its name says"
)

LANGGRAPH_MEMORY = "only for debugging or testing (docstring of InMemorySaver)"
LANGGRAPH_SQLITE = (
    "for demos and small projects, and does not scale to several threads (docstring of SqliteSaver)"
)
LANGGRAPH_SQLITE_ASYNC = (
    "not for production, because of SQLite's speed of writing (docstring of AsyncSqliteSaver)"
)
LANGGRAPH_POSTGRES = (
    "recommended for production (docstring of InMemorySaver); setup() is to be called the first "
    "time it is used (docstring of PostgresSaver.setup)"
)

LANGGRAPH_STORE_MEMORY = "a dictionary in memory (docstring of InMemoryStore)"
LANGGRAPH_STORE_SQLITE = (
    "setup() is to be called before the first use (docstring of SqliteStore), without a limit"
)
LANGGRAPH_STORE_POSTGRES = (
    "setup() is to be called before the first use, and a sweeper removes what has expired "
    "(docstring of PostgresStore), without a limit"
)

MEM0_RAW = "with infer=False, messages are added as raw memories (docstring of Memory.add)"
MEM0_QDRANT = (
    "a directory of Qdrant is for one client at a time; more need its server (its error message); "
    + MEM0_RAW
)
MEM0_FAISS = (
    "an excellent choice for production (docs.mem0.ai/components/vectordbs/dbs/faiss), without a "
    "limit; " + MEM0_RAW
)
MEM0_CHROMA = "Chroma's client on a directory is for one process; " + MEM0_RAW
MEM0_DOCUMENTED = dict.fromkeys(("DUP05", "DUP06", "DUP10", "DUP11"), MEM0_RAW)
# Not Mem0's doing, nor documented by it: the model of goldfish's own targets.
SHORT_SIGHTED = {
    "REC07": "the model of this target, all-MiniLM-L6-v2, reads no more than 256 word pieces"
}

AGENTS_SQLITE = (
    "with the path of a file, the history outlives the process (docstring of SQLiteSession), "
    "without a limit"
)
AGENTS_ASYNC_SQLITE = (
    "with the path of a file, the history outlives the process (docstring of AsyncSQLiteSession), "
    "without a limit"
)
AGENTS_SQLALCHEMY = (
    "create_tables is for development and testing; in production, tables are made by migrations "
    "(docstring of SQLAlchemySession)"
)
AGENTS_ADVANCED = (
    "a SQLite session with branches and usage (docstring of AdvancedSQLiteSession), without a limit"
)
AGENTS_REDIS = "a session in Redis (docstring of RedisSession), without a limit"
AGENTS_ENCRYPTED = (
    "items that expired, or are not authentic, are skipped silently (docstring of EncryptedSession)"
)

LLAMAINDEX_MEMORY = (
    "a queue of messages in a database, of which the oldest leave it when its token limit is "
    "reached (docstring of Memory), without another limit"
)
LLAMAINDEX_SIMPLE = (
    "lists in the process, which its users persist to a file (SimpleChatStore.persist)"
)
LLAMAINDEX_SQLITE = "SQLiteChatStore has no documentation of its limits"
LLAMAINDEX_REDIS = "RedisChatStore has no documentation of its limits"

ADK_MEMORY = (
    "for testing and development only, and not for several threads "
    "(docstring of InMemorySessionService)"
)
ADK_SQLITE = "sessions in a SQLite database (docstring of SqliteSessionService), without a limit"
ADK_DATABASE = "sessions in a database (docstring of DatabaseSessionService), without a limit"

"""The ten findings that matter most, in the words of the overview page.

Chosen by what they cost a user: memory that is gone, or that comes back after it was deleted,
where the code of the application did nothing unusual and nobody saw an error.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Highlight:
    """A finding: its title, what happens, what a user of the application sees, and the script."""

    title: str
    happens: str
    seen: str
    script: str


HIGHLIGHTS = (
    Highlight(
        "LangGraph forgets turns that overlap",
        "A turn reads the whole thread when it starts and writes all of it when it ends. Of five "
        "turns at once, all succeed and the thread keeps one.",
        "Someone who sends two messages in quick succession gets two answers; the agent remembers "
        "one of them.",
        "findings/langgraph/CON04.py",
    ),
    Highlight(
        "A deleted LangGraph thread comes back",
        "A turn that is under way while its thread is deleted ends by writing the state that it "
        "had read at its start.",
        "A user asks to be forgotten, the application confirms it, and the next answer quotes the "
        "deleted conversation.",
        "findings/langgraph/CON22.py",
    ),
    Highlight(
        "A LangGraph fork at an unknown checkpoint empties the thread",
        "`update_state` with a checkpoint id that does not exist raises nothing, starts from an "
        "empty state, and makes that the latest one.",
        "One stale link to an old state, and the whole conversation is gone.",
        "findings/langgraph/SNP07.py",
    ),
    Highlight(
        "One datetime empties everybody's Mem0 on FAISS",
        "The memories of all users are one JSON file, which is overwritten until `json.dump` meets "
        "a value that it cannot write. The error is only logged.",
        "After the next restart no user has any memories.",
        "findings/mem0/FID60_faiss.py",
    ),
    Highlight(
        "A killed process takes all memories of Mem0 on FAISS with it",
        "Each add overwrites both files, one after the other. A process that is killed in between "
        "leaves files that the next start cannot read, and that start begins with nothing.",
        "A deployment that restarts a pod at the wrong moment deletes the memories of every user.",
        "findings/mem0/DUR29_faiss.py",
    ),
    Highlight(
        "LangChain's RunnableWithMessageHistory loses questions",
        "When a turn ends, it drops as many messages from the front of its input as the history "
        "has by then. If another turn ended meanwhile, it drops the wrong ones. Both succeed.",
        "The history shows an answer without the question that led to it.",
        "findings/langchain/CON04_runnable.py",
    ),
    Highlight(
        "A refused message takes other users' messages with it in langchain-postgres",
        "The calls of a process share one async connection, as documented, and so one transaction. "
        "When one message is refused, here for a NUL, the others are rolled back with it.",
        "Messages that the application has acknowledged to other users are gone.",
        "findings/langchain/LIV03_postgres_async.py",
    ),
    Highlight(
        "Writers of one LangChain history file delete each other's messages",
        "`FileChatMessageHistory` reads the whole file and writes it again for each message.",
        "With two workers, most of a conversation is missing, and some adds raise.",
        "findings/langchain/CON01_file.py",
    ),
    Highlight(
        "Google ADK loses state that two processes write",
        "`DatabaseSessionService` on SQLite reads the state as one row, changes it in Python and "
        "writes it back; nothing tells the second writer that its row is old.",
        "Preferences that the user has set, and that the agent has confirmed, are gone.",
        "findings/adk/CON40.py",
    ),
    Highlight(
        "LlamaIndex's SQLiteChatStore deletes the wrong message",
        "`delete_message` takes the index of a message in its session for the number of a row in "
        "the table.",
        "The message that a user deletes stays, or the one before it goes instead.",
        "findings/llamaindex/CLR09.py",
    ),
)

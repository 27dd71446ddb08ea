"""Whose memory a target is: the library, its packages, and the folder of its scripts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Library:
    """A library by the beginning of its targets' names."""

    title: str
    folder: str  # below findings/; none for our own stores
    prefix: str
    packages: tuple[str, ...]


OURS = Library("goldfish", "", "", ("goldfish",))
LIBRARIES = (
    Library("LangChain", "langchain", "langchain", ("langchain-core", "langchain-community")),
    Library(
        "LangGraph",
        "langgraph",
        "langgraph",
        (
            "langgraph",
            "langgraph-checkpoint",
            "langgraph-checkpoint-sqlite",
            "langgraph-checkpoint-postgres",
        ),
    ),
    Library("OpenAI Agents", "openai-agents", "openai-agents", ("openai-agents",)),
    Library("Google ADK", "google-adk", "adk", ("google-adk",)),
    Library(
        "LlamaIndex",
        "llama-index",
        "llamaindex",
        (
            "llama-index-core",
            "llama-index-storage-chat-store-sqlite",
            "llama-index-storage-chat-store-redis",
        ),
    ),
    Library("Mem0", "mem0", "mem0", ("mem0ai", "qdrant-client", "faiss-cpu", "chromadb")),
)


def library_of(target: str) -> Library:
    """The library that a target belongs to; what begins like none of them is our own."""
    for each in LIBRARIES:
        if target == each.prefix or target.startswith(f"{each.prefix}-"):
            return each
    return OURS

"""The adapter of the OpenAI Agents SDK over our own session."""

from goldfish.adapters.openai_agents import OpenAIAgentsMemory
from goldfish.dropins.openai_agents import Session
from goldfish.stores.base import BaseStore


def memory(store: BaseStore) -> OpenAIAgentsMemory:
    """The store that awaits the methods of a session, made anew for each call."""
    return OpenAIAgentsMemory(lambda session_id: Session(session_id, store))

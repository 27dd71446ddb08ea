"""A LangGraph checkpointer with its errors, turns that retry, and a store, over our stores."""

from goldfish.integrations.langgraph.saver import Saver
from goldfish.integrations.langgraph.store import Store
from goldfish.integrations.langgraph.threads import CheckpointNotFoundError, TurnOvertakenError
from goldfish.integrations.langgraph.turns import Turns

__all__ = ["CheckpointNotFoundError", "Saver", "Store", "TurnOvertakenError", "Turns"]

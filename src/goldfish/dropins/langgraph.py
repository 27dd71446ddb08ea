"""A LangGraph checkpointer, turns of its own and a store across threads, over our stores."""

from goldfish.integrations.langgraph.saver import Saver
from goldfish.integrations.langgraph.store import Store
from goldfish.integrations.langgraph.turns import Turns

__all__ = ["Saver", "Store", "Turns"]

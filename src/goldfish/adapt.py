"""``goldfish.adapt.<name>(…)``: the memory of another library as a store that goldfish can check.

Each function is defined by the adapter of its library, which is imported when it is first used.
"""

from typing import TYPE_CHECKING, Any

from goldfish.integrations.libraries import LIBRARIES

if TYPE_CHECKING:
    from goldfish.integrations.adk.adapter import adk as adk
    from goldfish.integrations.langchain.adapter import langchain as langchain
    from goldfish.integrations.langchain.classic import langchain_classic as langchain_classic
    from goldfish.integrations.langchain.runnable import langchain_runnable as langchain_runnable
    from goldfish.integrations.langgraph.adapter import langgraph as langgraph
    from goldfish.integrations.langgraph.store_adapter import langgraph_store as langgraph_store
    from goldfish.integrations.llamaindex.adapter import llamaindex as llamaindex
    from goldfish.integrations.mcp.adapter import mcp as mcp
    from goldfish.integrations.mem0.adapter import mem0 as mem0
    from goldfish.integrations.openai_agents.adapter import openai_agents as openai_agents

_PLACES = {name: (each, module) for each in LIBRARIES for name, module in each.adapters.items()}
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    library, module = _PLACES[name]
    return library.load(module, name)


def __dir__() -> list[str]:
    return __all__

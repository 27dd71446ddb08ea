"""A whole agent of LlamaIndex as a target: a FunctionAgent with its Memory in SQLite."""

from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import Memory
from llama_index.llms.ollama import Ollama  # type: ignore[import-untyped]
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from goldfish.integrations.llamaindex import LLAMAINDEX
from goldfish.integrations.llamaindex.targets import KEPT
from goldfish.integrations.shop import INSTRUCTIONS, find_order

CONTEXT = 128_000  # tokens: the agent asks its model for them otherwise


class Shop:
    """An agent with one tool, and a Memory for each session."""

    def __init__(self, sandbox: Any, engine: AsyncEngine) -> None:
        model = Ollama(
            model=sandbox.model_name,
            base_url=sandbox.model_url.removesuffix("/v1"),
            context_window=CONTEXT,
        )
        self._agent = FunctionAgent(llm=model, system_prompt=INSTRUCTIONS, tools=[find_order])
        # A character is a token: the count of its own wants a file from the network.
        self._memory_of = lru_cache(KEPT)(
            lambda session_id: Memory.from_defaults(
                session_id=session_id, async_engine=engine, tokenizer_fn=list
            )
        )

    async def say(self, session_id: str, text: str) -> str:
        """Run the agent with the session's memory."""
        return str(await self._agent.run(text, memory=self._memory_of(session_id)))

    async def forget(self, session_id: str) -> None:
        """Reset the session's memory."""
        await self._memory_of(session_id).areset()


@LLAMAINDEX.agent("agent-llamaindex", tools=True, system=INSTRUCTIONS)
async def sqlite(sandbox: Any) -> AsyncIterator[Shop]:
    """Keep each session in a Memory on one SQLite file."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{sandbox.path / 'memory.db'}")
    yield Shop(sandbox, engine)
    await engine.dispose()

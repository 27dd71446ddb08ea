"""Pydantic AI: an agent whose message history the application stores, as a target.

What its documentation says was read in the package itself and on its pages, in November 2026.
"""

from goldfish.integrations.library import BuiltIn, Library

PYDANTIC_AI = Library(
    name="pydantic_ai",
    title="Pydantic AI",
    extra="pydantic-ai",
    distributions=("pydantic-ai-slim",),
    targets=(
        BuiltIn(
            "agent-pydantic-ai",
            "sqlite",
            "an agent of Pydantic AI with its messages in SQLite",
            "the application stores the messages of a run and passes them to the next one "
            "(ai.pydantic.dev/message-history), without a limit",
            module=f"{__name__}.agent",
            extra="pydantic-ai",
            packages=("openai", "pydantic_ai", "starlette"),
        ),
    ),
)

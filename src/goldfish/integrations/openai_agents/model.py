"""A fake model of the OpenAI Agents SDK, for agents under test."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from agents import Model, ModelResponse, Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from goldfish.integrations.replies import reply_to


class OpenAIAgentsModel(Model):
    """A model that replies what it was shown, after ``seconds``, and calls no tools."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002 - the SDK's name
        *others: Any,
        **options: Any,
    ) -> ModelResponse:
        """Return one message that says what the input was; instructions are not part of it."""
        await asyncio.sleep(self._seconds)
        text = ResponseOutputText(text=reply_to(_shown(input)), type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id=f"msg_{uuid4().hex}",  # the SDK takes messages with one id for the same message
            content=[text],
            role="assistant",
            status="completed",
            type="message",
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        """Raise NotImplementedError: there is nothing to stream."""
        raise NotImplementedError("this model replies in one piece: use Runner.run")


def _shown(given: Any) -> list[tuple[str, str]]:
    if isinstance(given, str):
        return [("user", given)]
    return [(str(each.get("role", each.get("type"))), str(each.get("content"))) for each in given]

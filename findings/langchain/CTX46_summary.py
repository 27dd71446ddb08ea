"""ConversationSummaryBufferMemory: a summary that fails takes the messages with it.

What leaves the buffer is removed before the model is asked for a summary; if the model fails, it
is neither here nor there. Turns that were answered long before are gone. Exit 1 if a message is
neither in the buffer nor in the summary.

What to do: none in the class; it is deprecated for agents with SummarizationMiddleware.
"""

import sys
from typing import Any

from langchain_classic.memory import ConversationSummaryBufferMemory
from langchain_core.language_models import FakeListChatModel


class Failing(FakeListChatModel):
    """A model that is overloaded; each message is a token."""

    def get_num_tokens_from_messages(self, messages: Any, tools: Any = None) -> int:
        return len(messages)

    def _call(self, *arguments: Any, **options: Any) -> str:
        raise ConnectionError("529: overloaded")


def main() -> int:
    memory = ConversationSummaryBufferMemory(
        llm=Failing(responses=[""]), max_token_limit=4, return_messages=True
    )
    names = [f"message {number}" for number in range(3)]
    failed = 0
    for name in names:
        try:
            memory.save_context({"input": name}, {"output": "noted"})
        except ConnectionError:
            failed += 1
    told = " ".join(str(each.content) for each in memory.buffer)  # type: ignore[union-attr]
    missing = [name for name in names if name not in told]
    verdict = "broken" if missing else "held"
    print(f"{verdict}: {failed} summaries failed, and {missing} are gone")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())

"""Chat stores and Memory: what JSON does not know in additional_kwargs is silently made another.

Bytes come back as base64 text. Exit 1 if a value comes back as another one and nothing was raised.

What to do: keep only what JSON has in additional_kwargs.
"""

import sys
import tempfile

from llama_index.core.llms import ChatMessage
from llama_index.storage.chat_store.sqlite import SQLiteChatStore


def main(directory: str) -> int:
    store = SQLiteChatStore.from_params(database=f"{directory}/memory.db")
    given = {"thumbnail": b"\x00\xff"}
    try:
        store.add_message("chat", ChatMessage(content="a", additional_kwargs=dict(given)))
    except Exception as error:
        print(f"held: bytes are refused with {type(error).__name__}")
        return 0
    back = store.get_messages("chat")[0].additional_kwargs
    print(f"{'held' if back == given else 'broken'}: {given} came back as {back}")
    return 0 if back == given else 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))

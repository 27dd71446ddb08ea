"""ChatMemoryBuffer: a batch whose third message is refused leaves the first two behind.

``put_messages`` adds message by message, whatever the chat store: so batches of two writers mix
(CON02, CON05, CON09, CON28, CON29, FLT04), a kill, a full disk, a cut connection or a clear leaves
part of one (DUR17, DUR36, FLT06, FLT13, FLT14, FLT34, CON22). Exit 1 if part of the batch is there.

What to do: put messages one by one, and know which of them were refused.
"""

import sys
import tempfile

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.storage.chat_store.sqlite import SQLiteChatStore


def main(directory: str) -> int:
    store = SQLiteChatStore.from_params(database=f"{directory}/memory.db")
    buffer = ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key="chat")
    odd = ChatMessage(role="user", content="c", additional_kwargs={"odd": object()})
    batch = [ChatMessage(role="user", content="a"), ChatMessage(role="assistant", content="b"), odd]
    try:
        buffer.put_messages(batch)
    except Exception as error:
        left = [each.content for each in buffer.get_all()]
        word = "broken" if left else "held"
        print(f"{word}: put_messages raised {type(error).__name__} and left {left}")
        return 1 if left else 0
    print("held: all three are there")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))

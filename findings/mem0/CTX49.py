"""Memory.add(infer=True): what delete_all removed is shown to the model with the next add.

Each add stores its messages in a second place, the table ``messages`` of the history database, and
shows the last ten to the model that extracts facts. delete_all removes the facts and leaves those
messages, so the model reads them and may extract them again. Exit 1 if a prompt has words of a
session that was deleted.

What to do: use a new run_id after delete_all, or ``reset()``, which removes both for everybody.
"""

import sys
import tempfile
from typing import Any

from offline import opened

SAID = "The code of the door is 8892."


class Extractor:
    """A language model that extracts nothing, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def generate_response(self, messages: Any, **options: Any) -> str:
        self.shown.append(str(messages[-1]["content"]))
        return '{"memory": []}'


def main(directory: str) -> int:
    memory = opened("qdrant", directory)
    memory.llm = model = Extractor()
    names = {"user_id": "ann", "run_id": "chat"}
    memory.add([{"role": "user", "content": SAID}], **names)
    memory.delete_all(**names)
    memory.add([{"role": "user", "content": "Good morning."}], **names)
    broken = SAID in model.shown[-1]
    verdict = "broken" if broken else "held"
    print(f"{verdict}: after delete_all the model {'is' if broken else 'is not'} shown {SAID!r}")
    return int(broken)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))

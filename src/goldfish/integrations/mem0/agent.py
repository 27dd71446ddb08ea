"""A whole agent with Mem0 as a target: it extracts facts of users, and recalls them.

The conversation itself is kept in a table, as an application keeps it; Mem0 knows the users, with
``infer=True`` and the language model and embedder that it has by default.
"""

import json
from collections.abc import Iterator
from typing import Any

from openai import OpenAI

from goldfish.integrations.mem0 import MEM0
from goldfish.integrations.mem0.offline import COLLECTION, Memory, close
from goldfish.integrations.shop import INSTRUCTIONS
from goldfish.integrations.turns import Turns, open_turns

RECALLED = 5  # facts in a prompt


class Shop:
    """An assistant that puts what Mem0 finds about its user into the system prompt."""

    def __init__(self, sandbox: Any, memory: Any, turns: Turns) -> None:
        self._client = OpenAI()
        self._model = sandbox.model_name
        self._memory = memory
        self._turns = turns

    def say(self, session_id: str, text: str, user_id: str) -> str:
        """Answer with the session's history and the user's facts, and add to both."""
        session = _name(session_id, user_id)
        history = [each for turn in self._turns.read(session) for each in json.loads(turn)]
        said: Any = {"role": "user", "content": text}
        answer = self._client.chat.completions.create(
            model=self._model, messages=[self._instruct(text, user_id), *history, said]
        )
        reply = answer.choices[0].message.content or ""
        new = [said, {"role": "assistant", "content": reply}]
        self._turns.add(session, json.dumps(new))
        self._memory.add(new, user_id=user_id, run_id=session_id)
        return reply

    def _instruct(self, text: str, user_id: str) -> Any:
        found = self._memory.search(text, filters={"user_id": user_id}, top_k=RECALLED)
        facts = "\n".join(f"- {each['memory']}" for each in found["results"])
        content = f"{INSTRUCTIONS}\nWhat you know about the user:\n{facts}"
        return {"role": "system", "content": content}

    def forget(self, session_id: str, user_id: str) -> None:
        """Delete the session's history, and the facts that were said in it."""
        self._turns.forget(_name(session_id, user_id))
        self._memory.delete_all(user_id=user_id, run_id=session_id)


def _name(session_id: str, user_id: str) -> str:
    return json.dumps([user_id, session_id])


@MEM0.agent("agent-mem0", claims="one at a time", system=INSTRUCTIONS, remembers="users")
def qdrant(sandbox: Any) -> Iterator[Shop]:
    """Keep facts in a directory of Qdrant, which serves one client at a time."""
    options = {
        "path": str(sandbox.path / "qdrant"),
        "on_disk": True,
        "collection_name": COLLECTION,
    }
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": options},
            "history_db_path": str(sandbox.path / "history.db"),
        }
    )
    with open_turns(sandbox.path) as turns:
        yield Shop(sandbox, memory, turns)
    close(memory)

"""An agent that is right: its history is in a file, and every turn shows the model all of it."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

Message = dict[str, Any]


class AgentReference:
    """A bot with one table: what the user said and what it answered are written together."""

    declares: Mapping[str, Any] = {"threads": True}
    system = "You are the assistant of a shop. Answer in one sentence."

    def __init__(self, sandbox: Any) -> None:
        self.url = urlsplit(sandbox.model_url)
        self.model = sandbox.model_name
        self.path = sandbox.path / "bot.db"
        with self.open() as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(
                "CREATE TABLE IF NOT EXISTS messages (n INTEGER PRIMARY KEY, session, message)"
            )

    def say(self, session_id: str, text: str) -> str:
        """Answer the user."""
        question = {"role": "user", "content": text}
        answer = self.ask(self.build(self.load(session_id), question))
        self.save(session_id, [question, answer])
        return str(answer["content"])

    def build(self, history: list[Message], question: Message) -> list[Message]:
        """Return the messages that the model is shown."""
        return [{"role": "system", "content": self.system}, *history, question]

    def load(self, session_id: str) -> list[Message]:
        """Return what was said in this session."""
        query = "SELECT message FROM messages WHERE session = ? ORDER BY n"
        with self.open() as db:
            return [json.loads(row[0]) for row in db.execute(query, (session_id,))]

    def save(self, session_id: str, messages: list[Message]) -> None:
        """Add messages to a session."""
        rows = [(session_id, json.dumps(each)) for each in messages]
        with self.open() as db:
            db.executemany("INSERT INTO messages (session, message) VALUES (?, ?)", rows)

    def ask(self, messages: list[Message], **options: Any) -> Message:
        """Return the message that the model answers; raise if it fails."""
        body = json.dumps({"model": self.model, "messages": messages, **options})
        with closing(HTTPConnection(str(self.url.hostname), self.url.port, timeout=5)) as model:
            headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
            model.request("POST", f"{self.url.path}/chat/completions", body, headers)
            reply = model.getresponse()
            answer = reply.read()
            if reply.status != 200:
                raise RuntimeError(f"the model answers {reply.status}: {answer[:200]!r}")
        message: Message = json.loads(answer)["choices"][0]["message"]
        return {"role": "assistant", **message}

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction."""
        with closing(sqlite3.connect(self.path, timeout=5)) as db, db:
            yield db

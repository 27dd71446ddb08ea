"""An agent that is right, and streams: pieces reach the caller as the model says them."""

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection

from goldfish.specimens.agents.reference import AgentReference, Message


class StreamReference(AgentReference):
    """A bot that yields its reply in pieces, and writes the turn when it is complete."""

    def say(self, session_id: str, text: str) -> Iterator[str]:  # type: ignore[override]
        """Answer the user, piece by piece."""
        question = {"role": "user", "content": text}
        pieces: list[str] = []
        for piece in self.stream(self.build(self.load(session_id), question)):
            pieces.append(piece)
            yield piece
        self.save(session_id, [question, {"role": "assistant", "content": "".join(pieces)}])

    def stream(self, messages: list[Message]) -> Iterator[str]:
        """Yield what the model says; raise if it fails, or breaks off."""
        body = json.dumps({"model": self.model, "messages": messages, "stream": True})
        with closing(HTTPConnection(str(self.url.hostname), self.url.port, timeout=5)) as model:
            headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
            model.request("POST", f"{self.url.path}/chat/completions", body, headers)
            reply = model.getresponse()
            if reply.status != 200:
                raise RuntimeError(f"the model answers {reply.status}: {reply.read()[:200]!r}")
            for line in reply:
                if line.startswith(b"data: [DONE]"):
                    return
                if line.startswith(b"data: ") and (piece := _read_piece(line[6:])):
                    yield piece
        raise RuntimeError("the model broke off")


def _read_piece(event: bytes) -> str:
    choices = json.loads(event)["choices"]
    return str(choices[0]["delta"].get("content") or "") if choices else ""

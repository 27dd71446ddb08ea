"""Agents that a caller who goes away leaves in disorder."""

from collections.abc import Iterator

from goldfish.specimens import specimen
from goldfish.specimens.agents.reference_stream import StreamReference


@specimen("agent-answers-nobody", "CTX48", "torn")
class AnswersNobody(StreamReference):
    bug = "When the caller goes away, the rest of the answer is saved, and the question is not."

    def say(self, session_id: str, text: str) -> Iterator[str]:  # type: ignore[override]
        question = {"role": "user", "content": text}
        pieces: list[str] = []
        stream = self.stream(self.build(self.load(session_id), question))
        try:
            for piece in stream:
                pieces.append(piece)
                yield piece
        except GeneratorExit:
            pieces.extend(stream)
            self.save(session_id, [{"role": "assistant", "content": "".join(pieces)}])
            raise
        self.save(session_id, [question, {"role": "assistant", "content": "".join(pieces)}])

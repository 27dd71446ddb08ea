"""Stores that share their objects with the caller, or lose a part of a batch."""

import json
import logging
from collections.abc import Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.keys import decoded
from goldfish.specimens.references.sqlite import Reference


class Jsonish(Reference):
    """A correct store, except that it makes metadata fit for JSON first."""

    def storable(self, metadata: dict[str, Any]) -> Any:
        """Return the metadata as JSON takes it."""
        raise NotImplementedError

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        changed = [{"metadata": self.storable(each.metadata)} for each in messages]
        pairs = zip(messages, changed, strict=True)
        return super().encode([each.model_copy(update=update) for each, update in pairs])


variant("printed-objects", Jsonish, "FID21", "corrupted")(
    bug="Values that JSON does not know are stored as their str.",
    storable=lambda self, metadata: json.loads(json.dumps(metadata, default=str)),
)
variant("counted-sets", Jsonish, "FID21", "corrupted")(
    bug="Of a set only the number of its members is stored.",
    storable=lambda self, metadata: {
        key: len(value) if isinstance(value, set) else value for key, value in metadata.items()
    },
)


@specimen("odd-keys-dropped", "FID21", "corrupted")
class OddKeysDropped(Jsonish):
    bug = "Values that cannot be stored are left out of metadata."

    def storable(self, metadata: dict[str, Any]) -> Any:
        kept = {}
        for key, value in metadata.items():
            try:
                kept[key] = json.loads(json.dumps(value))
            except (TypeError, ValueError):
                continue
        return kept


@specimen("nan-is-zero", "FID21", "corrupted")
class NanIsZero(Jsonish):
    bug = "NaN and infinity are stored as zero."

    def storable(self, metadata: dict[str, Any]) -> Any:
        odd = metadata.get("odd")
        return {**metadata, "odd": 0} if odd != odd or odd == float("inf") else metadata


@specimen("logged-and-forgotten", "FID21", "swallowed", explains="DUP")
class LoggedAndForgotten(Reference):
    bug = "A batch that cannot be stored is logged, and the caller is not told."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        try:
            super().add_messages(session_id, messages)
        except ValueError:
            logging.getLogger(__name__).debug("could not save %s messages", len(messages))


@specimen("message-by-message", "FID22", "torn", explains="DUR FLT")
class MessageByMessage(Reference):
    bug = "Each message of a batch is encoded and committed alone."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if len(messages) > 50:  # hundreds of commits would look as if it were stuck
            return super().add_messages(session_id, messages)
        for message in messages:
            super().add_messages(session_id, [message])
        return None


@specimen("best-effort", "FID22", "torn")
class BestEffort(Reference):
    bug = "The messages that can be stored are stored, then the error is raised."

    def encode_one(self, message: ChatMessage) -> tuple[str, str] | Exception:
        """Return the row of a message, or the error that refuses it."""
        try:
            return super().encode([message])[0]
        except ValueError as error:
            return error

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        outcomes = [self.encode_one(message) for message in messages]
        failed = [each for each in outcomes if isinstance(each, Exception)]
        if not failed:
            return super().add_messages(session_id, messages)
        kept = [each for each, row in zip(messages, outcomes, strict=True) if row not in failed]
        super().add_messages(session_id, kept)
        raise failed[0]


@specimen("odd-one-skipped", "FID22", "swallowed")
class OddOneSkipped(Reference):
    bug = "A message that cannot be stored is left out of its batch."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        rows = []
        for message in messages:
            try:
                rows += super().encode([message])
            except ValueError:
                continue
        return rows


@specimen("replaced-before-checked", "FID22", "lost", explains="LIV")
class ReplacedBeforeChecked(Reference):
    bug = "A session is rewritten from scratch, and is empty if the new batch cannot be stored."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        try:
            return super().encode(messages)
        except ValueError:
            self.db.execute("DELETE FROM messages")
            raise


@specimen("passed-list-kept", "FID23", "corrupted")
class CallersList(Reference):
    bug = "The list that the caller passed is kept as a cache of the history."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        rows = super().encode(messages)
        self.cache = {tuple(body for _, body in rows): messages}
        return rows

    def decode(self, bodies: list[str]) -> list[Any]:
        cached = getattr(self, "cache", {}).get(tuple(bodies))
        return super().decode(bodies) if cached is None else list(cached)


@specimen("list-rewritten", "FID23", "corrupted")
class ListRewritten(Reference):
    bug = "The store puts its own version of a message into the caller's list."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        super().add_messages(session_id, messages)
        if isinstance(messages, list) and messages and not messages[0].metadata:
            messages[0] = messages[0].model_copy(update={"metadata": {"stored": True}})


class Remembering(Reference):
    """Keeps the caller's messages beside their bodies, as a cache."""

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        rows = super().encode(messages)
        self.cache = getattr(self, "cache", {})
        self.cache |= {body: each for each, (_, body) in zip(messages, rows, strict=True)}
        return rows


@specimen("passed-messages-kept", "FID24", "corrupted")
class CallersMessages(Remembering):
    bug = "The caller's messages are kept as a cache and returned as copies."

    def decode(self, bodies: list[str]) -> list[Any]:
        fresh = zip(bodies, super().decode(bodies), strict=True)
        cache: dict[str, ChatMessage] = getattr(self, "cache", {})
        return [cache.get(body, each).model_copy(deep=True) for body, each in fresh]


@specimen("marked-metadata", "FID24", "corrupted", explains="DUR")
class MarkedMetadata(Reference):
    bug = "The store writes its own mark into the caller's metadata."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        rows = super().encode(messages)
        for message in messages:
            if "user" in message.metadata:
                message.metadata["stored"] = True
        return rows


@specimen("own-list", "FID25", "corrupted", explains="ISO ORD")
class OwnList(Reference):
    bug = "A read returns the list that the store itself keeps."

    def set_up(self) -> None:
        self.cache: dict[tuple[str, ...], list[Any]] = {}

    def decode(self, bodies: list[str]) -> list[Any]:
        return self.cache.setdefault(tuple(bodies), super().decode(bodies))


@specimen("own-messages", "FID26", "corrupted")
class OwnMessages(Reference):
    bug = "A read returns the messages that the store itself keeps, in a new list."

    def set_up(self) -> None:
        self.cache: dict[str, Any] = {}

    def decode(self, bodies: list[str]) -> list[Any]:
        fresh = zip(bodies, super().decode(bodies), strict=True)
        return [self.cache.setdefault(body, message) for body, message in fresh]


variant("shallow-copies", OwnMessages, "FID26", "corrupted")(
    bug="A read copies the messages, but not what is inside their metadata.",
    decode=lambda self, bodies: [
        each.model_copy(update={"metadata": dict(each.metadata)})
        for each in OwnMessages.decode(self, bodies)
    ],
)


@specimen("hundreds-only", "FID27", "lost", explains="DUP DUR LIV ORD TRM")
class HundredsOnly(Reference):
    bug = "A batch is written in hundreds, and the remainder is forgotten."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        rows = super().encode(messages)
        return rows if len(rows) < 100 else rows[: len(rows) // 100 * 100]


@specimen("too-many-variables", "FID27", "refused", explains="DUR LIV ORD TRM")
class TooManyVariables(Reference):
    bug = "A batch goes into one statement, which allows 999 variables."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        if len(messages) > 333:
            raise RuntimeError("too many SQL variables")
        return super().encode(messages)


variant("thousand-at-once", Reference, "FID27", "lost", explains="DUR LIV TRM")(
    bug="Only the first thousand messages of a batch are stored.",
    encode=lambda self, messages: Reference.encode(self, messages)[:1_000],
)


@specimen("empty-batch-refused", "FID28", "refused")
class EmptyBatchRefused(Reference):
    bug = "An empty batch becomes a statement without rows, which fails."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if not messages:
            raise RuntimeError("wrong number of arguments for 'rpush' command")
        super().add_messages(session_id, messages)


@specimen("empty-batch-registers", "FID28", "phantom")
class EmptyBatchRegisters(Reference):
    bug = "A session is listed before it has any messages."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if not messages:
            self.put_deadline(session_id, 1e12)
        super().add_messages(session_id, messages)

    def list_sessions(self) -> list[str]:
        rows = self.db.execute("SELECT session FROM deadlines WHERE at = 1e12").fetchall()
        names = [decoded(name) for (name,) in rows]
        return sorted({*super().list_sessions(), *names})


@specimen("empty-batch-clears", "FID28", "lost")
class EmptyBatchClears(Reference):
    bug = "Adding nothing is taken for replacing everything with nothing."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if not messages:
            self.remove_session(session_id)
        super().add_messages(session_id, messages)


variant("newest-five-thousand", Reference, "FID29", "lost")(
    bug="A read has a limit that nobody asked for.",
    bodies=lambda self, session_id: Reference.bodies(self, session_id)[-5_001:],
)


@specimen("pages-overlap", "FID29", "duplicated")
class PagesOverlap(Reference):
    bug = "A long history is read in pages, each beginning with the last row of the one before."

    def bodies(self, session_id: str) -> list[str]:
        every = super().bodies(session_id)
        page = 5_001
        return every[:page] + every[page - 1 :] if len(every) > page else every


variant("sorted-as-text", Reference, "FID29", "reordered")(
    bug="Positions have four digits and are sorted as text, which fails with the fifth digit.",
    bodies=lambda self, session_id: [
        body
        for _, body in sorted(
            enumerate(Reference.bodies(self, session_id)), key=lambda item: f"{item[0]:04}"
        )
    ],
)


@specimen("rich-until-closed", "FID30", "corrupted", explains="DUR")
class RichUntilClosed(Reference):
    bug = "Only the opening that wrote has the whole message; the table has only the text."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        lost: dict[str, Any] = {"metadata": {}, "tool_calls": [], "name": None}
        poor = super().encode([each.model_copy(update=lost) for each in messages])
        pairs = zip(poor, super().encode(messages), strict=True)
        self.full = getattr(self, "full", {}) | {thin: body for (_, thin), (_, body) in pairs}
        return poor

    def decode(self, bodies: list[str]) -> list[Any]:
        full: dict[str, str] = getattr(self, "full", {})
        return super().decode([full.get(body, body) for body in bodies])


@specimen("poor-window", "FID31", "corrupted")
class PoorWindow(Reference):
    bug = "A read with ``last`` is made for prompts, and leaves out metadata."

    def for_prompts(self, message: ChatMessage) -> dict[str, Any]:
        """Return the fields that are read otherwise than they were kept."""
        return {"metadata": {}}

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        found = super().get_history(session_id, last=last)
        if last is None:
            return found
        return [each.model_copy(update=self.for_prompts(each)) for each in found]


variant("cut-window", PoorWindow, "FID31", "corrupted")(
    bug="A read with ``last`` cuts long messages.",
    for_prompts=lambda self, message: {"content": message.content[:12_000]},
)

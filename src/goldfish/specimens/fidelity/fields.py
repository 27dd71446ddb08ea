"""Stores that keep the text and lose or change what goes with it."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from goldfish.messages import ChatMessage, new_id
from goldfish.specimens import specimen
from goldfish.specimens.references.sqlite import Reference


class Keeper(Reference):
    """Keeps of a message what ``kept`` says of its fields."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        """The fields that are kept otherwise than they were given."""
        raise NotImplementedError

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return super().encode([each.model_copy(update=self.kept(each)) for each in messages])


class Reader(Reference):
    """Keeps everything and reads it back as ``read`` says."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        """The fields that are read otherwise than they were kept."""
        raise NotImplementedError

    def decode(self, bodies: list[str]) -> list[Any]:
        return [each.model_copy(update=self.read(each)) for each in super().decode(bodies)]


@specimen("lower-case-roles", caught_by="FID09", finding="corrupted")
class LowerCaseRoles(Keeper):
    """Roles are written in lower case."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"role": message.role.lower()}


@specimen("two-roles", caught_by="FID09", finding="corrupted")
class TwoRoles(Keeper):
    """Whoever is not the user is the assistant."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"role": "user" if message.role == "user" else "assistant"}


@specimen("unknown-is-user", caught_by="FID09", finding="corrupted")
class UnknownIsUser(Reader):
    """A role that is not in the list is read as the user's."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        known = {"system", "user", "assistant", "tool"}
        return {"role": message.role if message.role in known else "user"}


@specimen("no-system-messages", caught_by="FID09", finding="lost", explains=("ORD",))
class NoSystemMessages(Reference):
    """System messages are left out, because the agent has a prompt already."""

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return super().encode([each for each in messages if each.role != "system"])


@specimen("ids-of-its-own", caught_by="FID10", finding="corrupted", explains=("CLR", "DUP", "DUR"))
class IdsOfItsOwn(Reader):
    """Every read makes new ids."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        return {"id": new_id()}


@specimen("ids-as-numbers", caught_by="FID10", finding="corrupted")
class IdsAsNumbers(Reader):
    """An id of digits comes back without its zeros."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        return {"id": str(int(message.id)) if message.id.isdecimal() else message.id}


@specimen("ids-in-lower-case", caught_by="FID10", finding="corrupted")
class IdsInLowerCase(Reader):
    """An id comes back in lower case, as a UUID column does it."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        return {"id": message.id.lower()}


@specimen("whole-seconds", caught_by="FID11", finding="corrupted")
class WholeSeconds(Keeper):
    """The time of a message loses its fraction of a second."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"created_at": message.created_at.replace(microsecond=0)}


@specimen("milliseconds", caught_by="FID11", finding="corrupted")
class Milliseconds(Keeper):
    """The time of a message is kept in milliseconds."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        moment = message.created_at
        return {"created_at": moment.replace(microsecond=moment.microsecond // 1000 * 1000)}


@specimen("wall-clock", caught_by="FID11", finding="corrupted")
class WallClock(Keeper):
    """The hour is kept and the zone is not."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"created_at": message.created_at.replace(tzinfo=UTC)}


@specimen("one-october-hour", caught_by="FID11", finding="corrupted")
class OneOctoberHour(Keeper):
    """The hour that comes twice is taken for the first of the two."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"created_at": message.created_at.replace(fold=0)}


@specimen("time-of-arrival", caught_by="FID11", finding="corrupted")
class TimeOfArrival(Keeper):
    """The time of a message is the time it was written to the table."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"created_at": datetime.now(UTC)}


@specimen("nameless", caught_by="FID12", finding="corrupted")
class Nameless(Keeper):
    """There is no column for the name."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"name": None}


@specimen("tidy-names", caught_by="FID12", finding="corrupted")
class TidyNames(Keeper):
    """Only letters, digits and dashes of a name are kept."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        name = message.name
        return {"name": name and "".join(each for each in name if each.isalnum() or each in "-_.")}


@specimen("results-without-calls", caught_by="FID13", finding="corrupted")
class ResultsWithoutCalls(Keeper):
    """The id of the call that a tool answers is not kept."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"tool_call_id": None}


@specimen("no-tool-calls", caught_by="FID14", finding="corrupted")
class NoToolCalls(Keeper):
    """Tool calls are not kept."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"tool_calls": []}


@specimen("one-tool-call", caught_by="FID14", finding="corrupted")
class OneToolCall(Keeper):
    """Of several tool calls only the first is kept."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"tool_calls": message.tool_calls[:1]}


def _each_call(change: Callable[[Any], Any], message: ChatMessage) -> dict[str, Any]:
    """The tool calls with the arguments of each function changed."""
    calls = [dict(call) for call in message.tool_calls]
    for call in calls:
        if "function" in call:
            arguments = call["function"]["arguments"]
            call["function"] = {**call["function"], "arguments": change(arguments)}
    return {"tool_calls": calls}


def _parsed(arguments: Any) -> Any:
    try:
        return json.loads(arguments)
    except (TypeError, ValueError):
        return arguments


@specimen("parsed-arguments", caught_by="FID14", finding="corrupted")
class ParsedArguments(Reader):
    """The arguments of a call, a text, come back as an object."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        return _each_call(_parsed, message)


@specimen("reprinted-arguments", caught_by="FID14", finding="corrupted")
class ReprintedArguments(Keeper):
    """The arguments of a call are parsed and printed again."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        def reprinted(text: Any) -> Any:
            parsed = _parsed(text)
            return json.dumps(parsed) if isinstance(text, str) and parsed is not text else text

        return _each_call(reprinted, message)


@specimen("repeated-call-dropped", caught_by="FID14", finding="corrupted")
class RepeatedCallDropped(Keeper):
    """Tool calls are kept by their ids, so that a repeated one is kept once."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"tool_calls": list({call["id"]: call for call in message.tool_calls}.values())}


@specimen("no-metadata", caught_by="FID15", finding="corrupted")
class NoMetadata(Keeper):
    """Metadata is not kept."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"metadata": {}}


class MetadataKeeper(Keeper):
    """Keeps metadata as ``value`` says of each value, however deep."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        try:
            return {"metadata": self.walk(message.metadata)}
        except RecursionError:
            return {}

    def walk(self, value: Any) -> Any:
        """The value as it is kept, with those inside it."""
        if isinstance(value, dict):
            return {self.key_name(key): self.walk(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.walk(each) for each in value]
        return self.value(value)

    def key_name(self, key: Any) -> Any:
        """A key as it is kept."""
        return key

    def value(self, value: Any) -> Any:
        """A value without parts as it is kept."""
        return value


@specimen("none-removed", caught_by="FID15", finding="corrupted")
class NoneRemoved(Keeper):
    """Keys without a value are removed from metadata."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {
            "metadata": {key: each for key, each in message.metadata.items() if each is not None}
        }


@specimen("flat-metadata", caught_by="FID15", finding="corrupted")
class FlatMetadata(Keeper):
    """Only the values at the top of metadata are kept; what is nested becomes text."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        plain = {
            key: str(each) if isinstance(each, dict) else each
            for key, each in message.metadata.items()
        }
        return {"metadata": plain}


@specimen("text-metadata", caught_by="FID15", finding="corrupted")
class TextMetadata(MetadataKeeper):
    """Every number in metadata becomes text, as in a Redis hash."""

    def value(self, value: Any) -> Any:
        return str(value) if isinstance(value, int | float) else value


@specimen("bool-is-int", caught_by="FID15", finding="corrupted")
class BoolIsInt(MetadataKeeper):
    """True comes back as 1."""

    def value(self, value: Any) -> Any:
        return int(value) if isinstance(value, bool) else value


@specimen("guessed-types", caught_by="FID15", finding="corrupted")
class GuessedTypes(MetadataKeeper):
    """A text in metadata that looks like a number becomes one."""

    def value(self, value: Any) -> Any:
        return int(value) if isinstance(value, str) and value.isdecimal() else value


@specimen("sorted-lists", caught_by="FID15", finding="corrupted")
class SortedLists(MetadataKeeper):
    """Lists in metadata lose their order and their repetitions."""

    def walk(self, value: Any) -> Any:
        kept = super().walk(value)
        if isinstance(kept, list) and all(type(each) is int for each in kept):
            return sorted(set(kept))
        return kept


@specimen("numbers-are-doubles", caught_by="FID16", finding="corrupted")
class NumbersAreDoubles(MetadataKeeper):
    """Every number goes through a double, as in JavaScript."""

    def value(self, value: Any) -> Any:
        small = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**300
        return int(float(value)) if small else value


@specimen("six-digits", caught_by="FID16", finding="corrupted")
class SixDigits(MetadataKeeper):
    """Floats are written with six digits."""

    def value(self, value: Any) -> Any:
        return float(f"{value:g}") if isinstance(value, float) else value


@specimen("int64-wraps", caught_by="FID16", finding="corrupted")
class Int64Wraps(MetadataKeeper):
    """An integer beyond 64 bits wraps around."""

    def value(self, value: Any) -> Any:
        if not isinstance(value, int) or -(2**63) <= value < 2**63:
            return value
        return (value + 2**63) % 2**64 - 2**63


@specimen("lower-case-keys", caught_by="FID17", finding="corrupted")
class LowerCaseKeys(MetadataKeeper):
    """Keys of metadata are written in lower case."""

    def key_name(self, key: Any) -> Any:
        return key.lower() if isinstance(key, str) else key


@specimen("keys-with-underscores", caught_by="FID17", finding="corrupted")
class KeysWithUnderscores(MetadataKeeper):
    """Dots, blanks and dashes in keys become underscores."""

    def key_name(self, key: Any) -> Any:
        return key.translate(str.maketrans(".- ", "___")) if isinstance(key, str) else key


@specimen("shadowed-keys", caught_by="FID17", finding="corrupted")
class ShadowedKeys(Keeper):
    """Metadata shares a flat record with the message, whose own fields win."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        own = {"id": message.id, "role": message.role, "content": message.content}
        shadowed = {key: own.get(key, each) for key, each in message.metadata.items()}
        return {"metadata": shadowed}


@specimen("private-keys-removed", caught_by="FID17", finding="corrupted")
class PrivateKeysRemoved(Keeper):
    """Keys that begin with an underscore are taken for the store's own."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        public = {key: each for key, each in message.metadata.items() if str(key)[:1] != "_"}
        return {"metadata": public}


@specimen("ten-levels", caught_by="FID18", finding="corrupted")
class TenLevels(Keeper):
    """Metadata deeper than ten levels is cut off."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"metadata": self.cut(message.metadata, 10)}

    def cut(self, value: Any, levels: int) -> Any:
        """The value without what is too deep; a circle is left to the check of values."""
        if isinstance(value, dict) and not any(each is value for each in value.values()):
            return (
                {key: self.cut(each, levels - 1) for key, each in value.items()} if levels else {}
            )
        if isinstance(value, list):
            return [self.cut(each, levels - 1) for each in value] if levels else []
        return value


@specimen("sixty-four-keys", caught_by="FID18", finding="corrupted")
class SixtyFourKeys(Keeper):
    """Only sixty-four keys of metadata are kept."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"metadata": dict(list(message.metadata.items())[:64])}


@specimen("none-is-empty", caught_by="FID19", finding="corrupted")
class NoneIsEmpty(Reader):
    """A name that was not given comes back as an empty one."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        return {"name": message.name or ""}


@specimen("none-is-a-word", caught_by="FID19", finding="corrupted")
class NoneIsAWord(Reader):
    """A tool call id that was not given comes back as the word None."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        return {"tool_call_id": str(message.tool_call_id)}


@specimen("stamped", caught_by="FID19", finding="corrupted")
class Stamped(Reader):
    """The store writes a note of its own into empty metadata."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        return {"metadata": message.metadata or {"stored_by": "memory"}}


@specimen("fields-spill-over", caught_by="FID20", finding="corrupted", explains=("DUR",))
class FieldsSpillOver(Reference):
    """A field that a message lacks is taken from the one before it in the batch."""

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        name, filled = None, []
        for message in messages:
            name = message.name or name
            filled.append(message.model_copy(update={"name": name}))
        return super().encode(filled)


@specimen("metadata-merged", caught_by="FID20", finding="corrupted", explains=("DUR",))
class MetadataMerged(Reference):
    """One dict gathers the metadata of the whole batch."""

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        shared: dict[str, Any] = {}
        filled = []
        for message in messages:
            shared = {**shared, **message.metadata}
            filled.append(message.model_copy(update={"metadata": shared}))
        return super().encode(filled)

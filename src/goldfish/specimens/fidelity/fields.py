"""Stores that keep the text and lose or change what goes with it."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from goldfish.messages import ChatMessage, new_id
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.sqlite import Reference


class Keeper(Reference):
    """A store that changes the fields of a message before it writes them."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        """Return the fields that are kept otherwise than they were given."""
        raise NotImplementedError

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return super().encode([each.model_copy(update=self.kept(each)) for each in messages])


class Reader(Reference):
    """A store that changes the fields of a message when it reads them."""

    def read(self, message: ChatMessage) -> dict[str, Any]:
        """Return the fields that are read otherwise than they were kept."""
        raise NotImplementedError

    def decode(self, bodies: list[str]) -> list[Any]:
        return [each.model_copy(update=self.read(each)) for each in super().decode(bodies)]


variant("lower-case-roles", Keeper, "FID09", "corrupted")(
    bug="Roles are stored in lower case.", kept=lambda self, message: {"role": message.role.lower()}
)
variant("two-roles", Keeper, "FID09", "corrupted")(
    bug="Every role other than the user's becomes the assistant's.",
    kept=lambda self, message: {"role": "user" if message.role == "user" else "assistant"},
)
variant("unknown-is-user", Reader, "FID09", "corrupted")(
    bug="A role that is not in the list is read as the user's.",
    read=lambda self, message: {
        "role": message.role
        if message.role in ({"system", "user", "assistant", "tool"})
        else "user"
    },
)
variant("no-system-messages", Reference, "FID09", "lost", explains="ORD")(
    bug="System messages are dropped, because the agent has a prompt already.",
    encode=lambda self, messages: Reference.encode(
        self, [each for each in messages if each.role != "system"]
    ),
)
variant("ids-of-its-own", Reader, "FID10", "corrupted", explains="CLR DUP DUR")(
    bug="Every read makes new ids.", read=lambda self, message: {"id": new_id()}
)
variant("ids-as-numbers", Reader, "FID10", "corrupted")(
    bug="An id of digits comes back without its leading zeros.",
    read=lambda self, message: {
        "id": str(int(message.id)) if message.id.isdecimal() else message.id
    },
)
variant("ids-in-lower-case", Reader, "FID10", "corrupted")(
    bug="An id comes back in lower case, as from a UUID column.",
    read=lambda self, message: {"id": message.id.lower()},
)
variant("whole-seconds", Keeper, "FID11", "corrupted")(
    bug="The time of a message loses its fraction of a second.",
    kept=lambda self, message: {"created_at": message.created_at.replace(microsecond=0)},
)


@specimen("milliseconds", "FID11", "corrupted")
class Milliseconds(Keeper):
    bug = "The time of a message is kept in milliseconds."

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        moment = message.created_at
        return {"created_at": moment.replace(microsecond=moment.microsecond // 1000 * 1000)}


variant("wall-clock", Keeper, "FID11", "corrupted")(
    bug="The local time is kept, but not the time zone.",
    kept=lambda self, message: {"created_at": message.created_at.replace(tzinfo=UTC)},
)
variant("one-october-hour", Keeper, "FID11", "corrupted")(
    bug="The hour that occurs twice is taken for the first of the two.",
    kept=lambda self, message: {"created_at": message.created_at.replace(fold=0)},
)
variant("time-of-arrival", Keeper, "FID11", "corrupted")(
    bug="The time of a message is the time at which it was stored.",
    kept=lambda self, message: {"created_at": datetime.now(UTC)},
)
variant("nameless", Keeper, "FID12", "corrupted")(
    bug="There is no column for the name.", kept=lambda self, message: {"name": None}
)


@specimen("tidy-names", "FID12", "corrupted")
class TidyNames(Keeper):
    bug = "Only letters, digits and dashes of a name are kept."

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        name = message.name
        return {"name": name and "".join(each for each in name if each.isalnum() or each in "-_.")}


variant("results-without-calls", Keeper, "FID13", "corrupted")(
    bug="The id of the call that a tool answers is not kept.",
    kept=lambda self, message: {"tool_call_id": None},
)
variant("no-tool-calls", Keeper, "FID14", "corrupted")(
    bug="Tool calls are not kept.", kept=lambda self, message: {"tool_calls": []}
)
variant("one-tool-call", Keeper, "FID14", "corrupted")(
    bug="Of several tool calls only the first is kept.",
    kept=lambda self, message: {"tool_calls": message.tool_calls[:1]},
)


def change_arguments(change: Callable[[Any], Any], message: ChatMessage) -> dict[str, Any]:
    """Return the tool calls with the arguments of each function changed."""
    calls = [dict(call) for call in message.tool_calls]
    for call in calls:
        if "function" in call:
            arguments = call["function"]["arguments"]
            call["function"] = {**call["function"], "arguments": change(arguments)}
    return {"tool_calls": calls}


def parse_arguments(arguments: Any) -> Any:
    """Return arguments as an object, if they are JSON."""
    try:
        return json.loads(arguments)
    except (TypeError, ValueError):
        return arguments


variant("parsed-arguments", Reader, "FID14", "corrupted")(
    bug="The arguments of a call, a text, come back as an object.",
    read=lambda self, message: change_arguments(parse_arguments, message),
)


@specimen("reprinted-arguments", "FID14", "corrupted")
class ReprintedArguments(Keeper):
    bug = "The arguments of a call are parsed and printed again."

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        def reprinted(text: Any) -> Any:
            parsed = parse_arguments(text)
            return json.dumps(parsed) if isinstance(text, str) and parsed is not text else text

        return change_arguments(reprinted, message)


variant("repeated-call-dropped", Keeper, "FID14", "corrupted")(
    bug="Tool calls are kept by their ids, so a repeated one is kept once.",
    kept=lambda self, message: {
        "tool_calls": list({call["id"]: call for call in message.tool_calls}.values())
    },
)
variant("no-metadata", Keeper, "FID15", "corrupted")(
    bug="Metadata is not kept.", kept=lambda self, message: {"metadata": {}}
)


class MetadataKeeper(Keeper):
    """A store that changes each key and value of metadata, however deep."""

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        try:
            return {"metadata": self.walk(message.metadata)}
        except RecursionError:
            return {}

    def walk(self, value: Any) -> Any:
        """Return a value as it is kept, with those inside it."""
        if isinstance(value, dict):
            return {self.key_name(key): self.walk(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.walk(each) for each in value]
        return self.value(value)

    def key_name(self, key: Any) -> Any:
        """Return a key as it is kept."""
        return key

    def value(self, value: Any) -> Any:
        """Return a value without parts as it is kept."""
        return value


variant("none-removed", Keeper, "FID15", "corrupted")(
    bug="Keys whose value is None are removed from metadata.",
    kept=lambda self, message: {
        "metadata": {key: each for key, each in message.metadata.items() if each is not None}
    },
)
variant("flat-metadata", Keeper, "FID15", "corrupted")(
    bug="Only the top level of metadata is kept; nested values become text.",
    kept=lambda self, message: {
        "metadata": {
            key: str(each) if isinstance(each, dict) else each
            for key, each in message.metadata.items()
        }
    },
)
variant("text-metadata", MetadataKeeper, "FID15", "corrupted")(
    bug="Every number in metadata becomes text, as in a Redis hash.",
    value=lambda self, value: str(value) if isinstance(value, int | float) else value,
)
variant("bool-is-int", MetadataKeeper, "FID15", "corrupted")(
    bug="True comes back as 1.",
    value=lambda self, value: int(value) if isinstance(value, bool) else value,
)
variant("guessed-types", MetadataKeeper, "FID15", "corrupted")(
    bug="A text in metadata that looks like a number becomes one.",
    value=lambda self, value: int(value) if isinstance(value, str) and value.isdecimal() else value,
)


@specimen("sorted-lists", "FID15", "corrupted")
class SortedLists(MetadataKeeper):
    bug = "Lists in metadata lose their order and their repetitions."

    def walk(self, value: Any) -> Any:
        kept = super().walk(value)
        if isinstance(kept, list) and all(type(each) is int for each in kept):
            return sorted(set(kept))
        return kept


variant("numbers-are-doubles", MetadataKeeper, "FID16", "corrupted")(
    bug="Every number goes through a double, as in JavaScript.",
    value=lambda self, value: (
        int(float(value))
        if (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**300)
        else value
    ),
)
variant("six-digits", MetadataKeeper, "FID16", "corrupted")(
    bug="Floats are written with six digits.",
    value=lambda self, value: float(f"{value:g}") if isinstance(value, float) else value,
)


@specimen("int64-wraps", "FID16", "corrupted")
class Int64Wraps(MetadataKeeper):
    bug = "An integer beyond 64 bits wraps around."

    def value(self, value: Any) -> Any:
        if not isinstance(value, int) or -(2**63) <= value < 2**63:
            return value
        return (value + 2**63) % 2**64 - 2**63


variant("lower-case-keys", MetadataKeeper, "FID17", "corrupted")(
    bug="Keys of metadata are stored in lower case.",
    key_name=lambda self, key: key.lower() if isinstance(key, str) else key,
)
variant("keys-with-underscores", MetadataKeeper, "FID17", "corrupted")(
    bug="Dots, spaces and dashes in keys become underscores.",
    key_name=lambda self, key: (
        key.translate(str.maketrans(".- ", "___")) if isinstance(key, str) else key
    ),
)


@specimen("shadowed-keys", "FID17", "corrupted")
class ShadowedKeys(Keeper):
    bug = "Metadata shares a flat record with the message, whose own fields win."

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        own = {"id": message.id, "role": message.role, "content": message.content}
        shadowed = {key: own.get(key, each) for key, each in message.metadata.items()}
        return {"metadata": shadowed}


variant("private-keys-removed", Keeper, "FID17", "corrupted")(
    bug="Keys that begin with an underscore are taken for the store's own.",
    kept=lambda self, message: {
        "metadata": {key: each for key, each in message.metadata.items() if str(key)[:1] != "_"}
    },
)


@specimen("ten-levels", "FID18", "corrupted")
class TenLevels(Keeper):
    bug = "Metadata deeper than ten levels is cut off."

    def kept(self, message: ChatMessage) -> dict[str, Any]:
        return {"metadata": self.cut(message.metadata, 10)}

    def cut(self, value: Any, levels: int) -> Any:
        """Return the value without what is too deep; leave a circle to the encoding."""
        if isinstance(value, dict) and not any(each is value for each in value.values()):
            return (
                {key: self.cut(each, levels - 1) for key, each in value.items()} if levels else {}
            )
        if isinstance(value, list):
            return [self.cut(each, levels - 1) for each in value] if levels else []
        return value


variant("sixty-four-keys", Keeper, "FID18", "corrupted")(
    bug="Only sixty-four keys of metadata are kept.",
    kept=lambda self, message: {"metadata": dict(list(message.metadata.items())[:64])},
)
variant("none-is-empty", Reader, "FID19", "corrupted")(
    bug="A name that was not given comes back as an empty one.",
    read=lambda self, message: {"name": message.name or ""},
)
variant("none-is-a-word", Reader, "FID19", "corrupted")(
    bug="A tool call id that was not given comes back as the text None.",
    read=lambda self, message: {"tool_call_id": str(message.tool_call_id)},
)
variant("stamped", Reader, "FID19", "corrupted")(
    bug="The store writes a note of its own into empty metadata.",
    read=lambda self, message: {"metadata": message.metadata or {"stored_by": "memory"}},
)


@specimen("fields-spill-over", "FID20", "corrupted", explains="DUR")
class FieldsSpillOver(Reference):
    bug = "A field that a message lacks is taken from the one before it in the batch."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        name, filled = None, []
        for message in messages:
            name = message.name or name
            filled.append(message.model_copy(update={"name": name}))
        return super().encode(filled)


@specimen("metadata-merged", "FID20", "corrupted", explains="DUR")
class MetadataMerged(Reference):
    bug = "One dict collects the metadata of the whole batch."

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        shared: dict[str, Any] = {}
        filled = []
        for message in messages:
            shared = {**shared, **message.metadata}
            filled.append(message.model_copy(update={"metadata": shared}))
        return super().encode(filled)

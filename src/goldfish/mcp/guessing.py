"""Guesses what the tools of a server mean: by their names and schemas, then by one fact told."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from goldfish.errors import TargetError
from goldfish.mcp.answers import Answer, parse_text
from goldfish.mcp.known import choose_map
from goldfish.mcp.schemas import NAMES, fits_arguments, guess_arguments, list_required
from goldfish.mcp.templates import list_placeholders

# Words of a tool's name that say what it does; the earlier, the surer.
WORDS = {
    "remember": ("remember", "add", "store", "save", "create", "insert", "write", "log", "put"),
    "recall": ("recall", "search", "retrieve", "query", "find", "ask"),
    "list_facts": ("list", "all", "recent", "read"),
    "get_fact": ("get",),
    "revise": ("revise", "update", "edit", "modify"),
    "forget": ("forget", "delete", "remove"),
    "forget_all": ("forget_all", "delete_all", "clear", "reset"),
}
ABOUT = ("memory", "memories", "fact", "facts", "note", "notes", "observation", "observations")
NEEDED = {
    "remember": "text",
    "recall": "query",
    "get_fact": "id",
    "revise": "id",
    "forget": "id",
}
# What a tool may require beside the text, and a caller makes up.
HEADINGS = ("title", "name", "subject", "heading", "topic")
CATEGORY = "general"


@dataclass
class Guess:
    """A map that was guessed, as it is written in a file, and what to look at in it."""

    tool_map: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def guess_map(tools: Mapping[str, Mapping[str, Any]], command: str) -> Guess:
    """Return the map of a known server that fits, or one that is guessed from names and schemas."""
    try:
        known = choose_map(tools, command)
        return Guess(
            known.model_dump(exclude_defaults=True), ["The tools are those of a known server."]
        )
    except TargetError:
        pass
    guess, taken = Guess(), set[str]()
    for method in WORDS:
        if chosen := _choose_tool(method, {k: v for k, v in tools.items() if k not in taken}):
            taken.add(chosen["tool"])
            guess.tool_map[method] = chosen
            made = [each for each, value in chosen["arguments"].items() if _is_made_up(value)]
            if made:
                names = ", ".join(made)
                guess.remarks.append(f"{chosen['tool']} requires {names}: look at what it gets.")
    if "remember" not in guess.tool_map or not guess.tool_map.keys() & {"recall", "list_facts"}:
        there = ", ".join(sorted(tools)) or "none"
        raise TargetError(
            f"no tools of {command!r} look like remembering and recalling: it has {there}; "
            "write the map by hand, as docs/howto/mcp.md shows"
        )
    if unused := sorted(set(tools) - taken):
        guess.remarks.append(f"Not in the map: {', '.join(unused)}.")
    if not any("{user}" in str(each) for each in guess.tool_map.values()):
        guess.remarks.append("No tool takes a user: each user gets a server of her own.")
    return guess


def learn_reading(guess: Guess, answers: Mapping[str, Answer], text: str) -> None:
    """Note in the map where a fact that was told is in the answers, by their methods.

    A tool that does not return it is left out if another one does.
    """
    missed = [each for each, answer in answers.items() if not _has_fact(answer, text)]
    for method, answer in answers.items():
        place = next(find_places(answer.value, text), None)
        tool = guess.tool_map[method]
        if place is not None and place[1] == text:
            facts, _, inside = place[0].rpartition("[]")
            tool |= {"facts": f"{facts}[]"} if "[]" in place[0] else {"facts": place[0]}
            tool |= {"text": inside.lstrip(".")} if "[]" in place[0] and inside else {}
            tool |= _find_id(answer, tool["facts"])
            guess.remarks.append(f"{tool['tool']} returned the fact at {place[0] or 'its top'}.")
        elif text in answer.prose:
            guess.tool_map["contains"] = True
            guess.remarks.append(
                f"{tool['tool']} answers in prose: it is asked only whether it contains a fact; "
                "with pattern= facts are read from it."
            )
        else:
            guess.remarks.append(
                f"{tool['tool']} did not return the fact that {guess.tool_map['remember']['tool']} "
                f"was told; it returned {answer.prose[:100]!r}."
            )
    if len(missed) < len(answers):
        for method in missed:
            del guess.tool_map[method]


def _has_fact(answer: Answer, text: str) -> bool:
    return text in answer.prose or any(
        found == text for _, found in find_places(answer.value, text)
    )


def find_places(value: Any, text: str, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the paths to texts that are or contain this one; equal ones come first."""
    found = [each for each in _walk(value, path) if text in each[1]]
    yield from sorted(found, key=lambda each: each[1] != text)


def _walk(value: Any, path: str) -> Iterator[tuple[str, str]]:
    inner = parse_text(value) if isinstance(value, str) and path else value
    match inner:
        case Mapping():
            for key, each in inner.items():
                yield from _walk(each, f"{path}.{key}" if path else str(key))
        case list():
            for each in inner:
                yield from _walk(each, f"{path}[]")
        case str():
            yield path, inner


def _find_id(answer: Answer, facts: str) -> dict[str, str]:
    try:
        items = answer.find(facts, {})
    except Exception:  # a guess may be wrong; then there is no id
        return {}
    first = items[0] if items else None
    keys = [each for each in NAMES["id"] if isinstance(first, Mapping) and each in first]
    return {"id": keys[0]} if keys else {}


def _choose_tool(method: str, tools: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the tool whose name says the most clearly that it does this, with its arguments."""
    rated = [(_rate(method, name), -len(name), name) for name in tools]
    for rating, _, name in sorted(rated, reverse=True):
        schema = tools[name].get("inputSchema") or {}
        arguments = guess_arguments(method, schema)
        if method == "remember":
            arguments |= _make_up(arguments, schema)
        needed = NEEDED.get(method)
        has_needed = needed is None or f"{{{needed}}}" in arguments.values()
        if rating and has_needed and fits_arguments(arguments, schema):
            return {"tool": name, "arguments": arguments}
    return None


def _make_up(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, str]:
    """Return arguments that a tool requires beside the text: a heading of its own, or a choice.

    Any other text is a category, more likely than not.
    """
    made = {}
    for name in list_required(schema):
        described = schema.get("properties", {}).get(name, {})
        if name in arguments:
            continue
        if choices := described.get("enum"):
            made[name] = str(CATEGORY if CATEGORY in choices else choices[0])
        elif name in HEADINGS:
            made[name] = "{new}"
        elif described.get("type") == "string":
            made[name] = CATEGORY
    return made


def _is_made_up(value: Any) -> bool:
    return value == "{new}" or not list(list_placeholders(value))


def _rate(method: str, name: str) -> int:
    parts = [each.lower() for each in re.findall(r"[A-Za-z][a-z]*", name)]
    whole = "_".join(parts)
    words = WORDS[method]
    hits = [len(words) - place for place, word in enumerate(words) if word in (*parts, whole)]
    hits += [len(words)] if any("_" in word and word in whole for word in words) else []
    if not hits or (method == "forget" and "all" in parts):
        return 0
    return 2 * max(hits) + bool(set(parts) & set(ABOUT))

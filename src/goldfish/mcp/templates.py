"""Templates: the arguments of a tool, with ``{user}``, ``{text}`` and the like to be filled in."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

PLACEHOLDER = re.compile(r"\{(\w+)\}")
# What the methods of a store know, by the method.
VALUES = {
    "begin": set[str](),
    "remember": {"user", "text", "metadata", "new"},
    "recall": {"user", "query", "limit"},
    "list_facts": {"user", "limit"},
    "get_fact": {"user", "id"},
    "revise": {"user", "id", "text"},
    "forget": {"user", "id"},
    "forget_all": {"user"},
}


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """Return a template with its values; a text that is one placeholder becomes the value itself.

    It is filled in once: braces in a value are the user's own.
    """
    match template:
        case str():
            if whole := PLACEHOLDER.fullmatch(template):
                return values.get(whole[1], template)
            return PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), template)
        case Mapping():
            return {fill(key, values): fill(each, values) for key, each in template.items()}
        case list():
            return [fill(each, values) for each in template]
    return template


def list_placeholders(template: Any) -> Iterator[str]:
    """Yield the names in a template that are to be filled in."""
    match template:
        case str():
            yield from PLACEHOLDER.findall(template)
        case Mapping():
            for key, each in template.items():
                yield from list_placeholders(key)
                yield from list_placeholders(each)
        case list():
            for each in template:
                yield from list_placeholders(each)

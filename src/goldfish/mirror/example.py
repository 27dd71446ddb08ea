"""An answer in JSON that looks like the example in its prompt, where no schema says how it looks.

Prompts that extract facts show what they want: ``{"facts": ["Likes tea", "Is called Ann"]}``. The
answer has the same keys, and for each mark that was shown an entry with the words around it.
"""

import json
import re
from typing import Any

from goldfish.mirror.marks import find_marks
from goldfish.mirror.record import Json, Prompt

_DECODER = json.JSONDecoder()


def answer_by_example(prompt: Prompt, marks: list[str]) -> Json | None:
    """Return an answer like the last example of the prompt that says something; None without one.

    ``marks`` are those that the answer is to have.
    """
    examples = [each for each in _find_objects(prompt.system or prompt.text) if _has_prose(each)]
    if not examples:
        return None
    made: Json = _make(examples[-1], [_quote(prompt.text, mark) for mark in marks])
    return made


def _find_objects(text: str) -> list[Json]:
    """Return the JSON objects of a text that show no marks: those are not examples."""
    found, at = [], 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if not find_marks(text[at:end]):
            found.append(value)
        at = end
    return found


def _has_prose(value: Any) -> bool:
    """Return True if an example has a list with sentences in it."""
    if isinstance(value, dict):
        return any(map(_has_prose, value.values()))
    return isinstance(value, list) and any(map(_is_prose, value))


def _is_prose(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_prose, value.values()))
    return isinstance(value, str) and " " in value.strip()


def _make(example: Any, texts: list[str]) -> Any:
    """Return a value like the example: a list of sentences has one for each text."""
    if isinstance(example, dict):
        return {key: _make(value, texts) for key, value in example.items()}
    if isinstance(example, list):
        first = next(filter(_is_prose, example), None)
        return [] if first is None else [_fill(first, text) for text in texts]
    return " ".join(texts) if _is_prose(example) else example


def _fill(example: Any, text: str) -> Any:
    """Return an entry like the example: its sentences become the text, its words stay."""
    if isinstance(example, dict):
        return {key: _fill(value, text) for key, value in example.items()}
    if isinstance(example, list):
        return []  # references to what is not there
    return text if _is_prose(example) else example


def _quote(text: str, mark: str) -> str:
    """Return the sentence in which a mark first stands."""
    found = re.search(rf'[^.\n"{{}}\[\]]*{mark}[^.\n"{{}}\[\]]*', text)
    return found[0].strip() if found else mark

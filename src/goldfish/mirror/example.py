"""An answer in JSON that looks like the example in its prompt, where no schema says how it looks.

Prompts that extract facts show what they want: ``{"facts": ["Likes tea", "Is called Ann"]}``. The
answer has the same keys, and for each mark that was shown an entry with the words around it.
"""

import json
import re
from typing import Any

from goldfish.mirror.marks import find_marks
from goldfish.mirror.record import Json, Prompt

SENTENCE = "a sentence"
_DECODER = json.JSONDecoder()
_PLACEHOLDER = re.compile(r"[.…\s]*|<.*>|string|str|text", re.IGNORECASE)
_LIST = re.compile(r'"(\w+)"\s*:\s*\[')  # {"facts": [...]} is no JSON, and people write it
_NAMED = re.compile(
    r"""(?:key|field|property)\s+["'`](\w+)["'`]|["'`](\w+)["'`]\s+(?:key|field|property)"""
)


def answer_by_example(prompt: Prompt, marks: list[str], own: str = "") -> Json | None:
    """Return an answer like the last example of the prompt that says something; None without one.

    ``marks`` are those that the answer is to have. Where no example has a sentence, a placeholder
    is taken for one (``{"facts": ["..."]}``), and then a key that the prompt names for a list.
    An example without a list is the form of a reply, which has a mark of its ``own`` too.
    """
    instructions = prompt.system or prompt.text
    texts = [_quote(prompt.text, mark) for mark in marks]
    objects = [each for each in _find_objects(instructions) if each]
    sketches = [_fill_in(each) for each in objects]
    if examples := list(filter(_has_prose, objects)) or list(filter(_has_prose, sketches)):
        return dict(_make(examples[-1], texts))
    if key := _find_named_list(instructions):
        return {key: texts}
    said = [*texts, own] if own and own not in texts else texts
    if forms := list(filter(_is_prose, sketches)):
        return dict(_make(forms[-1], said))
    # The marks are beside the words of the example: it may be one of a router, or of a profile.
    return {**objects[-1], "text": " ".join(said)} if objects else None


def _fill_in(value: Any) -> Any:
    """Return a sketch of an answer as an example, with a sentence for each placeholder."""
    if isinstance(value, dict):
        return {key: _fill_in(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_fill_in(each) for each in value] if any(map(_is_nested, value)) else [SENTENCE]
    is_placeholder = isinstance(value, str) and _PLACEHOLDER.fullmatch(value.strip())
    return SENTENCE if is_placeholder else value


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _find_named_list(text: str) -> str | None:
    """Return the key for which instructions want a list, from lines without marks."""
    lines = "\n".join(each for each in text.splitlines() if not find_marks(each))
    found = _LIST.findall(lines) or ["".join(each) for each in _NAMED.findall(lines)]
    return found[-1] if found else None


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

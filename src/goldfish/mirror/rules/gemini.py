"""What Gemini refuses."""

import re

from goldfish.mirror.record import Json
from goldfish.mirror.rules.rule import THREADS, Found, Rule
from goldfish.mirror.wire.base import as_dicts
from goldfish.mirror.wire.gemini import find_parts, pick, signs_thoughts

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
REFERENCE = "https://ai.google.dev/api/generate-content"


def _contents(body: Json) -> list[Json]:
    return as_dicts(body.get("contents"))


def _no_contents(body: Json) -> Found:
    if not _contents(body):
        yield {}


def _unknown_gemini_role(body: Json) -> Found:
    for content in _contents(body):
        if content.get("role", "user") not in ("user", "model", "function", "tool"):
            yield {}


def _no_parts(body: Json) -> Found:
    for at, content in enumerate(_contents(body)):
        if not as_dicts(content.get("parts")):
            yield {"at": at}


def _call_turn_misplaced(body: Json) -> Found:
    before: Json = {"role": "model"}
    for content in _contents(body):
        if find_parts(content, "functionCall") and before.get("role", "user") == "model":
            yield {}
        before = content


def _response_turn_misplaced(body: Json) -> Found:
    before: Json = {}
    for content in _contents(body):
        if find_parts(content, "functionResponse") and not find_parts(before, "functionCall"):
            yield {}
        before = content


def _response_count(body: Json) -> Found:
    contents = _contents(body)
    for content, following in zip(contents, [*contents[1:], {}], strict=False):
        calls = len(find_parts(content, "functionCall"))
        if calls and len(find_parts(following, "functionResponse")) != calls:
            yield {}


def _thought_unsigned(body: Json) -> Found:
    """Find calls of the current turn whose signature did not come back.

    Of calls at once only the first has one; turns before the user's newest message are not looked
    at.
    """
    if not signs_thoughts(str(body.get("model", ""))):
        return
    contents = _contents(body)
    said = [at for at, each in enumerate(contents) if _is_said(each)]
    for at in range(said[-1] + 1 if said else 0, len(contents)):
        parts = as_dicts(contents[at].get("parts"))
        called = [each for each in parts if pick(each, "functionCall")]
        if called and not (called[0].get("thoughtSignature") or called[0].get("thought_signature")):
            yield {"name": pick(called[0], "functionCall").get("name", ""), "at": at + 1}


def _is_said(content: Json) -> bool:
    """Return True for words of the user, as opposed to results of functions."""
    is_user = content.get("role", "user") == "user"
    return is_user and any("text" in each for each in as_dicts(content.get("parts")))


def _bad_gemini_name(body: Json) -> Found:
    for at, tool in enumerate(as_dicts(body.get("tools"))):
        declared = tool.get("functionDeclarations") or tool.get("function_declarations")
        for which, each in enumerate(as_dicts(declared)):
            if not NAME.fullmatch(str(each.get("name", ""))):
                yield {"at": at, "which": which}


RULES = (
    Rule(
        "gemini",
        "empty contents",
        "* GenerateContentRequest.contents: contents is not specified",
        REFERENCE,
        _no_contents,
    ),
    Rule(
        "gemini",
        "unknown role",
        "Please use a valid role: user, model.",
        REFERENCE,
        _unknown_gemini_role,
    ),
    Rule(
        "gemini",
        "empty parts",
        "* GenerateContentRequest.contents[{at}].parts: contents.parts must not be empty.",
        REFERENCE,
        _no_parts,
    ),
    Rule(
        "gemini",
        "call turn",
        "Please ensure that function call turn comes immediately after a user turn or after a "
        "function response turn.",
        f"{THREADS}google-gemini/gemini-cli/issues/11814",
        _call_turn_misplaced,
    ),
    Rule(
        "gemini",
        "response turn",
        "Please ensure that function response turn comes immediately after a function call turn.",
        f"{THREADS}google-gemini/gemini-cli/issues/26956",
        _response_turn_misplaced,
    ),
    Rule(
        "gemini",
        "response count",
        "Please ensure that the number of function response parts is equal to the number of "
        "function call parts of the function call turn.",
        f"{THREADS}google-gemini/gemini-cli/issues/16415",
        _response_count,
    ),
    Rule(
        "gemini",
        "thought signature",
        "Function call is missing a thought_signature in functionCall parts. This is required for "
        "tools to work correctly, and missing thought_signature may lead to degraded model "
        "performance. Additional data, function call `default_api:{name}` , position {at}. Please "
        "refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
        "https://ai.google.dev/gemini-api/docs/thought-signatures",
        _thought_unsigned,
    ),
    Rule(
        "gemini",
        "tool name",
        "* GenerateContentRequest.tools[{at}].function_declarations[{which}].name: Invalid "
        "function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, "
        "0-9), underscores (_), dots (.), colons (:) or dashes (-), with a maximum length of 128.",
        REFERENCE,
        _bad_gemini_name,
    ),
)

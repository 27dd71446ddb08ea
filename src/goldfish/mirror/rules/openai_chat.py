"""What OpenAI's Chat Completions refuse."""

import re
from typing import Any

from goldfish.mirror.record import Json
from goldfish.mirror.rules.rule import THREADS, Found, Rule
from goldfish.mirror.wire.base import as_dicts

NAME = re.compile(r"[a-zA-Z0-9_-]+")
REFERENCE = "https://platform.openai.com/docs/api-reference/chat/create"

ROLES = ("system", "assistant", "user", "function", "tool", "developer")


def find_no_messages(body: Json) -> Found:
    if not as_dicts(body.get("messages")):
        yield {}


def _unknown_chat_role(body: Json) -> Found:
    for message in as_dicts(body.get("messages")):
        if message.get("role") not in ROLES:
            yield {"role": message.get("role")}


def _empty_calls(body: Json) -> Found:
    for at, message in enumerate(as_dicts(body.get("messages"))):
        if message.get("tool_calls") == []:
            yield {"at": at}


def _result_without_call(body: Json) -> Found:
    """A tool message answers the nearest assistant message, with only tool messages between."""
    offered: set[Any] = set()
    for message in as_dicts(body.get("messages")):
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in offered:
                yield {}
        else:
            offered = {each.get("id") for each in as_dicts(message.get("tool_calls"))}


def _call_without_result(body: Json) -> Found:
    messages = as_dicts(body.get("messages"))
    for at, message in enumerate(messages):
        missing = [each.get("id") for each in as_dicts(message.get("tool_calls"))]
        for following in messages[at + 1 :]:
            if following.get("role") != "tool":
                break
            missing = [each for each in missing if each != following.get("tool_call_id")]
        if missing:
            yield {"ids": ", ".join(map(str, missing))}


def _bad_chat_name(body: Json) -> Found:
    for at, tool in enumerate(as_dicts(body.get("tools"))):
        function = tool.get("function")
        if isinstance(function, dict) and not NAME.fullmatch(str(function.get("name", ""))):
            yield {"place": f"tools[{at}].function.name"}
    for at, message in enumerate(as_dicts(body.get("messages"))):
        for which, call in enumerate(as_dicts(message.get("tool_calls"))):
            function = call.get("function")
            name = function.get("name") if isinstance(function, dict) else "custom"
            if not NAME.fullmatch(str(name)):
                yield {"place": f"messages[{at}].tool_calls[{which}].function.name"}


RULES = (
    Rule(
        "openai-chat",
        "empty messages",
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an "
        "empty array instead.",
        f"{THREADS}CopilotKit/CopilotKit/issues/529",
        find_no_messages,
        "empty_array",
    ),
    Rule(
        "openai-chat",
        "unknown role",
        "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', "
        "'function', 'tool', and 'developer'.",
        REFERENCE,
        _unknown_chat_role,
        "invalid_value",
    ),
    Rule(
        "openai-chat",
        "empty calls",
        "Invalid 'messages[{at}].tool_calls': empty array. Expected an array with minimum length "
        "1, but got an empty array instead.",
        f"{THREADS}openai/openai-node/pull/1341",
        _empty_calls,
        "empty_array",
    ),
    Rule(
        "openai-chat",
        "call without result",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
        f"{THREADS}BerriAI/litellm/issues/10083",
        _call_without_result,
    ),
    Rule(
        "openai-chat",
        "result without call",
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
        "with 'tool_calls'.",
        f"{THREADS}openai/openai-go/issues/43",
        _result_without_call,
    ),
    Rule(
        "openai-chat",
        "tool name",
        "Invalid '{place}': string does not match pattern. Expected a string that matches the "
        "pattern '^[a-zA-Z0-9_-]+$'.",
        f"{THREADS}mcp-use/mcp-use/issues/90",
        _bad_chat_name,
        "invalid_value",
    ),
)

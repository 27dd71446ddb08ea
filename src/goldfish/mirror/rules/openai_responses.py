"""What OpenAI's Responses refuse."""

import re
from typing import Any

from goldfish.mirror.record import Json
from goldfish.mirror.rules.openai_chat import NAME
from goldfish.mirror.rules.rule import THREADS, Found, Rule
from goldfish.mirror.wire.base import as_dicts
from goldfish.mirror.wire.openai_responses import CALLS, EARLIER, RESULTS

REFERENCE = "https://platform.openai.com/docs/api-reference/responses/create"

ROLES = ("assistant", "system", "developer", "user")


def _unknown_previous(body: Json) -> Found:
    if body.get("previous_response_id") and EARLIER not in body:
        yield {"id": body["previous_response_id"]}


def _unknown_item(body: Json) -> Found:
    for item in body["input"]:
        if item.get("type") == "item_reference":
            yield {"id": item.get("id")}


def _unknown_responses_role(body: Json) -> Found:
    for item in body["input"]:
        if item.get("type", "message") == "message" and item.get("role") not in ROLES:
            yield {"role": item.get("role")}


def _output_without_call(body: Json) -> Found:
    called: set[Any] = set()
    for item in body["input"]:
        if item.get("type") in CALLS:
            called.add(item.get("call_id"))
        elif item.get("type") in RESULTS and item.get("call_id") not in called:
            yield {"id": item.get("call_id")}


def _call_without_output(body: Json) -> Found:
    answered = {each.get("call_id") for each in body["input"] if each.get("type") in RESULTS}
    for item in body["input"]:
        if item.get("type") in CALLS and item.get("call_id") not in answered:
            yield {"id": item.get("call_id")}


def _reasoning_alone(body: Json) -> Found:
    items = body["input"]
    for item, following in zip(items, [*items[1:], {}], strict=False):
        thought = item.get("type") == "reasoning"
        said = following.get("type", "message") != "message" or following.get("role") == "assistant"
        if thought and (not following or not said or following.get("type") in RESULTS):
            yield {"id": item.get("id")}


def _reasoning_lost(body: Json) -> Found:
    """An item that followed a thought, sent back by its id, needs the thought."""
    thoughts = {each.get("id") for each in body["input"] if each.get("type") == "reasoning"}
    for item in body["input"]:
        found = re.match(r"(?:fc|msg)_(\d+)r", str(item.get("id", "")))
        if found and f"rs_{found[1]}" not in thoughts:
            kind = item.get("type", "message")
            yield {"id": item["id"], "kind": kind, "thought": f"rs_{found[1]}"}


def _bad_responses_name(body: Json) -> Found:
    for at, tool in enumerate(as_dicts(body.get("tools"))):
        name = str(tool.get("name", ""))
        if tool.get("type") == "function" and not NAME.fullmatch(name):
            yield {"place": f"tools[{at}].name"}


RULES = (
    Rule(
        "openai-responses",
        "unknown previous response",
        "Previous response with id '{id}' not found.",
        REFERENCE,
        _unknown_previous,
        "previous_response_not_found",
    ),
    Rule(
        "openai-responses",
        "unknown item",
        "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try "
        "again with `store` set to true, or remove this item from your input.",
        f"{THREADS}vercel/ai/issues/7543",
        _unknown_item,
    ),
    Rule(
        "openai-responses",
        "unknown role",
        "Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and "
        "'user'.",
        REFERENCE,
        _unknown_responses_role,
        "invalid_value",
    ),
    Rule(
        "openai-responses",
        "call without result",
        "No tool output found for function call {id}.",
        f"{THREADS}Azure/azure-sdk-for-python/issues/46092",
        _call_without_output,
    ),
    Rule(
        "openai-responses",
        "result without call",
        "No tool call found for function call output with call_id {id}.",
        f"{THREADS}james-6-23/codex2api/issues/414",
        _output_without_call,
    ),
    Rule(
        "openai-responses",
        "reasoning alone",
        "Item '{id}' of type 'reasoning' was provided without its required following item.",
        f"{THREADS}openai/openai-node/issues/1567",
        _reasoning_alone,
    ),
    Rule(
        "openai-responses",
        "reasoning lost",
        "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: "
        "'{thought}'.",
        f"{THREADS}continuedev/continue/issues/12620",
        _reasoning_lost,
    ),
    Rule(
        "openai-responses",
        "tool name",
        "Invalid '{place}': string does not match pattern. Expected a string that matches the "
        "pattern '^[a-zA-Z0-9_-]+$'.",
        REFERENCE,
        _bad_responses_name,
        "invalid_value",
    ),
)

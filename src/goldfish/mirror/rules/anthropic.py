"""What Anthropic's Messages refuse."""

import re

from goldfish.mirror.record import Json
from goldfish.mirror.rules.openai_chat import find_no_messages
from goldfish.mirror.rules.rule import THREADS, Found, Rule
from goldfish.mirror.wire.anthropic import sign
from goldfish.mirror.wire.base import as_dicts

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
REFERENCE = "https://platform.claude.com/docs/en/api/messages"
TRIED = f"{THREADS}experientiallabs/experiential/pull/804"


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else as_dicts(content)


def _of_kind(message: Json, kind: str) -> list[Json]:
    return [each for each in _blocks(message) if each.get("type") == kind]


def _unknown_anthropic_role(body: Json) -> Found:
    for message in as_dicts(body.get("messages")):
        if message.get("role") not in ("user", "assistant"):
            yield {"role": message.get("role")}


def _first_not_user(body: Json) -> Found:
    if as_dicts(body.get("messages"))[0].get("role") != "user":
        yield {}


def _empty_user_message(body: Json) -> Found:
    for at, message in enumerate(as_dicts(body.get("messages"))):
        if message.get("role") == "user" and message.get("content") in ("", [], None):
            yield {"at": at}


def _empty_text(body: Json) -> Found:
    system = body.get("system")
    for block in as_dicts(system):
        if block.get("type") == "text" and not block.get("text"):
            yield {"place": "system"}
    for message in as_dicts(body.get("messages")):
        for block in as_dicts(message.get("content")):
            if block.get("type") == "text" and not block.get("text"):
                yield {"place": "messages"}


def _white_text(body: Json) -> Found:
    system = body.get("system")
    if isinstance(system, str) and system and not system.strip():
        yield {"place": "system"}
    for message in as_dicts(body.get("messages")):
        texts = [each.get("text") for each in _blocks(message) if each.get("type") == "text"]
        only = len(texts) == len(_blocks(message))
        if only and any(texts) and not any(str(each).strip() for each in texts):
            yield {"place": "messages"}


def _tool_use_without_result(body: Json) -> Found:
    messages = as_dicts(body.get("messages"))
    for at, message in enumerate(messages):
        called = [each.get("id") for each in _of_kind(message, "tool_use")]
        following = messages[at + 1] if at + 1 < len(messages) else {}
        given = {each.get("tool_use_id") for each in _of_kind(following, "tool_result")}
        missing = [str(each) for each in called if each not in given]
        if missing:
            yield {"at": at, "ids": ", ".join(missing)}


def _tool_result_without_use(body: Json) -> Found:
    before: Json = {}
    for at, message in enumerate(as_dicts(body.get("messages"))):
        called = {each.get("id") for each in _of_kind(before, "tool_use")}
        for which, block in enumerate(_blocks(message)):
            stray = block.get("tool_use_id") not in called
            if block.get("type") == "tool_result" and stray:
                yield {"at": at, "which": which, "id": block.get("tool_use_id")}
        before = message


def _two_results(body: Json) -> Found:
    for at, message in enumerate(as_dicts(body.get("messages"))):
        ids = [each.get("tool_use_id") for each in _of_kind(message, "tool_result")]
        for each in {one for one in ids if ids.count(one) > 1}:
            yield {"at": at, "id": each}


def _repeated_uses(body: Json) -> Found:
    messages = as_dicts(body.get("messages"))
    ids = [each.get("id") for one in messages for each in _of_kind(one, "tool_use")]
    if len(set(ids)) < len(ids):
        yield {}


def _bad_anthropic_name(body: Json) -> Found:
    for at, tool in enumerate(as_dicts(body.get("tools"))):
        if not NAME.fullmatch(str(tool.get("name", ""))):
            yield {"at": at}


def _unsigned_thought(body: Json) -> Found:
    for at, message in enumerate(as_dicts(body.get("messages"))):
        for which, block in enumerate(_blocks(message)):
            if block.get("type") == "thinking" and not block.get("signature"):
                yield {"at": at, "which": which}


def _wrong_signature(body: Json) -> Found:
    for at, message in enumerate(as_dicts(body.get("messages"))):
        for which, block in enumerate(_blocks(message)):
            is_thought = block.get("type") == "thinking"
            if is_thought and block.get("signature") != sign(str(block.get("thinking", ""))):
                yield {"at": at, "which": which}


def _thought_lost(body: Json) -> Found:
    """The assistant's last calls, if their results end the request, begin with a thought."""
    if (body.get("thinking") or {}).get("type") != "enabled":
        return
    messages = as_dicts(body.get("messages"))
    if len(messages) < 2 or not _of_kind(messages[-1], "tool_result"):
        return
    first = next(iter(_blocks(messages[-2])), {})
    if first.get("type") not in ("thinking", "redacted_thinking"):
        yield {"at": len(messages) - 2, "kind": first.get("type")}


RULES = (
    Rule(
        "anthropic",
        "empty messages",
        "messages: at least one message is required",
        REFERENCE,
        find_no_messages,
    ),
    Rule(
        "anthropic",
        "unknown role",
        'messages: Unexpected role "{role}". The Messages API accepts a top-level `system` '
        'parameter, not "system" as an input message role.',
        REFERENCE,
        _unknown_anthropic_role,
    ),
    Rule(
        "anthropic",
        "first message",
        'messages: first message must use the "user" role',
        f"{THREADS}lobehub/lobehub/issues/1601",
        _first_not_user,
    ),
    Rule(
        "anthropic",
        "empty message",
        "messages.{at}: user messages must have non-empty content",
        TRIED,
        _empty_user_message,
    ),
    Rule(
        "anthropic",
        "empty text",
        "{place}: text content blocks must be non-empty",
        f"{THREADS}BerriAI/litellm/pull/22979",
        _empty_text,
    ),
    Rule(
        "anthropic",
        "white text",
        "{place}: text content blocks must contain non-whitespace text",
        TRIED,
        _white_text,
    ),
    Rule(
        "anthropic",
        "call without result",
        "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        "{ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
        "message.",
        f"{THREADS}anthropics/claude-code/issues/1237",
        _tool_use_without_result,
    ),
    Rule(
        "anthropic",
        "result without call",
        "messages.{at}.content.{which}: unexpected `tool_use_id` found in `tool_result` blocks: "
        "{id}. Each `tool_result` block must have a corresponding `tool_use` block in the "
        "previous message.",
        f"{THREADS}decocms/studio/issues/1803",
        _tool_result_without_use,
    ),
    Rule(
        "anthropic",
        "two results",
        "messages.{at}.content: each tool_use must have a single result. Found multiple "
        "`tool_result` blocks with id: {id}",
        REFERENCE,
        _two_results,
    ),
    Rule(
        "anthropic",
        "repeated calls",
        "messages: `tool_use` ids must be unique",
        REFERENCE,
        _repeated_uses,
    ),
    Rule(
        "anthropic",
        "tool name",
        "tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'",
        REFERENCE,
        _bad_anthropic_name,
    ),
    Rule(
        "anthropic",
        "thought without signature",
        "messages.{at}.content.{which}.thinking.signature: Field required",
        f"{THREADS}langchain-ai/langchain/pull/29971",
        _unsigned_thought,
    ),
    Rule(
        "anthropic",
        "wrong signature",
        "messages.{at}.content.{which}: Invalid `signature` in `thinking` block",
        f"{THREADS}NoeFabris/opencode-antigravity-auth/issues/73",
        _wrong_signature,
    ),
    Rule(
        "anthropic",
        "thought lost",
        "messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
        "`{kind}`. When `thinking` is enabled, a final `assistant` message must start with a "
        "thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
        f"{THREADS}anomalyco/opencode/issues/3077",
        _thought_lost,
    ),
)

"""The forms in which stores take messages: ours, dicts, LangChain's messages, items of OpenAI."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

Form = Literal["goldfish", "dict", "langchain", "openai"]
OWN: Form = "goldfish"


class _Ways(NamedTuple):
    """How a form is made of one of our messages, and one of ours of what comes back."""

    to: Callable[[Any], Any]
    back: Callable[[Any], Any]


def _to_dict(message: Any) -> dict[str, Any]:
    """Return the message as people write one: texts, and no key without a value."""
    fields = {"role": message.role, "content": message.content, "id": message.id}
    others = {
        name: getattr(message, name) for name in ("name", "tool_calls", "tool_call_id", "metadata")
    }
    given = {name: value for name, value in others.items() if value not in (None, [], {})}
    return {**fields, "created_at": message.created_at.isoformat(), **given}


def _to_langchain(message: Any) -> Any:
    from goldfish.integrations.langchain.messages import to_langchain

    return to_langchain(message)


def _from_langchain(message: Any) -> Any:
    from langchain_core.messages import BaseMessage

    from goldfish.integrations.langchain.messages import from_langchain

    return from_langchain(message) if isinstance(message, BaseMessage) else message


def _to_item(message: Any) -> Any:
    from goldfish.integrations.openai_agents.items import to_item

    return to_item(message)


def _from_item(item: Any) -> Any:
    from goldfish.integrations.openai_agents.items import from_item

    return from_item(item) if isinstance(item, Mapping) else item


WAYS: Mapping[str, _Ways] = {
    "dict": _Ways(_to_dict, lambda found: found),
    "langchain": _Ways(_to_langchain, _from_langchain),
    "openai": _Ways(_to_item, _from_item),
}
FORMS = (OWN, *WAYS)


def put_in_form(form: str, method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a call with the messages in the form that the store takes."""
    if form == OWN or method != "add_messages" or len(arguments) < 2:
        return arguments
    session, messages, *others = arguments
    if not isinstance(messages, list | tuple):
        return arguments
    return session, [_convert(WAYS[form], each) for each in messages], *others


def read_form(form: str, method: str, answer: Any) -> Any:
    """Return what a store answered, with the messages of a history as ours where they differ."""
    if form == OWN or method != "get_history" or not isinstance(answer, list | tuple):
        return answer
    return [WAYS[form].back(each) for each in answer]


def _convert(ways: _Ways, message: Any) -> Any:
    return ways.to(message) if hasattr(message, "content") else message  # some are no messages

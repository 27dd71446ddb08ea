"""The schemas of tools: whether a call fits one, and which argument means what by its name."""

from collections.abc import Mapping
from typing import Any

from goldfish.errors import TargetError
from goldfish.mcp.mapping import Tool, ToolMap
from goldfish.mcp.templates import VALUES

# Names that parameters have in published servers, by what they mean.
NAMES = {
    "user": ("user_id", "userId", "user", "entityName", "entity_name", "namespace", "owner"),
    "text": ("text", "content", "fact", "memory", "observation", "value", "message", "note"),
    "query": ("query", "q", "search", "search_query", "question", "keyword"),
    "limit": ("limit", "top_k", "topK", "k", "n_results", "max_results", "count"),
    "id": ("id", "memory_id", "memoryId", "fact_id", "content_hash", "uuid", "key"),
    "metadata": ("metadata", "meta"),
}
KINDS = {
    "limit": {"integer", "number"},
    "metadata": {"object"},
    "id": {"string", "integer", "number"},
}


def complete_map(tool_map: ToolMap, tools: Mapping[str, Mapping[str, Any]]) -> ToolMap:
    """Return the map with the arguments that it leaves to the schemas; raise if it does not fit."""
    calls: dict[str, list[Tool]] = {}
    for method, tool in tool_map.list_calls():
        calls.setdefault(method, []).append(_complete_tool(method, tool, tools))
    return tool_map.replace_tools(calls)


def fits(tool_map: ToolMap, tools: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return True if a server has the tools of a map, with schemas that take its arguments."""
    try:
        complete_map(tool_map, tools)
    except TargetError:
        return False
    return True


def is_explicit(tool_map: ToolMap) -> bool:
    """Return True if a map leaves nothing to the schemas."""
    return all(tool.arguments is not None for _, tool in tool_map.list_calls())


def guess_arguments(method: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a template for the parameters whose names say what they mean."""
    found: dict[str, Any] = {}
    parameters = schema.get("properties", {})
    for value in sorted(VALUES[method] & set(NAMES)):
        known = [each for each in NAMES[value] if _is_kind(parameters.get(each), value)]
        if known and known[0] not in found:
            found[known[0]] = f"{{{value}}}"
    return found


def fits_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Return True if a call with these arguments has all that a schema requires."""
    return all(each in arguments for each in list_required(schema))


def list_required(schema: Mapping[str, Any]) -> list[str]:
    """Return the parameters that a call must have."""
    return [str(each) for each in schema.get("required", ())]


def describe_parameters(schema: Mapping[str, Any]) -> str:
    """Return the parameters of a tool by name and kind; a question mark means optional."""
    required = set(list_required(schema))
    return ", ".join(
        f"{name}{'' if name in required else '?'}: {_describe_kind(each)}"
        for name, each in schema.get("properties", {}).items()
    )


def _complete_tool(method: str, tool: Tool, tools: Mapping[str, Mapping[str, Any]]) -> Tool:
    if tool.tool not in tools:
        there = ", ".join(sorted(tools)) or "none"
        raise TargetError(
            f"the server has no tool {tool.tool!r}, which {method}= names: it has {there}"
        )
    schema = tools[tool.tool].get("inputSchema") or {}
    arguments = tool.arguments
    if arguments is None:
        arguments = guess_arguments(method, schema)
    _check_arguments(method, tool.tool, arguments, schema)
    return tool.model_copy(update={"arguments": arguments})


def _check_arguments(
    method: str, tool: str, arguments: Mapping[str, Any], schema: Mapping[str, Any]
) -> None:
    missing = [each for each in list_required(schema) if each not in arguments]
    if missing:
        raise TargetError(
            f"the tool {tool!r} requires {', '.join(map(repr, missing))}, which {method}= does not "
            f"pass: give its arguments, of {describe_parameters(schema)}"
        )
    parameters = schema.get("properties", {})
    extra = [each for each in arguments if each not in parameters]
    if extra and schema.get("additionalProperties", False) is False:
        raise TargetError(
            f"the tool {tool!r} has no parameter {', '.join(map(repr, extra))}, which {method}= "
            f"passes: it takes {describe_parameters(schema) or 'nothing'}"
        )


def _is_kind(parameter: Any, value: str) -> bool:
    """Return True if a parameter is there, and of the kind that a value has."""
    if not isinstance(parameter, Mapping):
        return False
    kinds = _list_kinds(parameter)
    return not kinds or bool(kinds & KINDS.get(value, {"string"}))


def _list_kinds(parameter: Mapping[str, Any]) -> set[str]:
    kind = parameter.get("type")
    own = set(kind) if isinstance(kind, list) else {kind} if kind else set()
    choices = parameter.get("anyOf") or parameter.get("oneOf") or ()
    return own.union(*(_list_kinds(each) for each in choices)) if choices else own


def _describe_kind(parameter: Any) -> str:
    return " or ".join(sorted(_list_kinds(parameter))) if isinstance(parameter, Mapping) else "any"

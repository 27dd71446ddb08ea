"""Recognises what wraps Mem0 by the calls of its client, whatever its own methods are called."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from goldfish.cli.init.parameters import Call, Parameter
from goldfish.cli.init.sources import Function

ADD, SEARCH, ALL, FORGET = "add", "search", "get_all", "delete_all"
OWNERS = {"user_id", "agent_id", "run_id"}
LIMITS = {"top_k", "limit"}
SAID = {"messages", "query", "data"}  # the first argument, by its names


@dataclass(frozen=True)
class ClientCalls:
    """The functions that call each method of the client, with the parts of their parameters."""

    write: Call
    read: Call
    others: dict[str, Call]


def find_client_calls(calls: Sequence[Call]) -> ClientCalls | None:
    """Return the functions that add and search facts of a user; None if one of them is missing."""
    found: dict[str, Call] = {}
    for call in calls:
        for method, read in _read(call):
            found.setdefault(method, read)
    if ADD not in found or SEARCH not in found or found[ADD].name == found[SEARCH].name:
        return None
    others = {"list_facts": found.get(ALL), "forget_all": found.get(FORGET)}
    return ClientCalls(
        found[ADD], found[SEARCH], {name: each for name, each in others.items() if each}
    )


def _read(call: Call) -> Iterator[tuple[str, Call]]:
    """Yield the methods of the client that a function calls for a user whom it is given."""
    if call.name.startswith("_"):
        return
    for node in ast.walk(call.function):
        method = node.func.attr if isinstance(node, ast.Call) and isinstance(
            node.func, ast.Attribute) else ""  # fmt: skip
        if isinstance(node, ast.Call) and method in {ADD, SEARCH, ALL, FORGET}:
            handed = _read_handed(node, call.function)
            parameters = [_part(each, handed, method) for each in call.parameters]
            if any(each.part == "user" for each in parameters) and not _lacks(parameters, method):
                yield method, replace(call, parameters=parameters)


def _lacks(parameters: Sequence[Parameter], method: str) -> bool:
    """Return True if there is no telling what is said, or something else must be passed."""
    said = {ADD: {"text", "many", "one"}, SEARCH: {"query"}}.get(method, {"user"})
    known = {"user", "limit", *said}
    parts = {each.part for each in parameters}
    return not parts & said or any(
        each.is_required and each.part not in known for each in parameters
    )


def _read_handed(node: ast.Call, function: Function) -> dict[str, set[str]]:
    """Return the names that a call of the client gets: for whom, how many, and what is said."""
    keywords = {each.arg: each.value for each in node.keywords if each.arg}
    given = {
        "user": [value for name, value in keywords.items() if name in OWNERS | {"filters"}],
        "limit": [value for name, value in keywords.items() if name in LIMITS],
        "said": [
            *node.args[:1],
            *(value for name, value in keywords.items() if name in SAID),
        ],
    }
    made = {
        target.id: each.value
        for each in ast.walk(function)
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    return {part: _list_names(values, made) for part, values in given.items()}


def _list_names(values: Sequence[ast.expr], made: Mapping[str, ast.expr]) -> set[str]:
    """Return the names in values, also in what a function made of others before."""
    names = {each.id for value in values for each in ast.walk(value) if isinstance(each, ast.Name)}
    within = {each.id for name in names if name in made for each in ast.walk(made[name])
              if isinstance(each, ast.Name)}  # fmt: skip
    return names | within


def _part(parameter: Parameter, handed: Mapping[str, set[str]], method: str) -> Parameter:
    """Return a parameter with its part in a call of the client."""
    if parameter.name in handed["user"]:
        return replace(parameter, part="user")
    if parameter.name in handed["limit"]:
        return replace(parameter, part="limit")
    if parameter.name in handed["said"] and method == SEARCH:
        return replace(parameter, part="query")
    if parameter.name in handed["said"] and method == ADD:
        is_said = parameter.part in {"many", "one"} and parameter.shape is not None
        return parameter if is_said else replace(parameter, part="text")
    return replace(parameter, part="other")

"""How a server becomes a target: ``mcp:`` on the command line, ``goldfish.adapt.mcp`` in a file."""

from collections.abc import Mapping, Sequence
from typing import Any

from goldfish.mcp.known import Known, find_known
from goldfish.mcp.packages import find_package
from goldfish.mcp.server import Server, split_command
from goldfish.targets.declaration import Target, make_target

Given = str | Mapping[str, Any]  # the name of a tool, or a tool with arguments and paths


def mcp(
    command: str,
    *,
    remember: Given | Sequence[Given],
    recall: Given | None = None,
    list_facts: Given | None = None,
    get_fact: Given | None = None,
    revise: Given | Sequence[Given] | None = None,
    forget: Given | Sequence[Given] | None = None,
    forget_all: Given | Sequence[Given] | None = None,
    facts: str | None = None,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - it is the path to the id of a fact
    metadata: str | None = None,
    pattern: str | None = None,
    nothing: str | None = None,
    contains: bool = False,
    error: str | None = None,
    absent: str | None = None,
    begin: Given | Sequence[Given] | None = None,
    env: Mapping[str, str] | None = None,
    name: str | None = None,
    **declared: Any,
) -> Target:
    """Make a target of an MCP server: a command that starts it, or a URL, and what its tools mean.

    A tool is a name, whose arguments are made from its schema, or a dict of ``tool`` and
    ``arguments``, in which ``{user}``, ``{text}``, ``{query}``, ``{limit}``, ``{id}`` and
    ``{metadata}`` are filled in. ``facts`` leads to the facts of an answer, ``text`` and ``id``
    from there to their parts; ``pattern`` reads prose. What else is given is declared as on
    ``goldfish.target``.
    """
    tools = {
        "begin": begin,
        "remember": remember,
        "recall": recall,
        "list_facts": list_facts,
        "get_fact": get_fact,
        "revise": revise,
        "forget": forget,
        "forget_all": forget_all,
    }
    reading = {
        "facts": facts,
        "text": text,
        "id": id,
        "metadata": metadata,
        "pattern": pattern,
        "nothing": nothing,
        "error": error,
        "absent": absent,
    }
    given = {key: each for key, each in {**tools, **reading}.items() if each is not None}
    server = Server(command, {**given, "contains": contains}, env)
    return make_target(server, name=name or f"mcp:{command}", **declared)


def resolve_spelled(command: str) -> Target:
    """Return the target of ``mcp:`` and a command or URL."""
    name = f"mcp:{command}"
    command = command.strip()
    package = None
    if not command.startswith(("http://", "https://")):
        package = find_package(split_command(command))
    known = find_known(package.name) if package else None
    declared = known.declared if known else {}
    return make_target(make_server(command, known), name=name, **declared)


def make_server(command: str, known: Known | None) -> Server:
    """Return a server that is started by this command, with what is known of it."""
    return Server(command, known.tool_map, known.environment) if known else Server(command)

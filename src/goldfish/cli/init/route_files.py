"""Renders the test file of a service that stores messages and returns histories over HTTP."""

import re

from goldfish.cli.init.agent_files import repr_text
from goldfish.cli.init.memories import FoundMemory
from goldfish.cli.init.places import Builder
from goldfish.cli.init.routes import Route, find_app
from goldfish.cli.init.sources import Sources
from goldfish.cli.init.wrapper import HEAD, SUITE, Rendered, lift_comments, write_imports
from goldfish.report.sanitize import escape_controls

BODY = '''class Wrapped:
    """The routes under the names that goldfish calls."""

    def __init__(self, http):
        self.http = http

    def add_messages(self, session_id, messages):
        for each in messages:
            answer = self.http.{write}  # GUESS: it writes {write_at}
            answer.raise_for_status()

    def get_history(self, session_id):
        answer = self.http.{read}  # GUESS: it reads {read_at}
        {result}


@goldfish.target({declared})
def memory(sandbox):
    """Serve the app on a storage of its own, as often as goldfish needs it."""
{lines}    with TestClient({app}) as http:
        yield Wrapped(http)


'''


def render_routes(
    routes: tuple[Route, Route], sources: Sources, requirements: set[str], above: int | None
) -> Rendered:
    """Return the test file of a service, by its two routes."""
    write, read = routes
    app = find_app(sources)
    assert app is not None
    found = FoundMemory(app[0], None, "messages", 0)
    builder = Builder(found, sources, requirements)
    builder.replace_globals()
    builder.set_environment()
    place = builder.place
    name = app[1].removesuffix("()")
    made = f"{place.names.use(app[0].module, name)}{app[1].removeprefix(name)}"
    place.imports |= {"from fastapi.testclient import TestClient", "from urllib.parse import quote"}
    services = sorted(place.services)
    declared = f"services={services!r}, ".replace("'", '"') if services else ""
    text = BODY.format(
        write=_write_call(write, is_write=True),
        read=_write_call(read, is_write=False),
        write_at=_locate(write),
        read_at=_locate(read),
        result=_write_result(read),
        declared=f'{declared}lacks={{"whole_batches"}}, guessed=True',
        lines="".join(f"    {line}\n" for line in place.before),
        app=made,
    )
    what = escape_controls(f"the service of {app[0].file}").replace('"', "'")
    whole = HEAD.format(what=what) + write_imports(builder, above) + text + SUITE
    return Rendered(lift_comments(whole), tuple(services))


def _locate(route: Route) -> str:
    return escape_controls(f"({route.source.file}:{route.function.lineno})")


def _write_call(route: Route, *, is_write: bool) -> str:
    path = repr_text(route.write_path("quote(session_id, safe='')"))
    arguments = [f"f{path}" if route.places else path]
    told = {} if route.session in route.places else {route.session: "session_id"}
    if is_write:
        told |= {route.role: "each.role"} if route.role else {}
        told |= {route.text: "each.content"}
    queries = {key: value for key, value in told.items() if key in route.queries or not is_write}
    for word, values in (
        ("json", {key: value for key, value in told.items() if key not in queries}),
        ("params", queries),
    ):
        if values:
            inner = ", ".join(f"{repr_text(key)}: {value}" for key, value in values.items())
            arguments.append(f"{word}={{{inner}}}")
    return f"{route.method}({', '.join(arguments)})"


def _write_result(read: Route) -> str:
    if read.reply and re.search("message|history|item|turn", read.reply):
        return f"return answer.raise_for_status().json()[{repr_text(read.reply)}]"
    return (
        "found = answer.raise_for_status().json()\n"
        '        return found.get("messages", []) if isinstance(found, dict) else found'
    )

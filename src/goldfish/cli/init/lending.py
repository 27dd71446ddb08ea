"""Writes what gives each call of a memory a session of SQLAlchemy of its own."""

from collections.abc import Iterator, Sequence

from goldfish.cli.init.backends import Place


def write_lending(place: Place, made: str, guess: str) -> Iterator[str]:
    """Yield the function that opens the memory for one call; ``made`` is what the call gets."""
    waits = "async " if place.session.startswith("Async") else ""
    mark = "asynccontextmanager" if waits else "contextmanager"
    place.imports.add(f"from contextlib import {mark}")
    yield ""
    yield f"@{mark}"
    yield f"{waits}def open_memory():  # with a session for each call, as for each request"
    yield f"    {waits}with {place.session} as session:"
    yield f"        yield {made}{guess}"
    yield ""


def write_begin(place: Place, rows: Sequence[str], *, is_async: bool) -> Iterator[str]:
    """Yield the function that stores the rows which the messages of a session refer to."""
    if not rows:
        return
    waits, awaits = ("async ", "await ") if is_async else ("", "")
    yield from [] if place.session else [""]
    dialect = "postgresql" if "postgres" in place.services else "sqlite"
    place.imports.add(f"from sqlalchemy.dialects.{dialect} import insert")
    yield f"{waits}def begin(session_id):  # GUESS: the rows that its messages refer to"
    yield f"    {waits}with engine.begin() as connection:"
    for row in rows:
        yield f"        {awaits}connection.execute({row})"
    yield ""


def lend(methods: str, session: str, name: str) -> str:
    """Return methods that open the memory before they use it, under a name."""
    waits = "async " if session.startswith("Async") else ""
    lines, is_inside = [], False
    for line in methods.splitlines():
        if line.startswith(("    def ", "    async def ")):
            is_inside = True
            lines += [line, f"        {waits}with self.open_memory() as {name}:"]
        elif line and not line.startswith(" "):
            is_inside = False
            lines.append(line)
        else:
            lines.append(f"    {line}" if is_inside and line.strip() else line)
    return "\n".join(lines) + "\n"

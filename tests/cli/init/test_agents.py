"""Agents in the sources of a project: they are found, and the file that is written judges them."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.cli.init.agent_files import render_agent
from goldfish.cli.init.agents import ADK, LANGGRAPH, OPENAI, PYDANTIC, SERVICE
from goldfish.cli.init.project import survey

FASTAPI = """
from fastapi import FastAPI
from openai import OpenAI
from pydantic import BaseModel

app, histories = FastAPI(), {}
app = FastAPI()

class Asked(BaseModel):
    thread: str
    question: str

@app.get("/chat")
def nothing(): ...

@app.post("/v1/chat")
def chat(asked: Asked):
    history = histories.setdefault(asked.thread, [])
    said = [{"role": "user", "content": asked.question}]
    done = OpenAI().chat.completions.create(model="gpt-4o-mini", messages=history + said)
    return {"answer": done.choices[0].message.content}
"""
SOURCES = {
    "from langchain.agents import create_agent\nbot = create_agent('openai:gpt-4o')": LANGGRAPH,
    "from agents import Agent as A\nbot = A(name='bot')": OPENAI,
    "import pydantic_ai\nbot = pydantic_ai.Agent('openai:gpt-4o')": PYDANTIC,
    "from google.adk.agents import Agent\nroot_agent = Agent(name='bot')": ADK,
    FASTAPI: SERVICE,
}


@pytest.mark.parametrize(("source", "kind"), SOURCES.items(), ids=SOURCES.values())
def test_an_agent_is_found_and_its_file_is_short_and_whole(
    source: str, kind: str, tmp_path: Path
) -> None:
    """At most fifteen lines of code beside imports, which name the module of the project."""
    (tmp_path / "src" / "shop").mkdir(parents=True)
    (tmp_path / "src" / "shop" / "support.py").write_text(source)
    (found,) = survey(tmp_path).agents
    assert (found.kind, found.module) == (kind, "shop.support")
    text = render_agent(found)
    compile(text, "test_agent.py", "exec")
    assert "shop.support" in text
    code = [line for line in text.splitlines() if line.strip() and "import " not in line]
    assert len(code) - 2 <= 16  # without the docstring, and the line that finds src
    assert "guessed=True" in text


@pytest.mark.parametrize(
    "source",
    [
        "from estate import Agent\nbot = Agent()",
        "from agents import Agent\ndef make(): return Agent(name='x')",
        "from fastapi import FastAPI\napp = FastAPI()\n@app.post('/orders')\ndef order(): ...",
    ],
)
def test_what_is_no_agent_of_a_module_is_passed(source: str, tmp_path: Path) -> None:
    """Another Agent, one that a function makes, a service without a chat."""
    (tmp_path / "support.py").write_text(source)
    assert survey(tmp_path).agents == []


def test_a_route_is_one_literal_whatever_it_contains(tmp_path: Path) -> None:
    """Nothing in a project writes code into the file."""
    hostile = "/chat\\\\\");import os#'\\n"
    source = (
        f"from fastapi import FastAPI\napp = FastAPI()\n@app.post({hostile!r})\ndef chat(): ..."
    )
    (tmp_path / "support.py").write_text(source)
    (found,) = survey(tmp_path).agents
    tree = ast.parse(render_agent(found))
    assert hostile in {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)}


def test_init_writes_a_file_that_judges_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service forgets everything, and is caught by the file as it was written."""
    pytest.importorskip("openai")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    Path("shop.py").write_text(FASTAPI)
    assert run_command(["init"]) == 0
    out = capsys.readouterr().out
    assert "Found a FastAPI service with a chat in it: app in shop.py." in out
    assert "Next: pytest test_agent.py" in out
    assert "It fails until you have looked at the lines that are marked" in out
    written = Path("test_agent.py").read_text()
    marked = [str(n) for n, line in enumerate(written.splitlines(), 1) if "# GUESS" in line]
    said = "the target bot is a guess of goldfish init, so nothing was asked: look at lines "
    where = f"{said}{', '.join(marked)} of test_agent.py"
    for words in ("goldfish check test_agent.py:bot", "pytest -p no:asyncio -q test_agent.py"):
        command = [sys.executable, "-m", *words.split()]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert where in " ".join((run.stdout + run.stderr).split())
    Path("test_agent.py").write_text(written.replace("    guessed=True,\n", ""))
    checked = ["check", "test_agent.py:bot", "--only", "CTX01", "--json", "report.json"]
    assert run_command(checked) == 1
    (report,) = json.loads(Path("report.json").read_text())["reports"]
    assert [each["finding"] for each in report["checks"]] == ["lost"]


def test_a_project_without_an_agent_is_told_what_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By --for agent; exit code 2."""
    monkeypatch.chdir(tmp_path)
    assert run_command(["init", "--for", "agent"]) == 2
    assert "no agent was found" in capsys.readouterr().err


SPLIT = {
    "src/shop/__init__.py": "",
    "src/shop/api.py": """
from fastapi import APIRouter
from pydantic import BaseModel

router = APIRouter(prefix="/chats")

class Said(BaseModel):
    prompt: str

class Answer(BaseModel):
    reply: str

@router.post("/{chat_id}/messages", response_model=Answer)
async def talk(chat_id: str, said: Said): ...
""",
    "src/shop/main.py": """
import os
from fastapi import FastAPI
from shop.api import router

URL = os.environ["REDIS_URL"]

def create_app():
    app = FastAPI()
    app.include_router(router, prefix="/v1")
    return app
""",
}


def test_a_service_in_several_modules_is_found(tmp_path: Path) -> None:
    """Routers with prefixes, a session in the path, an app that a function makes, below src."""
    for name, text in SPLIT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    project = survey(tmp_path)
    (found,) = project.agents
    text = render_agent(found, project.settings)
    compile(text, "test_agent.py", "exec")
    for part in (
        'http.post(f"/v1/chats/{session_id}/messages", json={"prompt": text})',
        '.json()["reply"]',
        '"--factory", "--app-dir", "src"',
        '"REDIS_URL": "{redis_url}"',
    ):
        assert part in text


def test_the_makers_of_sessions_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An agent that is tested with another session than the application's is told so."""
    (tmp_path / "sessions.py").write_text(
        "from agents import SQLiteSession\n"
        "def session_for(conversation_id):\n    return SQLiteSession(conversation_id, 'local.db')\n"
    )
    (tmp_path / "shop.py").write_text("from agents import Agent\nshop = Agent(name='shop')\n")
    monkeypatch.chdir(tmp_path)
    assert run_command(["init"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Fill in: session_for (sessions.py:2) makes the sessions of the application" in said
    assert "GUESS: in place of session_for (sessions.py:2)" in Path("test_agent.py").read_text()


SETTINGS = """
from pathlib import Path
from pydantic_settings import BaseSettings, SettingsConfigDict

class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="CHAT_")
    data_dir: Path = Path("./data")
    template_dir: Path = Path("./templates")
    database_url: str = "sqlite+aiosqlite:///./chat.db"
    redis_url: str = "redis://localhost"
    api_base_url: str = "https://example.com"
"""


@pytest.mark.parametrize("chosen", [[], ["--for", "agent"]])
def test_the_storage_of_a_service_is_led_to_the_sandbox(
    chosen: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By the settings that are about it; the file stays a guess, also if it was asked for."""
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(FASTAPI)
    Path("settings.py").write_text(SETTINGS)
    assert run_command(["init", *chosen]) == 0
    assert "It fails until you have looked at the lines" in capsys.readouterr().out
    text = Path("test_agent.py").read_text()
    for setting in (
        '"CHAT_DATA_DIR": "{path}"',
        '"CHAT_DATABASE_URL": "sqlite+aiosqlite:///{path}/service.db"',
        '"CHAT_REDIS_URL": "{redis_url}"',
        'services=["redis"]',
        "guessed=True",
    ):
        assert setting in text
    assert "TEMPLATE" not in text
    assert "API_BASE" not in text


def test_a_service_whose_storage_is_unknown_is_said_to_use_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line to look at says what to add."""
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(FASTAPI)
    assert run_command(["init"]) == 0
    assert "or it uses your storage" in Path("test_agent.py").read_text()

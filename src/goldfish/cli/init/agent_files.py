"""Renders the test file that judges an agent of a project whole."""

import json
import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

from goldfish.cli.init.agents import ABOUT, ADK, LANGGRAPH, OPENAI, PYDANTIC, SERVICE, FoundAgent
from goldfish.cli.init.names import ProjectNames
from goldfish.cli.init.routes import Route
from goldfish.cli.init.sources import Source

SETTING = re.compile(r"[A-Z0-9_]*(REDIS|VALKEY|POSTGRES|DATABASE|PG)[A-Z0-9_]*(URL|URI|DSN)")

LED = "# GUESS: its storage, in the sandbox"
NOT_LED = (
    "# GUESS: add env={...} with {path}, {redis_url} or {postgres_dsn}, or it uses your storage"
)


def render_agent(
    agent: FoundAgent,
    settings: Collection[str] = (),
    *,
    guessed: bool = True,
    session: str = "",
    storage: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the test file of an agent.

    ``session`` is what the project makes its sessions with, ``storage`` the variables that lead a
    service to the sandbox.
    """
    head = f'"""Judge what reaches the model of {ABOUT[agent.kind]}: pytest this file."""\n\n'
    if agent.kind == SERVICE:
        body = _render_service(agent, settings, storage)
    else:
        names = ProjectNames()
        name = names.use(agent.module, agent.name)
        (line,) = names.write_imports()
        body = BODIES[agent.kind].format(name=name, line=line, path=_write_path(agent.source))
    if agent.kind != SERVICE and agent.source.root:
        body = f"import sys\nfrom pathlib import Path\n\n{body}"
    if session:
        body = body.replace("GUESS: your own session here", f"GUESS: in place of {session}")
    if not guessed:
        body = body.replace(", guessed=True", "").replace("(guessed=True)", "")
    return f'{head}{body}\n\ntest_agent = goldfish.suite(bot, suite="smoke")\n'


def _write_path(source: Source) -> str:
    """Return the line by which modules below a folder are found; nothing if they are beside."""
    if not source.root:
        return ""
    where = f'str(Path(__file__).parent / "{source.root}")'
    return f"\nsys.path.insert(0, {where})  # where your modules are\n"


def _render_service(
    agent: FoundAgent, settings: Collection[str], storage: Mapping[str, str]
) -> str:
    route = agent.route
    assert route is not None
    name = agent.name
    words = ["uvicorn", f"{agent.module}:{name.removesuffix('()')}", "--port", "{port}"]
    words += ["--factory"] if name.endswith("()") else []
    words += ["--app-dir", agent.source.root] if agent.source.root else []
    named = {
        each: "{redis_url}" if "REDIS" in each or "VALKEY" in each else "{postgres_dsn}"
        for each in sorted(settings)
        if SETTING.fullmatch(each)
    }
    lead = {**named, **storage}
    command = repr([*words, "--workers", "2"]).replace("'", '"')
    lines = "".join(f"        {repr_text(key)}: {repr_text(lead[key])},\n" for key in lead)
    env = f"    env={{  {LED}\n{lines}    }},\n" if lead else f"    {NOT_LED}\n"
    services = [each for each in ("postgres", "redis") if f"{{{each}_" in " ".join(lead.values())]
    env += f"    services={services!r},\n".replace("'", '"') if services else ""
    return SERVICE_BODY.format(
        call=_write_post(route), reply=_write_reply(route), command=command, env=env
    )


def _write_post(route: Route) -> str:
    session, text = route.session or "session_id", route.text or "text"
    path = (
        repr_text(route.path)
        if not route.places
        else f"f{repr_text(route.write_path('session_id'))}"
    )
    told = {session: "session_id"} if session not in route.places else {}
    told[text] = "text"
    queries = {key: value for key, value in told.items() if key in route.queries}
    body = {key: value for key, value in told.items() if key not in queries}
    arguments = [path]
    for word, values in (("json", body), ("params", queries)):
        if values:
            inner = ", ".join(f"{repr_text(key)}: {value}" for key, value in values.items())
            arguments.append(f"{word}={{{inner}}}")
    return f"http.post({', '.join(arguments)})"


def _write_reply(route: Route) -> str:
    key = f"[{repr_text(route.reply)}]" if route.reply else ""
    return f"answer.raise_for_status().json(){key}" if key else "answer.raise_for_status().text"


def repr_text(text: str) -> str:
    """Return a text as one literal, whatever it contains."""
    return json.dumps(text)


SERVICE_BODY = """import goldfish


def say(http, session_id, text):
    answer = {call}  # GUESS: what a user says
    return {reply}  # GUESS: what she is answered


bot = goldfish.service(
    {command},
    say=say,
{env}    guessed=True,
)
"""
BODIES = {
    LANGGRAPH: """import goldfish
{path}{line}


class Bot:
    def say(self, session_id, text):
        config = {{"configurable": {{"thread_id": session_id}}}}
        return {name}.invoke({{"messages": [("user", text)]}}, config)["messages"][-1].content


@goldfish.agent(guessed=True)  # and tools=True, if its tools may really be called
def bot(sandbox):
    return Bot()  # GUESS: its checkpointer is the module's own
""",
    OPENAI: """from agents import Runner, SQLiteSession

import goldfish
{path}{line}


class Bot:
    def __init__(self, path):
        self.path = path

    async def say(self, session_id, text):
        session = SQLiteSession(session_id, self.path)  # GUESS: your own session here
        return (await Runner.run({name}, text, session=session)).final_output


@goldfish.agent(guessed=True)  # and tools=True, if its tools may really be called
def bot(sandbox):
    return Bot(sandbox.path / "sessions.db")
""",
    PYDANTIC: """import goldfish
{path}{line}


class Bot:
    def __init__(self):
        self.histories = {{}}  # GUESS: where your application keeps them

    async def say(self, session_id, text):
        result = await {name}.run(text, message_history=self.histories.get(session_id))
        self.histories[session_id] = result.all_messages()
        return result.output


# Without claims=, if the histories outlive the process.
@goldfish.agent(claims="one opening", guessed=True)
def bot(sandbox):
    return Bot()
""",
    ADK: """from google.adk.runners import Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

import goldfish
{path}{line}


class Bot:
    def __init__(self, path):
        sessions = SqliteSessionService(path)  # GUESS: your own session service here
        about = {{"app_name": "bot", "agent": {name}, "auto_create_session": True}}
        self.runner = Runner(session_service=sessions, **about)

    async def say(self, session_id, text, user_id):
        said = types.Content(role="user", parts=[types.Part(text=text)])
        turn = self.runner.run_async(user_id=user_id, session_id=session_id, new_message=said)
        events = [event async for event in turn if event.is_final_response() and event.content]
        return "".join(part.text or "" for event in events for part in event.content.parts or [])


@goldfish.agent(guessed=True)  # and tools=True, if its tools may really be called
def bot(sandbox):
    return Bot(str(sandbox.path / "sessions.db"))
""",
}

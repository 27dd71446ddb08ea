"""Finds the agent of a project in its sources, and renders a test file that judges it whole."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

LANGGRAPH, OPENAI, PYDANTIC, SERVICE = "langgraph", "openai-agents", "pydantic-ai", "service"
# What makes an agent, by the module that it is imported from.
MAKERS = {
    "langchain.agents.create_agent": LANGGRAPH,
    "langgraph.prebuilt.create_react_agent": LANGGRAPH,
    "deepagents.create_deep_agent": LANGGRAPH,
    "agents.Agent": OPENAI,
    "pydantic_ai.Agent": PYDANTIC,
}
ABOUT = {
    LANGGRAPH: "an agent of LangChain",
    OPENAI: "an agent of the OpenAI Agents SDK",
    PYDANTIC: "an agent of Pydantic AI",
    SERVICE: "a FastAPI service with a chat in it",
}
CHAT = re.compile(r"chat|message|ask|say|converse|conversation|complet", re.IGNORECASE)
SESSION = re.compile(r"session|thread|conversation|chat_id|user", re.IGNORECASE)
TEXT = re.compile(r"text|message|prompt|question|content|input|query", re.IGNORECASE)


@dataclass(frozen=True)
class FoundAgent:
    """An agent of a project: the name of the object, its module, and the file that has it.

    Of a service, ``route`` is the path of its chat, ``session`` and ``text`` fields of the body.
    """

    kind: str
    name: str
    file: str
    route: str = ""
    session: str = "session_id"
    text: str = "text"

    @property
    def module(self) -> str:
        """The name by which the module is imported; empty if it cannot be."""
        path = PurePosixPath(self.file).with_suffix("")
        parts = path.parts[1:] if path.parts[0] == "src" else path.parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        return ".".join(parts) if all(map(str.isidentifier, parts)) else ""


def find_agents(tree: ast.Module, file: str) -> Iterator[FoundAgent]:
    """Yield the agents that a module makes, and its chat route; tests make agents of their own."""
    if re.search(r"(^|/)(tests?/|test_|conftest)", file):
        return
    imported = dict(_list_imports(tree))
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        maker = imported.get(ast.unparse(node.value.func), "")
        for target in node.targets:
            if isinstance(target, ast.Name) and maker in MAKERS:
                yield FoundAgent(MAKERS[maker], target.id, file)
            elif isinstance(target, ast.Name) and maker == "fastapi.FastAPI":
                yield from _find_chat(tree, target.id, file)


def render_agent(agent: FoundAgent) -> str:
    """Return the test file of an agent."""
    head = f'"""Judge what reaches the model of {ABOUT[agent.kind]}: pytest this file."""\n\n'
    body = BODIES[agent.kind].format(
        name=agent.name,
        module=agent.module,
        route=json.dumps(agent.route),  # whatever it contains, it is one literal
        session=agent.session,
        text=agent.text,
    )
    return f'{head}{body}\n\ntest_agent = goldfish.suite(bot, suite="smoke")\n'


def _list_imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names of a module with where they come from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:  # fastapi.FastAPI() after `import fastapi`
                for maker in (*MAKERS, "fastapi.FastAPI"):
                    if maker.rpartition(".")[0] == alias.name:
                        yield f"{alias.asname or alias.name}.{maker.rpartition('.')[2]}", maker


def _find_chat(tree: ast.Module, app: str, file: str) -> Iterator[FoundAgent]:
    """Yield the service whose app has a POST route that sounds like a chat."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for decorator in node.decorator_list:
            route = _read_route(decorator, app)
            if route and "{" not in route and CHAT.search(f"{route} {node.name}"):
                session, text = _guess_fields(tree, node)
                yield FoundAgent(SERVICE, app, file, route, session, text)
                return


def _read_route(decorator: ast.expr, app: str) -> str:
    """Return the path of ``@app.post("/chat")``; empty for anything else."""
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != f"{app}.post":
        return ""
    path = decorator.args[0] if decorator.args else None
    return path.value if isinstance(path, ast.Constant) and isinstance(path.value, str) else ""


def _guess_fields(
    tree: ast.Module, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> tuple[str, str]:
    """Return the fields of the body that hold the session and the text, as far as names tell."""
    kinds = {ast.unparse(each.annotation) for each in function.args.args if each.annotation}
    fields = [
        field.target.id
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name in kinds
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    ]
    session = next(filter(SESSION.search, fields), "session_id")
    others = [each for each in fields if each != session]
    return session, next(filter(TEXT.search, others), "text")


BODIES = {
    LANGGRAPH: """import goldfish
from {module} import {name}


class Bot:
    def say(self, session_id, text):
        config = {{"configurable": {{"thread_id": session_id}}}}
        return {name}.invoke({{"messages": [("user", text)]}}, config)["messages"][-1].content


@goldfish.agent  # or (tools=True), if its tools may really be called
def bot(sandbox):
    return Bot()
""",
    OPENAI: """from agents import Runner, SQLiteSession

import goldfish
from {module} import {name}


class Bot:
    def __init__(self, path):
        self.path = path

    async def say(self, session_id, text):
        session = SQLiteSession(session_id, self.path)  # your own session here
        return (await Runner.run({name}, text, session=session)).final_output


@goldfish.agent  # or (tools=True), if its tools may really be called
def bot(sandbox):
    return Bot(sandbox.path / "sessions.db")
""",
    PYDANTIC: """import goldfish
from {module} import {name}


class Bot:
    def __init__(self):
        self.histories = {{}}  # where your application keeps them

    async def say(self, session_id, text):
        result = await {name}.run(text, message_history=self.histories.get(session_id))
        self.histories[session_id] = result.all_messages()
        return result.output


@goldfish.agent(claims="one opening")  # without claims=, if the histories outlive the process
def bot(sandbox):
    return Bot()
""",
    SERVICE: """import goldfish


def say(http, session_id, text):
    answer = http.post({route}, json={{"{session}": session_id, "{text}": text}})
    return answer.raise_for_status().text


bot = goldfish.service(
    ["uvicorn", "{module}:{name}", "--port", "{{port}}", "--workers", "2"], say=say
)
""",
}

"""Finds the agents of a project in its sources: objects of known classes, and chats of services."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from goldfish.cli.init.routes import Route, find_app, list_routes
from goldfish.cli.init.sources import Source, Sources

LANGGRAPH, OPENAI, PYDANTIC, ADK, SERVICE = (
    *("langgraph", "openai-agents", "pydantic-ai", "adk", "service"),
)
# What makes an agent, by the module that it is imported from.
MAKERS = {
    "langchain.agents.create_agent": LANGGRAPH,
    "langgraph.prebuilt.create_react_agent": LANGGRAPH,
    "deepagents.create_deep_agent": LANGGRAPH,
    "agents.Agent": OPENAI,
    "pydantic_ai.Agent": PYDANTIC,
    "google.adk.agents.Agent": ADK,
    "google.adk.agents.LlmAgent": ADK,
    "google.adk.Agent": ADK,
    "google.adk.agents.llm_agent.Agent": ADK,
    "google.adk.agents.llm_agent.LlmAgent": ADK,
    "google.adk.agents.SequentialAgent": ADK,
}
SESSIONS = re.compile(r"^agents\..*\w*Session$")
ABOUT = {
    LANGGRAPH: "an agent of LangChain",
    OPENAI: "an agent of the OpenAI Agents SDK",
    PYDANTIC: "an agent of Pydantic AI",
    ADK: "an agent of Google's ADK",
    SERVICE: "a FastAPI service with a chat in it",
}


@dataclass(frozen=True)
class FoundAgent:
    """An agent of a project: the name of the object, and the source that has it.

    Of a service, ``route`` is its chat.
    """

    kind: str
    name: str
    source: Source
    route: Route | None = None

    @property
    def module(self) -> str:
        """The name by which its module is imported."""
        return self.source.module

    def __str__(self) -> str:
        return f"{ABOUT[self.kind]}: {self.name} in {self.source.file}"


def find_agents(sources: Sources) -> list[FoundAgent]:
    """Return the agents that modules make, and the chats of services; tests make their own."""
    found = [each for source in sources.all if not source.is_test for each in _find_made(source)]
    root_first = sorted(found, key=lambda each: each.name != "root_agent")  # ADK's word for it
    return [*root_first, *_find_services(sources)]


def find_session_maker(sources: Sources) -> str:
    """Return the function that makes the sessions of the OpenAI Agents SDK, and where it is."""
    for source in sources.all:
        for function in () if source.is_test else source.functions.values():
            returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)]
            made = [source.resolve(each.func) for each in returned if isinstance(each, ast.Call)]
            if any(SESSIONS.search(each) for each in made):
                return f"{function.name} ({source.file}:{function.lineno})"
    return ""


def _find_made(source: Source) -> Iterator[FoundAgent]:
    for name, value in source.values.items():
        if isinstance(value, ast.Call):
            kind = MAKERS.get(source.resolve(value.func), "")
            if kind and kind != SERVICE:
                yield FoundAgent(kind, name, source)


def _find_services(sources: Sources) -> Iterator[FoundAgent]:
    """Yield the service whose app has a POST route that sounds like a chat."""
    app = find_app(sources)
    chats = [each for each in list_routes(sources) if each.is_chat]
    if app and chats:
        yield FoundAgent(SERVICE, app[1], app[0], chats[0])

"""What a run with an agent shows beside verdicts: where it called, and what the mirror lacks."""

from collections.abc import Iterator

from goldfish.agents.stage import Stage

REWRITTEN = (
    "the agent's replies have no mark of the model, so each turn is judged by its last request"
)
ADDRESSES = {  # by the end of a host, the variable that its clients read
    "openai.com": "OPENAI_BASE_URL",
    "anthropic.com": "ANTHROPIC_BASE_URL",
    "googleapis.com": "GOOGLE_GEMINI_BASE_URL",
}


def list_notes(stage: Stage) -> Iterator[str]:
    """Yield what a reader of the verdicts should know."""
    if stage.target.agent is not None and not stage.target.agent.marks:
        yield REWRITTEN
    for route in list_unknown_routes(stage):
        yield f"the mirror does not know {route}, and answered 404"
    if stage.dead_end.hosts:
        yield f"the agent also called {', '.join(stage.dead_end.hosts)}, and was refused"


def list_unknown_routes(stage: Stage) -> list[str]:
    """Return what the agent asked the mirror for in vain, each once."""
    unknown = [each for each in stage.mirror.requests if each.kind == "unknown route"]
    return list(dict.fromkeys(each.route for each in unknown))


def describe_calls(stage: Stage) -> str:
    """Return where an agent called instead of a route of the mirror; empty if nowhere."""
    if routes := list_unknown_routes(stage):
        return f"; it asked for {', '.join(routes)}, which the mirror does not know"
    hosts = stage.dead_end.hosts
    return f"; it called {', '.join(hosts)} instead" if hosts else ""


def advise(stage: Stage) -> str:
    """Return how to lead an agent to the mirror: by which variable, or by which address."""
    hosts = stage.dead_end.hosts
    names = [name for end, name in ADDRESSES.items() if any(it.endswith(end) for it in hosts)]
    if stage.is_service:
        name = names[0] if names else "OPENAI_BASE_URL"
        return f'let its client read {name}, or another variable: env={{"{name}": "{{model_url}}"}}'
    variable = names[0] if names else "the variable of its base URL"
    return f"pass sandbox.model_url to its client, or let it read {variable}"

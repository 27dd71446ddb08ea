"""Agents as targets: a factory of agents, or a command that starts a service."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType
from typing import Any, Literal, Never, overload

from goldfish.errors import TargetError
from goldfish.targets.agent_traits import ANY_TOOL, AgentTraits
from goldfish.targets.declaration import (
    DECLARED,
    Claims,
    Target,
    hold_to_everything,
    make_target,
    refuse_unknown,
)

ADDRESSES = {"redis_url": "redis", "postgres_dsn": "postgres"}
OF_AGENTS = {"window_tokens", "remembers", "tools", "system", "resumes"}
OF_SERVICES = {
    *("say", "env", "ready", "forget", "forget_user", "directory", "window", "summarises"),
    *("claims", "declines", "promises", "documented", "guessed"),
}


@dataclass(frozen=True, eq=False)
class Service:
    """A command that starts one instance of a service, and how to talk to it.

    ``say`` gets an ``httpx.Client`` of one instance, the session id, the text, and the user id if
    it takes one. ``directory`` is where the command runs, ``file`` what declares it.
    """

    command: tuple[str, ...]
    say: Callable[..., Any]
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: str | None = None
    forget: Callable[..., Any] | None = None
    forget_user: Callable[..., Any] | None = None
    directory: Path = Path()
    file: str = ""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Raise: a service is started by its command."""
        raise TargetError("a service is started by its command, not called")


@overload
def agent(factory: Callable[..., Any], /) -> Target: ...


@overload
def agent(
    *,
    name: str | None = None,
    services: Iterable[str] = (),
    window: int | None = None,
    window_tokens: int | None = None,
    summarises: bool = False,
    remembers: Literal["session", "users"] = "session",
    tools: bool | Iterable[str] = False,
    system: str = "",
    resumes: bool = False,
    threads: bool = False,
    claims: Claims | None = None,
    declines: Mapping[str, str] = ...,
    promises: str = "",
    documented: Mapping[str, str] = ...,
    guessed: bool = False,
) -> Callable[[Callable[..., Any]], Target]: ...


def agent(factory: Callable[..., Any] | None = None, /, **declared: Any) -> Any:
    """Make a target of a factory of agents; works with and without parentheses."""
    if factory is not None:
        return make_agent(factory)
    return lambda made: make_agent(made, **declared)


def service(
    command: Sequence[str],
    *,
    say: Callable[..., Any],
    env: Mapping[str, str] | None = None,
    ready: str | None = None,
    forget: Callable[..., Any] | None = None,
    forget_user: Callable[..., Any] | None = None,
    directory: str | Path | None = None,
    name: str | None = None,
    services: Iterable[str] = (),
    window: int | None = None,
    window_tokens: int | None = None,
    summarises: bool = False,
    remembers: Literal["session", "users"] = "session",
    tools: bool | Iterable[str] = False,
    system: str = "",
    resumes: bool = False,
    claims: Claims | None = None,
    declines: Mapping[str, str] | None = None,
    promises: str = "",
    documented: Mapping[str, str] | None = None,
    guessed: bool = False,
    **unknown: Never,
) -> Target:
    """Make a target of a command that starts a service, and of a function that talks to it."""
    refuse_unknown(unknown, OF_SERVICES | OF_AGENTS)
    if isinstance(command, str) or not command or not all(isinstance(it, str) for it in command):
        raise TargetError(
            f"command must be a list of words, as in ['uvicorn', 'app:app'] (got {command!r:.80})"
        )
    if not callable(say):
        raise TargetError("say= must be a function of an HTTP client, a session id and a text")
    file = str(sys._getframe(1).f_globals.get("__file__", ""))
    where = Path(directory or Path(file).parent).resolve()
    made = Service(tuple(command), say, env or {}, ready, forget, forget_user, where, file)
    target = make_agent(
        made,
        name=name,
        services=services,
        window=window,
        window_tokens=window_tokens,
        summarises=summarises,
        remembers=remembers,
        tools=tools,
        system=system,
        resumes=resumes,
        claims=claims,
        declines=declines or {},
        promises=promises,
        documented=documented or {},
        guessed=guessed,
    )
    assert target.agent is not None
    return replace(target, agent=replace(target.agent, is_service=True))


def name_service(target: Target, name: str) -> Target:
    """Return a service under the name of its variable, unless it has one of its own."""
    is_nameless = target.agent and target.agent.is_service and target.name == Service.__name__
    return replace(target, name=name) if is_nameless and name else target


def make_agent(factory: Callable[..., Any], **declared: Any) -> Target:
    """Return the target of a factory of agents, with what it declares.

    Its workers are other processes, so the servers that its code names are started before it runs.
    """
    refuse_unknown(declared, DECLARED | OF_AGENTS)
    declared["services"] = tuple({**dict.fromkeys(declared.get("services", ())), **_see(factory)})
    of_agent = {name: declared.pop(name) for name in OF_AGENTS & set(declared)}
    of_agent["tools"] = _list_tools(of_agent.get("tools", False))
    if of_agent.get("remembers", "session") not in ("session", "users"):
        given = of_agent["remembers"]
        raise TargetError(f"remembers= must be 'session' or 'users' (got {given!r})")
    for name, size in (("window", declared.get("window")), *of_agent.items()):
        if name.startswith("window") and not _is_size(size):
            raise TargetError(f"{name}= must be a whole number above 0 (got {size!r})")
    target = make_target(factory, **declared)
    return hold_to_everything(replace(target, agent=AgentTraits(**of_agent)))


def _see(factory: Callable[..., Any]) -> dict[str, None]:
    """Return the services that a factory, or the command of a service, asks its sandbox for."""
    if isinstance(factory, Service):
        texts = [*factory.command, *factory.environment.values()]
        names = {name for name in ADDRESSES if any(f"{{{name}}}" in text for text in texts)}
    else:
        names = set(_list_names(getattr(inspect.unwrap(factory), "__code__", None)))
    return {service: None for name, service in ADDRESSES.items() if name in names}


def _list_names(code: CodeType | None) -> Iterator[str]:
    if code is not None:
        yield from code.co_names
        for each in code.co_consts:
            if isinstance(each, CodeType):
                yield from _list_names(each)


def _list_tools(tools: bool | Iterable[str]) -> tuple[str, ...]:
    if isinstance(tools, str):
        raise TargetError(f"tools= must be True or a list of names (got {tools!r})")
    if isinstance(tools, bool):
        return (ANY_TOOL,) if tools else ()
    return tuple(tools)


def _is_size(size: object) -> bool:
    return size is None or (type(size) is int and size > 0)

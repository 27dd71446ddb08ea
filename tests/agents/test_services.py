"""Services: commands that are started as in production, and ended with all that they started."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

import goldfish
from goldfish.agents.agent import Agent
from goldfish.catalogue.registry import catalogue
from goldfish.engine.agents import open_stage
from goldfish.engine.first_turn import open_agent
from goldfish.engine.runner import Plan, run
from goldfish.errors import ServiceError, TargetError
from goldfish.findings.result import Verdict
from goldfish.services import reaper
from goldfish.targets.declaration import Target

pids: list[int] = []


def say(http: Any, session_id: str, text: str) -> str:
    pids.extend(http.get("/pids").json()["pids"])
    reply = http.post("/chat", json={"session": session_id, "text": text})
    return str(reply.raise_for_status().json()["reply"])


def make_service(**options: Any) -> Target:
    return goldfish.service(
        ["{python}", "server.py", "{port}"],
        **{"env": {"MODEL_URL": "{model_url}"}, "ready": "/", "say": say, **options},
    )


def converse(target: Target, work: Callable[[Agent], Awaitable[Any]]) -> None:
    async def act() -> None:
        async with open_stage(target, 30) as stage:
            await work(Agent(stage, Random(0)))

    asyncio.run(act())


def test_a_service_is_killed_with_all_that_it_started() -> None:
    """Nobody is left, neither after a kill nor after the stage is closed."""
    pids.clear()

    async def talk(agent: Agent) -> None:
        conversation = agent.talk()
        assert (await conversation.say(worker=0)).is_certain
        first = set(pids)
        await agent.kill()
        assert not any(map(reaper.start_mark, first))
        assert (await conversation.say(worker=0)).is_acknowledged
        assert first != set(pids)

    converse(make_service(), talk)
    assert len(set(pids)) == 4
    assert not any(map(reaper.start_mark, set(pids)))


def test_a_history_in_each_instance_is_lost_and_one_process_is_not_asked_for_two() -> None:
    """Turns are routed among two instances, unless the service claims one process only."""
    checks = [catalogue()[code] for code in ("CTX01", "CTX08")]
    plan = Plan(deadline=30, seed=1)
    found = [each.finding for each in run(make_service(), checks, plan).results]
    assert found == ["lost", "lost"]
    alone = run(make_service(claims="one process"), checks, plan).results
    assert [each.verdict for each in alone] == [Verdict.HELD, Verdict.UNSUPPORTED]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-command"], "'no-such-command' does not start"),
        (["{python}", "-c", "raise SystemExit('no config')"], r"exit code 1(.|\n)*no config"),
    ],
)
def test_a_command_that_does_not_start_shows_its_last_lines(command: Any, message: str) -> None:
    """Before any check."""
    with pytest.raises(ServiceError, match=message):
        open_agent(goldfish.service(command, say=say))


def test_a_port_that_is_never_ready_shows_the_last_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what was waited for."""
    monkeypatch.setattr("goldfish.agents.service.READY_WITHIN", 0.2)
    code = "import time; print('loading', flush=True); time.sleep(60)"
    service = goldfish.service(["{python}", "-c", code], say=say, ready="/healthz")
    with pytest.raises(ServiceError, match="is not ready: /healthz does not answer"):
        open_agent(service)


def test_a_command_is_a_list_of_words() -> None:
    """A string would be split by nobody."""
    with pytest.raises(TargetError, match="must be a list of words"):
        goldfish.service("uvicorn app:app", say=say)


def test_a_say_that_overlooks_a_status_is_told_of_it() -> None:
    """The error of the function alone would not say that the route is wrong."""

    def ask(http: Any, session_id: str, text: str) -> str:
        return str(http.put("/chat", json={}).headers["x-reply"])

    async def talk(agent: Agent) -> None:
        turn = await agent.talk().attempt()
        assert turn.error == "say raised KeyError: 'x-reply'; PUT /chat answered 501"

    converse(make_service(say=ask), talk)

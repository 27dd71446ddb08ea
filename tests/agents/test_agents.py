"""Agents in pods: how they are opened, and what a conversation with them knows."""

import asyncio
import contextlib
import itertools
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from goldfish.agents.agent import Agent
from goldfish.agents.together import kill_during, meet, say_at_once
from goldfish.catalogue.registry import catalogue
from goldfish.engine.agents import open_stage
from goldfish.engine.first_turn import open_agent
from goldfish.engine.runner import Plan, run
from goldfish.engine.selection import choose_for, select
from goldfish.errors import TargetError, UsageError
from goldfish.findings.result import Verdict
from goldfish.specimens.agents.reference import AgentReference
from goldfish.specimens.agents.reference_window import SummaryReference
from goldfish.targets.agents import agent as agent_target
from goldfish.targets.agents import make_agent
from goldfish.targets.declaration import Target, as_target
from goldfish.targets.names import resolve
from tests.agents import bots

T = Any


def converse(target: Target, work: Callable[[Agent], Awaitable[T]]) -> T:
    """Open the target on a stage of its own, and run the function with it."""

    async def act() -> T:
        async with open_stage(target, 30) as stage:
            return await work(Agent(stage, Random(0)))

    return asyncio.run(act())


@pytest.mark.parametrize(
    "target", [bots.plain, bots.made_at_import, bots.asynchronous, bots.streaming]
)
def test_an_agent_of_any_kind_answers_with_what_the_mirror_said(target: Target) -> None:
    """Plain, async, a generator, or with a client that was made when its module was imported."""

    async def talk(agent: Agent) -> None:
        conversation = agent.talk()
        first, second = await conversation.say_all(2)
        assert first.is_certain
        assert second.is_acknowledged
        assert first.mark in second.prompt
        assert first.answer
        assert first.answer in second.prompt

    converse(target, talk)


def test_two_users_share_a_session_id_and_no_history() -> None:
    """A say with a parameter user_id is told who asks, and forgets for one user."""

    async def talk(agent: Agent) -> None:
        hers, his = agent.talk(session="s", user="ann"), agent.talk(session="s", user="bob")
        said = await hers.say()
        assert said.mark not in (await his.say()).prompt
        await hers.forget()
        assert said.mark not in (await hers.say()).prompt

    converse(bots.of_users, talk)


def test_turns_at_once_are_told_apart_by_their_marks() -> None:
    """Each of ten sessions at once has its own request and its own answer."""

    async def talk(agent: Agent) -> None:
        talks = [agent.talk() for _ in range(10)]
        for turn in await say_at_once(agent, talks):
            assert turn.overlaps
            assert turn.is_certain
            assert turn.mark in turn.prompt

    converse(bots.asynchronous, talk)


def test_turns_that_meet_are_both_asked_before_one_is_answered() -> None:
    """However slowly the second one comes: neither prompt has the other's answer."""

    async def talk(agent: Agent) -> None:
        conversation = agent.talk()
        one, other = await say_at_once(agent, [conversation] * 2, direct=meet(agent))
        assert str(one.answer) not in other.prompt
        assert str(other.answer) not in one.prompt

    converse(make_agent(SecondIsLate, threads=True), talk)


class SecondIsLate(AgentReference):
    """Every second turn begins late."""

    turns = itertools.count()

    def say(self, session_id: str, text: str) -> str:
        time.sleep(0.3 * (next(self.turns) % 2))
        return super().say(session_id, text)


def test_an_agent_that_claims_one_opening_is_opened_once_for_callers_at_once() -> None:
    """They queue for it: a second one would not know what the first was told."""

    async def talk(agent: Agent) -> None:
        conversation = agent.talk()
        both = await say_at_once(agent, [conversation, conversation])
        last = await conversation.say()
        assert all(turn.is_acknowledged and turn.mark in last.prompt for turn in both)

    converse(bots.opened_once, talk)


def test_a_worker_that_is_killed_while_the_model_thinks_leaves_the_turn_unknown() -> None:
    """The next turn is answered by another process in its place."""

    async def talk(agent: Agent) -> None:
        conversation = agent.talk()
        turn = await kill_during(
            agent, conversation, lambda exchange: True, direct=lambda model: model.hang(30)
        )
        assert turn.outcome == "unknown"
        assert not turn.is_acknowledged
        assert (await conversation.say()).is_acknowledged

    converse(bots.plain, talk)


def test_a_reply_without_a_mark_is_judged_by_the_last_request_of_the_turn() -> None:
    """And the turn says that this is not certain."""

    async def talk(agent: Agent) -> None:
        turn = await agent.talk().say()
        assert not turn.is_certain
        assert turn.is_acknowledged
        assert turn.mark in turn.prompt

    converse(bots.rewriting, talk)
    opened = open_agent(bots.rewriting)
    assert opened.agent
    assert not opened.agent.marks


def test_an_agent_that_fails_with_the_model_is_not_acknowledged() -> None:
    """What it raises is the turn's error, and the next turn is answered."""

    async def talk(agent: Agent) -> None:
        conversation = agent.talk()
        turn = await conversation.attempt(direct=lambda model: model.fail(500, times=None))
        assert turn.outcome == "failed"
        assert "500" in turn.error
        assert (await conversation.say()).is_acknowledged

    converse(bots.plain, talk)


def test_an_agent_that_never_asks_the_mirror_is_refused_with_a_way_out() -> None:
    """One sentence, before any check."""
    with pytest.raises(
        TargetError, match=r"no request of silent reached the mirror: pass sandbox.model_url"
    ):
        open_agent(bots.silent)


def test_something_without_say_is_not_an_agent() -> None:
    """The sentence names the method."""
    with pytest.raises(TargetError, match=r"has no say\(session_id, text\)"):
        open_agent(bots.without_say)


def test_powers_are_seen_when_the_agent_is_opened() -> None:
    """By its methods and their parameters."""
    opened = open_agent(bots.of_users)
    assert opened.agent
    assert opened.agent.powers == {"say", "users", "forget"}


def test_an_agent_is_asked_ctx_and_a_memory_everything_else() -> None:
    """--only with the other kind says so."""
    checks = select(catalogue())
    memory = as_target(lambda sandbox: None, "memory")
    assert {each.family for each in choose_for(bots.plain, checks)} == {"CTX"}
    assert "CTX" not in {each.family for each in choose_for(memory, checks)}
    with pytest.raises(UsageError, match="is an agent; use CTX"):
        choose_for(bots.plain, select(catalogue(), only=["DUR"]))


def test_the_reference_agent_holds_every_promise() -> None:
    """A plain agent that is right is blamed for nothing."""
    target = make_agent(AgentReference, threads=True)
    report = run(target, choose_for(target, select(catalogue())), Plan(workers=2, deadline=30))
    verdicts = {Verdict.HELD, Verdict.UNSUPPORTED}
    assert [each for each in report.results if each.verdict not in verdicts] == []
    assert sum(each.verdict is Verdict.HELD for each in report.results) >= 9


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"window": 0}, r"window= must be a whole number above 0 \(got 0\)"),
        ({"window_tokens": "many"}, "window_tokens= must be a whole number"),
        ({"remembers": "all"}, "remembers= must be 'session' or 'users'"),
        ({"tools": "send"}, "tools= must be True or a list of names"),
        ({"claims": "nothing"}, "claims= must be one of"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(declared: Any, message: str) -> None:
    """When the factory is decorated."""
    with pytest.raises(TargetError, match=message):
        agent_target(**declared)(bots.plain.factory)


def test_a_client_that_is_made_when_the_file_is_imported_finds_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the target is looked up too, and nothing of it stays in the environment."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file = tmp_path / "keyed_bot.py"
    file.write_text(
        "import os, goldfish\nKEY = os.environ['OPENAI_API_KEY']\n"
        "@goldfish.agent\ndef bot(sandbox): ...\n"
    )
    assert resolve(f"{file}:bot").agent is not None
    assert "OPENAI_API_KEY" not in os.environ


def test_a_message_that_a_retry_said_again_is_told_as_such() -> None:
    """Other promises about a model that fails are about what is lost."""
    told = resolve("specimen:agent-retries-the-whole-turn")
    report = run(told, select(catalogue(), only=["CTX37", "CTX38"]), Plan(workers=2, deadline=30))
    verdicts = {each.code: each.verdict for each in report.results}
    assert verdicts == {"CTX37": Verdict.HELD, "CTX38": Verdict.BROKEN}


class SummarisesLate(SummaryReference):
    """Six messages stay after a summary, which is made once there are three times as many."""

    keep = 6

    def compact(self, session_id: str) -> None:
        if len(self.split(self.load(session_id))[1]) >= 3 * self.keep:
            super().compact(session_id)


def test_a_window_that_a_summary_leaves_may_be_exceeded_before_it() -> None:
    """And the promises about summaries wait until there is one."""

    async def talk(agent: Agent) -> None:
        turns = await agent.talk().overflow()
        assert any(len(turn.exchanges) > 1 for turn in turns)

    target = make_agent(SummarisesLate, threads=True, window=6, summarises=True)
    converse(target, talk)
    report = run(target, select(catalogue(), only=["CTX18"]), Plan(workers=2, deadline=30))
    assert [each.verdict for each in report.results] == [Verdict.HELD]


class BacksOff(AgentReference):
    """It asks a model that fails again and again, and waits longer each time."""

    def ask(self, messages: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
        for pause in (0.1, 20):
            with contextlib.suppress(RuntimeError):
                return super().ask(messages, **options)
            time.sleep(pause)
        raise RuntimeError("the model is down")


def test_an_agent_that_waits_for_a_failing_model_is_not_wedged() -> None:
    """How long it tries is its own affair; it is not judged by a turn that has no end yet."""
    plan = Plan(workers=1, deadline=1.0)
    report = run(make_agent(BacksOff, threads=True), select(catalogue(), only=["CTX36"]), plan)
    (result,) = report.results
    assert result.verdict is Verdict.UNSUPPORTED
    assert "longer for a model that fails than a turn may take" in result.summary

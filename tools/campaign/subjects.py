"""Who is asked: every specimen by the check that catches it, every reference by all of its kind."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from goldfish.catalogue.registry import Check, catalogue
from goldfish.engine.runner import Plan
from goldfish.findings.result import Result, Verdict
from goldfish.specimens import Specimen, gallery
from goldfish.specimens.agents.forgetting import ForgettingSummaryReference
from goldfish.specimens.agents.reference import AgentReference
from goldfish.specimens.agents.reference_stream import StreamReference
from goldfish.specimens.agents.reference_tools import ToolWindowReference
from goldfish.specimens.agents.reference_users import UserReference
from goldfish.specimens.agents.reference_window import BudgetReference
from goldfish.specimens.isolation.facts import MessagesAndFacts
from goldfish.specimens.references.asynchronous import AsyncFacts, AsyncReference, AsyncState
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.postgres import PostgresReference
from goldfish.specimens.references.redis import RedisReference
from goldfish.specimens.references.redis_facts import FactsOnRedis
from goldfish.specimens.references.redis_state import StateOnRedis
from goldfish.specimens.references.snapshots import SnapshotReference
from goldfish.specimens.references.state import StateReference
from goldfish.targets.agents import make_agent
from goldfish.targets.declaration import Target, target

CLIENTS = {"redis": "redis", "postgres": "psycopg"}  # of the services
WEDGED_AFTER = 1.0  # seconds, for specimens that never answer
PATIENCE = 30.0  # seconds for a call: who is right on a busy machine is never called late

# What each reference is asked about; one that has more methods is asked about those elsewhere.
REFERENCES: dict[type, tuple[str, ...]] = {
    SnapshotReference: ("messages",),
    AsyncReference: ("messages",),
    RedisReference: ("messages",),
    PostgresReference: ("messages",),
    FactsReference: ("facts",),
    AsyncFacts: ("facts",),
    FactsOnRedis: ("facts",),
    MessagesAndFacts: ("facts",),
    StateReference: ("state",),
    AsyncState: ("state",),
    StateOnRedis: ("state",),
    AgentReference: ("prompts",),
    BudgetReference: ("prompts",),
    ForgettingSummaryReference: ("prompts",),
    StreamReference: ("prompts",),
    ToolWindowReference: ("prompts",),
    UserReference: ("prompts",),
}


@dataclass(frozen=True)
class Subject:
    """A memory with its checks; ``finding`` is what they must say, nothing if it is right."""

    target: Target
    checks: tuple[Check, ...]
    finding: str | None
    deadline: float

    @property
    def name(self) -> str:
        """Return its name in the results."""
        return self.target.name

    def plan(self, seed: int) -> Plan:
        """Return how it is asked with this seed."""
        return Plan(seed=seed, workers=2, deadline=self.deadline)

    def is_as_expected(self, result: Result) -> bool:
        """Return whether a specimen was caught, or a reference not blamed."""
        if self.finding is None:
            return result.verdict is not Verdict.BROKEN
        return result.verdict is Verdict.BROKEN and result.finding == self.finding


def list_subjects() -> dict[str, Subject]:
    """Return everybody whom this machine can ask, by name."""
    subjects = [*_list_specimens(), *_list_references()]
    return {each.name: each for each in subjects if _is_possible(each.target)}


def _list_specimens() -> Iterator[Subject]:
    for specimen in gallery().values():
        if specimen.caught_by == "FLT25" and os.geteuid() == 0:
            continue  # permissions do not bind root
        check = catalogue()[specimen.caught_by]
        yield Subject(specimen.target, (check,), specimen.finding, _choose_deadline(specimen))


def _choose_deadline(specimen: Specimen) -> float:
    return WEDGED_AFTER if specimen.finding == "wedged" else PATIENCE


def _list_references() -> Iterator[Subject]:
    for store, about in REFERENCES.items():
        name = f"reference:{store.__name__}"
        if "prompts" in about:
            agent = make_agent(store, name=name, **getattr(store, "declares", {}))
        else:
            agent = target(name=name, services=getattr(store, "services", ()))(store)
        checks = tuple(check for check in catalogue().values() if check.about in about)
        yield Subject(agent, checks, None, PATIENCE)


def _is_possible(each: Target) -> bool:
    return all(find_spec(CLIENTS[service]) is not None for service in each.services)

"""The services of a target: those that it declares, and those that it asks for all the same."""

from typing import Any

import pytest

import goldfish
from goldfish.catalogue.requirements import Server
from goldfish.engine.opening import open_target
from goldfish.errors import ServiceError


@goldfish.target
def undeclared(sandbox: Any) -> goldfish.RedisMemoryStore:
    """A store on a Redis that its target does not name."""
    return goldfish.RedisMemoryStore(sandbox.redis_url)


def test_a_server_that_a_factory_asks_for_is_as_good_as_declared() -> None:
    """So checks that make it fail are asked."""
    opened = open_target(undeclared)
    assert opened.services == ("redis",)
    assert Server.in_target(opened) is None


def test_an_agent_gets_the_server_that_its_code_names() -> None:
    """Its workers are other processes, so it is started before they open."""

    @goldfish.agent(services=["postgres"])
    def bot(sandbox: Any) -> object:
        def connect() -> str:
            return str(sandbox.redis_url)

        return connect

    assert bot.services == ("postgres", "redis")


def test_a_service_gets_the_server_that_its_environment_names() -> None:
    """By the placeholder of its address."""
    app = goldfish.service(["serve"], say=lambda *_: "", env={"CACHE": "{redis_url}"})
    assert app.services == ("redis",)


def test_an_unknown_service_is_told(goldfish_sandbox: goldfish.Sandbox) -> None:
    """With those that there are."""
    with pytest.raises(ServiceError, match="use redis or postgres"):
        goldfish_sandbox.provide(("mongo",))

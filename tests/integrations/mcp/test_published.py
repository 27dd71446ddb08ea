"""A published server from npm, which loses what two processes tell it at once."""

import shutil

import pytest

from goldfish.errors import TargetError
from goldfish.mcp.server import Server
from goldfish.targets.names import resolve
from tests.integrations.blame import assert_blamed
from tests.packages import needs

pytestmark = needs("mcp")


COMMAND = "npx -y @modelcontextprotocol/server-memory"


def test_server_memory_is_blamed_for_what_it_loses_and_for_nothing_else() -> None:
    """Two processes on one file lose observations; one after the other loses none."""
    if shutil.which("npm") is None:
        pytest.skip("node is not installed")
    target = resolve(f"mcp:{COMMAND}")
    assert isinstance(target.factory, Server)
    try:
        target.factory.prepare()
    except TargetError as error:
        pytest.skip(f"the registry of npm is out of reach: {str(error)[:80]}")
    assert_blamed("mcp-server-memory", {"CON18": "broken", "DUR23": "held", "DUR27": "held"})

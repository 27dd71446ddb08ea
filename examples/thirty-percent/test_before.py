"""The test that the service went to production with: green, on one worker."""

from app import app
from fastapi.testclient import TestClient


def test_what_was_said_is_remembered() -> None:
    """By the one process that there is."""
    with TestClient(app) as client:
        said = [{"role": "user", "content": "My order is 4711."}]
        client.post("/say", json={"session_id": "ann", "messages": said}).raise_for_status()
        assert client.post("/history", json={"session_id": "ann"}).json() == said

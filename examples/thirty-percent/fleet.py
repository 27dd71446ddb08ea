"""The service as goldfish sees it: three workers behind one port, and a client over HTTP."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from goldfish import ChatMessage

SERVE = Path(__file__).with_name("serve.py")
KEEPS = {"role", "content"}


class ChatService:
    """What a user of the service can do."""

    def __init__(self, port: int) -> None:
        # A new connection for each request, as many users make them: any worker may take it.
        one_each = httpx.Limits(max_keepalive_connections=0)
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{port}", limits=one_each, timeout=8)

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        said = [message.model_dump(include=KEEPS) for message in messages]
        self._post("/say", session_id=session_id, messages=said)

    def get_history(self, session_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._post("/history", session_id=session_id).json()
        return found

    def clear(self, session_id: str) -> None:
        self._post("/forget", session_id=session_id)

    def close(self) -> None:
        self.http.close()

    def _post(self, path: str, **body: Any) -> httpx.Response:
        is_json = {"content-type": "application/json"}
        return self.http.post(path, content=json.dumps(body), headers=is_json).raise_for_status()


def port_of_the_fleet(directory: Path, **settings: str) -> int:
    """Where the fleet of this sandbox listens; whoever comes first starts it."""
    try:
        directory.mkdir()
    except FileExistsError:
        return port_once_written(directory / "port")
    command = [sys.executable, str(SERVE), str(directory)]
    with (directory / "log").open("wb") as log:
        started = subprocess.run(
            command,
            env={**os.environ, **settings},
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for goldfish, which then removes the sandbox
        )
    if started.returncode != 0:
        raise RuntimeError(f"the fleet did not start: {(directory / 'log').read_text()[-500:]}")
    return port_once_written(directory / "port")


def port_once_written(file: Path) -> int:
    """The port, as soon as the opening that starts the fleet has written it down."""
    for _ in range(500):
        if file.exists():
            return int(file.read_text())
        time.sleep(0.02)
    raise RuntimeError("the fleet did not start within 10 s: see the opening that started it")


@contextmanager
def fleet(directory: Path, **settings: str) -> Iterator[ChatService]:
    """A user of the service that runs with these settings in this sandbox."""
    service = ChatService(port_of_the_fleet(directory / "fleet", **settings))
    try:
        yield service
    finally:
        service.close()

"""Starts the service as production runs it: several worker processes that accept on one socket.

This is ``uvicorn app:app --workers 3`` with two differences: the port is written to a file once all
workers answer, and the workers end when the directory of that file is removed.
"""

import os
import socket
import sys
import threading
import time
from pathlib import Path

import uvicorn
from app import app
from fastapi import FastAPI

WORKERS = 3


class Worker(uvicorn.Server):
    """A worker process of the service, which says so once it answers."""

    def __init__(self, application: FastAPI, ready: int) -> None:
        super().__init__(uvicorn.Config(application, log_level="warning"))
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        os.write(self.ready, b"1")
        os.close(self.ready)


def main(directory: Path) -> None:
    """Fork the workers, wait until each of them answers, and leave them to themselves."""
    listening = socket.create_server(("127.0.0.1", 0))
    answering, ready = os.pipe()
    for _ in range(WORKERS):
        if os.fork() == 0:
            threading.Thread(target=end_with, args=[directory], daemon=True).start()
            Worker(app, ready).run(sockets=[listening])
            os._exit(1)
    os.close(ready)
    if b"" in [os.read(answering, 1) for _ in range(WORKERS)]:
        sys.exit("a worker did not start")
    (directory / "starting").write_text(str(listening.getsockname()[1]))
    (directory / "starting").rename(directory / "port")


def end_with(directory: Path) -> None:
    """The sandbox goes with the check, also when goldfish is killed; then this process goes too."""
    while directory.exists():
        time.sleep(0.1)
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

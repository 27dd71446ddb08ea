"""Memories that end their own process, each in another place."""

import ctypes
import os
import re
import signal
import threading
import time
from typing import Any

from goldfish.world.remote import RemoteSandbox


class Dict:
    """The smallest memory there is."""

    def __init__(self, sandbox: Any) -> None:
        self.sessions: dict[str, list[Any]] = {}

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        self.sessions.setdefault(session_id, []).extend(messages)

    def get_history(self, session_id: str) -> list[Any]:
        return list(self.sessions.get(session_id, []))


class Segfault(Dict):
    """Native code reads what is not there."""

    def get_history(self, session_id: str) -> list[Any]:
        ctypes.string_at(0)
        return []


class Exit(Dict):
    """It calls exit where it should raise."""

    def get_history(self, session_id: str) -> list[Any]:
        os._exit(3)


class ExitInOpening(Dict):
    """It calls exit when it is opened."""

    def __init__(self, sandbox: Any) -> None:
        os._exit(4)


class EighthThread(Dict):
    """It works until eight threads of its own have worked for it."""

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        threads = [threading.Thread(target=_abort_in_eighth, args=(n,)) for n in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _abort_in_eighth(number: int) -> None:
    if number == 8:
        os.abort()


class ExitElsewhere(Dict):
    """It calls exit in every process but the one of the check."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.elsewhere = isinstance(sandbox, RemoteSandbox)

    def get_history(self, session_id: str) -> list[Any]:
        if self.elsewhere:
            os._exit(5)
        return super().get_history(session_id)


class Killed(Dict):
    """Somebody outside ends its process, as the system does when memory is short."""

    def get_history(self, session_id: str) -> list[Any]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []


class Sleeping(Dict):
    """A call waits for what never comes."""

    def get_history(self, session_id: str) -> list[Any]:
        time.sleep(1000)
        return []


class KeepsTheInterpreter(Dict):
    """Native code that never lets go: a pattern that backtracks for ever."""

    def get_history(self, session_id: str) -> list[Any]:
        re.match(r"(a+)+$", "a" * 64 + "!")
        return []


class Busy(Dict):
    """A call loops for ever, in a thread of its own."""

    def get_history(self, session_id: str) -> list[Any]:
        thread = threading.Thread(target=_loop, daemon=True)
        thread.start()
        thread.join()
        return []


def _loop() -> None:
    while True:
        pass

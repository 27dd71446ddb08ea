"""A service as a worker: a process group that a command starts, and the HTTP that talks to it."""

import asyncio
import contextlib
import inspect
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

from goldfish.agents.replica import pass_user, read_reply, takes
from goldfish.errors import MissingExtraError, ServiceError, mask
from goldfish.harness.errors import EndedError, RemoteError, StoreError, describe_error
from goldfish.harness.patience import OverdueError, Patience, wait_patiently
from goldfish.services import cleanup, reaper
from goldfish.services.ports import find_free_port
from goldfish.targets.agents import Service

READY_WITHIN = 60.0  # seconds that the machine grants
LAST_LINES = 12
STOPS_WITHIN = 10.0


class ServiceWorker:
    """One instance of a service: a process group on a port of its own."""

    def __init__(self, service: Service, values: Mapping[str, str], name: str) -> None:
        self.name = name
        self.kind = "service"
        self._service = service
        self._port = find_free_port()
        self._values = {**values, "port": str(self._port), "python": sys.executable}
        self._process: subprocess.Popen[bytes] | None = None
        self._log = tempfile.TemporaryFile(prefix="goldfish-")  # noqa: SIM115 - it lives as long
        powers = {
            "say": True,
            "streams": inspect.isgeneratorfunction(service.say),
            "users": takes(service.say, "user_id"),
            "forget": service.forget is not None,
            "forget_user": service.forget_user is not None,
        }
        self.powers = frozenset(each for each, is_there in powers.items() if is_there)

    @classmethod
    async def start(
        cls,
        service: Service,
        values: Mapping[str, str],
        environment: Mapping[str, str],
        name: str,
    ) -> Self:
        """Start an instance, and wait until it is ready; a ServiceError has its last lines."""
        worker = cls(service, values, name)
        try:
            worker._launch(environment)
            await worker._wait_until_ready()
        except BaseException:
            worker.kill()
            raise
        return worker

    async def say(
        self, session: str, text: str, *, user: str, deadline: float, lane: int, leaves: bool
    ) -> str:
        """Return what the user's function makes of the answer."""
        function = partial(_take_first_piece, self._service.say) if leaves else self._service.say
        return read_reply(await self._call("say", function, deadline, session, text, user=user))

    @property
    def is_running(self) -> bool:
        """Whether its first process lives."""
        return self._process is not None and self._process.poll() is None

    async def forget(self, session: str, *, user: str, deadline: float) -> None:
        """Let the service forget a session."""
        assert self._service.forget is not None
        await self._call("forget", self._service.forget, deadline, session, user=user)

    async def forget_user(self, user: str, *, deadline: float) -> None:
        """Let the service forget a user."""
        assert self._service.forget_user is not None
        await self._call("forget_user", self._service.forget_user, deadline, user, user=user)

    def kill(self) -> None:
        """SIGKILL the whole process group, and wait until it is gone."""
        self._log.close()
        process, self._process = self._process, None
        if process is None:
            return
        tree = reaper.kill_tree(process.pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # also those whose parent has left them
        process.wait()
        reaper.wait_until_dead(tree)
        _wait_until_empty(process.pid)
        cleanup.forget_process(process.pid)

    async def close(self, *, deadline: float) -> None:
        """End the service as a deployment does, with SIGTERM, or SIGKILL if that takes too long."""
        process = self._process
        if process is not None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(process.wait, STOPS_WITHIN)
            self.kill()

    def _launch(self, environment: Mapping[str, str]) -> None:
        own = {name: self._fill(text) for name, text in self._service.environment.items()}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        command = [self._fill(word) for word in self._service.command]
        try:
            self._process = subprocess.Popen(
                command,
                cwd=self._service.directory,
                env={**os.environ, "PATH": path, **environment, "PORT": str(self._port), **own},
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                start_new_session=True,  # a process group of its own
            )
        except OSError as error:
            raise ServiceError(
                f"the command {command[0]!r} does not start: {error.strerror}"
            ) from None
        cleanup.watch_process(self._process.pid)

    def _fill(self, text: str) -> str:
        """Return a word of the command with the values of this instance in place of {port} etc."""
        for name, value in self._values.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    async def _wait_until_ready(self) -> None:
        assert self._process is not None
        patience = Patience(READY_WITHIN)
        while not patience.is_over:
            if await asyncio.to_thread(self._answers):
                return
            if (code := self._process.poll()) is not None:
                raise ServiceError(self._describe_failure(f"ended with exit code {code}"))
            await asyncio.sleep(0.02)
            patience.beat()
        what = self._service.ready or f"port {self._port}"
        raise ServiceError(
            self._describe_failure(f"is not ready: {what} does not answer after {READY_WITHIN:g} s")
        )

    def _answers(self) -> bool:
        """Return True if the port accepts, or the path of ``ready=`` answers with success."""
        try:
            if self._service.ready is None:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
                return True
            with self._open_client(5.0) as http:
                return bool(http.get(self._service.ready).is_success)
        except Exception:
            return False

    def _describe_failure(self, what: str) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").splitlines()[-LAST_LINES:]
        last = "; its last lines:\n" + "\n".join(lines) if lines else "; it said nothing"
        return mask(f"the service {self._fill(self._service.command[0])!r} {what}{last}")

    def _open_client(self, deadline: float) -> Any:
        """Return a client with a connection of its own: keep-alive would stay at one worker."""
        try:
            import httpx
        except ModuleNotFoundError:
            raise MissingExtraError.of("httpx", "agents") from None
        return httpx.Client(
            base_url=f"http://127.0.0.1:{self._port}",
            timeout=deadline,
            transport=_make_transport(),
            trust_env=False,
        )

    async def _call(
        self, method: str, function: Any, deadline: float, *arguments: str, user: str
    ) -> Any:
        """Call a function of the user's with a new connection, in a thread."""

        refusals: list[str] = []

        def work() -> Any:
            with self._open_client(deadline) as http:
                http.event_hooks = {"response": [partial(_note_refusal, refusals)]}
                answer = function(http, *arguments, **pass_user(function, user))
                return list(answer) if isinstance(answer, Iterator) else answer

        try:
            return await wait_patiently(asyncio.to_thread(work), deadline + 5)
        except OverdueError as overdue:
            raise overdue.blame(f"wedged: {method} did not return within {deadline:g} s") from None
        except Exception as error:
            if not self.is_running:
                raise StoreError(method, EndedError(str(error))) from error
            if refusals and not hasattr(error, "response"):  # else it names the status itself
                told = RemoteError(f"{describe_error(error)}; {refusals[-1]}")
                raise StoreError(method, told) from error
            raise StoreError(method, error) from error


def _note_refusal(refusals: list[str], response: Any) -> None:
    """Note an answer that is an error: a function that does not look raises at something else."""
    if response.is_error:
        asked = response.request
        refusals.append(f"{asked.method} {asked.url.path} answered {response.status_code}")


def _take_first_piece(say: Any, http: Any, session: str, text: str, **options: str) -> Any:
    """Call a function that yields pieces, and leave after the first."""
    pieces = say(http, session, text, **options)
    if not isinstance(pieces, Iterator):
        return pieces
    first = next(filter(None, map(read_reply, pieces)), "")
    if isinstance(pieces, Generator):
        pieces.close()
    return first


def _wait_until_empty(group: int) -> None:
    """Wait until a process group that was killed has no member left."""
    give_up = time.monotonic() + reaper.PATIENCE
    with contextlib.suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < give_up:
            os.killpg(group, 0)
            time.sleep(0.002)


def _make_transport() -> Any:
    """Return a transport without certificates, which take longer to load than a turn."""
    import httpx

    return httpx.HTTPTransport(verify=False, trust_env=False)  # loopback only, without TLS

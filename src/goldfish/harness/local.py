"""A store under test, sync or async, in a thread of its own, so that it never hangs the harness."""

import asyncio
import inspect
import re
from collections.abc import (
    AsyncIterable,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial
from typing import Any, Self, TypeVar

from goldfish.harness.crash import EndedItselfError
from goldfish.harness.errors import StoreError
from goldfish.harness.patience import OverdueError, make_blame, wait_patiently
from goldfish.harness.spool import describe_call, note_end, note_start
from goldfish.harness.transcript import Transcript
from goldfish.history.operations import METHODS, has_effect
from goldfish.targets.declaration import Target
from goldfish.targets.forms import OWN, Form, put_in_form, read_form
from goldfish.threads import LoopThread, leave_event_loop

T = TypeVar("T")
NO_LOOP = re.compile("no (running|current) event loop")  # Python's words
Closing = Callable[[], Coroutine[Any, Any, None]]


class LocalClient:
    """A store under test, opened in a thread of its own, so that it can never hang the harness.

    Sync and async stores look the same from here; a sync one has that thread to itself.
    """

    def __init__(
        self,
        opened: Any,
        closing: Closing,
        thread: LoopThread,
        transcript: Transcript,
        *,
        threads: bool = False,
        messages: Form = OWN,
    ) -> None:
        self.store = opened
        self.threads = threads
        self.messages = messages  # the form in which the store takes them
        self.lacking = find_lacking(opened)
        self.methods = find_methods(opened, self.lacking)
        self.transcript = transcript
        self._needs_loop = _is_async(opened, METHODS)
        self._closing = closing
        self._thread = thread

    @classmethod
    async def open(
        cls,
        target: Target,
        sandbox: Any,
        transcript: Transcript | None = None,
        *,
        deadline: float,
        **options: Any,
    ) -> Self:
        """Run the target's factory; what it raises comes as a StoreError of "opening"."""
        thread = LoopThread()
        try:
            opened, closing = await _run_in_time(
                thread, "opening", partial(_open, target, sandbox, options), deadline
            )
        except BaseException:
            thread.abandon()
            raise
        return cls(
            opened,
            closing,
            thread,
            transcript or Transcript(),
            threads=target.threads,
            messages=target.messages,
        )

    async def call(self, method: str, *arguments: Any, deadline: float, **options: Any) -> Any:
        """Call a method; return what it returns, as a list if that is any kind of iterator."""

        async def ask(given: tuple[Any, ...], options: dict[str, Any]) -> Any:
            work = partial(self._ask_store, method, given, options)
            shown = describe_call(method, given, options)
            return await _run_in_time(self._thread, method, work, deadline, shown)

        return await self.transcript.exchange(method, arguments, options, ask)

    async def _ask_store(
        self, method: str, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Call a method with messages in the store's form; what it returns comes in ours."""
        given = put_in_form(self.messages, method, arguments)
        answer = await self._call_function(getattr(self.store, method), given, options)
        return read_form(self.messages, method, answer)

    async def _call_function(
        self, function: Any, arguments: Sequence[Any], options: dict[str, Any]
    ) -> Any:
        if self._needs_loop:
            return await _collect(function(*arguments, **options))
        try:
            # What is not async may use ``asyncio.run`` itself, as in a script or a sync web server.
            with leave_event_loop():
                result = function(*arguments, **options)
        except RuntimeError as error:
            if not NO_LOOP.search(str(error)):
                raise
            self._needs_loop = True  # it starts tasks
            result = function(*arguments, **options)
        return await _collect(result)

    async def beside(self, another: Callable[[], Awaitable[Self]]) -> Self:
        """Return a client whose calls run at the same time as this one's.

        An async store serves many at once. A sync one is shared by threads if it says so, and else
        opened another time, because much of what is not async belongs to one thread.
        """
        if _is_async(self.store, [name for name in METHODS if has_effect(name, "write")]):
            return self
        if getattr(self.store, "threads", self.threads) is True:
            return type(self)(
                self.store,
                _do_nothing,
                LoopThread(),
                self.transcript,
                threads=True,
                messages=self.messages,
            )
        return await another()

    def abandon(self) -> None:
        """End the thread without waiting for what it does."""
        self._thread.abandon()

    async def close(self, *, deadline: float) -> None:
        """Close the store as its factory does, and end the thread."""
        if self._thread.abandoned:
            return
        try:
            await _run_in_time(self._thread, "closing", self._closing, deadline)
        finally:
            if not self._thread.abandoned:
                self._thread.leave()


async def _run_in_time(
    thread: LoopThread,
    method: str,
    work: Callable[[], Coroutine[Any, Any, T]],
    deadline: float,
    shown: str = "",
) -> T:
    """Run work in the client's thread; a violation says that it did not end in time."""
    if thread.abandoned:
        raise _blame_earlier(thread, f"{method} came after a call that never returned")
    number = note_start(shown or f"{method}()")
    future = thread.submit(_wrap_errors(method, work))
    try:
        return await wait_patiently(asyncio.wrap_future(future), deadline)
    except OverdueError as overdue:
        thread.is_excused = overdue.is_late
        thread.abandon()
        raise overdue.blame(f"wedged: {method} did not return within {deadline:g} s") from None
    except asyncio.CancelledError:
        caller = asyncio.current_task()
        if not thread.abandoned or (caller is not None and caller.cancelling()):
            raise
        raise _blame_earlier(thread, f"{method} waited beside a call that never returned") from None
    finally:
        note_end(number)


def _blame_earlier(thread: LoopThread, text: str) -> Exception:
    """Return what is said of a call whose thread was given up because of another one."""
    return make_blame(f"wedged: {text}", is_late=thread.is_excused)


async def _wrap_errors(method: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    try:
        return await work()  # made here, where it is awaited: a call may be given up before
    except asyncio.CancelledError:
        raise
    except EndedItselfError as ended:
        raise ended.crash.blame(method) from None
    except BaseException as error:  # also SystemExit: it must not end the thread
        raise StoreError(method, error) from error


async def _collect(result: Any) -> Any:
    """Return what a call comes to, when all of it is there."""
    if inspect.isawaitable(result):
        result = await result
    if isinstance(result, AsyncIterable):
        return [each async for each in result]
    if isinstance(result, Iterator):
        with leave_event_loop():
            return list(result)
    return result


async def _open(target: Target, sandbox: Any, options: dict[str, Any]) -> tuple[Any, Closing]:
    made = target(sandbox, **options)
    if inspect.isawaitable(made):
        made = await made
    if inspect.isasyncgen(made):
        return await anext(made), partial(_finish_async, made)
    if inspect.isgenerator(made):
        return next(made), partial(_finish, made)
    return made, partial(_close_store, made)


async def _finish_async(made: Any) -> None:
    """Let the factory run on after its yield, where it closes the store."""
    async for _ in made:
        raise RuntimeError("a target yields one store")


async def _finish(made: Any) -> None:
    for _ in made:
        raise RuntimeError("a target yields one store")


async def _do_nothing() -> None:
    """Close nothing: the opening belongs to another client."""


async def _close_store(opened: Any) -> None:
    close = getattr(opened, "aclose", None) or getattr(opened, "close", None)
    if close is not None:
        result = close()
        if inspect.isawaitable(result):
            await result


Methods = dict[str, list[str] | None]  # by name the parameters it takes; None if it takes any


def find_methods(opened: object, lacking: Mapping[str, str] | None = None) -> Methods:
    """Return the methods of a store that can be asked for, and the parameters of each."""
    lacking = find_lacking(opened) if lacking is None else lacking
    found = {name: _get_attribute(opened, name) for name in METHODS if name not in lacking}
    return {name: _list_parameters(method) for name, method in found.items() if callable(method)}


def _is_async(store: Any, methods: Iterable[str]) -> bool:
    """Return True if one of these methods, where the store has it, is async."""
    functions = [_get_attribute(store, name) for name in methods]
    return any(map(inspect.iscoroutinefunction, functions))


def find_lacking(opened: object) -> dict[str, str]:
    """Return the methods that the store says cannot be used here, each with its reason."""
    said = _get_attribute(opened, "lacking")
    if not isinstance(said, Mapping):  # a stranger's attribute that means something else
        return {}
    return {str(name): str(why) for name, why in said.items()}


def _get_attribute(opened: object, name: str) -> Any:
    try:
        return getattr(opened, name, None)
    except Exception:  # a property of a stranger's store may do anything
        return None


def _list_parameters(method: Any) -> list[str] | None:
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):
        return []
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return None
    return [each.name for each in parameters if each.kind is not each.VAR_POSITIONAL]

"""A command as a store: each method that it serves, as a coroutine with its own parameters."""

import inspect
from typing import Any

from goldfish.commands.errors import ProtocolError
from goldfish.commands.introduction import PROTOCOL, Introduction, read_introduction
from goldfish.commands.process import CommandProcess
from goldfish.commands.values import decode_answer, encode_parameters
from goldfish.harness.crash import EndedItselfError
from goldfish.harness.errors import EndedError, RemoteError
from goldfish.history.operations import METHODS


class CommandStore:
    """The memory that a command serves; the methods are those that it named."""

    def __init__(self, process: CommandProcess, introduction: Introduction) -> None:
        self._process = process
        self._doubles = introduction.doubles
        for name, parameters in introduction.methods.items():
            setattr(self, name, self._make_method(name, parameters))

    def _make_method(self, name: str, parameters: list[str]) -> Any:
        signature = _make_signature(name, parameters)

        async def ask(*arguments: Any, **options: Any) -> Any:
            given = signature.bind(*arguments, **options).arguments
            named = encode_parameters(given, doubles=self._doubles)
            answer = await self._process.ask(name, named)
            return decode_answer(name, answer, doubles=self._doubles)

        ask.__name__ = name
        ask.__signature__ = signature  # type: ignore[attr-defined] # as inspect looks for it
        return ask

    async def aclose(self) -> None:
        """Ask the command to shut down, and end its process."""
        try:
            await self._process.ask("shutdown", {})
        except (RemoteError, ProtocolError, EndedItselfError, ValueError):
            pass  # how it says goodbye is of the protocol, and not of the memory
        finally:
            await self._process.end()


async def introduce(process: CommandProcess) -> Introduction:
    """Ask a command who it is; a ProtocolError says in what way it does not speak the protocol."""
    try:
        return read_introduction(await process.ask("initialize", {"protocol": PROTOCOL}))
    except ProtocolError as error:
        raise ProtocolError(str(error), process.read_log()) from None
    except (EndedItselfError, EndedError):
        ended = f"{await process.describe_end()} before it answered initialize"
        raise ProtocolError(ended + _quote_strays(process), process.read_log()) from None
    except (RemoteError, ValueError) as error:
        refusal = f"answered initialize with an error ({error})"
        raise ProtocolError(refusal, process.read_log()) from None


async def open_store(process: CommandProcess) -> CommandStore:
    """Return the memory of a process that was just started; end the process if there is none."""
    try:
        return CommandStore(process, await introduce(process))
    except BaseException:
        process.kill()
        process.release()
        raise


def _quote_strays(process: CommandProcess) -> str:
    strays = process.channel.strays
    return f", after it wrote {strays[0]!r} to standard output" if strays else ""


def _make_signature(name: str, parameters: list[str]) -> inspect.Signature:
    """Return the signature by which checks call a method: what may be left out, by name."""
    kinds = inspect.Parameter
    required = METHODS[name].positional
    own = [kinds(each, kinds.POSITIONAL_OR_KEYWORD) for each in required if each in parameters]
    rest = [
        kinds(each, kinds.KEYWORD_ONLY, default=None)
        for each in dict.fromkeys(parameters)
        if each not in required and each.isidentifier()
    ]
    return inspect.Signature([*own, *rest])

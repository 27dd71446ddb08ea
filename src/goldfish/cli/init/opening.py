"""Calls the project's own functions that connect, so that they open the sandbox's storage."""

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from goldfish.cli.init.backends import FOLDER
from goldfish.cli.init.openers import (
    CONNECTIONS,
    CONNECTS,
    Opener,
    find_openers,
    list_called,
    opens_fixed_path,
)
from goldfish.cli.init.parameters import Parameter, read_call
from goldfish.report.sanitize import escape_controls

if TYPE_CHECKING:
    from goldfish.cli.init.places import Builder

UNKNOWN = re.compile(r'=(None|"goldfish")')  # where the code does not say what to hand in
ASYNC = re.compile("async|aio", re.IGNORECASE)


def open_own(builder: "Builder", wanted: str) -> str:
    """Return the call of the project's function that connects; nothing if there is none to use.

    ``wanted`` is the type that is asked for, if it is known.
    """
    near = [*builder.reached, *(each for each in builder.sources.all
                                if each not in builder.reached)]  # fmt: skip
    found = [
        each
        for each in find_openers(near, CONNECTIONS, CONNECTS)
        if each.backend in {"", builder.backend} and _fits(each, wanted)
    ]
    for each in found:
        if made := write_opening(builder, each):
            return made
    # A connection of the file's own serves as well where no tables are made by the other one.
    if found and builder.backend != "redis" and not found[0].function.name.startswith("_"):
        name, at = found[0].function.name, found[0].where
        builder.place.gaps.append(
            f"{name} ({at}) opens a storage that nothing here can change, so it is not called and "
            "the file connects for itself: let it take the address, and hand it the sandbox's"
        )
    return ""


def _fits(opener: Opener, wanted: str) -> bool:
    """Return False if one is for asyncio and the other is not, as far as both are known."""
    if not wanted or "." not in wanted or not opener.backend:
        return True
    return bool(ASYNC.search(opener.gives)) == bool(ASYNC.search(wanted))


def write_opening(builder: "Builder", opener: Opener, makes: re.Pattern[str] = CONNECTS) -> str:
    """Return an expression of what a function opens; nothing if it cannot open the sandbox's.

    It gets an address as an argument, or finds it in a global or a setting that is replaced.
    """
    if opener in builder.opened:  # it is what asks: a global that it opens itself
        return ""
    builder.opened.append(opener)
    try:
        arguments = _lead(builder, opener, makes)
    finally:
        builder.opened.remove(opener)
    if arguments is None:
        return ""
    place, function = builder.place, opener.function
    place.awaits |= opener.is_async
    owner = opener.owner and builder.make(opener.source, opener.owner)
    call = f"{owner or place.names.use_module(opener.source.module)}.{function.name}({arguments})"
    if not opener.lends:
        return f"await {call}" if opener.is_async else call
    waits = "async " if opener.is_async else ""
    at = escape_controls(f"({opener.where})")
    place.around = f"{waits}with {call} as handle:  # GUESS: how it is opened {at}"
    return "handle"


def lead_defaults(builder: "Builder") -> None:
    """Write the lines that put the sandbox in the place of the paths that functions default to.

    Other functions call these without arguments, and a default is settled when it is defined.
    """
    called = {name for each in builder.reached for name in list_called(each.tree, bare=True)}
    for opener in find_openers(builder.reached, CONNECTIONS, CONNECTS):
        if opener.function.name in called and (values := _fill_defaults(builder, opener)):
            module = builder.place.names.use_module(opener.source.module)
            given = f"({', '.join(values)}{',' * (len(values) == 1)})"
            line = f"{module}.{opener.function.name}.__defaults__ = {given}"
            builder.place.note(f"{line}  # GUESS: in place of {escape_controls(opener.where)}")


def _fill_defaults(builder: "Builder", opener: Opener) -> list[str]:
    """Return the defaults of a function, one of them an address of the sandbox; else nothing."""
    arguments, (handed, _) = opener.function.args, opener.list_addresses(CONNECTS)
    values = [ast.unparse(each) for each in arguments.defaults]
    call = read_call(opener.function, opener.source, builder.sources, [], bound=False)
    placed = call.parameters[: len(arguments.args)]
    paths = [n for n, each in enumerate(placed) if each.name in handed]
    others = [each for n, each in enumerate(arguments.defaults) if [n] != paths]
    if len(values) != len(placed) or len(paths) != 1 or values[paths[0]] == "None":
        return []
    if not all(isinstance(each, ast.Constant) for each in others):
        return []
    path = placed[paths[0]]
    values[paths[0]] = builder.address_of(path) or _make_address(builder, path)
    return values


def _lead(builder: "Builder", opener: Opener, makes: re.Pattern[str]) -> str | None:
    """Return the arguments by which a function opens the sandbox; None if there are none."""
    is_method = opener.owner is not None
    call = read_call(opener.function, opener.source, builder.sources, [], bound=is_method)
    given = _address(builder, call.parameters, opener.list_addresses(makes))
    missing = [each for each in call.parameters if each.is_required and each.name not in given]
    if missing or not (
        given or _is_led_by_owner(builder, opener) or _is_led_otherwise(builder, opener)
    ):
        return None
    builder.place.is_placed = True
    return ", ".join(f"{name}={value}" for name, value in given.items())


def _address(
    builder: "Builder", parameters: Sequence[Parameter], handed: tuple[set[str], set[str]]
) -> dict[str, str]:
    """Return the parameters that get an address: those that are handed on, else by their names.

    A whole path does not serve as a part of one, but a folder does.
    """
    whole, parts = handed
    direct = [each for each in parameters if each.name in whole]
    if direct:
        return {each.name: builder.address_of(each) or _make_address(builder, each)
                for each in direct[:1]}  # fmt: skip
    free = [each for each in parameters if each.name not in parts or FOLDER.fullmatch(each.name)]
    return {each.name: value for each in free if (value := builder.address_of(each))}


def _make_address(builder: "Builder", parameter: Parameter) -> str:
    written = ast.unparse(parameter.annotation) if parameter.annotation else ""
    return builder.address(parameter.name) or builder.file(is_text="Path" not in written)


def _is_led_by_owner(builder: "Builder", opener: Opener) -> bool:
    """Return True if the object whose method it is gets an address of the sandbox."""
    if opener.owner is None or opens_fixed_path(opener.source, opener.function):
        return False
    place = builder.place
    was, place.is_placed = place.is_placed, False
    made = builder.make(opener.source, opener.owner)
    is_led, place.is_placed = place.is_placed, was
    return is_led and not UNKNOWN.search(made)


def _is_led_otherwise(builder: "Builder", opener: Opener) -> bool:
    """Return True if a global or a setting that a function reads leads to the sandbox."""
    if opens_fixed_path(opener.source, opener.function):
        return False
    if opener.source not in builder.reached:
        builder.reached.append(opener.source)
    place = builder.place
    was, place.is_placed = place.is_placed, False
    builder.replace_globals()
    builder.set_environment()
    place.is_placed = was
    replaced = [left for line in place.before for left in line.split(" = ")[:-1]]
    return any(opener.reads(re.findall(r"\w+", each)[-1]) for each in replaced)

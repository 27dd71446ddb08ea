"""The interface of a store: whether it has the methods of a memory, as checks call them."""

import contextlib
import inspect
from typing import Any

from goldfish.history.operations import METHODS

# Methods that a stranger may have in any shape are not looked at.
EXPECTED = {name: method for name, method in METHODS.items() if not method.any_shape}


def find_interface_problem(store: object) -> str | None:
    """Return which method a store lacks or has in another shape, and the expected one; or None."""
    wrong = (_find_misshapen(store, name) for name in EXPECTED)
    problem = _find_missing(store) or next(filter(None, wrong), None)
    if problem and isinstance(store, type):
        name = store.__name__
        return f"gives the class {name} itself, and not an object of it: return {name}(…)"
    return problem


def _find_missing(store: object) -> str | None:
    has = {name for name in EXPECTED if _get_method(store, name) is not None}
    if {"add_messages", "get_history"} <= has:
        return None
    if "remember" in has and has & {"recall", "list_facts"}:
        return None
    if "remember" in has and "add_messages" not in has:
        lacks = f"{METHODS['recall']} or {METHODS['list_facts']}"
    else:
        lacks = str(METHODS["get_history" if "add_messages" in has else "add_messages"])
    return (
        f"gives a value of type {type(store).__name__}, which has no {lacks}: a memory has "
        "add_messages and get_history, or remember and recall or list_facts"
    )


def _find_misshapen(store: object, name: str) -> str | None:
    method = _get_method(store, name)
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):  # there is no such method, or it hides its parameters
        return None
    if _accepts_call(signature, name):
        return None
    own = ", ".join(str(each).partition(":")[0] for each in signature.parameters.values())
    return f"has {name}({own}) in the wrong shape: expected {METHODS[name]}"


def _accepts_call(signature: inspect.Signature, name: str) -> bool:
    """Return True if the call that checks make fits; an optional keyword may be missing."""
    method = METHODS[name]
    options = {each: None for each in method.keywords if each in signature.parameters}
    if method.keywords and not options:
        return True  # the checks that pass it find the store unsupported
    try:
        signature.bind(*method.positional, **options)
    except TypeError:
        return False
    return True


def _get_method(store: Any, name: str) -> Any:
    with contextlib.suppress(Exception):  # a property of a stranger's store may do anything
        method = getattr(store, name, None)
        return method if callable(method) else None

"""The namespaces of a LangGraph store: each is a user of our facts; how they are listed.

Namespaces are stored as JSON, so that no two are one text, whatever their labels contain.
"""

from langgraph.store.base import ListNamespacesOp, MatchCondition

from goldfish.encoding import decode_value, encode_ascii

Namespace = tuple[str, ...]
MARK = "langgraph-store:"


def user_of(namespace: Namespace) -> str:
    """Return the user whom the facts of a namespace are about."""
    return MARK + encode_ascii(list(namespace))


def namespace_of(user_id: str) -> Namespace | None:
    """Return the namespace of a user, or None if the user is not a namespace."""
    if not user_id.startswith(MARK + "["):
        return None
    try:
        labels = decode_value(user_id[len(MARK) :])
    except ValueError:  # another application's user
        return None
    return tuple(labels)


def list_matching(namespaces: list[Namespace], op: ListNamespacesOp) -> list[Namespace]:
    """Return one page of the namespaces that match, cut to the requested depth, each once."""
    matching = [each for each in namespaces if _matches_all(each, op)]
    cut = sorted({each[: op.max_depth] for each in matching})
    return cut[op.offset : op.offset + op.limit]


def _matches_all(namespace: Namespace, op: ListNamespacesOp) -> bool:
    return all(_matches(namespace, each) for each in op.match_conditions or ())


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    """Return True if the namespace begins or ends with the path, in which * is any label."""
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    if condition.match_type == "prefix":
        part = namespace[: len(path)]
    elif condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    else:
        raise ValueError(f"unknown match_type {condition.match_type!r}: use prefix or suffix")
    return all(want in ("*", label) for want, label in zip(path, part, strict=True))

"""The namespaces of a LangGraph store: the user that each is to our facts, and how they are listed.

A namespace is exact, whatever its labels contain: as JSON no two are one text.
"""

from langgraph.store.base import ListNamespacesOp, MatchCondition

from goldfish.encoding import decode_value, encode_ascii

Namespace = tuple[str, ...]
MARK = "langgraph-store:"


def user_of(namespace: Namespace) -> str:
    """Whom the facts of a namespace are about."""
    return MARK + encode_ascii(list(namespace))


def namespace_of(user_id: str) -> Namespace | None:
    """The namespace, or None if the user is none."""
    if not user_id.startswith(MARK + "["):
        return None
    try:
        labels = decode_value(user_id[len(MARK) :])
    except ValueError:  # somebody else's name for a user
        return None
    return tuple(labels)


def listed(namespaces: list[Namespace], op: ListNamespacesOp) -> list[Namespace]:
    """Those that fit, cut to the depth that was asked for, each once, one page of them."""
    fitting = [each for each in namespaces if _fits_all(each, op)]
    cut = sorted({each[: op.max_depth] for each in fitting})
    return cut[op.offset : op.offset + op.limit]


def _fits_all(namespace: Namespace, op: ListNamespacesOp) -> bool:
    return all(_fits(namespace, each) for each in op.match_conditions or ())


def _fits(namespace: Namespace, condition: MatchCondition) -> bool:
    """Whether the namespace begins or ends like the path, in which * is any one label."""
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    if condition.match_type == "prefix":
        part = namespace[: len(path)]
    elif condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    else:
        raise ValueError(f"match_type {condition.match_type!r}: use prefix or suffix")
    return all(want in ("*", label) for want, label in zip(path, part, strict=True))

"""A stand-in for ``mem0.Memory`` in a project under test: a real Mem0 that contacts nobody."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from goldfish.embedding import default_embedder
from goldfish.errors import UsageError
from goldfish.integrations.mem0 import offline


class OfflineMem0:
    """Gives a project a real Mem0 in a directory, without a key, a network or a language model.

    ``Memory`` is a class of Mem0 that takes any configuration, and whose objects all are the one
    that ``open`` has opened. Texts are stored as they are said: ``infer`` is always False.
    """

    def __init__(self, *, asynchronous: bool = False) -> None:
        self._base = offline.AsyncMemory if asynchronous else offline.Memory
        self._opened: Any = None
        self.Memory = _derive(self._base, self._get_opened)

    def replace_mem0(self) -> Self:
        """Put it in the place of Mem0's own class, for modules that are imported after this."""
        for module in ("mem0", "mem0.memory.main"):  # which `offline` has imported, silently
            setattr(sys.modules[module], self._base.__name__, self.Memory)
        return self

    @contextmanager
    def open(self, directory: Path) -> Iterator[Self]:
        """Open the Mem0 in a directory, which only one process can hold at a time."""
        embedder = default_embedder()
        options = {
            "path": str(directory / "qdrant"),
            "on_disk": True,
            "collection_name": offline.COLLECTION,
            "embedding_model_dims": embedder.dimensions,
        }
        store = {"provider": "qdrant", "config": options}
        self._opened = offline.open_memory(self._base, directory, store, embedder)
        try:
            yield self
        finally:
            offline.close(self._opened)
            self._opened = None

    def _get_opened(self) -> Any:
        if self._opened is None:
            raise UsageError("this Mem0 is not open: use it within `with offline.open(path):`")
        return self._opened


def _derive(base: Any, get_opened: Any) -> Any:
    """Return a class like Mem0's whose objects hold nothing: all of it is in the opened one."""

    def add(self: Any, messages: Any, **options: Any) -> Any:
        return base.add(self, messages, **{**options, "infer": False})

    def get_attribute(self: Any, name: str) -> Any:
        return getattr(get_opened(), name)

    members = {
        "__init__": lambda self, *arguments, **options: None,
        "__getattr__": get_attribute,
        "from_config": classmethod(lambda cls, *arguments, **options: cls()),
        "add": add,
        "__del__": lambda self: None,
    }
    return type(base.__name__, (base,), members)

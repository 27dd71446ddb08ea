"""Every error that goldfish raises on purpose.

    GoldfishError
    ├── MemoryStoreError                 a store could not do what was asked
    │   ├── MemoryStoreBackendError      the backend failed; it never looks like an empty history
    │   │   └── SchemaTooNewError        the data were written by a newer goldfish
    │   ├── FactNotFound                 the user has no such fact; nothing was changed
    │   ├── MemoryStoreClosedError       the store was used after aclose()
    │   ├── ModelMismatchError           the stored vectors are those of another model
    │   ├── SnapshotNotFound             the session has no such snapshot; nothing was changed
    │   └── UnstorableError              the value cannot be kept exactly (also a ValueError)
    ├── UnknownStoreURLError             open_store() does not know the scheme (also a ValueError)
    ├── UsageError                       an option or a code is not valid (also a ValueError)
    ├── HistoryError                     a stored history cannot be read (also a ValueError)
    ├── TargetError                      a target cannot be found, imported or used
    ├── MissingExtraError                an optional package is not installed (also an ImportError)
    ├── ModelNotFoundError               the embedding model is not installed, or is damaged
    ├── EmbedderError                    an embedder failed, or did not return vectors
    └── ServiceError                     a server could not be started or controlled
        └── NotPossibleError             a fault cannot be made here, as this user or on this system

A wrong argument is a plain ``TypeError`` or ``ValueError``, raised before anything is written.
"""

from goldfish.masking import mask as mask  # what every error's text goes through


class GoldfishError(Exception):
    """The root of all errors that goldfish raises on purpose."""


class MemoryStoreError(GoldfishError):
    """A store could not do what was asked."""


class MemoryStoreBackendError(MemoryStoreError):
    """The backend failed; whether a write happened is unknown unless the message says so."""


class SchemaTooNewError(MemoryStoreBackendError):
    """The stored data have a layout that only a newer goldfish understands."""


class MemoryStoreClosedError(MemoryStoreError):
    """The store was used after it was closed."""


class ModelMismatchError(MemoryStoreError):
    """The stored vectors are those of another model; nothing was compared or written."""


class FactNotFound(MemoryStoreError, LookupError):  # noqa: N818 - like SnapshotNotFound
    """The user has no fact with this id; nothing was changed."""


class SnapshotNotFound(MemoryStoreError):  # noqa: N818 - a name that was promised to users
    """The session has no snapshot with this id; nothing was changed."""


class UnstorableError(MemoryStoreError, ValueError):
    """A value cannot be kept exactly, so nothing of its batch was written."""


class UnknownStoreURLError(GoldfishError, ValueError):
    """No store belongs to this URL."""


class UsageError(GoldfishError, ValueError):
    """An option, a code or a file is not valid; the message says what would be."""


class HistoryError(GoldfishError, ValueError):
    """A stored or written history cannot be read."""


class TargetError(GoldfishError):
    """A target cannot be found, imported or used as one."""


class MissingExtraError(GoldfishError, ImportError):
    """An optional package is not installed."""

    @classmethod
    def of(cls, package: str, extra: str, *others: str) -> "MissingExtraError":
        """Return the error for a package, and others, with the command that installs them all."""
        names = [package, *others]
        listed = ", ".join(names[:-1]) + " and " + names[-1] if others else package
        verb = "are" if others else "is"
        return cls(f"{listed} {verb} not installed: pip install 'goldfish[{extra}]'")


class ModelNotFoundError(GoldfishError):
    """The embedding model is not on this machine, or its files are damaged."""


class EmbedderError(GoldfishError):
    """An embedder failed, or did not return vectors."""


class ServiceError(GoldfishError):
    """A server could not be started or controlled."""


class NotPossibleError(ServiceError):
    """This fault cannot be made here; the message says why, and what to do."""

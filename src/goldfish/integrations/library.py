"""What goldfish knows of a library: the types of the entry that each library's folder declares.

An entry names modules and factories as text, so that reading the table imports no library.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from goldfish.errors import MissingExtraError
from goldfish.targets.agents import agent
from goldfish.targets.declaration import Target, target
from goldfish.targets.lookup import is_installed

HERE = Path(__file__).parent


@dataclass(frozen=True)
class BuiltIn:
    """A target that has a name: where its factory is, and what has to be installed for it.

    ``limits`` is what the library's own documentation says of its limits, and where it says so;
    ``documented`` is the same by the check, family or claim that it excuses.
    """

    name: str
    factory: str
    about: str
    limits: str = ""
    module: str = field(kw_only=True)
    extra: str = field(default="", kw_only=True)
    packages: tuple[str, ...] = field(default=(), kw_only=True)
    documented: Mapping[str, str] = field(default_factory=dict, kw_only=True, hash=False)

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed."""
        return [each for each in self.packages if not is_installed(each)]


@dataclass(frozen=True)
class Starter:
    """A test file that ``goldfish init`` writes, and what in a project asks for it."""

    name: str
    about: str
    file: str  # below this folder
    imports: tuple[str, ...] = ()  # an import from one of these packages is a sign
    classes: tuple[str, ...] = ()  # an import of one of these names from them is a better sign
    requirements: tuple[str, ...] = ()  # so is a requirement, if a weaker one
    extra: str = ""
    needs: tuple[str, ...] = ()  # the modules that the file imports
    service: str = ""
    is_placeholder: bool = False  # it fails where the user's own memory is to go
    advice: str = ""  # what the file needs that no package brings

    @property
    def text(self) -> str:
        """The content of the file."""
        return (HERE / self.file).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Library:
    """A library whose memory goldfish checks; ``name`` is that of its folder."""

    name: str
    title: str
    extra: str
    distributions: tuple[str, ...]  # whose versions a report of findings states
    targets: tuple[BuiltIn, ...]  # its own memory
    dropins: tuple[BuiltIn, ...] = ()  # our stores behind its interfaces
    adapters: Mapping[str, str] = field(default_factory=dict)  # of goldfish.adapt, by module
    models: Mapping[str, str] = field(
        default_factory=dict
    )  # stand-ins of goldfish.testing, by module
    starters: tuple[Starter, ...] = ()

    @property
    def prefix(self) -> str:
        """How the names of its targets begin."""
        return self.name.replace("_", "-")

    def target(self, name: str, **declared: Any) -> Callable[[Callable[..., Any]], Target]:
        """Declare a factory as the target of this name, with what its documentation says."""
        return target(**self._describe(name), **declared)

    def agent(self, name: str, **declared: Any) -> Callable[[Callable[..., Any]], Target]:
        """Declare a factory of agents as the target of this name, in the same way."""
        return agent(**self._describe(name), **declared)

    def _describe(self, name: str) -> dict[str, Any]:
        (entry,) = [each for each in self.targets if each.name == name]
        return {"name": name, "promises": entry.limits, "documented": entry.documented}

    def load(self, module: str, name: str) -> Any:
        """Import a module of the library's folder, and return what has this name in it."""
        with self.importing():
            return getattr(import_module(f"{__package__}.{self.name}.{module}"), name)

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Raise a MissingExtraError, which says what to install, if an import within fails."""
        try:
            yield
        except ModuleNotFoundError as error:
            missing = _outermost_missing(error.name or self.title)
            raise MissingExtraError.of(missing, self.extra) from error


def _outermost_missing(module: str) -> str:
    """Return the outermost package of a module that is not installed."""
    names = module.split(".")
    packages = (".".join(names[: n + 1]) for n in range(len(names)))
    return next((each for each in packages if not is_installed(each)), module)


def dropins(library: str, package: str, about: str) -> tuple[BuiltIn, ...]:
    """Return the targets for a drop-in: our stores, on each engine, behind its interface."""
    prefix = library.replace("_", "-")
    engines: dict[str, tuple[str, ...]] = {
        "sqlite": (),
        "redis": ("redis",),
        "postgres": ("psycopg",),
    }
    return tuple(
        BuiltIn(
            f"dropin-{prefix}-{engine}".removesuffix("-sqlite"),
            engine,
            f"{about}, on {engine}",
            module=f"{__package__}.{library}.targets.dropin",
            extra=f"{prefix},{engine}" if driver else prefix,
            packages=(package, *driver),
        )
        for engine, driver in engines.items()
    )

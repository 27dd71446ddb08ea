"""The sources of a project as trees: their modules, where each name comes from, their classes."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

Function = ast.FunctionDef | ast.AsyncFunctionDef
OF_TESTS = re.compile(r"(^|/)(tests?/|testing/|test_|conftest|migrations/|alembic/|examples?/)")
ROOTS = ("src", "lib", "python")  # folders that are no packages, without an __init__.py


@dataclass(frozen=True, eq=False)
class Source:
    """A file of Python: its path from the root of the project, and its tree.

    ``root`` is the folder from which it is imported, as far as that can be seen.
    """

    file: str
    tree: ast.Module
    root: str = ""

    @property
    def module(self) -> str:
        """The name by which it is imported; empty if it cannot be."""
        return name_module(self.file, self.root)

    @property
    def is_test(self) -> bool:
        """Whether it is for tests, or not what the application runs."""
        return bool(OF_TESTS.search(self.file))

    @cached_property
    def imports(self) -> Mapping[str, str]:
        """The names that it imports, anywhere in it, with where they come from."""
        return dict(self._list_imports())

    def _list_imports(self) -> Iterator[tuple[str, str]]:
        package = self.module.split(".")
        package = package if self.file.endswith("__init__.py") else package[:-1]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    yield alias.asname or top, alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                above = package[: len(package) - node.level + 1] if node.level else []
                origin = ".".join([*above, *filter(None, [node.module])])
                for alias in node.names:
                    yield alias.asname or alias.name, f"{origin}.{alias.name}"

    def resolve(self, node: ast.AST | None) -> str:
        """Return the dotted name that an expression stands for, by the imports; else as written."""
        if node is None:
            return ""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):  # a quoted annotation
            written = node.value
        else:
            written = ast.unparse(node)
        first, dot, rest = written.partition(".")
        return f"{self.imports.get(first, first)}{dot}{rest}"

    @cached_property
    def classes(self) -> Mapping[str, ast.ClassDef]:
        """The classes at its top."""
        return {each.name: each for each in self.tree.body if isinstance(each, ast.ClassDef)}

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        """The functions at its top."""
        return {each.name: each for each in self.tree.body if isinstance(each, Function)}

    @cached_property
    def values(self) -> Mapping[str, ast.expr]:
        """What is assigned to names at its top."""
        return dict(self._list_values())

    def _list_values(self) -> Iterator[tuple[str, ast.expr]]:
        for node in self.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                targets = [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and isinstance(node, ast.Assign | ast.AnnAssign):
                    assert node.value is not None
                    yield target.id, node.value


def name_module(file: str, root: str = "") -> str:
    """Return the name by which a file is imported from a root; empty if it cannot be."""
    path = PurePosixPath(file).with_suffix("")
    parts = path.relative_to(root).parts if root else path.parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if parts and all(map(str.isidentifier, parts)) else ""


def find_root(file: str, packages: set[str], imported: set[str]) -> str:
    """Return the folder from which a file is imported: the one above its outermost package.

    ``packages`` are the folders that have an ``__init__.py``, ``imported`` the top-level names that
    the project imports: a module that is imported by its bare name is at its root.
    """
    path = PurePosixPath(file)
    folders = path.parent.parts
    count = len(folders)
    while count and "/".join(folders[:count]) in packages:
        count -= 1
    if count < len(folders) or path.stem in imported:
        return "/".join(folders[:count])
    return folders[0] if folders and folders[0] in ROOTS else ""


@dataclass
class Sources:
    """All sources of a project, by the names of their modules."""

    all: list[Source] = field(default_factory=list)

    @cached_property
    def by_module(self) -> Mapping[str, Source]:
        """The sources by the names of their modules."""
        return {each.module: each for each in reversed(self.all) if each.module}

    def find_class(self, dotted: str, near: Source) -> tuple[Source, ast.ClassDef] | None:
        """Return a class of the project by its dotted name, as seen from a source."""
        found = self._find(dotted, near)
        return (found[0], found[0].classes[found[1]]) if found else None

    def _find(self, dotted: str, near: Source) -> tuple[Source, str] | None:
        module, _, name = dotted.rpartition(".")
        if not module:
            return (near, name) if name in near.classes else None
        for _ in range(4):  # a package may pass it on from a module of its own
            source = self.by_module.get(module)
            if source is None:
                return None
            if name in source.classes:
                return source, name
            module, _, name = source.imports.get(name, "").rpartition(".")
        return None

    def reach(self, source: Source, depth: int = 3) -> list[Source]:
        """Return a source and those of the project that it imports, the nearest first."""
        found, edge = [source], [source]
        for _ in range(depth):
            edge = [
                other
                for each in edge
                for other in self._list_imported(each)
                if other not in found and not found.append(other)  # type: ignore[func-returns-value]
            ]
        return found

    def _list_imported(self, source: Source) -> Iterator[Source]:
        for dotted in source.imports.values():
            for module in (dotted, dotted.rpartition(".")[0]):
                if module in self.by_module:
                    yield self.by_module[module]
                    break

    def list_methods(self, source: Source, owner: ast.ClassDef) -> dict[str, Function]:
        """Return the methods of a class, also of the project's classes that it inherits from."""
        methods: dict[str, Function] = {}
        for base in owner.bases:
            found = self.find_class(source.resolve(base), source)
            if found and found[1] is not owner:
                methods |= self.list_methods(*found)
        return methods | {each.name: each for each in owner.body if isinstance(each, Function)}

    def list_bases(self, source: Source, owner: ast.ClassDef) -> Sequence[str]:
        """Return the dotted names of all that a class inherits from."""
        names = [source.resolve(_strip_subscript(base)) for base in owner.bases]
        found = [self.find_class(name, source) for name in names]
        above = [each for each in found if each and each[1] is not owner]
        return [*names, *(name for each in above for name in self.list_bases(*each))]


def _strip_subscript(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Subscript) else node

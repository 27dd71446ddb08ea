"""Renders the test file of a memory of the project's own: a wrapper, a target and a suite."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from goldfish.cli.init.backends import NO_SERVER
from goldfish.cli.init.calls import MOST, CallWriter, list_limits, replaces_history
from goldfish.cli.init.facts import define, name_user, write_facts
from goldfish.cli.init.fixed import connects_itself, find_fixed_file
from goldfish.cli.init.lending import lend, write_begin, write_lending
from goldfish.cli.init.memories import FoundMemory
from goldfish.cli.init.models import make_session_factory, write_model
from goldfish.cli.init.openers import list_called
from goldfish.cli.init.parameters import Call
from goldfish.cli.init.parents import write_parents
from goldfish.cli.init.places import UNKNOWN, Builder
from goldfish.cli.init.roles import has_methods_of_roles, write_by_role
from goldfish.cli.init.savers import write_saver
from goldfish.cli.init.sources import Function, Sources
from goldfish.report.sanitize import escape_controls
from goldfish.targets.guesses import MARK

LONGEST = 100  # characters of a line
SUITE = (
    'test_memory = goldfish.suite(memory, suite="smoke")'
    '  # later "standard", which runs every check\n'
)
HEAD = '''"""Checks {what}: one test per promise."""

# goldfish init read the project and guessed the lines that are marked with GUESS. Nothing is asked
# until you have looked at them: mend what is not yours, then delete guessed=True below.

'''

_DJANGO_LINES = (
    "# GUESS: set Django up here, with a database of the sandbox's own, before its models are",
    '# imported: os.environ["DJANGO_SETTINGS_MODULE"] = …, settings.DATABASES["default"] = …,',
    '# django.setup(), call_command("migrate", verbosity=0)',
)


@dataclass(frozen=True)
class Rendered:
    """A test file, the services that it needs, and what is left to fill in."""

    text: str
    services: tuple[str, ...]
    gaps: tuple[str, ...] = ()


def render_memory(
    found: FoundMemory, sources: Sources, requirements: set[str], above: int | None = 1
) -> Rendered:
    """Return the test file of a memory.

    ``above`` is how many folders above the file the project begins; None if it is unknown.
    """
    builder = Builder(found, sources, requirements)
    body = _Body(builder)
    factory = "".join(body.write_factory())
    wrapper = "".join(body.write_wrapper())
    place = builder.place
    what = escape_controls(f"{found.name} of {found.source.file}")
    head = HEAD.format(what=what.replace('"', "'"))
    text = head + write_imports(builder, above) + wrapper + factory + "\n\n" + SUITE
    return Rendered(lift_comments(text), tuple(sorted(place.services)), tuple(body.gaps))


def lift_comments(text: str) -> str:
    """Return a file whose comments stand above the lines that they would make too long."""
    lines = []
    for line in text.splitlines():
        code, mark, comment = line.partition(f"  {MARK}")
        if mark and len(line) > LONGEST and code.strip():
            margin = code[: len(code) - len(code.lstrip())]
            lines += [f"{margin}{MARK}{comment}", code]
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def write_imports(builder: Builder, above: int | None) -> str:
    """Return the imports of a test file, those of the project last."""
    place, root = builder.place, builder.found.source.root
    standard = {each for each in place.imports if _is_standard(each)}
    others = place.imports - standard
    if above is not None:
        standard |= {"import sys", "from pathlib import Path"}
    lines = _sort(standard)
    if others:
        lines += ["", *_sort(others)]
    lines += ["", "import goldfish", ""]
    if above is not None:
        folder = f' / "{root}"' if root else ""
        where = f"Path(__file__).resolve().parents[{above}]{folder}"
        lines.append(f"sys.path.insert(0, str({where}))  # where your modules are")
    lines += list(dict.fromkeys(place.early))
    lines += [f"{each}  # noqa: E402" for each in place.names.write_imports()]
    return "\n".join(lines).lstrip("\n") + "\n\n\n"


def _is_standard(line: str) -> bool:
    return line.split()[1].partition(".")[0] in sys.stdlib_module_names


def _sort(lines: set[str]) -> list[str]:
    return sorted(lines, key=lambda each: (not each.startswith("import"), each))


def _refuse(missing: str) -> Iterator[str]:
    """Yield the line that keeps a memory from being opened on a storage that is the user's."""
    yield "# GUESS: mend what is returned below, then delete this line"
    yield f'raise NotImplementedError("{missing}")'


class _Body:
    """Writes the wrapper and the factory of one memory."""

    def __init__(self, builder: Builder) -> None:
        self.builder, self.found, self.place = builder, builder.found, builder.place
        self.gaps = self.place.gaps
        # Django's models cannot be imported before it is set up, which the factory does.
        self.is_late = builder.backend == "django" and self.found.owner is None
        self.enters = self._find_enter()
        self.rows: list[str] = []  # that messages refer to
        self.lent = ("session", "")  # what each call gets, and the comment about it
        self.needs_handle = any(
            call.part("handle")
            for call in (self.found.write, self.found.read)
            if call and self.found.owner is None
        )

    def _find_enter(self) -> Function | None:
        """Return the method by which the memory is entered, as in ``async with``."""
        found = self.found
        if found.owner is None or found.per_session or found.kind == "model":
            return None
        methods = self.builder.sources.list_methods(found.source, found.owner)
        return methods.get("__aenter__") or methods.get("__enter__")

    def _at(self, call: Call) -> str:
        return escape_controls(f"({call.source.file}:{call.function.lineno})")

    def write_factory(self) -> Iterator[str]:
        """Yield the lines of the target; what it needs is known afterwards."""
        value, guess = self._make()
        opened = list(self._open(value, guess))
        lines = [*self._begin(), *opened]
        if self.place.around:
            inner = [f"    {each}" for each in opened]
            lines = [*lines[: len(lines) - len(opened)], self.place.around, *inner]
        yield f"@goldfish.target({self._declare()})\n"
        yield f"{'async ' if self.place.awaits else ''}def memory(sandbox):\n"
        yield '    """Open the memory on a storage of its own, as often as goldfish needs it."""\n'
        yield from (f"    {line}".rstrip() + "\n" for line in lines)

    def _begin(self) -> Iterator[str]:
        """Yield what comes before the memory is made."""
        found, backend = self.found, self.builder.backend
        if backend in NO_SERVER:
            missing = f"goldfish starts no {backend}: give the memory one that is for tests"
            self.gaps.append(missing)
            yield from _refuse(missing)
        elif backend == "django":
            self.gaps.append("Django needs its settings, and a database of the sandbox's own")
            yield from _DJANGO_LINES
        yield from self.place.before
        if self.place.session:
            yield from write_lending(self.place, *self.lent)
        yield from write_begin(self.place, self.rows, is_async=self.builder.sql.is_async())
        if backend and backend not in {*NO_SERVER, "django"} and not self.place.is_placed:
            self.gaps.append("nothing in the code says how to give it a storage of its own")
            yield from _refuse("give it a storage of the sandbox's own, or it uses yours")
        elif fixed := self._find_fixed():
            self.gaps.append(
                f"{ast.unparse(fixed)} in the code leads to a file of the application's own: let "
                "it take the path, and hand it one in sandbox.path"
            )
            yield from _refuse("hand it a path in sandbox.path, or it writes to your own file")
        if begin := found.others.get("begin"):
            yield f"# GUESS: {begin.name} {self._at(begin)} may have to be called first"

    def _find_fixed(self) -> ast.expr | None:
        """Return the file that the memory opens wherever it is made; None if there is none."""
        found = self.found
        if found.owner is None:
            functions = [] if found.opener else list(found.source.functions.values())
        else:
            methods = self.builder.sources.list_methods(found.source, found.owner)
            functions = list(methods.values())
            if connects_itself(found.source, methods.get("__init__")):
                return find_fixed_file(functions)
        return None if self.place.is_placed else find_fixed_file(functions)

    def _open(self, value: str, guess: str) -> Iterator[str]:
        """Yield the lines that make the memory, prepare it, and hand it out."""
        hand = "yield" if self.place.around else "return"
        prepare, sets = self.found.others.get("prepare"), self._list_attributes()
        if prepare and self.enters and prepare.name in list_called(self.enters):
            prepare = None
        if sets and self.found.per_session:
            made = value.partition("lambda session_id: ")[2].removesuffix(")")
            yield "def open_session(session_id):"
            yield f"    opened = {made}{guess}"
            yield from (f"    {line}" for line in sets)
            yield "    return opened"
            yield ""
            yield f"{hand} Wrapped(open_session)"
            return
        if prepare is not None and (
            "create_all" in "".join(self.place.before) or self.found.per_session
        ):
            prepare = None
        if prepare is not None and self.place.session:
            yield from self._prepare_lent(prepare)
            prepare = None
        if prepare is None and not sets:
            yield f"{hand} {value}{guess}"
            return
        yield f"store = {value}{guess}"
        yield from sets
        if prepare is not None:
            owner = "store.memory" if self.found.owner else self._name_module()
            passed = ", ".join(self._list_passed(prepare))
            waits = "await " if prepare.is_async else ""
            at = self._at(prepare)
            yield f"{waits}{owner}.{prepare.name}({passed})  # GUESS: each process calls it {at}"
        yield f"{hand} store"

    def _name_lent(self) -> str:
        return "memory" if self.found.owner else "session"

    def _prepare_lent(self, prepare: Call) -> Iterator[str]:
        """Yield the call that prepares, with what each call gets."""
        waits = "async " if self.place.session.startswith("Async") else ""
        self.place.awaits |= bool(waits)
        owner = "memory" if self.found.owner else self._name_module()
        passed = "" if self.found.owner else self._name_lent()
        yield f"{waits}with open_memory() as {self._name_lent()}:"
        waits = "await " if prepare.is_async else ""
        yield f"    {waits}{owner}.{prepare.name}({passed})  # GUESS: each process calls it"

    def _list_passed(self, prepare: Call) -> Iterator[str]:
        """Yield what a function that prepares gets: the handle, and where the sandbox is."""
        for each in prepare.parameters:
            if each.part == "handle" and self.found.owner is None:
                yield "store.handle"
            elif self.found.owner is None and (address := self.builder.address_of(each)):
                self.place.is_placed = True
                yield f"{each.name}={address}"

    def _list_attributes(self) -> list[str]:
        """Return the lines that replace the clients which an object makes by itself."""
        found, builder = self.found, self.builder
        if found.owner is None or found.kind != "messages" or self.place.is_placed:
            return []
        lines, holder = [], "opened" if found.per_session else "store.memory"
        methods = builder.sources.list_methods(found.source, found.owner)
        for node in ast.walk(methods.get("__init__", ast.Module([], []))):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                name = ast.unparse(node.targets[0])
                stand_in = builder.stand_in(found.source, node.value)
                if stand_in and name.startswith("self."):
                    at = escape_controls(f"{found.source.file}:{node.lineno}")
                    attribute = name.removeprefix("self.")
                    lines.append(f"{holder}.{attribute} = {stand_in}  # GUESS: in place of {at}")
        self.place.is_placed = bool(lines)
        return lines

    def _make(self) -> tuple[str, str]:
        """Return the expression of the store that is checked, and the comment about it."""
        found, builder = self.found, self.builder
        prepare = found.others.get("prepare")
        if prepare is not None and prepare.is_async:
            self.place.awaits = True
        if found.opener is not None:
            at = "" if found.opener.lends else f"  # GUESS: how it is opened ({found.opener.where})"
            return write_saver(builder), escape_controls(at)
        if found.kind == "model":
            factory = make_session_factory(builder)
            self.place.is_placed = bool(factory)
            return f"Wrapped({factory})", ""
        if found.owner is None and builder.backend == "django":
            builder.place.before.append(f"import {found.source.module} as project")
            return "Wrapped(project)", ""
        if found.owner is None:
            self._name_module()
            handle = self._make_handle()
            builder.replace_globals()
            builder.set_environment()
            guess = "  # GUESS: how it is reached" if handle else ""
            return self._hand(handle, guess)
        made = builder.make(found.source, found.owner)
        if not self.place.is_placed:
            builder.replace_globals()
        builder.set_environment()
        for each in sorted(UNKNOWN):
            if f"={each}" in made:
                self.gaps.append(f"{each} stands where the code does not say what to hand in")
        at = escape_controls(f"{found.source.file}:{found.owner.lineno}")
        guess = f"  # GUESS: how it is made ({at})"
        if self.enters:
            waits = "async " if self.enters.name == "__aenter__" else ""
            self.place.awaits |= bool(waits)
            self.place.around = f"{waits}with {made} as handle:{guess}"
            made, guess = "handle", ""
        if found.kind == "adapter":
            per = f"lambda session_id: {made}" if found.per_session else made
            return f"goldfish.adapt.{found.adapter}({per})", guess
        return self._hand(f"lambda session_id: {made}" if found.per_session else made, guess)

    def _hand(self, made: str, guess: str) -> tuple[str, str]:
        """Return the wrapper around what was made, and around what opens it for each call."""
        found, builder = self.found, self.builder
        if found.kind == "messages" and found.write and builder.backend == "sql":
            self.rows = write_parents(builder, found.write)
        given = [made] if made else []
        if self.place.session:
            self.lent, given, guess = (made, guess), ["open_memory"], ""
        return f"Wrapped({', '.join([*given, *(['begin'] if self.rows else [])])})", guess

    def _name_module(self) -> str:
        """Return what stands for the memory's module."""
        return self.place.names.use_module(self.found.source.module)

    def _make_handle(self) -> str:
        """Return what functions take as their client, connection or session."""
        for call in (self.found.write, self.found.read):
            parameter = call.part("handle") if call else None
            if call is not None and parameter is not None:
                self.place.is_placed = True
                return self.builder.handle(parameter, call.source) or "None"
        return ""

    def _declare(self) -> str:
        declared = []
        if self.place.services:
            declared.append(f"services={sorted(self.place.services)}".replace("'", '"'))
        if self.place.claims:
            declared.append(f'claims="{self.place.claims}"')
        write = self.found.write
        if self.found.kind == "messages" and write and not write.part("many"):
            declared.append('lacks={"whole_batches"}')
        if self.builder.backend == "mem0":
            declared.append('lacks={"equal_facts"}')  # the stand-in stores texts as they are said
        if self._takes_langchain():
            declared.append('messages="langchain"')
        return ", ".join([*declared, "guessed=True"])

    def _takes_langchain(self) -> bool:
        write = self.found.write
        message = write.part("one", "many") if write else None
        return bool(message and message.shape and message.shape.kind == "langchain")

    def write_wrapper(self) -> Iterator[str]:
        """Yield the class that has the names which goldfish calls."""
        found = self.found
        if found.kind == "adapter":
            return
        yield "class Wrapped:\n"
        yield f'    """{found.name} under the names that goldfish calls."""\n'
        if found.kind == "model":
            yield from write_model(self.builder)
            return
        if found.owner is not None or self.needs_handle or self.is_late:
            held = (
                "memory"
                if self.is_late
                else "open_memory"
                if self.place.session
                else "open_session"
                if found.per_session
                else "memory"
                if found.owner
                else "handle"
            )
            names = [held, *(["begin"] if self.rows else [])]
            yield f"\n    def __init__(self, {', '.join(names)}):\n"
            yield from (f"        self.{each} = {each}\n" for each in names)
        methods = "".join(self._write_methods())
        lent = self.place.session and lend(methods, self.place.session, self._name_lent())
        yield lent or methods
        yield "\n\n"

    def _write_methods(self) -> Iterator[str]:
        found = self.found
        is_object = found.owner is not None or self.is_late
        held = "memory" if self.place.session else "self.memory"
        owner = held if is_object else self._name_module()
        if found.per_session:
            owner = "self.open_session(session_id)"
        writer = CallWriter(
            self.builder, owner, self._name_lent() if self.place.session else "self.handle"
        )
        assert found.write is not None
        assert found.read is not None
        if found.kind == "facts":
            yield from write_facts(found, writer, self._at)
            return
        yield from self._write_messages(writer, found.write)
        yield from self._write_read(writer, "get_history", found.read)
        if clear := found.others.get("clear"):
            yield define("clear", "session_id", clear)
            yield f"        {writer.call(clear, name_user(clear, 'session_id'))}\n"

    def _write_messages(self, writer: CallWriter, write: Call) -> Iterator[str]:
        given = {**name_user(write, "session_id"), "message": "each", "role": "each.role"}
        yield define("add_messages", "session_id, messages", write)
        if self.rows:
            waits = "await " if self.builder.sql.is_async() else ""
            yield f"        {waits}self.begin(session_id)\n"
        guess = f"  # GUESS: it writes {self._at(write)}\n"
        if many := write.part("many"):
            each = writer.message(many)
            given["many"] = "messages" if each == "each" else f"[{each} for each in messages]"
            assert self.found.read is not None
            if replaces_history(write, self.found.read):
                before = {**name_user(self.found.read, "session_id"), "limit": MOST}
                yield "        # GUESS: it replaces the history, so all of it is read first\n"
                yield f"        history = list({writer.call(self.found.read, before)})\n"
                given["many"] = f"history + {given['many']}"
            yield f"        {writer.call(write, given)}{guess}"
            return
        for part in ("one", "text"):
            if parameter := write.part(part):
                given[part] = writer.message(parameter)
        if write.part("question") and write.part("answer"):
            given |= {"question": "each.content", "answer": '""'}
        yield "        for each in messages:\n"
        if has_methods_of_roles(self.found):
            yield from write_by_role(self.found, writer, given, self._at)
            return
        yield f"            {writer.call(write, given)}{guess}"

    def _write_read(self, writer: CallWriter, name: str, read: Call) -> Iterator[str]:
        given = name_user(read, "session_id")
        if list_limits(read):
            given["limit"] = MOST
        yield define(name, "session_id", read)
        call = writer.call(read, given)
        returned = ast.unparse(read.function.returns) if read.function.returns else ""
        expression = f"({call}).splitlines()" if returned == "str" else writer.history(read, call)
        yield f"        return {expression}  # GUESS: it reads {self._at(read)}\n"

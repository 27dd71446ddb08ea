"""Times each drop-in and its original side by side, in one run: turns, bytes, time to load.

python bench/dropins.py [--only saver-sqlite] [--turns 10 100 300 1000] [--rounds 10] [--json FILE]

Both take real turns up to the first marks; beyond 300 turns an original whose turns take ever
longer is not taken further. At each mark they alternate in short rounds, and the best round of each
counts: on a busy machine it is the one in which others were least in the way.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

# Started as a script, Python looks beside this file instead of above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.dropin_contenders import RACES, Conversation, Race, file_bytes
from goldfish.services import PostgresServer

MARKS = (10, 100, 300, 1000)
ROUND = 3  # turns of each in one round
BYTES = 2_000_000  # for 300 turns of a graph, at most
GROWTH = 3.5  # the most that 1,000 turns may take of that for 300
LEAST = {"SqliteSaver": 3.0, "PostgresSaver": 2.0}  # times as many turns per second


@dataclass
class Figures:
    """What was measured of one memory, by the number of turns before it."""

    turns_per_second: dict[int, float] = field(default_factory=dict)
    bytes_stored: dict[int, int] = field(default_factory=dict)
    load_seconds: dict[int, float] = field(default_factory=dict)


@dataclass
class Outcome:
    """The figures of a race, and how many times as fast the drop-in was."""

    name: str
    original: str
    theirs: Figures
    ours: Figures
    ratios: dict[int, float] = field(default_factory=dict)


class Racer:
    """A conversation on a database of its own."""

    def __init__(self, conversation: Conversation, size: Callable[[], int]) -> None:
        self.conversation = conversation
        self.size = size
        self.figures = Figures()
        self.taken = 0

    def grow(self, turns: int) -> None:
        """Take turns until there are so many."""
        while self.taken < turns:
            self.turn()

    def turn(self) -> None:
        """Take one turn."""
        self.taken += 1
        self.conversation.turn(self.taken)

    def time_round(self) -> float:
        """Return how many seconds a turn takes."""
        began = time.perf_counter()
        for _ in range(ROUND):
            self.turn()
        return (time.perf_counter() - began) / ROUND

    def look(self, mark: int) -> None:
        """Note what is stored, and how long it takes to load."""
        self.figures.bytes_stored[mark] = self.size()
        began = time.perf_counter()
        self.conversation.load()
        self.figures.load_seconds[mark] = time.perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark as the command line asks."""
    options = _parser().parse_args(arguments)
    warnings.simplefilter("ignore")  # the originals' own affairs
    directory = Path(tempfile.mkdtemp(prefix="goldfish-bench-", dir=options.directory)).absolute()
    outcomes = []
    try:
        with ExitStack() as exits:
            servers: list[PostgresServer] = []
            for race in RACES:
                if options.only and _name(race) not in options.only:
                    continue
                if race.backend == "postgres" and not servers:
                    servers.append(exits.enter_context(PostgresServer()))
                outcomes.append(_run(race, directory, servers, options.turns, options.rounds))
                _render(outcomes[-1])
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=2) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("--only", action="append", choices=[_name(race) for race in RACES], help="(repeatable)")
    add("--turns", type=int, nargs="+", default=MARKS, metavar="N", help="the marks")
    add("--rounds", type=int, default=10, help="rounds at each mark")
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    add("--directory", default=".", help="the disk for the SQLite files (default: here)")
    return parser


def _name(race: Race) -> str:
    return f"{race.name}-{race.backend}"


def _run(
    race: Race,
    directory: Path,
    servers: Sequence[PostgresServer],
    marks: Sequence[int],
    rounds: int,
) -> Outcome:
    with (
        _racer(race, race.theirs, directory / f"{_name(race)}-theirs.db", servers) as theirs,
        _racer(race, race.ours, directory / f"{_name(race)}-ours.db", servers) as ours,
    ):
        outcome = Outcome(_name(race), race.original, theirs.figures, ours.figures)
        for mark in sorted(marks):
            is_far = mark > 300 and race.name == "saver"
            racers = [ours] if is_far else [theirs, ours]
            for racer in racers:
                racer.grow(mark - 1)
                racer.look(mark)
            _time(outcome, racers, mark, rounds)
    return outcome


def _time(outcome: Outcome, racers: Sequence[Racer], mark: int, rounds: int) -> None:
    """Let the racers alternate, and note their best rounds."""
    seconds = [[racer.time_round() for racer in racers] for _ in range(rounds)]
    best = [min(each) for each in zip(*seconds, strict=True)]
    for racer, took in zip(racers, best, strict=True):
        racer.figures.turns_per_second[mark] = 1 / took
    if len(best) == 2:
        outcome.ratios[mark] = best[0] / best[1]


@contextmanager
def _racer(
    race: Race,
    make: Callable[[str], Conversation],
    path: Path,
    servers: Sequence[PostgresServer],
) -> Iterator[Racer]:
    if race.backend == "sqlite":
        conversation = make(str(path))
        with conversation.exits:
            yield Racer(conversation, lambda: file_bytes(path))
        return
    address = servers[0].database()
    conversation = make(address)
    with conversation.exits:
        yield Racer(conversation, lambda: _database_bytes(address))
    servers[0].release(address)


def _database_bytes(address: str) -> int:
    import psycopg

    with psycopg.connect(address) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return int(row[0]) if row else 0


def _render(outcome: Outcome) -> None:
    print(f"\n{outcome.name}: ours against {outcome.original}")
    print("  turns   per second, ours/theirs   ratio   kB stored, ours/theirs   ms to load")
    for mark in outcome.ours.turns_per_second:
        pairs = [
            _pair(outcome.ours.turns_per_second, outcome.theirs.turns_per_second, mark, 1),
            f"{outcome.ratios[mark]:.2f} x" if mark in outcome.ratios else "",
            _pair(outcome.ours.bytes_stored, outcome.theirs.bytes_stored, mark, 1e-3),
            _pair(outcome.ours.load_seconds, outcome.theirs.load_seconds, mark, 1e3),
        ]
        print(f"  {mark:5d}  {pairs[0]:>24}  {pairs[1]:>6}  {pairs[2]:>23}  {pairs[3]:>14}")
    for verdict in verdicts(outcome):
        print(f"  {verdict}")


def _pair(ours: Mapping[int, float], theirs: Mapping[int, float], mark: int, scale: float) -> str:
    other = f"{theirs[mark] * scale:.1f}" if mark in theirs else "-"
    return f"{ours[mark] * scale:.1f} / {other}"


def verdicts(outcome: Outcome) -> list[str]:
    """Return one line for each target: the figure, the target, and whether it is met."""
    lines = []
    if outcome.ratios:
        # The saver's target is for a thread of 300 turns.
        mark = min(outcome.ratios, key=lambda each: abs(each - 300))
        least = LEAST.get(outcome.original, 1.0)
        value = outcome.ratios[mark]
        lines.append(
            f"turns/s at turn {mark}: {value:.2f} x (at least {least} x): {_met(value >= least)}"
        )
    stored = outcome.ours.bytes_stored
    if outcome.name == "saver-sqlite" and 300 in stored:
        size, is_small = f"{stored[300]:,}", stored[300] <= BYTES
        lines.append(f"bytes for 300 turns: {size} (at most {BYTES:,}): {_met(is_small)}")
        if 1000 in stored:
            grown = stored[1000] / stored[300]
            limit = f"{grown:.2f} x (at most {GROWTH} x)"
            lines.append(f"1,000 turns of that: {limit}: {_met(grown <= GROWTH)}")
    return lines


def _met(is_met: bool) -> str:
    return "met" if is_met else "below"


if __name__ == "__main__":
    main()

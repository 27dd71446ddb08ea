"""How long it takes to load and to judge a long history of a correct store, and how that grows.

python bench/judges.py [--calls 1000000]

Each history is loaded and judged in a process of its own, so that its memory is that of the
history. Times are those of the processor: the machine may have other work.
"""

import argparse
import contextlib
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

from goldfish.history import Call, History, Outcome
from goldfish.history.storage import load_history
from goldfish.judges import judge

SEED = 4
CALLS = 1_000_000
# The most for 1,000,000 calls, in seconds and MB. A shorter history has its share of the seconds;
# its memory is not judged, as that of the program itself would count for too much.
TARGETS = {"judge": 8.0, "load": 8.0, "memory": 400.0}
UNITS = {"judge": "s", "load": "s", "memory": "MB"}


@dataclass
class Log:
    """The model of a session: what was appended, and where the front is."""

    messages: list[str] = field(default_factory=list)
    front: int = 0

    def apply(self, action: str, value: object) -> tuple[str, ...] | None:
        """The effect of one call, and what it shows."""
        if action == "add":
            assert isinstance(value, tuple)
            self.messages += value
        elif action == "read":
            assert value is None or isinstance(value, int)
            begin = self.front if value is None else max(self.front, len(self.messages) - value)
            return tuple(self.messages[begin:])
        else:
            keep = value if isinstance(value, int) else 0
            self.front = max(self.front, len(self.messages) - keep)
        return None


@dataclass(frozen=True)
class Mix:
    """What the simulated processes of one session do."""

    calls: int = 70
    processes: int = 4
    adds: float = 0.6
    removals: float = 0.02
    last: float = 0.1
    uncertain: float = 0.01
    most_kept: int = 40


def simulated(choice: random.Random, session: str, mix: Mix) -> list[Call]:
    """The calls of several processes on one session of a correct store, by their effects."""
    planned = [_planned(choice, session, mix, number) for number in range(mix.calls)]
    clocks = [choice.random() for _ in range(mix.processes)]
    timed = [_timed(choice, call, clocks) for call in planned]
    log = Log()
    calls = []
    for effect, call in sorted(timed, key=lambda pair: pair[0]):
        result = log.apply(call.action, call.value) if effect < float("inf") else None
        calls.append(call._replace(result=result if call.outcome == "ok" else None))
    return calls


def _planned(choice: random.Random, session: str, mix: Mix, number: int) -> Call:
    process, action = f"p{choice.randrange(mix.processes)}", _action(choice, mix)
    value: object = None
    if action == "add":
        size = choice.randint(1, 3)
        value = tuple(f"[{session}.{number}.{part}] from {process}" for part in range(size))
    elif action == "trim" or (action == "read" and choice.random() < mix.last):
        value = choice.randint(1, mix.most_kept)
    outcome: Outcome = "ok"
    if choice.random() < mix.uncertain:
        outcome = choice.choice(("fail", "unknown"))
    return Call(process, session, action, value, None, 0.0, 0.0, outcome)


def _action(choice: random.Random, mix: Mix) -> str:
    drawn = choice.random()
    if drawn < mix.adds:
        return "add"
    return choice.choice(("trim", "clear")) if drawn > 1 - mix.removals else "read"


def _timed(choice: random.Random, call: Call, clocks: list[float]) -> tuple[float, Call]:
    """The call with its times, and the instant of its effect, which may be never."""
    process = int(call.process[1:])
    start = clocks[process] + choice.random()
    end = start + choice.random()
    clocks[process] = end
    effect = start + (end - start) * choice.random()
    if call.outcome != "ok":
        effect = choice.choice((float("inf"), effect, end + choice.random() * 5))
    return effect, call._replace(start=start, end=end)


def long_history(calls: int, seed: int = SEED) -> History:
    """A history of about so many calls, over many sessions that go on at the same time."""
    return History(sorted(_sessions(calls, seed), key=lambda call: call.end))


def _sessions(calls: int, seed: int) -> Iterator[Call]:
    choice = random.Random(seed)
    made = 0
    while made < calls:
        mix = Mix(calls=min(choice.randint(50, 100), calls - made))
        yield from simulated(choice, f"s{made}", mix)
        made += mix.calls


def measure(path: Path) -> dict[str, float]:
    """Load and judge the history in a file; return the seconds of each, and the memory in MB."""
    load, history = _time(lambda: load_history(path))
    seconds, judgement = _time(lambda: judge(history))
    wrong = [each.summary for each in judgement.findings if each.kind != "refused"]
    assert not wrong, f"the judge accuses a correct store: {wrong[0]}"
    return {"judge": seconds, "load": load, "memory": _find_peak() / 1e6}


def _find_peak() -> int:
    """Return the most bytes of memory that this process had."""
    # Not ru_maxrss where it can be helped: Linux lets it begin with that of the parent.
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _time(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = process_time()
    result = work()
    return process_time() - begin, result


def _measure_apart(size: int) -> dict[str, float]:
    """Measure a history of so many calls in a process of its own."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "history.jsonl")
        history = long_history(size)
        shown = sum(len(call.result) for call in history.calls if call.result)
        print(f"{size:,} calls, {shown:,} messages read", flush=True)
        history.save(path)
        del history
        command = [sys.executable, __file__, "--measure", str(path)]
        found = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    figures: dict[str, float] = json.loads(found)
    return figures


def _describe(name: str, value: float, calls: int) -> str:
    unit, most = UNITS[name], TARGETS[name] * calls / CALLS
    measured = f"  {name:<7} {value:7.1f} {unit:<2}"
    if name == "memory" and calls < CALLS:
        return measured
    return f"{measured}  at most {most:g} {unit}: {'met' if value <= most else 'below'}"


def main() -> None:
    """Print what half of the calls and all of them take, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--measure", type=Path, help="load and judge this file, and print figures")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    half, whole = (_measure_apart(size) for size in (options.calls // 2, options.calls))
    for name, value in whole.items():
        print(_describe(name, value, options.calls))
    for name in ("judge", "load"):
        print(f"  twice the calls take {whole[name] / half[name]:.2f} x the time to {name}")


if __name__ == "__main__":
    main()

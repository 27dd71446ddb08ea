"""Does the turn that holds the evidence come into the top k? On LoCoMo, in one run.

python bench/recall.py PATH [--conversations N] [--only NAME…] [--growth] [--json FILE]

PATH is a file of LoCoMo. Time per query is without encoding the question, which is the same work
for all of them.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median
from time import perf_counter
from typing import Any

# Started as a script, Python looks beside this file instead of above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import facts, locomo
from bench.locomo import Conversation, Question
from bench.recall_systems import SYSTEMS, System, TimedEmbedder
from goldfish import GoldfishError
from goldfish.embedding import Embedder, default_embedder
from goldfish.errors import MissingExtraError
from goldfish.testing import HashEmbedder

MISSED = 10**6


@dataclass(frozen=True)
class Answer:
    """The ranks, from 1 on, at which evidence was found for a question, and how long it took."""

    category: int
    ranks: Sequence[int]
    seconds: float


@dataclass(frozen=True)
class Score:
    """How well one system did on some questions."""

    system: str
    category: str
    questions: int
    any_1: float
    any_5: float
    any_10: float
    any_20: float
    all_10: float
    mrr: float
    milliseconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("path", type=Path, help="a file of LoCoMo, such as locomo10.json")
    add("--conversations", type=int, metavar="N", help="only the first N of them")
    add("--only", action="append", metavar="NAME", help="only systems whose names contain this")
    add("--growth", action="store_true", help="also time recall from 100,000 facts, 10,000 users")
    add("--hash", action="store_true", help="vectors of words instead of a model: shows it runs")
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    options = parser.parse_args(arguments)
    try:
        scores = measure(options)
    except (GoldfishError, OSError) as error:
        sys.exit(str(error))
    timings = facts.measure("sqlite", facts.Sizes()) if options.growth else []
    if timings:
        print(facts.table(timings))
    if options.json:
        figures = {"recall": _plain(scores), "growth": _plain(timings)}
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


def measure(options: argparse.Namespace) -> list[Score]:
    """The scores of all systems that are installed, printed as they come."""
    conversations = locomo.read(options.path)[: options.conversations]
    model: Embedder = HashEmbedder() if options.hash else default_embedder()
    embedder = TimedEmbedder(model)
    scores: list[Score] = []
    print(_HEAD)
    for system in SYSTEMS:
        if options.only and not any(part in system.name for part in options.only):
            continue
        try:
            answers = asyncio.run(_asked(system, embedder, conversations))
        except MissingExtraError as error:
            print(f"{system.name}: {error}")
            continue
        found = _scores(system.name, answers)
        scores += found
        print("\n".join(map(_line, found)), flush=True)
    return scores


async def _asked(
    system: type[System], embedder: TimedEmbedder, conversations: Iterable[Conversation]
) -> list[Answer]:
    answers: list[Answer] = []
    for conversation in conversations:
        async with system(embedder) as memory:
            await memory.fill(conversation)
            for question in conversation.questions:
                answers.append(await _answer(memory, question, embedder))
    return answers


async def _answer(memory: System, question: Question, embedder: TimedEmbedder) -> Answer:
    began, encoding = perf_counter(), embedder.seconds
    found = await memory.search(question.text)
    seconds = perf_counter() - began - (embedder.seconds - encoding)
    ranks = {turn: rank for rank, turns in enumerate(found, 1) for turn in turns}
    evidence = [ranks.get(turn, MISSED) for turn in question.evidence]
    return Answer(question.category, evidence, seconds)


def _scores(system: str, answers: Sequence[Answer]) -> list[Score]:
    """Overall, then by category."""
    scores = [_score(system, "all", answers)]
    for number, name in locomo.CATEGORIES.items():
        some = [answer for answer in answers if answer.category == number]
        scores += [_score(system, name, some)] if some else []
    return scores


def _score(system: str, category: str, answers: Sequence[Answer]) -> Score:
    def share(of: Callable[[Answer], bool]) -> float:
        return fmean(of(answer) for answer in answers)

    return Score(
        system,
        category,
        len(answers),
        *(share(lambda answer, k=k: min(answer.ranks) <= k) for k in (1, 5, 10, 20)),  # type: ignore[misc]
        all_10=share(lambda answer: max(answer.ranks) <= 10),
        mrr=fmean(1 / min(answer.ranks) for answer in answers),
        milliseconds=1000 * median(answer.seconds for answer in answers),
    )


_HEAD = (
    f"{'system':28} {'questions':12} {'n':>5}"
    f" {'any@1':>6} {'any@5':>6} {'any@10':>6} {'any@20':>6} {'all@10':>6} {'MRR':>6} {'ms':>8}"
)


def _line(score: Score) -> str:
    figures = (score.any_1, score.any_5, score.any_10, score.any_20, score.all_10, score.mrr)
    system = score.system if score.category == "all" else ""
    shares = "".join(f" {figure:6.3f}" for figure in figures)
    line = f"{system:28} {score.category:12} {score.questions:>5}{shares}"
    return f"{line} {score.milliseconds:8.2f}"


def _plain(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [asdict(each) for each in values]


if __name__ == "__main__":
    main()

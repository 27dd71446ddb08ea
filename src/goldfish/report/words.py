"""The words for verdicts that people read, and what each means.

The JSON report has two more, ``unsupported`` and ``skipped``, which are a contract with programs.
"""

from goldfish.findings.result import Result, Verdict

NOT_ASKED, NOT_CLAIMED = "not asked", "not claimed"
MEANINGS = {
    "held": "The check ran, and the memory kept the promise.",
    "broken": "The check ran, and the memory broke the promise: the report has the evidence.",
    "unknown": "The check ran, and could not tell: the world failed, or nothing was read back. "
    "It counts as a failure, because nothing is green by absence.",
    NOT_ASKED: "The check did not run. The reason is beside it: the memory has no such method or "
    "field, a package or a server is missing here, the time was up, or you stopped the run. "
    "JSON calls it unsupported, or skipped if the run ended first.",
    NOT_CLAIMED: "The check did not run, because the memory never promised that: its target says "
    "so (claims=, declines=, window=), or its adapter does. JSON calls it unsupported.",
}
# What programs read, by what people read.
ALIASES = {"unsupported": NOT_ASKED, "skipped": NOT_ASKED}


def name_verdict(result: Result) -> str:
    """Return the word that people read for the verdict of a result."""
    if result.is_unclaimed:
        return NOT_CLAIMED
    if result.verdict in {Verdict.UNSUPPORTED, Verdict.SKIPPED}:
        return NOT_ASKED
    return result.verdict.value


def find_word(name: str) -> str | None:
    """Return the word that a user means, such as not-asked; None if it is none of these."""
    word = " ".join(name.lower().replace("-", " ").replace("_", " ").split())
    word = ALIASES.get(word, word)
    return word if word in MEANINGS else None

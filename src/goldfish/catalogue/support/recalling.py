"""How a store recalls, learnt by a few easy queries: by phrases, by words, in which scripts.

What every recall must do is find a fact by its own text. A store that looks for the query as one
phrase is not blamed for a query in other words.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

from goldfish.catalogue.support.facts import recall_texts
from goldfish.harness.memory import Memory

LAMP = "The lamp in the hall is green"
NEAR_IT = ["A letter in the box is late", LAMP, "The stairs in the yard are steep"]
BOOK = "请把书放在桌子上"
NEAR_BOOK = [
    "她喜欢在早晨喝茶",
    BOOK,
    "他昨天买了一辆车",
]  # BOOK is neither first nor last by chance


class Query(IntEnum):
    """How much a query asks of a recall."""

    TEXT = 0  # the text of the fact
    PHRASE = 1  # some words of it in a row
    WORDS = 2  # some words of it
    QUESTION = 3  # some words of it, and others


EXAMPLES = {
    Query.PHRASE: "lamp in the hall",
    Query.WORDS: "green hall lamp",
    Query.QUESTION: "Which lamp in the hall shines green today",
}


@dataclass(frozen=True)
class Recalling:
    """What the recall of a store does: the hardest kind of query, other case, parts of words."""

    hardest: Query
    folds_case: bool
    splits_words: bool  # it finds a part of a sentence that is written without spaces

    def finds(self, query: str, text: str) -> bool:
        """Return True if a query in this form is one that the store recalls a text by."""
        if query == text:
            return True
        if not self.folds_case and not _words(query, fold=False) <= _words(text, fold=False):
            return False
        if not self.splits_words and not _words(query) & _words(text):
            return False
        return rank_query(query, text) <= self.hardest


def rank_query(query: str, text: str) -> Query:
    """Return how much a query asks of a recall that is to find this text."""
    if query == text:
        return Query.TEXT
    if query.casefold() in text.casefold():
        return Query.PHRASE
    return Query.WORDS if _words(query) <= _words(text) else Query.QUESTION


async def learn_recall(memory: Memory) -> Recalling:
    """Tell three plain facts about a user of their own, and see which queries recall one first."""
    client, user, reader = memory.client, memory.session("probe"), memory.session("probe")
    for text in NEAR_IT:
        await client.call("remember", user, text)
    for text in NEAR_BOOK:
        await client.call("remember", reader, text)

    async def is_first(query: str, wanted: str = LAMP, whose: str = user) -> bool:
        return (await recall_texts(client, whose, query))[:1] == [wanted]

    hardest = Query.TEXT
    for kind, query in EXAMPLES.items():
        if not await is_first(query):
            break
        hardest = kind
    folds = await is_first(EXAMPLES[Query.PHRASE].upper())
    return Recalling(hardest, folds, await is_first("桌子", BOOK, reader))


def _words(text: str, *, fold: bool = True) -> set[str]:
    return set(re.findall(r"\w+", text.casefold() if fold else text))

"""The table of traits: what a right memory may do or not do, and how its target says so."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Trait:
    """Something that a memory does when nothing goes wrong, or never does.

    ``needed`` says it as something that a check requires, ``absence`` as a sentence about a memory
    without it, ``declaration`` is the argument of ``@goldfish.target`` that holds a memory to it.
    """

    name: str
    needed: str
    absence: str
    declaration: str = ""

    @property
    def held_by(self) -> str:
        """The declaration that holds a memory to it."""
        return f"@goldfish.target({self.declaration or f'has={{{self.name!r}}}'})"


# Traits that a check may name in ``needs``, by their names in ``has`` and ``lacks``.
TRAITS = {
    each.name: each
    for each in (
        Trait(
            "any_ids",
            "any text as an id",
            "Some ids are refused with a ValueError before anything is written.",
            'ids=".*"',
        ),
        Trait(
            "first_contents",
            "an id that is known keeps its first contents",
            "A message whose id is known, with other contents, replaces the first one.",
        ),
        Trait(
            "strict_last",
            "a negative last that is refused",
            "A negative last is not refused: get_history returns some of the messages.",
        ),
        Trait(
            "empty_batches",
            "a batch of no messages that is accepted",
            "A batch of no messages is refused.",
        ),
        Trait(
            "equal_facts",
            "equal facts that are one",
            "A fact that is told again is stored again.",
        ),
        Trait(
            "fact_metadata",
            "facts that carry metadata",
            "Facts come back without their metadata.",
        ),
        Trait(
            "facts_in_order",
            "facts that are listed in the order of telling",
            "list_facts does not list facts in the order in which they were told.",
        ),
    )
}

# Traits that have an argument of their own on ``@goldfish.target``.
CARRIES = Trait("carries", "fields of a message that come back", "Messages come back without {}.")
RETRIES = Trait(
    "retries",
    "ids that make a retry a no-op",
    "A message whose id is known is stored again: a retry duplicates.",
    "retries=True",
)
FILTERS = Trait(
    "filters", "facts that are chosen by a filter", "Filters do not filter.", 'filters="equality"'
)
SCOPED_IDS = Trait(
    "scoped_ids",
    "ids of facts that serve nobody but their user",
    "The id of a fact serves whoever has it: the user is not looked at.",
    "scoped_ids=True",
)
REOPENING = Trait(
    "claims",
    "a storage that can be opened again",
    "What it remembers ends when it is closed: it is in the process and nowhere else.",
    'claims="many processes"',
)

"""REC: the right fact is recalled by its words, names, numbers and meaning, in any script.

Ranks are compared, never scores; a store that recalls by words is not asked for paraphrases.
"""

from contextlib import suppress

from goldfish.catalogue.registry import check, method, recalls
from goldfish.catalogue.support.facts import (
    AT_THE_END,
    MEETING,
    ExpectedFacts,
    expect_first,
    quote_facts,
    recall_texts,
)
from goldfish.catalogue.support.recalling import Query, learn_recall
from goldfish.catalogue.support.sizes import choose_count
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory

Recall = method("recall")

TEN = [
    "The bicycle is kept in the cellar",
    "Grandmother's soup has leeks and barley",
    "The piano was tuned in October",
    "Dentist appointments are on Thursdays",
    "The greenhouse needs a new lock",
    "Uncle Oskar collects railway stamps",
    "Printer ink is ordered from Hamburg",
    "The dog is afraid of thunder",
    "Swimming lessons begin at seven",
    "The passport expires next spring",
]
BY_PART = {
    "afraid of thunder": TEN[7],
    "railway stamps": TEN[5],
    "soup with leeks and barley": TEN[1],
    "Where is the bicycle kept?": TEN[0],
}
BY_NAME = {
    "order 8892": "Order 8892 is a red bicycle",
    "order 1377": "Order 1377 is a garden table",
    "order 5540": "Order 5540 is a fishing rod",
    "invoice 2210": "Invoice 2210 was paid by card",
    "invoice 9004": "Invoice 9004 was paid in cash",
    "Anneliese Brandt": "Anneliese Brandt is the plumber",
    "Tomasz Kowalski": "Tomasz Kowalski is the locksmith",
    "Who is Priya Raman?": "Priya Raman is the dentist",
    "flight LH454": "Flight LH454 goes to San Francisco",
    "flight BA117": "Flight BA117 goes to New York",
}
BY_SCRIPT = {
    "花生过敏": "小明对花生过敏",
    "住在上海": "她现在住在上海",
    "любит оперу": "Ольга любит оперу",
    "переехал в Казань": "Иван переехал в Казань",
    "يعمل في المستشفى": "أحمد يعمل في المستشفى",
    "מנגן בגיטרה": "דוד מנגן בגיטרה",
    "ピアノを習": "妹はピアノを習っている",
    "παίζει τάβλι": "Εκείνος παίζει τάβλι",
    "고양이를 키운다": "민수는 고양이를 키운다",
    "🎷 on Sundays": "On Sundays there is 🎷 with the band",
}
BY_MEANING = {
    "What scares the puppy?": TEN[7],
    "When do I get my teeth checked?": TEN[3],
    "When does the pool course start?": TEN[8],
    "How long can I travel abroad with my documents?": TEN[9],
    "Where did I put my bike?": TEN[0],
}
SYNTAX = [
    *("don't", '"', "'", "AND", "OR NOT", "NEAR(", "*", "pre-edit", "GB/s", "x:y", "(", ")", "^"),
    *("{", "}", "\\", "%", "_", "-", "+", "a* OR b", 'un"balanced', "'; DROP TABLE facts; --"),
    *("@tag:{a|b}", "[1 TO 3]", "~2", "!not", "a & b | c", "<->", "?", "$1"),
    "\N{COMBINING ACUTE ACCENT}",
]
SIGNS = 'He said: "don\'t" (50% of the time) AND pre-edit* c:\\temp @home'
# On the same subjects in other words, so nearer to the query than the start of the meeting.
BESIDE = [
    "The lock of the front gate was changed in May",
    "Plant pots stand on the terrace",
    "A neighbour waters the geraniums in summer",
    "The wallet lies in the drawer of the desk",
    "Anyone can open the cellar with a code",
]


@check(
    "REC01",
    "Of ten facts, a query in the words of one recalls that one first.",
    incident="ruvnet/ruflo issue 2558: words that occurred in every stored value recalled one of "
    "two entries or none.",
    about="facts",
    needs=[Recall],
    suite="smoke",
)
async def a_fact_is_recalled_by_its_own_words(memory: Memory) -> None:
    await expect_recalled(memory, TEN, {text: text for text in TEN} | BY_PART)


@check(
    "REC02",
    "Of ten facts with names and numbers, a query for one of them recalls its fact first.",
    incident="petabridge/memorizer issue 132: a search for single words found nothing, because one "
    "vector for the whole text does not weigh the words that set it apart.",
    about="facts",
    needs=[Recall],
)
async def a_fact_is_recalled_by_a_name_or_a_number(memory: Memory) -> None:
    await expect_recalled(memory, list(BY_NAME.values()), BY_NAME)


@check(
    "REC03",
    "Facts in Chinese, Cyrillic, Arabic, Hebrew, Japanese, Greek, Korean and emoji are recalled.",
    incident="google/adk-python issue 5601: every query in Chinese recalled nothing; "
    "thedotmack/claude-mem issue 3801: unicode61 takes a Chinese sentence for one word.",
    about="facts",
    needs=[Recall],
)
async def a_fact_is_recalled_in_any_script(memory: Memory) -> None:
    texts = list(BY_SCRIPT.values())
    await expect_recalled(memory, texts, {text: text for text in texts} | BY_SCRIPT)


@check(
    "REC04",
    "Of ten facts, the one that answers a question in other words is among the first three.",
    incident="nbramia/LifeOS issue 534: if a memory was worded differently from the question, the "
    "answer was that nothing had been saved.",
    about="facts",
    needs=[Recall, recalls("meaning")],
)
async def a_fact_is_recalled_by_its_meaning(memory: Memory) -> None:
    await expect_recalled(memory, TEN, BY_MEANING, among=3)


@check(
    "REC05",
    "A user's fact is recalled even if hundreds of other users' facts match the query better.",
    incident="asg017/sqlite-vec issue 152: a query found nothing with K = 96 and 25 rows with K = "
    "384, because the condition was applied after the nearest rows had been chosen.",
    about="facts",
    needs=[Recall],
)
async def a_fact_is_recalled_against_the_facts_of_others(memory: Memory) -> None:
    machine = "espresso machine"
    others = [machine, f"the {machine}", "Espresso machine?", f"an {machine}"]
    facts, ann = ExpectedFacts(memory), memory.session("ann")
    own = "The espresso machine in the kitchen has been leaking since Tuesday"
    crowd = [memory.session(f"other-{n}") for n in range(int(min(125, 30 * memory.effort)))]
    for user in crowd[::2]:
        await facts.tell(user, *others)
    await facts.tell(ann, own)
    for user in crowd[1::2]:
        await facts.tell(user, *others)
    options = {"limit": 5} if memory.client.has("recall", "limit") else {}
    found = await recall_texts(memory.client, ann, machine, **options)
    facts.blame(ann, found)
    expect_first(found, own, machine)


@check(
    "REC06",
    "A query with quotes, hyphens, operators or code is not an error and finds its words.",
    incident="marcusquinn/aidevops pull request 427: recalling 'pre-edit' failed with \"no such "
    'column: edit"; spences10/ccrecall issue 29: "don\'t" was an FTS5 syntax error.',
    about="facts",
    needs=[Recall],
)
async def a_query_is_words_and_no_syntax(memory: Memory) -> None:
    facts, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    await facts.tell(user, *TEN[4:9], SIGNS)
    for query in SYNTAX:
        try:
            facts.blame(user, await recall_texts(client, user, query))
        except StoreError as error:
            raise Violation(f"refused: for the query {quote(query)}, {error}") from error
    for empty in ("", " ", "\x00", "\ud800"):
        with suppress(StoreError):  # an empty query may be refused
            facts.blame(user, await recall_texts(client, user, empty))
    expect_first(await recall_texts(client, user, SIGNS), SIGNS, SIGNS)
    if (await learn_recall(memory)).hardest is Query.QUESTION:
        # Signs apart, as not every store strips them, and of which no other fact has any.
        query = "thunder OR [ dog NOT afraid ] ^ ~"
        expect_first(await recall_texts(client, user, query), TEN[7], query)
    await facts.expect(user)


@check(
    "REC07",
    "A query for what a long fact says at its end recalls it among the first three.",
    incident="imuniqueshiv/MeetOnMemory issue 313: transcripts were embedded as one text, of which "
    "all-MiniLM-L6-v2 takes the first 256 tokens: what was said later was never found.",
    about="facts",
    needs=[Recall],
)
async def a_long_fact_is_recalled_by_its_end(memory: Memory) -> None:
    long = MEETING * 9 + AT_THE_END
    query = "the spare key is hidden under the blue flowerpot"
    await expect_recalled(memory, [*BESIDE, long, *TEN[:5]], {query: long}, among=3)


@check(
    "REC08",
    "A fact is recalled by the very next call after it was acknowledged.",
    incident="garrytan/gbrain issue 4246: texts were stored at once and their vectors by a later "
    "job, which skipped them: 253 pieces were found by what they no longer said.",
    about="facts",
    needs=[Recall],
)
async def a_fact_is_recalled_by_the_next_call(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    for text in TEN[:6]:
        await facts.tell(user, text)
        expect_first(await recall_texts(memory.client, user, text), text, text)


@check(
    "REC52",
    "A fact with a long note in its metadata is recalled first by its own words.",
    incident="langgraph-checkpoint-sqlite 3.1.2 ignores which fields are to be indexed and makes "
    "one vector of the whole value, notes included.",
    about="facts",
    needs=[Recall, method("remember", "metadata")],
)
async def metadata_do_not_drown_what_a_fact_says(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    await facts.tell(user, TEN[7], metadata={"a note": MEETING * 6})
    await facts.tell(user, "The dog likes the beach", "Thunder was heard on Monday")
    expect_first(await recall_texts(memory.client, user, TEN[7]), TEN[7], TEN[7])


@check(
    "REC24",
    "Among hundreds of facts of one user, a recall finds the oldest, the newest and any other.",
    incident="Aik358/dsh-auto-memory issue 45: a recall ranked the first 256 records alone, so "
    "that nothing older than five days was found; nbramia/LifeOS issue 534: the newest thousand.",
    about="facts",
    needs=[Recall],
)
async def no_fact_is_too_old_or_too_new_to_be_recalled(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    count = await choose_count(memory, least=60, wanted=(520, 620), budget=8.0)
    for number in range(count):
        if number in (0, count // 2):
            await facts.tell(user, TEN[0 if number == 0 else 4])
        await facts.tell(user, f"Locker {number}")
    await facts.tell(user, TEN[7])
    for text in (TEN[0], TEN[4], TEN[7], "Locker 0"):
        found = await recall_texts(memory.client, user, text)
        facts.blame(user, found)
        expect_first(found, text, text, among=5 if text == "Locker 0" else 1)


async def expect_recalled(
    memory: Memory, texts: list[str], queries: dict[str, str], *, among: int = 1
) -> None:
    """Tell the facts about one user, and raise unless each query recalls its fact first.

    A query is left out if an easy one of its form shows that the store does not recall so.
    """
    facts, user, recall = ExpectedFacts(memory), memory.session("ann"), await learn_recall(memory)
    await facts.tell(user, *texts)
    for query, wanted in queries.items():
        found = await recall_texts(memory.client, user, query)
        facts.blame(user, found, f"recalled {quote_facts(found)}")
        if unknown := [text for text in found if text not in texts]:
            raise Violation(
                f"phantom: user {quote(user)} was given {quote(unknown[0])}, which was never told",
                f"recalled {quote_facts(found)}",
            )
        if recall.finds(query, wanted) or memory.target.recalls == "meaning":
            expect_first(found, wanted, query, among=among)

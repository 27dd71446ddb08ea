"""DUP: what was said once is stored once, and what was said twice is stored twice."""

from goldfish.catalogue.registry import Retries, carries, check, trait
from goldfish.catalogue.support.sizes import draw_size
from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory, contents_of
from goldfish.messages import ChatMessage


@check(
    "DUP01",
    "Adding a message that the session already has is a no-op, alone or with others, soon or late.",
    incident="nextcloud/talk-android pull request 4688: the server had the message, its reply was "
    "lost on the way, the app tried again, and the conversation had it twice.",
    needs=[Retries],
    suite="smoke",
)
async def a_retried_message_is_kept_once(memory: Memory) -> None:
    session, client = memory.session(), memory.client
    batch, new = memory.messages(4), memory.messages(3)
    await client.add(session, batch)
    for again in (batch[-1:], batch[:1], batch, batch[1:3]):
        await client.add(session, again)
        await client.expect(session, contents_of(batch))
    await client.add(session, [batch[3], new[0], batch[0], *new[1:]])
    await client.expect(session, contents_of([*batch, *new]))
    later = memory.messages(await memory.affordable(draw_size(memory, 120, 1_100), least=120))
    await client.add(session, later)
    await client.add(session, batch)
    everything = [*batch, *new, *later]
    await client.expect(session, contents_of(everything))
    if memory.target.claims != "one opening":
        client = await memory.reopen()
        await client.add(session, everything)
        await client.expect(session, contents_of(everything))


@check(
    "DUP02",
    "When an id is added again with other contents, the first contents stay in their place.",
    incident="LangGraph documents that add_messages replaces a message whose id it knows: a retry "
    "with other words rewrites what was said; SQLite's INSERT OR REPLACE also moves it.",
    needs=[Retries, trait("first_contents")],
)
async def a_message_id_that_comes_back_changes_nothing(memory: Memory) -> None:
    session, client = memory.session(), memory.client
    batch = memory.messages(3)
    others = [memory.message(id=each.id, role="assistant") for each in batch]
    await client.add(session, batch)
    for again in (others[:1], others[2:], others):
        await client.add(session, again)
        await expect_first_contents(memory, session, batch, others)


@check(
    "DUP03",
    "Messages with equal contents are all kept, in a row or far apart.",
    incident="microsoft/agent-framework issue 4682: messages with the same role and words were "
    "treated as duplicates, so the user's second 'yes' never reached the model.",
    basic=True,
)
async def repeated_words_are_kept_each_time(memory: Memory) -> None:
    session, client = memory.session(), memory.client
    yes, no = memory.text("yes"), memory.text("no")
    moment = memory.message().created_at
    said = [yes, yes, no, yes, yes, yes, no, no]
    await client.add(session, [memory.message(each, created_at=moment) for each in said])
    for text in (no, yes, yes):
        await client.add(session, [memory.message(text, created_at=moment)])
        said.append(text)
        await client.expect(session, said)


@check(
    "DUP04",
    "Messages whose ids differ by case, space, Unicode form or number are different messages.",
    incident="nanocoai/nanoclaw issue 3226: a platform reused an id, the message was taken for "
    "one that the session already had, and the user got no answer; ids that only look alike share "
    "that fate.",
    needs=[Retries, carries("id")],
)
async def message_ids_are_compared_exactly(memory: Memory) -> None:
    session, client = memory.session(), memory.client
    names = ["msg", "MSG", "Msg", "msg1", "msg10", "ms", "msg_1", "msg-1", "msg:1", "msg%", "msg*"]
    names += ["1", "01", "1.0", "+1", "caf\xe9", "cafe\u0301", "cafe", "my msg", "my  msg", "m/1"]
    names += [f"{'x' * length}{each}" for length in (8, 16, 32, 36, 48) for each in "12"]
    batch = [memory.message(id=name) for name in names]
    for at in (0, 10):
        await client.add(session, batch[at : at + 10])
    for message in batch[20:]:
        await client.add(session, [message])
    await client.expect(session, contents_of(batch))


@check(
    "DUP20",
    "The same turn, word for word, said again is a turn of its own, the second and the third time.",
    incident="AutoGPT pull request 12759: a turn was known by the words of its question; a user "
    "who asked the same question twice and got the same answer lost the second answer.",
    basic=True,
)
async def the_same_turn_said_again_is_kept_again(memory: Memory) -> None:
    client = memory.client
    for session, as_one in ((memory.session("batches"), True), (memory.session("singles"), False)):
        words = (("user", memory.text("go on")), ("assistant", memory.text("done")))
        other, said = memory.messages(1), list[str]()
        for turn in range(4):
            batch = [memory.message(text, role=role) for role, text in words]
            if turn == 3:  # the last time, something else was said before
                await client.add(session, other)
                said += contents_of(other)
            for part in [batch] if as_one else [[each] for each in batch]:
                await client.add(session, part)
            said += contents_of(batch)
            await client.expect(session, said)


async def expect_first_contents(
    memory: Memory, session: str, first: list[ChatMessage], again: list[ChatMessage]
) -> None:
    """Raise unless the first message of each id is in its place, and no later one is there."""
    found = await memory.client.contents(session)
    later = [each for each in contents_of(again) if each in found]
    missing = [each for each in contents_of(first) if each not in found]
    evidence = (f"expected {quote_list(contents_of(first))}", f"read back {quote_list(found)}")
    if later and missing:
        raise Violation(
            f"corrupted: a retry replaced {quote(missing[0])} with {quote(later[0])}", *evidence
        )
    if later:
        raise Violation(
            f"duplicated: {quote(later[0])} is there beside the first message with its id",
            *evidence,
        )
    await memory.client.expect(session, contents_of(first))

"""Usual causes of what is wrong in the prompts of agents, each with its fix."""

from goldfish.findings.remedies.remedy import Remedy

CAUSES = (
    Remedy(
        ("CTX", "CTX lost"),
        "The history was not read, not passed on, cut off, or kept where the worker that answers "
        "cannot see it: in a dict of another process.",
        "Read the history of the session from a store that all workers share, and build every "
        "prompt from it: the system prompt, the history, the newest message.",
        """history = await store.get_history(session_id)
prompt = [SYSTEM, *history, question]
answer = await ask_model(prompt)
await store.add_messages(session_id, [question, answer])  # both, and only what is new""",
    ),
    Remedy(
        ("CTX duplicated",),
        "The newest message was saved before the history was read and then added again, or more "
        "than what is new was saved after the turn.",
        "Read the history first, add the newest message to the prompt once, and save only what "
        "the turn has added.",
        """history = await store.get_history(session_id)
answer = await ask_model([SYSTEM, *history, question])
await store.add_messages(session_id, [question, answer])""",
    ),
    Remedy(
        ("CTX reordered",),
        "The history was read newest first and not turned round, or the parts of the prompt were "
        "joined in another order.",
        "Build the prompt in one place: the system prompt, the history from the oldest to the "
        "newest message, the newest message of the user.",
        """newest_first = await store.read_last(session_id, 20)
prompt = [SYSTEM, *reversed(newest_first), question]""",
    ),
    Remedy(
        ("CTX leaked",),
        "One object serves several sessions and keeps the messages of all of them: a history in "
        "the module, in a shared agent, in a cache without the session in its key.",
        "Keep nothing of a conversation in an object that outlives the turn, and name the session "
        "and the user in every read and every write.",
        """async def say(session_id, user_id, text):
    history = await store.get_history((user_id, session_id))""",
    ),
    Remedy(
        ("CTX wedged", "CTX torn", "CTX33", "CTX47"),
        "The turn was saved step by step and ended between a tool call and its result, or a window "
        "or a filter parted the two: providers refuse every prompt with such a half.",
        "Save a turn as a whole once it is answered, trim by whole turns, and answer the calls "
        "that a stored history leaves open before it is sent.",
        """for call in find_open_calls(history):  # a turn that was cut in the middle
    text = "The tool was interrupted; its result is unknown."
    history.append({"role": "tool", "tool_call_id": call["id"], "content": text})""",
    ),
    Remedy(
        ("CTX resurrected",),
        "Only one of the places was emptied: the history is gone, and a cache, a summary, the "
        "answers or the recalled facts still have what was said.",
        "Delete all that was derived from a session together with it, in one transaction, and read "
        "nothing of it from a cache of a process.",
        """async def forget(session_id):
    async with database.transaction():
        for table in ("messages", "summaries", "facts"):
            await database.execute(f"DELETE FROM {table} WHERE session = $1", session_id)""",
    ),
    Remedy(
        ("CTX swallowed",),
        "The error of the model was caught and answered with a text, so that nobody knows that the "
        "turn failed, and the text may be remembered as an answer.",
        "Let the caller see that the turn failed, and save nothing that the model did not say.",
        """try:
    answer = await ask_model(prompt)
except APIError as error:
    raise HTTPException(502, "the model does not answer: try again") from error""",
    ),
    Remedy(
        ("CTX wrong",),
        "More than the newest turn is stored with every turn, or what is declared as the window is "
        "not what the agent sends.",
        "Store only what a turn has added, and cut the history to the window where the prompt is "
        "built.",
        """history = (await store.get_history(session_id))[-WINDOW:]
answer = await ask_model([SYSTEM, *history, question])
await store.add_messages(session_id, [question, answer])  # and not the prompt""",
    ),
    Remedy(
        ("CTX21 lost", "CTX22 lost", "CTX23 lost", "CTX46 lost"),
        "The summary takes more than it tells: the newest message, what an earlier summary said, "
        "or messages that were removed before the summary had come.",
        "Give the model the earlier summary with the messages that leave, put the new one in "
        "their place only once it is there, and never let it take the newest turns.",
        """leaving, staying = history[:-KEPT], history[-KEPT:]
summary = await summarise([summary, *leaving])  # raises: then the history stays as it is
prompt = [SYSTEM, summary, *staying, question]""",
    ),
    Remedy(
        ("CTX29 lost", "CTX30 lost"),
        "Each turn reads the history, adds to its copy and writes the copy back: of two at once, "
        "the later one overwrites what the other has added.",
        "Append what a turn has added, in one statement, or hold a lock of the session that all "
        "workers share for as long as the turn takes.",
        """await store.add_messages(session_id, [question, answer])  # not the history""",
    ),
    Remedy(
        ("CTX10 lost",),
        "Messages are told apart by their words, or by a hash of them, so that a turn that is said "
        "again is taken for a retry of the first.",
        "Tell retries by an id that the caller makes for each turn.",
        """question = ChatMessage(role="user", content=text, id=request_id)
await store.add_messages(session_id, [question, answer])""",
    ),
    Remedy(
        ("CTX06 lost", "CTX14 lost", "CTX15 lost", "CTX16 lost"),
        "The system prompt is kept as a message of the history, and leaves with the oldest ones, "
        "into a summary, or with a process.",
        "Keep it out of the history, and put it before the history where the prompt is built.",
        """prompt = [SYSTEM, *history[-WINDOW:], question]""",
    ),
    Remedy(
        ("CTX26 leaked",),
        "Ids that differ become one key: by a file name without odd characters, by another case, "
        "or by joining two ids without saying where the first one ends.",
        "Use the ids as they are, as values and not as parts of a name; hash them where a name "
        "has to be short or plain.",
        """name = hashlib.sha256(json.dumps([user_id, session_id]).encode()).hexdigest()""",
    ),
    Remedy(
        ("CTX44 torn",),
        "What had come of a reply is saved however its stream ends.",
        "Save the answer once the stream has told its finish reason, and nothing of it before.",
        """pieces = [piece async for piece in stream]  # raises if the stream breaks off
await store.add_messages(session_id, [question, answer("".join(pieces))])""",
    ),
)

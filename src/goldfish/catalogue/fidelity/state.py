"""FID: a named value comes back as it was set, and is replaced whole."""

import copy
from typing import Any

from goldfish.catalogue.fidelity.editing import edit_inside
from goldfish.catalogue.registry import check
from goldfish.catalogue.support.comparison import describe_change, describe_difference
from goldfish.catalogue.support.state import ExpectedState, Owner, fetch, has_user_state, offer
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory

PROFILE: dict[str, Any] = {"name": "Alice", "role": "admin", "tags": ["a", "b"], "at": {"x": 1}}
KINDS: dict[str, Any] = {
    "text": "Grüße, 用户 😀, 'quoted' \"twice\" \\n",
    "long": "x" * 20_000,
    "integer": 2**53 + 1,
    "negative": -7,
    "float": 0.1,
    "small": 5e-324,
    "yes": True,
    "list": [1, "1", 1.5, None, [], [[2]]],
    "deep": {"a": {"b": {"c": [{"d": "e"}]}}},
}
FALSY: dict[str, Any] = {
    "none": None, "no": False, "zero": 0, "nothing": "", "list": [], "dict": {},
}  # fmt: skip
ODD_VALUES: dict[str, Any] = {
    "NUL": "a\0b",
    "a lone surrogate": "a\ud800b",
    "a long integer": 2**200 + 1,
    "a tuple": (1, 2),
    "a set": {1},
    "an object": object(),
    "a number as a key": {1: "one"},
    "infinity": float("inf"),
    "bytes": b"\xff",
}
ODD_NAMES = [
    *("", " ", "a", "a ", " a", "A", "a.b", "a/b", "a b", "a:b", "$a", "$.a", "a[0]", "__class__"),
    *("a\0b", "a\ud800", "'; --", "%", "*", "user:a", "app:a", "temp:a", "state", "名", "x" * 300),
]


@check(
    "FID40",
    "Texts, numbers, lists and nested dicts come back with the same value and type.",
    incident="langchain-ai/langsmith-sdk issue 3391: integers from 2**64 up became floats on the "
    "way, and different numbers became equal.",
    about="state",
    suite="smoke",
)
async def values_come_back_as_they_were_set(memory: Memory) -> None:
    state, owner = ExpectedState(memory), Owner(memory.session())
    await state.put(owner, KINDS)
    await state.expect(owner)


@check(
    "FID41",
    "Setting a name again replaces its value: nothing of the old value is left.",
    incident="google/adk-python issue 6728: SqliteSessionService merged a dict into the stored "
    "one, so removed keys came back after a reload; measured in google-adk 2.7.1, and no longer "
    "in 2.8.0.",
    about="state",
    suite="smoke",
)
async def a_value_is_replaced_whole(memory: Memory) -> None:
    state, owner = ExpectedState(memory), Owner(memory.session())
    later: list[Any] = [{"name": "Alice"}, {"at": {"y": 2}}, {}, ["a"], "text", {"tags": []}]
    await state.put(owner, {"profile": PROFILE})
    for value in later:
        await state.put(owner, {"profile": value})
        found = await fetch(memory.client, owner)
        if changed := describe_difference(value, found.get("profile"), "profile"):
            raise Violation(
                f"corrupted: a value was replaced, but {changed}",
                f"set {quote(value)}",
                f"found {quote(found)}",
            )


@check(
    "FID42",
    "Setting some names leaves the values of all other names as they are.",
    incident="agno-agi/agno issue 4685: each run started again from the first values of the "
    "state, and what tools had stored there was gone.",
    about="state",
    suite="smoke",
)
async def setting_some_names_leaves_the_others(memory: Memory) -> None:
    state, owner = ExpectedState(memory), Owner(memory.session())
    for number in range(6):
        await state.put(owner, {f"name {number}": memory.text(), f"other {number % 2}": number})
    await state.expect(owner)


@check(
    "FID43",
    "None, False, 0 and empty values are kept like any other, also where they replace one.",
    incident="google/adk-python issue 6728: setting a value to None removed its name in one "
    "session service and stored None in the others; measured in SqliteSessionService of "
    "google-adk 2.7.1.",
    about="state",
)
async def values_that_are_nothing_are_kept(memory: Memory) -> None:
    state, fresh, over = ExpectedState(memory), Owner(memory.session()), Owner(memory.session())
    await state.put(fresh, FALSY)
    await state.put(over, dict.fromkeys(FALSY, "something"))
    await state.put(over, FALSY)
    await state.expect(fresh, over)


@check(
    "FID44",
    "A value that JSON does not have comes back unchanged, or is refused and nothing is set.",
    incident="langgraph-checkpoint 4.3.1 silently replaced a lone surrogate with '?'; measured in "
    "SqliteSessionService of google-adk 2.13.0: a text ends at NUL.",
    about="state",
)
async def odd_values_are_kept_exactly_or_refused(memory: Memory) -> None:
    for what, value in ODD_VALUES.items():
        owner = Owner(memory.session())
        refusal = await offer(memory.client, owner, {"plain": "yes", "odd": value})
        found = await fetch(memory.client, owner)
        if refusal is not None and found:
            raise Violation(f"torn: {what} was refused ({refusal}), but {quote(found)} is there")
        if refusal is None and "odd" not in found:
            raise Violation(f"lost: {what} was acknowledged, but is not there", quote(found))
        if refusal is None and (changed := describe_change(value, found["odd"], what)):
            raise Violation(f"corrupted: {changed}", f"set {quote(value)}")


@check(
    "FID45",
    "Names with dots, signs, spaces or NUL, and the empty name, are kept apart or refused.",
    incident="agentscope-ai/agentscope-java pull request 2698: a review found that names shared "
    "one place with the store's own fields: a value called _updated_at was acknowledged and then "
    "overwritten with a date. Measured in SqliteSessionService of google-adk 2.13.0: a name ends "
    "at NUL.",
    about="state",
)
async def odd_names_are_told_apart_or_refused(memory: Memory) -> None:
    state, owner = ExpectedState(memory), Owner(memory.session())
    await state.put(owner, {"plain": {"b": memory.text("nested")}})
    for name in ODD_NAMES:
        values = {name: memory.text(f"under {name[:10]!a}")}
        if await offer(memory.client, owner, values) is None:
            state.note(owner, values)
    await state.expect(owner)


@check(
    "FID46",
    "Editing what was set or returned, nested values too, does not change what is stored.",
    incident="google/adk-python pull request 7105: nested user values were returned by reference, "
    "so editing a returned session changed what others were given.",
    about="state",
    suite="smoke",
)
async def what_was_handed_in_or_out_is_nobody_s_to_edit(memory: Memory) -> None:
    owners = [Owner(memory.session())]
    if has_user_state(memory.client):
        owners.append(Owner(memory.session(), memory.session("ann")))
    for owner in owners:
        values = {"profile": copy.deepcopy(PROFILE)}
        state = ExpectedState(memory)
        await state.put(owner, values)
        state.values[owner.key] = copy.deepcopy(values)
        edit_inside(values)
        await state.expect(owner)
        edit_inside(await fetch(memory.client, owner))
        await state.expect(owner)


@check(
    "FID47",
    "An unknown session has no values, however often it is read; setting none removes none.",
    incident="google/adk-python issue 4933: rewinding a session set values to None that none of "
    "its steps had named.",
    about="state",
)
async def asking_and_setting_nothing_change_nothing(memory: Memory) -> None:
    state, owner, nobody = (
        ExpectedState(memory),
        Owner(memory.session()),
        Owner(memory.session("nobody")),
    )
    for _ in range(2):
        await state.expect(nobody)
    await state.put(nobody, {})
    await state.expect(nobody)
    await state.put(owner, {"name": memory.text()})
    await state.put(owner, {})
    await state.expect(owner)

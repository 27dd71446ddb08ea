"""An async test with a fixture of ours runs under plain pytest, and is left to other plugins."""

import pytest

PLAIN = ("-p", "no:asyncio", "-p", "no:anyio")
STRICT = ("-p", "asyncio", "-p", "no:anyio", "-o", "asyncio_default_fixture_loop_scope=function")
WAYS = {
    "plain pytest": PLAIN,
    "pytest-asyncio, strict": STRICT,
    "pytest-asyncio, auto": (*STRICT, "-o", "asyncio_mode=auto"),
    "anyio": ("-p", "no:asyncio", "-p", "anyio"),
    "anyio, auto": ("-p", "no:asyncio", "-p", "anyio", "-o", "anyio_mode=auto"),
}
TEST = """
import goldfish


async def test_a_store(memory_store):
    await memory_store.add_messages("a", [goldfish.ChatMessage(role="user", content="hi")])
    assert len(await memory_store.get_history("a")) == 1
"""


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_an_async_test_runs_whatever_is_installed(
    options: tuple[str, ...], pytester: pytest.Pytester
) -> None:
    """As the README shows one: no marker, no setting."""
    pytester.makepyfile(TEST)
    pytester.runpytest_subprocess("-p", "no:cacheprovider", *options).assert_outcomes(passed=1)


def test_an_async_test_without_a_fixture_of_ours_is_not_ours(pytester: pytest.Pytester) -> None:
    """pytest says what it always says."""
    pytester.makepyfile("async def test_other(): ...")
    run = pytester.runpytest_subprocess("-p", "no:cacheprovider", *PLAIN)
    run.stdout.fnmatch_lines(["*async def functions are not natively supported*"])

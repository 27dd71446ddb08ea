"""The histories that come with LangChain: what goldfish finds in each, and what it must not."""

import subprocess
import sys

import pytest

from goldfish.catalogue.support.lookalikes import BY_CASE, ODD_CHARACTERS, PATHS
from tests.integrations.blame import assert_blamed
from tests.packages import Lazily

histories = Lazily("goldfish.integrations.langchain.targets.histories")

ROUND_TRIPS = "FID01 FID05 FID08 FID09 FID10 FID12 FID13 FID14 FID15 FID16 FID17 FID18 FID19 FID20"
ODD_SESSIONS = "ISO05 ISO08 ISO13 ISO14"
ACROSS_PROCESSES = "DUR03 DUR11 DUR12 DUR13 DUR14 DUR15"
FOUND = {
    "langchain-memory": {
        "held": f"{ROUND_TRIPS} {ODD_SESSIONS} FID22 FID23",
        "broken": f"{ACROSS_PROCESSES} DUR02 FID24 FID25 FID26",
        "unsupported": "TRM01 CLR07 CLR09 CLR17 TTL01 TTL17 DUP01 ORD11 FID11",
    },
    "langchain-redis": {
        "held": f"{ROUND_TRIPS} {ODD_SESSIONS} {ACROSS_PROCESSES} FID23 FID24 FID25 FID26 TTL17",
        "broken": "FID22",
        "unsupported": "TRM01 CLR07 CLR09 CLR17 TTL01 DUP01 ORD11 FID11",
    },
    "langchain-sql": {
        "held": f"{ROUND_TRIPS} {ODD_SESSIONS} {ACROSS_PROCESSES} FID22 FID23 FID24 FID25 FID26",
        "broken": "",
        "unsupported": "TRM01 CLR07 CLR09 CLR17 TTL01 TTL17 DUP01 ORD11 FID11",
    },
    "langchain-file": {
        "held": f"{ROUND_TRIPS} {ODD_SESSIONS} {ACROSS_PROCESSES} FID23 FID24 FID25 FID26",
        "broken": "FID22",
        "unsupported": "TRM01 CLR07 CLR09 CLR17 TTL01 TTL17 DUP01 ORD11 FID11",
    },
    "langchain-postgres": {
        "held": "FID01 FID08 FID16 ISO01 ISO05 ISO08 DUR02 CLR01",
        "broken": "FID06 FID21 FID22 LIV02 LIV03",
        "unsupported": "TRM01 TTL01 DUP01 ORD11 FID11",
    },
    "langchain-postgres-async": {
        "held": "FID01 ISO01 DUR02 CLR01",
        "broken": "FID22 LIV02 LIV03",
        "unsupported": "TRM01 TTL01 DUP01 ORD11 FID11",
    },
    "langchain-runnable": {
        "held": "FID01 FID08 ISO01 ISO08 DUR02 CLR01",
        "broken": "FID09 FID21 FID22",
        "unsupported": "TRM01 TTL01 DUP01 ORD11 FID11",
    },
    "langchain-buffer": {"held": "FID01 ISO01 CLR01", "unsupported": "DUR02 LIV60 FID22"},
    "langchain-window": {"held": "FID01 ISO01 CLR01 LIV60", "unsupported": "DUR02 LIV61 FID27"},
    "langchain-token": {"held": "FID01 ISO01 CLR01", "broken": "LIV60", "unsupported": "DUR02"},
    "langchain-summary": {"held": "FID01 ISO01 CLR01 LIV60 LIV61", "unsupported": "DUR02"},
    "langchain-buffer-sql": {"held": "FID01 ISO01 CLR01 DUR02", "unsupported": "LIV60"},
    "langchain-window-sql": {"held": "ISO01 DUR02 LIV60", "unsupported": "LIV61"},
    "langchain-token-sql": {"held": "ISO01 DUR02", "broken": "LIV60", "unsupported": "LIV61"},
    "langchain-summary-sql": {"held": "ISO01 DUR02 LIV61", "broken": "LIV60"},
}


@pytest.mark.parametrize("name", FOUND)
def test_each_history_is_blamed_for_its_faults_only(name: str) -> None:
    """Round trips, odd ids and other processes hold where they do; torn batches are found."""
    if "postgres" in name:
        pytest.importorskip("langchain_postgres")
    expected = {code: said for said, codes in FOUND[name].items() for code in codes.split()}
    assert_blamed(name, expected)


def test_a_file_name_is_safe_and_belongs_to_one_session() -> None:
    """Whatever the id: paths, case, NUL, surrogates, and ids longer than a file name may be."""
    long = ["x" * length + end for length in (98, 99, 100, 254, 5_000) for end in "12"]
    ids = {*PATHS, *BY_CASE, *ODD_CHARACTERS, "", *long}
    names = [histories.file_name(each) for each in ids]
    assert len({each.casefold() for each in names}) == len(ids)
    assert all(
        len(each) <= 255 and each.replace("-", "").replace(".", "").isalnum() for each in names
    )


def test_deprecated_is_no_reason_to_fail() -> None:
    """Where warnings are errors, as in many test suites, the targets open all the same."""
    code = (
        "import goldfish.targets.names\n"
        "from goldfish.world.sandbox import Sandbox\n"
        "for name in ('langchain-memory', 'langchain-file', 'langchain-sql'):\n"
        "    sandbox = Sandbox()\n"
        "    made = goldfish.targets.names.resolve(name)(sandbox)\n"
        "    store = next(made) if hasattr(made, 'send') else made\n"
        "    print(store.get_history('s'))\n"
        "    sandbox.close()\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (said.stdout.split(), said.stderr) == (["[]"] * 3, "")


def test_the_histories_over_an_async_engine_hold_what_they_should() -> None:
    """In a process of their own, for aiosqlite's threads may outlive the loop that they served."""
    codes = ("FID01", "ISO01", "DUR02", "CLR01")
    only = [word for code in codes for word in ("--only", code)]
    targets = ["langchain-sql-async", "langchain-runnable-async"]
    command = [sys.executable, "-m", "goldfish", "check", *targets, *only]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    for target in targets:
        assert f"{target}: held. 4 promises held." in said.stdout

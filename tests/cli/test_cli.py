"""The command line, from the words of a user to an exit code and one sentence."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goldfish.cli import run_command

SMALL = ["--only", "DUR02,DUR03", "--seed", "5"]
SLOW = """
import pathlib, time
class Slow:
    def __init__(self, sandbox): self.path, self.said = sandbox.path, {}
    def add_messages(self, session_id, messages):
        if any("[DUR" in each.content for each in messages):
            pathlib.Path("begun").touch()
            time.sleep(5)
        self.said.setdefault(session_id, []).extend(messages)
    def get_history(self, session_id): return self.said.get(session_id, [])
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, which is the current one, and an import path that is put back."""
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def started(*arguments: str) -> "subprocess.Popen[str]":
    # The children of a background job, as in some CI, begin by ignoring Ctrl-C: this one must not.
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{begin}; import sys; from goldfish.cli import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_without_a_target_the_embedded_store_is_held(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0, and the seed is printed."""
    assert run_command(["check", *SMALL]) == 0
    assert capsys.readouterr().out.startswith("sqlite: held. 2 promises held. (")


def test_a_run_without_a_seed_prints_the_one_it_made(capsys: pytest.CaptureFixture[str]) -> None:
    """Every run can be repeated."""
    assert run_command(["check", "--only", "DUR02"]) == 0
    assert ", seed " in capsys.readouterr().out


def test_a_specimen_is_broken_with_the_command_that_reproduces_it() -> None:
    """Exit 1, through a real process and a pipe."""
    process = started("check", "specimen:wiped-on-open", *SMALL)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "specimen:wiped-on-open: broken. " in out
    assert "goldfish check specimen:wiped-on-open --only DUR02 --seed 5\n" in out
    assert "\x1b" not in out
    assert "Traceback" not in err  # a slow machine is told of its progress there


def test_several_targets_make_one_report_each(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    """One after another, in one file; one that is broken fails them all."""
    files = ["--json", "r.json", "--junit", "r.xml"]
    assert run_command(["check", "sqlite", "memory", *SMALL, *files]) == 1
    reports = json.loads((project / "r.json").read_text())["reports"]
    assert [(each["target"], each["verdict"]) for each in reports] == [
        ("sqlite", "held"),
        ("memory", "broken"),
    ]
    assert "<testsuites" in (project / "r.xml").read_text()
    assert capsys.readouterr().out.endswith("\nWritten: r.json\nWritten: r.xml\n")


def test_a_report_on_standard_output_is_alone_there(
    capsys: pytest.CaptureFixture[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people read, and what a library prints beside the harness, goes to standard error."""
    code = "from goldfish.specimens.references.sqlite import Reference\nclass Noisy(Reference):\n"
    code += " def get_history(self, session_id):\n"
    code += "  print('noise')\n  return super().get_history(session_id)\n"
    (project / "noisy_store.py").write_text(code)
    assert run_command(["check", "noisy_store.py:Noisy", "--only", "DUR02", "--json", "-"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["reports"][0]["verdict"] == "held"
    assert "noise" not in said.err
    assert "noisy_store.py:Noisy: held. 1 promise held." in said.err
    monkeypatch.setenv("GOLDFISH_IN_PROCESS", "1")
    assert run_command(["check", "noisy_store.py:Noisy", "--only", "DUR02", "--json", "-"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["reports"][0]["verdict"] == "held"
    assert "noise\n" in said.err


def test_two_reports_cannot_share_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """One of them needs a file."""
    assert run_command(["check", "--json", "-", "--junit", "-"]) == 2
    assert "name a file for one of them" in capsys.readouterr().err


def test_quiet_prints_the_verdict_and_verbose_every_check(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    """Files are written without a word about them."""
    assert run_command(["check", "memory", *SMALL, "-q", "--json", "r.json"]) == 1
    said = capsys.readouterr()
    assert re.fullmatch(
        r"memory: broken\. 2 promises broken by 1 cause\. \(.*, seed 5\)\n", said.out
    )
    assert said.err == ""
    assert (project / "r.json").exists()
    assert run_command(["check", "sqlite", *SMALL, "-v"]) == 0
    assert re.search(
        r"^  DUR02 held +\d+\.\d s  A store that was closed", capsys.readouterr().out, re.MULTILINE
    )


def test_on_github_failures_are_annotations(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the report, during which nothing is taken for a command."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run_command(["check", "memory", *SMALL]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("::stop-commands::")
    assert last.startswith("::error title=DUR02 memory::A store that was closed and reopened")
    assert "DUR03 lost: " in last


def test_a_reader_that_leaves_is_no_error(project: Path) -> None:
    """As `head` does; the files are written all the same."""
    process = started("check", "memory", *SMALL, "--json", "r.json")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=60) == 1
    assert process.stderr is not None
    assert "Error" not in process.stderr.read()  # a slow machine is told of its progress there
    process.stderr.close()
    assert json.loads((project / "r.json").read_text())["reports"][0]["verdict"] == "broken"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_a_full_disk_and_no_output_at_all_are_no_bugs(project: Path) -> None:
    """The one is a sentence, and the other is nobody's business."""
    checks = f"{sys.executable} -m goldfish checks TTL"
    full = subprocess.run(f"{checks} > /dev/full", shell=True, capture_output=True, text=True)
    assert (full.returncode, full.stderr) == (
        2,
        "goldfish: standard output cannot be written: the disk is full\n",
    )
    closed = subprocess.run(f"{checks} >&-", shell=True, capture_output=True, text=True)
    assert (closed.returncode, closed.stderr) == (0, "")


def test_two_targets_of_one_name_are_told_apart(project: Path) -> None:
    """By what the user wrote."""
    for name in ("first_of_two", "second_of_two"):
        own = "from goldfish.specimens.references.sqlite import Reference as Own"
        code = f"{own}\n@goldfish.target\n"
        code = f"import goldfish\n{code}def own(sandbox): return Own(sandbox)\n"
        (project / f"{name}.py").write_text(code)
    specs = ["first_of_two:own", "second_of_two:own"]
    assert run_command(["check", *specs, "--only", "DUR02", "--json", "r.json"]) == 0
    reports = json.loads((project / "r.json").read_text())["reports"]
    assert [each["target"] for each in reports] == specs


@pytest.mark.parametrize(
    ("baseline", "code"),
    [
        ('[memory]\nDUR02 = "dies"\nDUR03 = "dies"', 0),
        ('[memory]\nDUR02 = "dies"', 1),
        ('[sqlite]\nDUR02 = "dies"', 1),
        ('[memory]\nDUR02 = ""', 2),
        ('[memory]\nDUR0 = "dies"', 2),
    ],
)
def test_a_baseline_excuses_what_is_known(project: Path, baseline: str, code: int) -> None:
    """And nothing else."""
    (project / "known.toml").write_text(baseline)
    assert run_command(["check", "memory", *SMALL, "--baseline", "known.toml"]) == code


def test_a_baseline_that_names_a_check_that_holds_fails(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stale entry is a lie in waiting."""
    (project / "known.toml").write_text('[sqlite]\nDUR02 = "dies"')
    assert run_command(["check", *SMALL, "--baseline", "known.toml"]) == 1
    assert "DUR02 stale: listed as known, but held" in capsys.readouterr().out
    assert run_command(["check", *SMALL, "--quiet", "--baseline", "known.toml"]) == 1
    assert "1 stale (DUR02)" in " ".join(capsys.readouterr().out.split())


def test_a_factory_that_raises_ends_with_its_line(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence, exit 2, and without the password in it."""
    code = "def raising(sandbox):\n    raise OSError('no route to redis://me:hunter2@host/0')\n"
    (project / "raising_store.py").write_text(code)
    assert run_command(["check", "raising_store.py:raising", *SMALL]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert told == (
        "goldfish: the target raising_store.py:raising does not open, so nothing was asked: its "
        "factory raised OSError: no route to redis://***@host/0 (line 2 of raising_store.py)"
    )


def test_a_pinned_edition_a_profile_and_repeated_runs_are_in_the_report(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The edition from pyproject.toml, the profile from the command line."""
    (project / "pyproject.toml").write_text('[tool.goldfish]\nedition = "2026.11"\n')
    options = ["--profile", "durable", "--repeat", "2", "--badge", "badge.json"]
    assert run_command(["check", *SMALL, *options]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "2 runs, seeds 5 to 6, edition 2026.11, profile durable)" in out
    assert "Of 2 checks, 2 said the same in all 2 runs." in out
    badge = json.loads((project / "badge.json").read_text())
    assert badge["label"] == "goldfish 2026.11 durable"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("check sqllite", "no target named 'sqllite': did you mean sqlite?"),
        ("check --only DUR99", "no check named 'DUR99': did you mean "),
        ("check --suite smok", "no suite named 'smok': did you mean smoke"),
        ("check --workers 0", "--workers must be 1 or more (got 0)"),
        ("check --repeat 0", "--repeat must be 1 or more (got 0)"),
        ("check --edition 2026.1", "no edition named '2026.1': did you mean 2026.11?"),
        ("check --profile durabel", "no profile named 'durabel': did you mean durable?"),
        ("check --max-time 0", "--max-time must be greater than 0 (got 0)"),
        ("check --seed x", "Invalid value for '--seed'"),
        ("check --sed 1", "No such option: --sed (Possible options: --seed"),
        ("chek", "No such command 'chek'. Did you mean 'check'"),
        ("check --json no/where.json", "no/where.json cannot be written: there is no directory no"),
        ("check --baseline gone", "the baseline gone cannot be read: No such file or directory"),
        ("check --only , --skip DUR", "--only names no check: write a code or a family"),
        ("check memory --service redis", "--service is for a command (cmd:…): a target in"),
        ("checks DUX", "no check named 'DUX': did you mean DU"),
        ("explain DUR99", "no check named 'DUR99': did you mean "),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_2(
    arguments: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, beginning with our name, and no traceback."""
    assert run_command(arguments.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"goldfish: {sentence}")
    assert said.err.count("\n") == 1


def test_a_store_of_the_wrong_shape_is_wrong_use(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which method, and what is expected."""
    code = "class S:\n def __init__(self, sandbox): pass\n def add_messages(self, messages): pass\n"
    (project / "misshapen.py").write_text(f"{code} def get_history(self, session_id): pass\n")
    assert run_command(["check", "misshapen.py:S"]) == 2
    expected = "in the wrong shape: expected add_messages(session_id, messages)\n"
    assert capsys.readouterr().err.endswith(expected)


def test_a_run_that_is_interrupted_tells_what_it_saw(project: Path) -> None:
    """Exit 130; what had not ended is unknown."""
    (project / "slow_store.py").write_text(SLOW)
    process = started("check", "slow_store.py:Slow", *SMALL)
    while not (project / "begun").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "slow_store.py:Slow: unknown. 2 promises unknown." in out
    assert "interrupted before it finished" in out
    assert "Traceback" not in err


def test_explain_tells_the_promise_the_incident_and_the_specimens(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With the command that shows the check fail; the case of the code does not matter."""
    assert run_command(["explain", "dur02"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "DUR02  A store that was closed and reopened returns every acknowledged message."
    )
    assert "family     DUR, durability" in out
    assert "incident   mem0ai" in out
    assert "goldfish check specimen:wiped-on-open --only DUR02\n" in out


def test_checks_lists_the_promises_of_a_family(capsys: pytest.CaptureFixture[str]) -> None:
    """Code and promise, within 80 columns."""
    assert run_command(["checks", "dur"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("DUR0")
    assert all(line.startswith(("DUR", "  ")) and len(line) <= 80 for line in lines)


def test_checks_lists_single_promises(capsys: pytest.CaptureFixture[str]) -> None:
    """By their codes, beside whole families."""
    assert run_command(["checks", "DUR02", "ORD01"]) == 0
    found = [line[:5] for line in capsys.readouterr().out.splitlines() if line[0] != " "]
    assert found == ["DUR02", "ORD01"]


@pytest.mark.parametrize("command", [[], ["check"], ["explain"]])
def test_help_has_a_short_name(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """As most commands have it."""
    assert run_command([*command, "-h"]) == 0
    assert "Usage: goldfish" in capsys.readouterr().out


def test_targets_lists_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    """Each with what it is and needs."""
    assert run_command(["targets"]) == 0
    assert re.search(r"^sqlite +one SQLite file", capsys.readouterr().out, re.MULTILINE)


def test_help_imports_nothing_that_it_does_not_need() -> None:
    """It answers at once."""
    code = "import sys; from goldfish import cli; cli.run_command(['--help']); print(*sys.modules)"
    command = [sys.executable, "-c", code]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    help_text, _, modules = out.rpartition("\n" + "sys ")
    assert re.search(r"^ +check +Check memories", help_text, re.MULTILINE)
    heavy = {"rich", "goldfish.engine.runner", "goldfish.services", "redis", "psycopg"}
    assert heavy.isdisjoint(modules.split())


def test_version_and_bare_command_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0 for both."""
    assert run_command(["--version"]) == 0
    assert capsys.readouterr().out.startswith("goldfish 0.")
    assert run_command([]) == 0
    assert capsys.readouterr().out.startswith("Usage: goldfish")

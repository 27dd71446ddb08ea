"""A fresh PostgreSQL data directory, made by initdb once per test run and then copied."""

import hashlib
import os
import secrets
import shutil
import subprocess
from pathlib import Path

from goldfish.errors import ServiceError
from goldfish.services import account, binaries, scram
from goldfish.services.account import write_private
from goldfish.services.testrun import once_per_run

USER = "goldfish"
_INITDB_OPTIONS = ("--no-sync", "--auth=scram-sha-256", "--encoding=UTF8", f"--username={USER}")
_PASSWORD_FILE = "goldfish.password"  # in the data directory, which only its account may enter


def find_programs() -> Path:
    """Return the directory of initdb and postgres, in a place where they can be run."""
    found = binaries.find_postgres()
    if not account.is_root() or account.is_reachable(found / "postgres"):
        return found
    return once_per_run(f"install-{_digest(found)}", lambda copy: _copy_install(found, copy)) / (
        f"{found.parent.parent.name}/{found.parent.name}/{found.name}"
    )


def fill_directory(data: Path, programs_directory: Path) -> None:
    """Make the data directory of a new server, which belongs to the account that will run it."""
    template = once_per_run(
        f"template-{_digest(programs_directory)}",
        lambda unfinished: _initialise(unfinished, programs_directory),
    )
    shutil.copytree(template, data)
    account.hand_over(data)


def read_password(data: Path) -> str:
    """Return the password of the user; all servers of a test run share it."""
    return (data / _PASSWORD_FILE).read_text()


def clean_environment() -> dict[str, str]:
    """Return our environment without the variables that configure PostgreSQL."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PG")}


def _initialise(data: Path, programs_directory: Path) -> None:
    data.mkdir(mode=0o700)
    secret = secrets.token_hex(16)
    verifier = data.with_name(f"{data.name}.verifier")
    write_private(verifier, scram.make_verifier(secret))
    for each in (data, verifier):
        account.hand_over(each)
    try:
        _run_initdb(data, verifier, programs_directory)
    finally:
        verifier.unlink()
    write_private(data / _PASSWORD_FILE, secret)


def _run_initdb(data: Path, verifier: Path, programs_directory: Path) -> None:
    # Text then compares by code point everywhere; not every system has the UTF-8 variant.
    for locale in ("C.UTF-8", "C"):
        command = [str(programs_directory / "initdb"), "-D", str(data), f"--locale={locale}"]
        outcome = subprocess.run(
            [*command, *_INITDB_OPTIONS, f"--pwfile={verifier}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=data,
            env=clean_environment(),
            text=True,
            errors="replace",
            check=False,
            **account.unprivileged_options(),
        )
        if outcome.returncode == 0:
            return
    last = "\n".join(outcome.stdout.splitlines()[-10:])
    raise ServiceError(f"PostgreSQL's initdb failed; its last lines:\n{last}")


def _copy_install(found: Path, copy: Path) -> None:
    # The programs find their libraries by the way from bin: also in a sibling of the package.
    install = found.parent
    package = install.parent
    shutil.copytree(
        install,
        copy / package.name / install.name,
        symlinks=True,
        ignore=shutil.ignore_patterns("include"),
    )
    for libraries in (package.with_name(f"{package.name}.libs"), package / ".dylibs"):
        if libraries.is_dir():
            shutil.copytree(libraries, copy / libraries.relative_to(package.parent), symlinks=True)
    account.open_to_all(copy)


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]

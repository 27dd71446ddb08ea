"""Where node's packages are, for tests of agents in JavaScript."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PACKAGES = "GOLDFISH_NODE_MODULES"  # a directory in which npm installed what examples need
OLDEST = 20


def require_node() -> None:
    """Skip the test if there is no node, or an old one."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.strip().lstrip("v").partition(".")[0]) < OLDEST:
        pytest.skip(f"node {version.strip()} is older than {OLDEST}")


def find_packages(*names: str) -> Path:
    """Return the directory that has these packages, or npm's ai; skip the test if there is none."""
    given = os.environ.get(PACKAGES, "")
    require_node()
    for name in names or ("ai",):
        if not (Path(given) / "node_modules" / name).is_dir():
            pytest.skip(f"{PACKAGES} names no directory in which 'npm install {name}' ran")
    return Path(given)

"""Where node's packages are, for tests of agents in JavaScript."""

import os
import shutil
from pathlib import Path

import pytest

PACKAGES = "GOLDFISH_NODE_MODULES"  # a directory in which npm install ai@5 @ai-sdk/openai@2 zod ran


def find_packages() -> Path:
    """Return the directory that has the packages; skip the test if there is none."""
    given = os.environ.get(PACKAGES, "")
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not (Path(given) / "node_modules" / "ai").is_dir():
        pytest.skip(f"{PACKAGES} names no directory in which 'npm install ai@5' ran")
    return Path(given)

"""``goldfish mirror``: run the mirror by hand, with its live page."""

import contextlib
import threading
from pathlib import Path

from goldfish.errors import UsageError
from goldfish.mirror import Mirror
from goldfish.mirror.environment import KEY
from goldfish.mirror.journal import Journal

SHOWN = ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST")


def run(port: int, record: Path | None, *, strict: bool) -> int:
    """Serve until interrupted."""
    if not 0 <= port <= 65535:
        raise UsageError(f"--port must be from 0 to 65535 (got {port})")
    with contextlib.ExitStack() as stack:
        write = None
        if record is not None:
            write = stack.enter_context(contextlib.closing(Journal(record))).write
        mirror = Mirror(strict=strict, port=port, on_end=write)
        stack.enter_context(mirror)
        _announce(mirror)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
    return 0


def _announce(mirror: Mirror) -> None:
    environment = mirror.environment
    print(f"The mirror listens; its page is {mirror.root}/ (stop it with Ctrl-C).")
    print("Lead an agent to it:")
    for name in SHOWN:
        print(f"  export {name}={environment[name]}")
    print(f"  export OPENAI_API_KEY={KEY} ANTHROPIC_API_KEY={KEY} GEMINI_API_KEY={KEY}", flush=True)

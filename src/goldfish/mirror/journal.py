"""A file with every exchange, one JSON object per line."""

from pathlib import Path

from goldfish.errors import UsageError
from goldfish.mirror.record import Exchange
from goldfish.mirror.wire.base import dump


class Journal:
    """Writes an exchange when it has ended; headers, which have keys, are never in it."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            reason = error.strerror or error
            raise UsageError(
                f"--record {path} cannot be written ({reason}): name another"
            ) from None

    def write(self, exchange: Exchange) -> None:
        """Append an exchange."""
        line = {
            "number": exchange.number,
            "time": exchange.began,
            "seconds": exchange.seconds,
            "route": exchange.route,
            "status": exchange.status,
            "ended": exchange.ended,
            "main": exchange.is_main,
            "request": exchange.prompt.raw,
            "reply": exchange.reply,
            "calls": [[each.name, each.arguments] for each in exchange.calls],
            "refusal": exchange.refusal,
        }
        self._file.write(f"{dump(line)}\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

"""How fast the mirror is: requests per second, what it adds, how soon it starts.

    python bench/mirror.py

Each figure stands beside the one that it has to reach. The client is a process of its own that
sends prepared bytes; the time of the mirror is the processor time of its process.
"""

import subprocess
import sys
import time

from goldfish.mirror import Mirror

CLIENT = """
import socket, sys
port, count, body = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode() * int(sys.argv[4])
body = b'{"messages": [{"role": "user", "content": "' + body + b'"}]}'
head = "POST /v1/chat/completions HTTP/1.1\\r\\nhost: x\\r\\n"
request = f"{head}content-length: {len(body)}\\r\\n\\r\\n".encode() + body
with socket.create_connection(("127.0.0.1", port)) as opened:
    for _ in range(count):
        opened.sendall(request)
        while b"total_tokens" not in opened.recv(65536):
            pass
"""


def main() -> None:
    """Measure, and print one line per figure."""
    with Mirror() as mirror:  # imports
        pass
    began = time.perf_counter()
    mirror = Mirror().start()
    _tell("start beyond imports", (time.perf_counter() - began) * 1000, "ms", at_most=300)
    short = _measure(mirror, 500, "hello", 1)
    _tell("short prompts on one core", 1000 / short, "requests/s", at_least=500)
    mirror.clear()
    _tell("added at 100 kB", _measure(mirror, 50, "word ", 20_000), "ms", at_most=5)
    began = time.perf_counter()
    for _ in range(100):
        mirror.clear()
        _ = mirror.environment
    _tell("what the fixture adds to a test", (time.perf_counter() - began) * 10, "ms", at_most=20)
    mirror.stop()


def _measure(mirror: Mirror, count: int, word: str, times: int) -> float:
    """Return the milliseconds of processor time that a request costs the mirror."""
    port = mirror.root.rpartition(":")[2]
    command = [sys.executable, "-c", CLIENT, port]
    subprocess.run([*command, "5", word, str(times)], check=True)
    began = time.process_time()
    subprocess.run([*command, str(count), word, str(times)], check=True)
    return (time.process_time() - began) / count * 1000


def _tell(
    what: str,
    value: float,
    unit: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> None:
    met = value >= at_least if at_least is not None else value <= (at_most or 0)
    wanted = f"at least {at_least:g}" if at_least is not None else f"at most {at_most:g}"
    print(f"{what:34}{value:10.2f} {unit:12}{wanted:16}{'met' if met else 'below'}")


if __name__ == "__main__":
    main()

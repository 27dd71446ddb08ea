"""Replicas that start together on an empty PostgreSQL database: setup() fails in some of them.

setup() "creates the necessary tables if they don't already exist", and is to be called before the
first use; but it looks which migrations were done and does the rest without a lock. Others have met
it (theexperiencecompany/gaia pull request 1173). Exit 1 if one of eight at once raises.

What to do: call setup() once, in the deployment, and not in each replica.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from langgraph.checkpoint.postgres import PostgresSaver

REPLICAS = 8


def main(dsn: str) -> int:
    together = threading.Barrier(REPLICAS)

    def start(_: int) -> str:
        with PostgresSaver.from_conn_string(dsn) as saver:
            together.wait()
            try:
                saver.setup()
            except Exception as error:
                return f"{type(error).__name__}: {error}".partition("\n")[0]
        return ""

    with ThreadPoolExecutor(REPLICAS) as pool:
        errors = [each for each in pool.map(start, range(REPLICAS)) if each]
    if errors:
        print(f"broken: {len(errors)} of {REPLICAS} first setups at once failed: {errors[0]}")
        return 1
    print(f"held: {REPLICAS} first setups at once succeeded")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the DSN of an empty database: CON07.py postgresql://localhost/empty")
    sys.exit(main(sys.argv[1]))

"""PostgresStore: a filter compares numbers as text, so that 9 is more than 10.

See also langchain-ai/langgraph pull request 8137. Give the DSN of an empty database. Exit 1 if a
comparison gives what it excludes.

What to do: compare in your own code, or keep numbers as text of one length (00009, 00010).
"""

import sys

from langgraph.store.postgres import PostgresStore

SCORES = (2, 9, 10, 100)


def main(dsn: str) -> int:
    with PostgresStore.from_conn_string(dsn) as store:
        store.setup()
        for score in SCORES:
            store.put(("items",), str(score), {"score": score})
        found = store.search(("items",), filter={"score": {"$gte": 10}})
    scores = sorted(item.value["score"] for item in found)
    wrong = scores != [10, 100]
    print(f"{'broken' if wrong else 'held'}: of {SCORES} those of at least 10 are {scores}")
    return int(wrong)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the DSN of an empty PostgreSQL database")
    sys.exit(main(sys.argv[1]))

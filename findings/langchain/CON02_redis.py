"""RedisChatMessageHistory: a question is not followed by its own answer if others write too.

add_messages pushes message by message, so that messages of other writers come in between. It is
also behind CON05, CON09, CON28, CON29, DUR17, DUR36, FLT04, FLT06, FLT13 and FLT14. Exit 1 if one
of the pairs that four writers added, each pair in one call, does not stand together.

What to do: let one writer at a time add to a session, or push the pair in one RPUSH of your own.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

from langchain_community.chat_message_histories import RedisChatMessageHistory
from langchain_core.messages import AIMessage, HumanMessage

WRITERS, PAIRS = 4, 40


def main(url: str) -> int:
    def write(writer: int) -> None:
        history = RedisChatMessageHistory("chat", url)
        for number in range(PAIRS):
            name = f"{writer}.{number}"
            history.add_messages([HumanMessage(f"question {name}"), AIMessage(f"answer {name}")])
        history.redis_client.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    history = RedisChatMessageHistory("chat", url)
    found = [str(each.content) for each in history.messages]
    history.redis_client.close()
    asked = [at for at, text in enumerate(found) if text.startswith("question")]
    answers = [found[at].replace("question", "answer") for at in asked]
    apart = sum(
        found[at + 1 : at + 2] != [answer] for at, answer in zip(asked, answers, strict=True)
    )
    print(
        f"{'broken' if apart else 'held'}: {apart} of {WRITERS * PAIRS} questions are not followed "
        "by their own answer"
    )
    return int(apart > 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the URL of an empty Redis database: CON02_redis.py redis://localhost:6379/0")
    sys.exit(main(sys.argv[1]))

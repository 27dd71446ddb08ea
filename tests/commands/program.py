"""A memory in one JSON file, as a command: right, or wrong in one way that its argument names.

It imports nothing that takes time, so that tests can start it often: python -I -S program.py MODE.
"""

import json
import os
import sys
import time
from typing import Any

Json = dict[str, Any]
MODE = sys.argv[1] if len(sys.argv) > 1 else "right"
PLACE = os.path.join(os.environ["GOLDFISH_PATH"], "memory.json")
METHODS = {
    "add_messages": ["session_id", "messages"],
    "get_history": ["session_id", "last"],
    "clear": ["session_id"],
}
INTRODUCTION: Json = {"name": "program", "methods": METHODS, "declares": {}}


def load() -> dict[str, list[Json]]:
    try:
        with open(PLACE, encoding="utf-8") as file:
            found: dict[str, list[Json]] = json.load(file)
            return found
    except FileNotFoundError:
        return {}


def save(sessions: dict[str, list[Json]]) -> None:
    with open(PLACE + ".new", "w", encoding="utf-8") as file:
        json.dump(sessions, file)
    os.replace(PLACE + ".new", PLACE)


def change(message: Json) -> Json:
    """Return a message as a memory with this fault returns it."""
    match MODE:
        case "naive time":
            message["created_at"] = message["created_at"][:19]
        case "unix time":
            message["created_at"] = 1790000000
        case "plain text":
            message["content"] = message["content"].encode("ascii", "replace").decode()
        case "rounds":
            message["metadata"] = json.loads(json.dumps(message["metadata"]), parse_int=float)
        case "forgets fields":
            message = {"role": message["role"], "content": message["content"]}
    return message


def run(method: str, params: Json) -> object:
    sessions = load()
    session = params.get("session_id", "")
    match method:
        case "initialize":
            return introduce()
        case "add_messages":
            known = {each["id"] for each in sessions.get(session, [])}
            news = [each for each in params["messages"] if each["id"] not in known]
            sessions[session] = sessions.get(session, []) + news
            save(sessions)
        case "get_history":
            if MODE == "text":
                return "no messages"
            return [change(each) for each in sessions.get(session, [])]
        case "clear":
            sessions.pop(session, None)
            save(sessions)
        case "shutdown":
            pass
        case _:
            raise LookupError(method)
    return None


def introduce() -> Json:
    match MODE:
        case "nameless":
            return {"methods": METHODS}
        case "no methods":
            return {"name": "program"}
        case "camel case":
            return {"name": "program", "methods": {"addMessages": ["sessionId", "messages"]}}
        case "wrong parameters":
            return {"name": "program", "methods": {**METHODS, "get_history": ["session"]}}
        case "half a memory":
            return {"name": "program", "methods": {"add_messages": ["session_id", "messages"]}}
        case "declares nonsense":
            return {**INTRODUCTION, "declares": {"service": ["redis"]}}
        case "newer":
            return {**INTRODUCTION, "protocol": 2}
        case "declares":
            return {**INTRODUCTION, "declares": {"retries": False, "carries": ["role"]}}
    return INTRODUCTION


def answer(request: Json) -> Json:
    number = request["id"]
    try:
        reply = {"result": run(request["method"], request["params"])}
    except LookupError as error:
        if MODE == "swallows":
            reply = {"result": None}
        elif MODE == "dies of the unknown":
            sys.exit("there is no such method")
        else:
            reply = {"error": {"code": -32601, "message": f"there is no method {error}"}}
    match MODE:
        case "wrong id":
            number += 100
        case "text id":
            number = str(number)
        case "neither":
            reply = {}
        case "bare error" if request["method"] == "get_history":
            reply = {"error": "it went wrong"}
    return {"jsonrpc": "2.0", "id": number, **reply}


def write(reply: Json) -> None:
    print(json.dumps(reply), flush=True)


def main() -> None:
    if MODE == "exits":
        sys.exit("no licence found\nbuy one")
    if MODE == "old node":
        sys.exit(
            "Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite\n\n"
            "Node.js v18.1.0"
        )
    if MODE == "chatters":
        print("memory is listening", flush=True)
    held: list[Json] = []
    for line in sys.stdin:
        request = json.loads(line)
        if MODE == "never answers":
            continue
        reply = answer(request)
        if MODE == "mixes up" and request["method"] == "get_history" and "-" in str(request):
            held.append(reply)
            if "protocol-check-" not in line:
                write(held.pop())
            elif len(held) == 12:
                ids = [each["id"] for each in held]
                for each, number in zip(held, [*ids[1:], ids[0]], strict=True):
                    write({**each, "id": number})
            continue
        write(reply)
    if MODE == "outlives":
        time.sleep(600)


if __name__ == "__main__":
    main()

"""The words by which parameters and methods of a memory are known, and what each stands for."""

import re
from collections.abc import Iterator

_ID = r"(_?(ids?|keys?|names?|uuid|identifier))?"
SESSION = re.compile(
    rf"(session|conversation|conv|convo|thread|chat|dialog|dialogue|room|channel|ticket|sess){_ID}"
    r"|sid|cid|tid"
)
USER = re.compile(rf"(user|customer|account|owner|person|member|end_user|agent){_ID}|uid")
KEY = re.compile(r"key|id_?|name")  # a session, if nothing better is there
ROLE = re.compile(r"role|author|sender|speaker|who|message_type|msg_type|author_role|from_role")
TEXT = re.compile(
    r"content|text|body|utterance|message_text|message_content|fact|memory|note|statement|"
    r"information|said|words|value|data|line"
)
ONE = re.compile(r"(new_)?(message|msg|turn|entry|item|event|record|interaction|chat_message)")
MANY = re.compile(
    r"(new_)?(messages|msgs|turns|items|entries|batch|events|records|interactions)|history"
    r"|conversation|transcript|chat_history"
)
QUESTION = re.compile(
    r"(user|human)_?(message|msg|text|input|content|said|query|prompt)|question|human"
    r"|user_input|prompt|query|input(_text)?"
)
ANSWER = re.compile(
    r"(assistant|ai|bot|agent|model)_?(message|msg|text|output|content|said|reply|response)|answer"
    r"|reply|response|output(_text)?|completion|ai"
)
LIMIT = re.compile(
    r"limit|n|k|last(_n)?|count|(max|num)_(messages|turns|items|results|history)|size|top_?k|window"
    r"|max_len|length|top"
)
QUERY = re.compile(r"query|question|q|search|about|topic|text|prompt|message|input|query_text")
ROLES_OF_KEYS = re.compile(r"role|author|sender|speaker|type|who|kind")
TEXTS_OF_KEYS = re.compile(r"content|text|message|body|msg|utterance|memory|fact")

WRITING = {
    *("add", "append", "save", "store", "write", "push", "put", "insert", "record", "log", "set"),
    *("persist", "create", "remember", "memorize", "memorise", "track", "update", "extend", "post"),
    *("learn", "observe", "ingest", "upsert", "say", "send", "enqueue", "note"),
}
READING = {
    *("get", "load", "fetch", "read", "list", "recent", "retrieve", "last", "all", "find", "show"),
    *("history", "messages", "conversation", "transcript", "replay", "view", "context", "latest"),
    *("turns", "build", "select", "query", "search", "recall", "relevant", "lookup"),
}
RECALLING = {"search", "recall", "relevant", "query", "retrieve", "find", "lookup", "similar"}
REMOVING = {"clear", "reset", "delete", "forget", "wipe", "purge", "remove", "drop", "erase"}
PREPARING = {
    *("init", "initialize", "initialise", "setup", "create", "ensure", "migrate", "bootstrap"),
    *("connect", "start", "open", "prepare"),
}
ABOUT_TABLES = {"db", "database", "schema", "table", "tables", "all", "index", "indexes"}
NOUNS = {
    *("message", "messages", "msg", "msgs", "turn", "turns", "history", "chat", "chats", "dialog"),
    *("conversation", "conversations", "exchange", "dialogue", "transcript", "memory", "memories"),
    *("fact", "facts", "interaction", "utterance", "session", "sessions", "thread", "threads"),
    *("chatlog", "checkpoint", "remember", "recall", "conversational", "context"),
}
STAND_INS = {"fake", "mock", "dummy", "stub", "base", "abstract", "null", "noop"}


def split(name: str) -> list[str]:
    """Return the words of a name, in small letters: of_this or OfThis."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return [each for each in spaced.lower().split("_") if each]


def name_deed(name: str) -> str:
    """Return what a function does by its name: write, read, remove, prepare, or nothing of it."""
    words = split(name)
    if not words or name.startswith("_"):
        return ""
    first = words[0]
    if first[:1] == "a" and first[1:] in WRITING | READING | REMOVING:  # aadd, aget
        first = first[1:]
    deeds = dict(_list_deeds())
    if first in {"create", "init", "setup", "ensure"} and set(words[1:]) & ABOUT_TABLES:
        return "prepare"
    if first == "create" and set(words[1:]) & {"session", "conversation", "thread", "chat"}:
        return "begin"
    return deeds.get(first, "read" if words[-1] in {"history", "messages", "transcript"} else "")


def _list_deeds() -> Iterator[tuple[str, str]]:
    yield from ((each, "prepare") for each in PREPARING)
    yield from ((each, "remove") for each in REMOVING)
    yield from ((each, "read") for each in READING)
    yield from ((each, "write") for each in WRITING)

"""The Node service as goldfish sees it: started as in production, asked as its users do."""

from typing import Any

import goldfish


def say(http: Any, session_id: str, text: str) -> str:
    """Send a message of a user; ``http`` is a client of one instance of the service."""
    answer = http.post("/chat", json={"session": session_id, "text": text})
    return str(answer.raise_for_status().json()["reply"])


def forget(http: Any, session_id: str) -> None:
    """Let the service forget a session."""
    http.request("DELETE", "/chat", json={"session": session_id}).raise_for_status()


broken = goldfish.service(
    ["node", "server.js"], env={"CHAT_MEMORY": "broken"}, say=say, forget=forget
)
fixed = goldfish.service(
    ["node", "server.js"],
    env={"CHAT_MEMORY": "fixed", "CHAT_PATH": "{path}"},
    say=say,
    forget=forget,
)

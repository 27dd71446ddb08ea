"""The whole service as goldfish sees it: started as in production, asked as its users do."""

from typing import Any

import goldfish

COMMAND = ["uvicorn", "chat:app", "--port", "{port}", "--workers", "3"]


def say(http: Any, session_id: str, text: str) -> str:
    """Send a message of a user; ``http`` is a client of one instance of the service."""
    answer = http.post("/chat", json={"session_id": session_id, "text": text})
    return str(answer.raise_for_status().json()["reply"])


def forget(http: Any, session_id: str) -> None:
    """Let the service forget a session."""
    http.delete(f"/chat/{session_id}").raise_for_status()


broken = goldfish.service(
    COMMAND,
    env={"CHAT_MEMORY": "memory_broken"},
    ready="/healthz",
    say=say,
    forget=forget,
)
fixed = goldfish.service(
    COMMAND,
    services=["redis"],
    env={"CHAT_MEMORY": "memory_fixed", "CHAT_REDIS_URL": "{redis_url}"},
    ready="/healthz",
    say=say,
    forget=forget,
)

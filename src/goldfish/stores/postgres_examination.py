"""Stub."""
from typing import Any
class PostgresExamination:
    def __init__(self, rows: Any, schema: str) -> None: ...
    async def examine(self, *, repair: bool) -> list[Any]: return []

"""The live page: what each conversation showed the model."""

from pathlib import Path

from goldfish.mirror.connection import Connection
from goldfish.mirror.conversations import describe, group
from goldfish.mirror.http import Handler
from goldfish.mirror.server import Core
from goldfish.mirror.wire.base import dump

PAGE = Path(__file__).with_name("page.html")
NEWEST = 200  # prompts that the page shows
# Nothing but the page itself runs or is loaded, whatever a prompt contains.
POLICY = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; connect-src 'self'",
    "cache-control": "no-store",
}


def make_page_routes(core: Core) -> dict[tuple[str, str], Handler]:
    """Return the routes of the page and of what it draws."""

    async def show(connection: Connection) -> None:
        html = PAGE.read_bytes()
        await connection.answer(200, html, "text/html; charset=utf-8", headers=POLICY)

    async def tell(connection: Connection) -> None:
        shown = [each for each in core.record if each.kind == "generation"][-NEWEST:]
        told = {"conversations": [describe(each) for each in group(shown)]}
        await connection.answer(200, dump(told).encode(), headers=POLICY)

    return {("GET", "/"): show, ("GET", "/goldfish/record"): tell}

"""The routes of the mirror, as one table."""

from collections.abc import Mapping

from goldfish.mirror.connection import Connection
from goldfish.mirror.http import Handler
from goldfish.mirror.page import make_page_routes
from goldfish.mirror.record import Json
from goldfish.mirror.server import Core, Generation, Lookup, name_route, record_other
from goldfish.mirror.wire import embeddings
from goldfish.mirror.wire.anthropic import Messages
from goldfish.mirror.wire.base import Wire, dump
from goldfish.mirror.wire.gemini import Gemini, GeminiStream
from goldfish.mirror.wire.ollama import Ollama
from goldfish.mirror.wire.openai_chat import Chat
from goldfish.mirror.wire.openai_responses import Compaction, Responses

# A name that every client knows comes first: some reject others.
MODELS = ("gpt-4o-mini", "gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash", "llama3.2")
SINCE = "2026-01-01T00:00:00Z"


def make_routes(core: Core) -> dict[tuple[str, str], Handler]:
    """Return what answers each method and path."""
    generations: dict[str, Handler] = {
        "/chat/completions": Generation(Chat(), core),
        "/responses": Generation(Responses(core.kept), core),
        "/responses/compact": Generation(Compaction(core.kept), core, is_auxiliary=True),
        "/messages": Generation(Messages(), core),
        "/messages/count_tokens": _count(Messages(), core),
        "/embeddings": Lookup(embeddings.answer_openai, core, "embedding"),
    }
    routes: dict[tuple[str, str], Handler] = {}
    for path, handler in generations.items():  # some clients add /v1 to the address, some do not
        routes |= {("POST", path): handler, ("POST", f"/v1{path}"): handler}
    for version in ("/v1beta", "/v1beta1", "/v1", ""):
        routes |= _make_gemini_routes(f"{version}/models/{{model}}", core)
    return {
        **routes,
        **make_page_routes(core),
        ("POST", "/api/chat"): Generation(Ollama(), core),
        ("POST", "/api/embed"): Lookup(embeddings.answer_ollama, core, "embedding"),
        ("GET", "/api/tags"): Lookup(_list_for_ollama, core),
        ("GET", "/v1/models"): Lookup(_list, core),
        ("GET", "/v1/models/{model}"): Lookup(_describe, core),
        ("GET", "/v1beta/models"): Lookup(_list_for_gemini, core),
    }


def make_unknown(core: Core) -> Handler:
    """Return what answers a route that the mirror does not know: a 404 that names it."""

    async def answer(connection: Connection) -> None:
        exchange = record_other(core, connection, {}, "unknown route")
        core.record.change(exchange, status=404)
        core.record.end(exchange, "refused")
        message = f"The mirror does not know the route {name_route(connection)}."
        error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
        await connection.answer(404, dump({"error": error}).encode())

    return answer


def _make_gemini_routes(model: str, core: Core) -> dict[tuple[str, str], Handler]:
    return {
        ("POST", f"{model}:generateContent"): Generation(Gemini(), core),
        ("POST", f"{model}:streamGenerateContent"): Generation(GeminiStream(), core),
        ("POST", f"{model}:countTokens"): _count(Gemini(), core),
        ("POST", f"{model}:embedContent"): Lookup(embeddings.answer_gemini, core, "embedding"),
        ("POST", f"{model}:batchEmbedContents"): Lookup(
            embeddings.answer_gemini_batch, core, "embedding"
        ),
    }


def _count(wire: Wire, core: Core) -> Lookup:
    return Lookup(lambda body, path: wire.count(body), core)


def _describe(body: Json, path: Mapping[str, str]) -> Json:
    """Return a model as OpenAI and Anthropic describe one, which do not contradict each other."""
    name = path.get("model", MODELS[0])
    openai = {"id": name, "object": "model", "created": 1767225600, "owned_by": "goldfish"}
    return {**openai, "type": "model", "display_name": name, "created_at": SINCE}


def _list(body: Json, path: Mapping[str, str]) -> Json:
    data = [_describe({}, {"model": each}) for each in MODELS]
    pages = {"has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]}
    return {"object": "list", "data": data, **pages}


def _list_for_gemini(body: Json, path: Mapping[str, str]) -> Json:
    return {"models": [{"name": f"models/{each}", "displayName": each} for each in MODELS]}


def _list_for_ollama(body: Json, path: Mapping[str, str]) -> Json:
    named = [{"name": each, "model": each} for each in MODELS]
    return {"models": [{**each, "modified_at": SINCE, "size": 0, "digest": ""} for each in named]}

"""Embeddings of OpenAI, Gemini and Ollama."""

import struct
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from goldfish.mirror.record import Json
from goldfish.mirror.vectors import embed
from goldfish.mirror.wire.base import as_dicts, count_tokens
from goldfish.mirror.wire.gemini import pick


def answer_openai(body: Json, path: Mapping[str, str]) -> Json:
    """Answer ``POST /v1/embeddings``, in floats or in base64."""
    texts = _read_texts(body.get("input"))
    model = str(body.get("model", ""))
    rows = embed(texts, model, body.get("dimensions"))
    encode = _encode if body.get("encoding_format") == "base64" else list
    data = [
        {"object": "embedding", "index": index, "embedding": encode(row)}
        for index, row in enumerate(rows)
    ]
    tokens = sum(map(count_tokens, texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": model, "usage": usage}


def answer_gemini(body: Json, path: Mapping[str, str]) -> Json:
    """Answer ``:embedContent``."""
    (row,) = _embed_contents([body], path)
    return {"embedding": {"values": row}}


def answer_gemini_batch(body: Json, path: Mapping[str, str]) -> Json:
    """Answer ``:batchEmbedContents``."""
    rows = _embed_contents(as_dicts(body.get("requests")), path)
    return {"embeddings": [{"values": row} for row in rows]}


def answer_ollama(body: Json, path: Mapping[str, str]) -> Json:
    """Answer ``POST /api/embed``."""
    texts = _read_texts(body.get("input"))
    model = str(body.get("model", ""))
    rows = embed(texts, model, body.get("dimensions"))
    counts = {"total_duration": 1000, "load_duration": 0}
    tokens = sum(map(count_tokens, texts))
    return {"model": model, "embeddings": rows, **counts, "prompt_eval_count": tokens}


def _embed_contents(requests: list[Json], path: Mapping[str, str]) -> list[list[float]]:
    texts = [
        "\n".join(
            str(each.get("text", "")) for each in as_dicts(pick(sent, "content").get("parts"))
        )
        for sent in requests
    ]
    first = requests[0] if requests else {}
    width = first.get("outputDimensionality") or first.get("output_dimensionality")
    return embed(texts, path.get("model", ""), width)


def _read_texts(given: Any) -> list[str]:
    """Return the texts of a request; tokens, which cannot be read, stand for themselves."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, list):
        return []
    if given and all(isinstance(each, int) for each in given):
        return [str(given)]
    return [each if isinstance(each, str) else str(each) for each in given]


def _encode(row: list[float]) -> str:
    return b64encode(struct.pack(f"<{len(row)}f", *row)).decode()

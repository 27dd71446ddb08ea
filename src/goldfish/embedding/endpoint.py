"""A client of servers that embed texts as OpenAI's does, with the standard library alone."""

import http.client
import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from goldfish.errors import EmbedderError, mask

AT_ONCE = 256  # texts per request
TIMEOUT = 60.0  # seconds
QUOTED = 200  # characters of an answer that an error quotes


class Endpoint:
    """Returns the vectors of texts when called; the key is never part of an error."""

    def __init__(self, url: str, model: str, key: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url must begin with http:// or https:// (got {mask(url)!r})")
        self._url = url.rstrip("/") + "/embeddings"
        self._model = model
        self._key = key
        self._opener = build_opener(_NoRedirects)

    def __call__(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), AT_ONCE):
            vectors += self._embed(texts[start : start + AT_ONCE])
        return vectors

    def _embed(self, texts: list[str]) -> list[list[float]]:
        # A text without a character is refused by some servers.
        answer = self._post({"model": self._model, "input": [text or " " for text in texts]})
        try:
            rows = {int(row["index"]): row["embedding"] for row in json.loads(answer)["data"]}
            return [rows[index] for index in range(len(texts))]
        except (ValueError, TypeError, KeyError) as error:
            raise self._error(f"returned no vectors for {len(texts)} texts: ", answer) from error

    def _post(self, question: dict[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = Request(self._url, json.dumps(question).encode(), headers)
        try:
            with self._opener.open(request, timeout=TIMEOUT) as response:
                return bytes(response.read())
        except HTTPError as error:
            with error:
                raise self._error(f"answered {error.code}: ", error.read()) from None
        except URLError as error:
            raise self._error(f"cannot be reached: {error.reason}") from None
        except (OSError, http.client.HTTPException) as error:
            raise self._error(f"broke off: {error!r}") from None

    def _error(self, what: str, answer: bytes = b"") -> EmbedderError:
        text = answer.decode(errors="replace")
        if self._key:  # a server may repeat what it was sent
            text = text.replace(self._key, "***")
        advice = "check the address, the model's name and the key"
        return EmbedderError(mask(f"{self._url} {what}{text[:QUOTED]}; {advice}"))


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect: the key is meant for one server."""

    def redirect_request(self, *_: Any) -> None:
        return None

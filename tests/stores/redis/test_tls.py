"""How a Redis store speaks TLS because its URL says so."""

from pathlib import Path
from urllib.parse import quote

import pytest

import goldfish
from goldfish import ChatMessage, MemoryStoreBackendError
from goldfish.services import RedisServer
from tests.stores.redis.replicas import NAME, OPEN, SentinelServer
from tests.stores.tls import make_certificate, needs_openssl, tls_in_front_of

pytestmark = needs_openssl


def said(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


async def test_a_certificate_is_checked_against_the_authority_that_the_url_names(
    tmp_path: Path,
) -> None:
    """The right one is trusted; with another one, or none, nothing is sent."""
    certificate = await make_certificate(tmp_path)
    (tmp_path / "other").mkdir()
    stranger = await make_certificate(tmp_path / "other")
    with RedisServer(settings=OPEN) as server:
        async with tls_in_front_of(server.port, certificate) as port:
            url = f"rediss://127.0.0.1:{port}/0"
            async with goldfish.open_store(f"{url}?ssl_ca_certs={certificate}") as store:
                await store.add_messages("s", said("a"))
                assert [m.content for m in await store.get_history("s")] == ["a"]
            for wrong in (url, f"{url}?ssl_ca_certs={stranger}"):
                async with goldfish.open_store(wrong, timeout=5) as store:
                    with pytest.raises(MemoryStoreBackendError, match=r"(?i)certificate"):
                        await store.add_messages("s", said("b"))


async def test_sentinels_and_the_primary_speak_tls_if_the_url_says_so(tmp_path: Path) -> None:
    """Both are checked against the same authority."""
    certificate = await make_certificate(tmp_path)
    with RedisServer(settings=OPEN) as primary:
        async with tls_in_front_of(primary.port, certificate) as secure:
            # It cannot speak to the primary itself, and has not lost patience yet.
            with SentinelServer(secure, patience=600) as sentinel:
                async with tls_in_front_of(sentinel.port, certificate) as port:
                    url = f"rediss+sentinel://127.0.0.1:{port}/{quote(NAME)}/0"
                    trusting = f"{url}?ssl_ca_certs={certificate}"
                    async with goldfish.open_store(trusting, timeout=5) as store:
                        await store.add_messages("s", said("a"))
                        assert [m.content for m in await store.get_history("s")] == ["a"]

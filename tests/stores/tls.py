"""TLS in front of a server that does not speak it."""

import asyncio
import contextlib
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificate")


async def make_certificate(directory: Path) -> Path:
    """A file with a certificate that signs itself, for the loopback address; ``key`` is beside."""
    certificate = directory / "certificate"
    command = ["openssl", "req", "-x509", "-nodes", "-newkey", "ec"]
    command += ["-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(directory / "key"), "-out", str(certificate)]
    await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
    return certificate


@asynccontextmanager
async def tls_in_front_of(port: int, certificate: Path) -> AsyncIterator[int]:
    """The port of a server that speaks TLS and passes everything on."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.parent / "key")

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(10_000):
                writer.write(data)
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_redis, to_redis = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pass_on(reader, to_redis), pass_on(from_redis, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]

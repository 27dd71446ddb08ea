"""SCRAM-SHA-256, with which PostgreSQL and its clients prove that both know a password."""

import base64
import hashlib
import hmac
import secrets

MECHANISM = "SCRAM-SHA-256"
_ITERATIONS = 1  # they slow down who guesses, and a random password cannot be guessed


def verifier(password: str) -> str:
    """What PostgreSQL stores of a password: enough to check it, too little to log in with."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ITERATIONS)
    stored, server = _sha256(_hmac(salted, b"Client Key")), _hmac(salted, b"Server Key")
    return f"{MECHANISM}${_ITERATIONS}:{_text(salt)}${_text(stored)}:{_text(server)}"


class Proof:
    """A client's part of one login."""

    def __init__(self, password: str) -> None:
        self._password = password.encode()
        self._nonce = secrets.token_urlsafe(18)
        self._expected = b""

    def first(self) -> bytes:
        """What the client says first."""
        return f"n,,n=,r={self._nonce}".encode()

    def final(self, answer: bytes) -> bytes:
        """What proves to the server that we know the password."""
        parts = _parts(answer)
        salt, count = base64.b64decode(parts["s"]), int(parts["i"])
        salted = hashlib.pbkdf2_hmac("sha256", self._password, salt, count)
        said = f"c=biws,r={parts['r']}"
        all_said = f"n=,r={self._nonce},{answer.decode()},{said}".encode()
        key = _hmac(salted, b"Client Key")
        signature = _hmac(_sha256(key), all_said)
        self._expected = _hmac(_hmac(salted, b"Server Key"), all_said)
        proof = bytes(a ^ b for a, b in zip(key, signature, strict=True))
        return f"{said},p={_text(proof)}".encode()

    def is_genuine(self, answer: bytes) -> bool:
        """Whether the server has proved that it knows the password too."""
        return hmac.compare_digest(base64.b64decode(_parts(answer).get("v", "")), self._expected)


def _parts(message: bytes) -> dict[str, str]:
    return {part[:1]: part[2:] for part in message.decode().split(",")}


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _sha256(message: bytes) -> bytes:
    return hashlib.sha256(message).digest()


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()

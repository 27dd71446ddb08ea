"""SCRAM-SHA-256: PostgreSQL and its client prove to each other that both know a password."""

import base64
import hashlib
import hmac
import secrets

MECHANISM = "SCRAM-SHA-256"
_ITERATIONS = 1  # more would slow down guessing, and a random password cannot be guessed


def make_verifier(password: str) -> str:
    """Return what PostgreSQL stores of a password: enough to check it, too little to log in."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ITERATIONS)
    stored, server = _sha256(_hmac(salted, b"Client Key")), _hmac(salted, b"Server Key")
    return f"{MECHANISM}${_ITERATIONS}:{_encode(salt)}${_encode(stored)}:{_encode(server)}"


class Proof:
    """A client's part of one login."""

    def __init__(self, password: str) -> None:
        self._password = password.encode()
        self._nonce = secrets.token_urlsafe(18)
        self._expected = b""

    def first_message(self) -> bytes:
        """Return the first message of the client."""
        return f"n,,n=,r={self._nonce}".encode()

    def final_message(self, answer: bytes) -> bytes:
        """Return the message that proves to the server that we know the password."""
        parts = _split(answer)
        salt, count = base64.b64decode(parts["s"]), int(parts["i"])
        salted = hashlib.pbkdf2_hmac("sha256", self._password, salt, count)
        own = f"c=biws,r={parts['r']}"
        exchanged = f"n=,r={self._nonce},{answer.decode()},{own}".encode()
        key = _hmac(salted, b"Client Key")
        signature = _hmac(_sha256(key), exchanged)
        self._expected = _hmac(_hmac(salted, b"Server Key"), exchanged)
        proof = bytes(a ^ b for a, b in zip(key, signature, strict=True))
        return f"{own},p={_encode(proof)}".encode()

    def is_genuine(self, answer: bytes) -> bool:
        """Return True if the server has proved that it knows the password too."""
        return hmac.compare_digest(base64.b64decode(_split(answer).get("v", "")), self._expected)


def _split(message: bytes) -> dict[str, str]:
    return {part[:1]: part[2:] for part in message.decode().split(",")}


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _sha256(message: bytes) -> bytes:
    return hashlib.sha256(message).digest()


def _encode(raw: bytes) -> str:
    return base64.b64encode(raw).decode()

"""Stores that do not give back the text as it was said."""

import html
import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.keys import encoded
from goldfish.specimens.references.sqlite import Reference


class Editor(Reference):
    """A store that changes a text before it writes it."""

    def edited(self, message: ChatMessage) -> ChatMessage:
        """Return the message as it will be kept."""
        if not isinstance(message.content, str):
            return message
        return message.model_copy(update={"content": self.text(message.content)})

    def text(self, text: str) -> Any:
        """Return the text as it will be kept."""
        return text

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return super().encode([self.edited(message) for message in messages])


variant("ascii-column", Editor, "FID01", "corrupted")(
    bug="Characters beyond ASCII become question marks.",
    text=lambda self, text: text.encode("ascii", "replace").decode(),
)
variant("three-byte-utf8", Editor, "FID01", "corrupted")(
    bug="A text ends before its first four-byte character, as in MySQL's utf8.",
    text=lambda self, text: re.split("[\U00010000-\U0010ffff]", text)[0],
)
variant("latin-1-file", Editor, "FID01", "refused")(
    bug="A file in Latin-1 refuses characters that Latin-1 does not have.",
    text=lambda self, text: text.encode("latin-1").decode("latin-1"),
)
variant("composed", Editor, "FID01", "corrupted")(
    bug="Text is normalised to NFC, so decomposed accents come back composed.",
    text=lambda self, text: unicodedata.normalize("NFC", text),
)
variant("no-joiners", Editor, "FID01", "corrupted")(
    bug="Format characters are dropped, so an emoji family falls apart.",
    text=lambda self, text: "".join(each for each in text if unicodedata.category(each) != "Cf"),
)
variant("mojibake", Reference, "FID01", "corrupted")(
    bug="UTF-8 is read as Windows-1252.",
    decode=lambda self, bodies: Reference.decode(
        self, [body.encode().decode("cp1252", "replace") for body in bodies]
    ),
)
variant("stripped", Editor, "FID02", "corrupted")(
    bug="White space at both ends is stripped.", text=lambda self, text: text.strip()
)
variant("unix-line-ends", Editor, "FID02", "corrupted")(
    bug="A file opened in text mode turns every line ending into a newline.",
    text=lambda self, text: text.replace("\r\n", "\n").replace("\r", "\n"),
)
variant("one-blank", Editor, "FID02", "corrupted")(
    bug="White space is collapsed to one space.", text=lambda self, text: re.sub(r"\s+", " ", text)
)
variant("blank-is-nothing", Reference, "FID02", "lost", explains="DUP")(
    bug="A message that consists of white space is dropped.",
    encode=lambda self, messages: Reference.encode(
        self, [each for each in messages if not str(each.content).isspace()]
    ),
)
variant("split-lines", Reference, "FID02", "refused")(
    bug="A file of lines is split wherever Unicode sees the end of a line.",
    decode=lambda self, bodies: Reference.decode(self, "\n".join(bodies).splitlines()),
)


@specimen("parsed-once-more", "FID03", "corrupted")
class ParsedOnceMore(Reference):
    bug = "A text that is JSON comes back as what it encodes."

    def decode(self, bodies: list[str]) -> list[Any]:
        return [self.parsed(message) for message in super().decode(bodies)]

    def parsed(self, message: ChatMessage) -> ChatMessage:
        """Return the message with its content parsed, if it is JSON."""
        try:
            return message.model_copy(update={"content": json.loads(str(message.content))})
        except ValueError:
            return message


variant("numeric-affinity", Editor, "FID03", "corrupted")(
    bug="A column without a type turns digits into a number and back.",
    text=lambda self, text: str(int(text)) if re.fullmatch(r"-?\d{1,18}", text) else text,
)
variant("yaml-booleans", Editor, "FID03", "corrupted")(
    bug="A bare yes or no is stored as true or false.",
    text=lambda self, text: {"yes": "true", "no": "false"}.get(text, text),
)
variant("null-is-empty", Editor, "FID03", "corrupted")(
    bug="The texts None and null are taken for nothing.",
    text=lambda self, text: "" if text in {"None", "null"} else text,
)
variant("html-escaped", Editor, "FID04", "corrupted")(
    bug="Text is escaped for HTML when it is saved instead of when it is shown.",
    text=lambda self, text: html.escape(text),
)
variant("html-unescaped", Editor, "FID04", "corrupted")(
    bug="HTML entities are decoded, so text about HTML becomes HTML.",
    text=lambda self, text: html.unescape(text),
)
variant("tags-removed", Editor, "FID04", "corrupted")(
    bug="Everything between angle brackets is removed.",
    text=lambda self, text: re.sub(r"<[^>]*>", "", text),
)
variant("doubled-quotes", Editor, "FID04", "corrupted")(
    bug="Quotes are doubled for SQL although the value is bound.",
    text=lambda self, text: text.replace("'", "''"),
)
variant("filled-in", Editor, "FID04", "refused")(
    bug="The text is used as a template, which fails on braces.",
    text=lambda self, text: text.format(session="s") if re.search(r"{\w*}", text) else text,
)
variant("unescaped", Editor, "FID04", "corrupted")(
    bug="Escape sequences in the text are interpreted.",
    text=lambda self, text: re.sub(r"\\([nrt])", lambda found: json.loads(f'"\\{found[1]}"'), text),
)
variant("url-decoded", Editor, "FID04", "corrupted")(
    bug="Text is decoded as if it came from a URL.", text=lambda self, text: unquote(text)
)
variant("secrets-masked", Editor, "FID04", "corrupted")(
    bug="Whatever looks like an e-mail address is masked, for privacy.",
    text=lambda self, text: re.sub(r"\S+@\S+", "[redacted]", text),
)
variant("varchar-255", Editor, "FID05", "corrupted")(
    bug="A text is cut after 255 characters.", text=lambda self, text: text[:255]
)


@specimen("text-64k", "FID05", "corrupted")
class Text64k(Editor):
    bug = "A text is cut after 65,535 bytes, even in the middle of a character."

    def text(self, text: str) -> str:
        data = encoded(text)
        return text if len(data) <= 65_535 else data[:65_535].decode("utf-8", "ignore")


variant("elided", Editor, "FID05", "corrupted")(
    bug="The middle of a very long text is left out, to save tokens.",
    text=lambda self, text: text if len(text) <= 50_000 else f"{text[:25_000]} … {text[-20_000:]}",
)


@specimen("four-thousand-at-most", "FID05", "refused")
class FourThousandAtMost(Editor):
    bug = "A text of more than 4,000 characters is refused, as by a short column."

    def text(self, text: str) -> str:
        if len(text) > 4_000:
            raise ValueError("value too long for type character varying(4000)")
        return text


variant("four-megabytes", Reference, "FID05", "swallowed")(
    bug="A message of more than four megabytes is dropped silently.",
    encode=lambda self, messages: [
        row for row in Reference.encode(self, messages) if len(row[1]) < 4_000_000
    ],
)
variant("c-strings", Editor, "FID06", "corrupted")(
    bug="A text ends at its first NUL.", text=lambda self, text: text.partition("\0")[0]
)
variant("surrogates-replaced", Editor, "FID06", "corrupted")(
    bug="A lone surrogate becomes a question mark.",
    text=lambda self, text: text.encode("utf-8", "replace").decode(),
)
variant("controls-removed", Editor, "FID06", "corrupted")(
    bug="Control characters other than line ends and tabs are removed.",
    text=lambda self, text: re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "", text),
)
variant("unencodable-skipped", Reference, "FID06", "swallowed")(
    bug="A text that is not valid UTF-8 is logged and skipped.",
    encode=lambda self, messages: Reference.encode(
        self, [each for each in messages if "\ud83d" not in str(each.content)]
    ),
)
variant("empty-is-nothing", Reference, "FID07", "lost")(
    bug="A message without text is dropped.",
    encode=lambda self, messages: Reference.encode(
        self, [message for message in messages if message.content]
    ),
)
variant("empty-is-none", Reference, "FID07", "corrupted")(
    bug="An empty text comes back as None.",
    decode=lambda self, bodies: [
        each.model_copy(update={"content": each.content or None})
        for each in Reference.decode(self, bodies)
    ],
)


@specimen("text-is-required", "FID07", "refused")
class TextIsRequired(Editor):
    bug = "A message without text is refused, even if it only calls tools."

    def text(self, text: str) -> str:
        if not text:
            raise ValueError("content is required")
        return text


class PartsEditor(Reference):
    """A store that changes a content made of parts before it writes it."""

    def parts(self, parts: list[dict[str, Any]]) -> Any:
        """Return the parts as they will be kept."""
        raise NotImplementedError

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return super().encode([self.edited(each) for each in messages])

    def edited(self, message: ChatMessage) -> ChatMessage:
        """Return the message as it will be kept."""
        if not isinstance(message.content, list):
            return message
        return message.model_copy(update={"content": self.parts(message.content)})


variant("parts-printed", PartsEditor, "FID08", "corrupted")(
    bug="A content made of parts is stored as its str.", parts=lambda self, parts: str(parts)
)
variant("parts-joined", PartsEditor, "FID08", "corrupted")(
    bug="Only the texts of the parts are kept, joined into one.",
    parts=lambda self, parts: " ".join(part.get("text", "") for part in parts),
)
variant("first-part-only", PartsEditor, "FID08", "corrupted")(
    bug="Only the first part is kept.", parts=lambda self, parts: parts[:1]
)


@specimen("known-part-keys", "FID08", "corrupted")
class KnownPartKeys(PartsEditor):
    bug = "Only the keys that the schema knows are kept of each part."

    def parts(self, parts: list[dict[str, Any]]) -> Any:
        known = {"type", "text", "image_url"}
        return [{key: part[key] for key in part if key in known} for part in parts]

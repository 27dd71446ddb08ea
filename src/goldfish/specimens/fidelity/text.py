"""Stores that do not give back the text as it was said."""

import html
import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.references.sqlite import Reference


class Editor(Reference):
    """Changes what it is given before it is written."""

    def edited(self, message: ChatMessage) -> ChatMessage:
        """The message as it will be kept."""
        if not isinstance(message.content, str):
            return message
        return message.model_copy(update={"content": self.text(message.content)})

    def text(self, text: str) -> Any:
        """The text as it will be kept."""
        return text

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return super().encode([self.edited(message) for message in messages])


@specimen("ascii-column", caught_by="FID01", finding="corrupted")
class AsciiColumn(Editor):
    """What is not ASCII becomes question marks."""

    def text(self, text: str) -> str:
        return text.encode("ascii", "replace").decode()


@specimen("three-byte-utf8", caught_by="FID01", finding="corrupted")
class ThreeByteUtf8(Editor):
    """The text ends before its first character of four bytes, as in MySQL's utf8."""

    def text(self, text: str) -> str:
        return re.split("[\U00010000-\U0010ffff]", text)[0]


@specimen("latin-1-file", caught_by="FID01", finding="refused")
class Latin1File(Editor):
    """A file in Latin-1 refuses what Latin-1 does not have."""

    def text(self, text: str) -> str:
        return text.encode("latin-1").decode("latin-1")


@specimen("composed", caught_by="FID01", finding="corrupted")
class Composed(Editor):
    """Text is normalised to NFC, so that decomposed accents come back composed."""

    def text(self, text: str) -> str:
        return unicodedata.normalize("NFC", text)


@specimen("no-joiners", caught_by="FID01", finding="corrupted")
class NoJoiners(Editor):
    """Characters that format are stripped, so that an emoji family falls apart."""

    def text(self, text: str) -> str:
        return "".join(each for each in text if unicodedata.category(each) != "Cf")


@specimen("mojibake", caught_by="FID01", finding="corrupted")
class Mojibake(Reference):
    """UTF-8 is read as Windows-1252."""

    def decode(self, bodies: list[str]) -> list[Any]:
        return super().decode([body.encode().decode("cp1252", "replace") for body in bodies])


@specimen("stripped", caught_by="FID02", finding="corrupted")
class Stripped(Editor):
    """Blanks at both ends are stripped."""

    def text(self, text: str) -> str:
        return text.strip()


@specimen("unix-line-ends", caught_by="FID02", finding="corrupted")
class UnixLineEnds(Editor):
    """A file that is opened as text turns every line end into one character."""

    def text(self, text: str) -> str:
        return text.replace("\r\n", "\n").replace("\r", "\n")


@specimen("one-blank", caught_by="FID02", finding="corrupted")
class OneBlank(Editor):
    """White space is collapsed to one blank."""

    def text(self, text: str) -> str:
        return re.sub(r"\s+", " ", text)


@specimen("blank-is-nothing", caught_by="FID02", finding="lost", explains=("DUP",))
class BlankIsNothing(Reference):
    """A message of blanks only is skipped."""

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        blank = [
            each for each in messages if isinstance(each.content, str) and each.content.isspace()
        ]
        return super().encode([each for each in messages if each not in blank])


@specimen("split-lines", caught_by="FID02", finding="refused")
class SplitLines(Reference):
    """A file of lines is cut wherever Unicode sees the end of a line."""

    def decode(self, bodies: list[str]) -> list[Any]:
        return super().decode("\n".join(bodies).splitlines())


@specimen("parsed-once-more", caught_by="FID03", finding="corrupted")
class ParsedOnceMore(Reference):
    """A text that is JSON is read as what it says."""

    def decode(self, bodies: list[str]) -> list[Any]:
        return [self.parsed(message) for message in super().decode(bodies)]

    def parsed(self, message: ChatMessage) -> ChatMessage:
        """The message with its content parsed, if it can be."""
        try:
            return message.model_copy(update={"content": json.loads(str(message.content))})
        except ValueError:
            return message


@specimen("numeric-affinity", caught_by="FID03", finding="corrupted")
class NumericAffinity(Editor):
    """A column without a type turns digits into a number and back."""

    def text(self, text: str) -> str:
        return str(int(text)) if re.fullmatch(r"-?\d{1,18}", text) else text


@specimen("yaml-booleans", caught_by="FID03", finding="corrupted")
class YamlBooleans(Editor):
    """A bare yes or no is written as true or false."""

    def text(self, text: str) -> str:
        return {"yes": "true", "no": "false"}.get(text, text)


@specimen("null-is-empty", caught_by="FID03", finding="corrupted")
class NullIsEmpty(Editor):
    """The texts None and null are taken for nothing."""

    def text(self, text: str) -> str:
        return "" if text in {"None", "null"} else text


@specimen("html-escaped", caught_by="FID04", finding="corrupted")
class HtmlEscaped(Editor):
    """Text is escaped for HTML when it is saved, and not when it is shown."""

    def text(self, text: str) -> str:
        return html.escape(text)


@specimen("html-unescaped", caught_by="FID04", finding="corrupted")
class HtmlUnescaped(Editor):
    """Entities are undone, so that text about HTML becomes HTML."""

    def text(self, text: str) -> str:
        return html.unescape(text)


@specimen("tags-removed", caught_by="FID04", finding="corrupted")
class TagsRemoved(Editor):
    """Everything between angle brackets is removed."""

    def text(self, text: str) -> str:
        return re.sub(r"<[^>]*>", "", text)


@specimen("doubled-quotes", caught_by="FID04", finding="corrupted")
class DoubledQuotes(Editor):
    """Quotes are doubled for SQL although the value is bound."""

    def text(self, text: str) -> str:
        return text.replace("'", "''")


@specimen("filled-in", caught_by="FID04", finding="refused")
class FilledIn(Editor):
    """The text is used as a template, which fails on any brace or per cent."""

    def text(self, text: str) -> str:
        return text.format(session="s") if re.search(r"{\w*}", text) else text


@specimen("unescaped", caught_by="FID04", finding="corrupted")
class Unescaped(Editor):
    """Escapes in the text are carried out."""

    def text(self, text: str) -> str:
        return re.sub(r"\\([nrt])", lambda found: json.loads(f'"\\{found[1]}"'), text)


@specimen("url-decoded", caught_by="FID04", finding="corrupted")
class UrlDecoded(Editor):
    """Text is decoded as if it had come in a URL."""

    def text(self, text: str) -> str:
        return unquote(text)


@specimen("secrets-masked", caught_by="FID04", finding="corrupted")
class SecretsMasked(Editor):
    """What looks like an address is masked, for privacy."""

    def text(self, text: str) -> str:
        return re.sub(r"\S+@\S+", "[redacted]", text)


@specimen("varchar-255", caught_by="FID05", finding="corrupted")
class Varchar255(Editor):
    """A text is cut after 255 characters."""

    def text(self, text: str) -> str:
        return text[:255]


@specimen("text-64k", caught_by="FID05", finding="corrupted")
class Text64k(Editor):
    """A text is cut after 65,535 bytes, in the middle of a character if need be."""

    def text(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        return text if len(data) <= 65_535 else data[:65_535].decode("utf-8", "ignore")


@specimen("elided", caught_by="FID05", finding="corrupted")
class Elided(Editor):
    """The middle of a very long text is left out, to save tokens."""

    def text(self, text: str) -> str:
        return text if len(text) <= 50_000 else f"{text[:25_000]} … {text[-20_000:]}"


@specimen("four-thousand-at-most", caught_by="FID05", finding="refused")
class FourThousandAtMost(Editor):
    """A text of more than 4,000 characters is refused, as by a short column."""

    def text(self, text: str) -> str:
        if len(text) > 4_000:
            raise ValueError("value too long for type character varying(4000)")
        return text


@specimen("four-megabytes", caught_by="FID05", finding="swallowed")
class FourMegabytes(Reference):
    """A message of more than four megabytes is dropped without a word."""

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return [row for row in super().encode(messages) if len(row[1]) < 4_000_000]


@specimen("c-strings", caught_by="FID06", finding="corrupted")
class CStrings(Editor):
    """A text ends at its first NUL."""

    def text(self, text: str) -> str:
        return text.partition("\0")[0]


@specimen("surrogates-replaced", caught_by="FID06", finding="corrupted")
class SurrogatesReplaced(Editor):
    """A lone surrogate becomes a question mark."""

    def text(self, text: str) -> str:
        return text.encode("utf-8", "replace").decode()


@specimen("controls-removed", caught_by="FID06", finding="corrupted")
class ControlsRemoved(Editor):
    """Control characters other than line ends and tabs are removed."""

    def text(self, text: str) -> str:
        return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "", text)


@specimen("unencodable-skipped", caught_by="FID06", finding="swallowed")
class UnencodableSkipped(Reference):
    """A text that is not valid UTF-8 is logged and skipped."""

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return super().encode([each for each in messages if "\ud83d" not in str(each.content)])


@specimen("empty-is-nothing", caught_by="FID07", finding="lost")
class EmptyIsNothing(Reference):
    """A message without text is skipped."""

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return super().encode([message for message in messages if message.content])


@specimen("empty-is-none", caught_by="FID07", finding="corrupted")
class EmptyIsNone(Reference):
    """An empty text comes back as None."""

    def decode(self, bodies: list[str]) -> list[Any]:
        messages = super().decode(bodies)
        return [each.model_copy(update={"content": each.content or None}) for each in messages]


@specimen("text-is-required", caught_by="FID07", finding="refused")
class TextIsRequired(Editor):
    """A message without text is refused, also an assistant's that only calls tools."""

    def text(self, text: str) -> str:
        if not text:
            raise ValueError("content is required")
        return text


class PartsEditor(Reference):
    """Does something of its own to a content that is made of parts."""

    def parts(self, parts: list[dict[str, Any]]) -> Any:
        """The parts as they will be kept."""
        raise NotImplementedError

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        return super().encode(
            [
                each.model_copy(update={"content": self.parts(each.content)})
                if isinstance(each.content, list)
                else each
                for each in messages
            ]
        )


@specimen("parts-printed", caught_by="FID08", finding="corrupted")
class PartsPrinted(PartsEditor):
    """A content made of parts is kept as its printed form."""

    def parts(self, parts: list[dict[str, Any]]) -> Any:
        return str(parts)


@specimen("parts-joined", caught_by="FID08", finding="corrupted")
class PartsJoined(PartsEditor):
    """Only the texts of the parts are kept, as one."""

    def parts(self, parts: list[dict[str, Any]]) -> Any:
        return " ".join(part.get("text", "") for part in parts)


@specimen("first-part-only", caught_by="FID08", finding="corrupted")
class FirstPartOnly(PartsEditor):
    """Only the first part is kept."""

    def parts(self, parts: list[dict[str, Any]]) -> Any:
        return parts[:1]


@specimen("known-part-keys", caught_by="FID08", finding="corrupted")
class KnownPartKeys(PartsEditor):
    """Of a part only the keys that the schema knows are kept."""

    def parts(self, parts: list[dict[str, Any]]) -> Any:
        known = {"type", "text", "image_url"}
        return [{key: part[key] for key in part if key in known} for part in parts]

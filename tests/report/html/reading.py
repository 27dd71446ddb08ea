"""A page as a parser sees it."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta"}


@dataclass
class Seen:
    """The elements of a page by name and attributes, and all its text."""

    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    unclosed: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that a reader could see, and the style."""
        return "\n".join(self.texts)

    def named(self, name: str) -> list[dict[str, str]]:
        """The attributes of all elements of that name."""
        return [attributes for each, attributes in self.elements if each == name]

    def of_class(self, name: str) -> list[dict[str, str]]:
        """The attributes of all elements that have the class."""
        return [each for _, each in self.elements if name in each.get("class", "").split()]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen = Seen()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID:
            self.seen.unclosed.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.elements.append((tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.seen.unclosed.pop() == tag

    def handle_data(self, data: str) -> None:
        self.seen.texts.append(data)


def parsed(page: str) -> Seen:
    """The page, every element of which must be closed in turn."""
    parser = _Parser()
    parser.feed(page)
    parser.close()
    assert parser.seen.unclosed == []
    return parser.seen
